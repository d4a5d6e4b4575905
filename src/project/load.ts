/** From a manifest path to a snapshot (project.md section 4): start, a rename's candidate and its reload all come here. */
import { buildGraph } from "../graph/build.ts";
import { type Outcome, success } from "../kernel/failure.ts";
import { admitSource } from "../lang/admit.ts";
import { checkProject } from "../lang/check.ts";
import { compileClosure } from "../lang/compile.ts";
import { NO_TOTALS } from "../lang/limits.ts";
import { admitProject } from "../lang/link.ts";
import { resolveProject } from "../lang/resolve.ts";
import type { Source } from "../lang/source.ts";
import type { SyntaxFile } from "../lang/syntax.ts";
import { type FileSystem, systemFiles } from "./file-system.ts";
import type { HeldInputs } from "./held.ts";
import type { Manifest } from "./manifest.ts";
import { openInputs } from "./open.ts";
import { projectRevision, sourceFacts, workspaceRevision } from "./revision.ts";
import { type ProjectSubject, renderSnapshotResult, type Snapshot } from "./snapshot.ts";

export interface LoadedProject {
  readonly snapshot: Snapshot;
  /** The open inputs; whoever gets them closes them. */
  readonly held: HeldInputs;
}

/**
 * Loads a project completely: opens and reads its inputs, builds its snapshot from what was read, and proves that the
 * inputs still are those bytes (P20). A refusal leaves no handle open (P23). `files` is for tests.
 */
export function loadProject(manifestPath: string, files: FileSystem = systemFiles): Outcome<LoadedProject> {
  const inputs = openInputs(manifestPath, files);
  if (!inputs.ok) return inputs;
  const { held, manifest, manifestBytes, sources } = inputs.value;
  let loaded = false;
  try {
    const snapshot = buildSnapshot(manifest, manifestBytes, sources);
    if (!snapshot.ok) return snapshot;
    const same = held.authenticate();
    if (!same.ok) return same;
    loaded = true;
    return success({ snapshot: snapshot.value, held });
  } finally {
    if (!loaded) held.close();
  }
}

/**
 * Builds a snapshot from bytes alone: language.md phases 3 to 11, the graph at the end of phase 8 (P24). Pure, so a
 * rename's candidate is a call with one source replaced (N13). `sources` are in path order.
 */
export function buildSnapshot(
  manifest: Manifest,
  manifestBytes: Uint8Array,
  sources: readonly Source[],
): Outcome<Snapshot> {
  const files = admitSources(sources);
  if (!files.ok) return files;
  const resolved = resolveProject(files.value);
  if (!resolved.ok) return resolved;
  const checked = checkProject(resolved.value);
  if (!checked.ok) return checked;

  const subject = nameContent(manifest, manifestBytes, sources);
  const graph = buildGraph(checked.value, {
    project: manifest.name,
    entryModule: manifest.entry,
    testModule: manifest.testModule,
    projectRevision: subject.projectRevision,
    workspaceRevision: subject.workspaceRevision,
    manifestBytes: manifestBytes.length,
    sources: subject.sources,
  });
  if (!graph.ok) return graph;
  const program = admitProject(checked.value, manifest);
  if (!program.ok) return program;
  return success({
    ...subject,
    snapshotResult: renderSnapshotResult(subject),
    graph: graph.value,
    program: program.value,
    testProgram: compileClosure(program.value, program.value.test),
  });
}

/** Phase 3: one file after the other, with running totals. */
function admitSources(sources: readonly Source[]): Outcome<readonly SyntaxFile[]> {
  const files: SyntaxFile[] = [];
  let totals = NO_TOTALS;
  for (const source of sources) {
    const admitted = admitSource(source, totals);
    if (!admitted.ok) return admitted;
    files.push(admitted.value.file);
    totals = admitted.value.totals;
  }
  return success(files);
}

function nameContent(
  manifest: Manifest,
  manifestBytes: Uint8Array,
  sources: readonly Source[],
): ProjectSubject {
  const facts = sources.map(sourceFacts);
  const workspace = workspaceRevision(facts);
  return {
    manifest,
    manifestBytes,
    sources: facts,
    workspaceRevision: workspace,
    projectRevision: projectRevision(manifestBytes, workspace),
  };
}
