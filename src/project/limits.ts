/** Every bound of the project subsystem (project.md section 10), and the names that carry no choice. */

/** The only manifest name (P3). */
export const MANIFEST_NAME = "semaprax.toml";
export const PROJECT_SCHEMA = "semaprax.project.v1";

/** Bytes of `semaprax.toml` (P10, P17 row 1). */
export const MANIFEST_BYTES_MAX = 65_536;
/** Bytes of all sources of a project together (P10, P54); a rename's candidate obeys it too. */
export const SOURCE_BYTES_MAX = 16_777_216;
/** Directories kept open, `/` included (P6). */
export const HELD_DIRECTORIES_MAX = 128;

/** Declared sources (P17 rows 9 and 10). */
export const SOURCES_MIN = 2;
export const SOURCES_MAX = 16;
/** Web exports (P17 rows 13 and 14). */
export const WEB_EXPORTS_MIN = 1;
export const WEB_EXPORTS_MAX = 32;

/** UTF-8 bytes of the project's name (P17 row 7). */
export const NAME_BYTES_MAX = 64;
/** UTF-8 bytes of a module name (P17 row 8). */
export const MODULE_BYTES_MAX = 240;
/** UTF-8 bytes of a web export (P17 row 16). */
export const WEB_EXPORT_BYTES_MAX = 128;

/** UTF-8 bytes, segments, and bytes of a segment of a source path (P18). */
export const SOURCE_PATH_BYTES_MAX = 240;
export const SOURCE_PATH_SEGMENTS_MAX = 16;
export const SOURCE_SEGMENT_BYTES_MAX = 64;

/** The one buffer through which an authentication rereads every input (D56). */
export const SCRATCH_BYTES = 65_536;

/** UTF-8 bytes of `target_id`, and of `from` and `to`, in a rename (rename.md section 10). */
export const TARGET_ID_BYTES_MAX = 128;
export const SYMBOL_BYTES_MAX = 128;
/** Bytes of a preview artifact (rename.md section 10). */
export const PREVIEW_BYTES_MAX = 65_536;
/** Names that a stage may take (N21, A11). */
export const STAGES_MAX = 32;
