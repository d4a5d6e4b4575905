import type { ProjectGraph } from "../graph/storage.ts";
import { utf8 } from "../kernel/bytes.ts";
import type { ProjectRevision, WorkspaceRevision } from "../kernel/digest.ts";
import type { AdmittedProject } from "../lang/checked.ts";
import type { Program } from "../lang/machine.ts";
import { PROJECT_SCHEMA } from "./limits.ts";
import type { Manifest } from "./manifest.ts";
import { printSourceFacts, type SourceFacts } from "./revision.ts";

/** What a snapshot is named by: the manifest, the sources, and the two revisions over them. */
export interface ProjectSubject {
  readonly manifest: Manifest;
  /** `semaprax.toml` as it was loaded. */
  readonly manifestBytes: Uint8Array;
  /** Facts of the sources, in path order. */
  readonly sources: readonly SourceFacts[];
  readonly workspaceRevision: WorkspaceRevision;
  readonly projectRevision: ProjectRevision;
}

/**
 * Everything that is retained of one load (P39, P40). Immutable: requests read it, and an applied rename replaces it as
 * a whole. The bytes of a source are those of its syntax file, `program.files[n].source.bytes`.
 */
export interface Snapshot extends ProjectSubject {
  /** RESULT of `workspace/snapshot` (P52), rendered once. */
  readonly snapshotResult: Uint8Array;
  /** The graph artifact and the index of context queries over it. */
  readonly graph: ProjectGraph;
  readonly program: AdmittedProject;
  /** `compileClosure(program, program.test)`: compiled once, at load (X31). */
  readonly testProgram: Program;
}

/**
 * RESULT of `workspace/snapshot` (P52). Nothing in it needs escaping: names, modules, paths and digests are ASCII
 * without quotes and backslashes.
 */
export function renderSnapshotResult(subject: ProjectSubject): Uint8Array {
  const { manifest, manifestBytes, sources, projectRevision, workspaceRevision } = subject;
  return utf8(
    `{"schema":"semaprax.project-snapshot.v1","project_schema":"${PROJECT_SCHEMA}","name":"${manifest.name}",` +
      `"entry":"${manifest.entry}","test_module":"${manifest.testModule}",` +
      `"project_revision":"${projectRevision}","workspace_revision":"${workspaceRevision}",` +
      `"manifest_bytes":${manifestBytes.length},"sources":[${sources.map(printSourceFacts).join(",")}]}`,
  );
}
