/** Bounds of the graph and of context queries: a value passes, one more is refused (G28, C1). */

/** Cross-file edges of a project. */
export const EDGES_MAX = 65536;
/** `used_builder_bytes` of G35. */
export const BUILDER_BYTES_MAX = 16_777_216;
/** The rendered artifact, digest included. */
export const ARTIFACT_BYTES_MAX = 16_777_216;

/** C1: UTF-8 bytes of a context target. */
export const TARGET_BYTES_MAX = 4096;
export const DEPTH_DEFAULT = 4;
export const DEPTH_MAX = 1024;
export const CONTEXT_BYTES_DEFAULT = 1_048_576;
export const CONTEXT_BYTES_MIN = 4096;
export const CONTEXT_BYTES_MAX = 16_777_216;
export const CONTEXT_NODES_DEFAULT = 1024;
export const CONTEXT_NODES_MIN = 1;
export const CONTEXT_NODES_MAX = 8208;
