/**
 * The plan of a rename: everything that an apply will do, derived from the retained snapshot and three words of the
 * client (rename.md 1 and 2). Nothing here touches a file.
 */
import { equalBytes } from "../kernel/bytes.ts";
import type { Digest, ProjectRevision, WorkspaceRevision } from "../kernel/digest.ts";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { utf8Length } from "../kernel/text.ts";
import type { FunctionRef } from "../lang/checked.ts";
import type { Source } from "../lang/source.ts";
import { PREVIEW_BYTES_MAX, SOURCE_BYTES_MAX, SYMBOL_BYTES_MAX, TARGET_ID_BYTES_MAX } from "./limits.ts";
import { buildSnapshot } from "./load.ts";
import { patchFile, printPatch } from "./rename-patch.ts";
import { renderPreview } from "./rename-preview.ts";
import type { SourceFacts } from "./revision.ts";
import type { Snapshot } from "./snapshot.ts";

/** What a client asks for; each text is not empty and has no control characters. */
export interface RenameRequest {
  readonly targetId: string;
  readonly from: string;
  readonly to: string;
}

/** What a whole project is known by, without the project (N36, N37). */
export interface ProjectFacts {
  readonly projectRevision: ProjectRevision;
  readonly workspaceRevision: WorkspaceRevision;
  readonly sources: readonly SourceFacts[];
  /** The complete graph artifact, and its digest. */
  readonly graph: Uint8Array;
  readonly graphDigest: Digest;
}

/** An admitted request, and the one source that it changes. */
export interface Candidate {
  readonly request: RenameRequest;
  /** The file of the target, by its number in path order. */
  readonly file: number;
  readonly patch: Uint8Array;
  readonly source: Source;
}

/** What `prepared` retains (N8): no path, text or patch in it came from a client. */
export interface RenamePlan {
  readonly request: RenameRequest;
  /** Patch text (N9). */
  readonly patch: Uint8Array;
  readonly baseSource: SourceFacts;
  readonly candidateSource: SourceFacts;
  /** The bytes that an apply publishes. */
  readonly candidateBytes: Uint8Array;
  readonly base: ProjectFacts;
  /** Without the snapshot it is taken from, so that no third one exists while an apply reloads (N64). */
  readonly candidate: ProjectFacts;
  /** The artifact of N16. */
  readonly preview: Uint8Array;
  readonly previewDigest: Digest;
}

/** `to` is used as given, never trimmed (N12). */
const SYMBOL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Rows 5 to 13 of N2 in their order; the first that fails is the refusal. */
export function planRename(snapshot: Snapshot, request: RenameRequest): Outcome<RenamePlan> {
  const candidate = deriveCandidate(snapshot, request);
  return candidate.ok ? buildPlan(snapshot, candidate.value) : candidate;
}

/** Rows 5 to 12: J109, or G103 for a name that cannot be one. */
export function deriveCandidate(snapshot: Snapshot, request: RenameRequest): Outcome<Candidate> {
  const target = admitRequest(snapshot, request);
  if (!target.ok) return target;
  const { file } = target.value;
  const patch = { base: snapshot.sources[file]!.sourceRevision, targetId: request.targetId, to: request.to };
  const bytes = patchFile(snapshot.program.files[file]!, patch);
  if (!bytes.ok) return bytes;
  const others = snapshot.sources.reduce((sum, source, at) => (at === file ? sum : sum + source.bytes), 0);
  if (others + bytes.value.length > SOURCE_BYTES_MAX) {
    return refuse("SPX-J109", "candidate sources are too long");
  }
  const source = { path: snapshot.sources[file]!.path, bytes: bytes.value };
  return success({ request, file, patch: printPatch(patch), source });
}

/** Row 13: the complete build with the candidate source in place of the base's (N13), then the preview. */
export function buildPlan(
  snapshot: Snapshot,
  { request, file, patch, source }: Candidate,
): Outcome<RenamePlan> {
  const sources = snapshot.program.files.map((base, at) => (at === file ? source : base.source));
  const built = buildSnapshot(snapshot.manifest, snapshot.manifestBytes, sources);
  if (!built.ok) return built;
  if (!differsInNamesOnly(snapshot, built.value)) return refuse("SPX-J109", "candidate is another program");
  const facts = {
    request,
    patch,
    baseSource: snapshot.sources[file]!,
    candidateSource: built.value.sources[file]!,
    base: factsOf(snapshot),
    candidate: factsOf(built.value),
  };
  const { artifact, digest } = renderPreview(facts);
  if (artifact.length > PREVIEW_BYTES_MAX) return refuse("SPX-J109", "preview is too long");
  return success({ ...facts, candidateBytes: source.bytes, preview: artifact, previewDigest: digest });
}

/** Rows 5 to 11: the target. */
function admitRequest(
  { program, manifest }: Snapshot,
  { targetId, from, to }: RenameRequest,
): Outcome<FunctionRef> {
  if (utf8Length(targetId) > TARGET_ID_BYTES_MAX) return tooLong("target_id", TARGET_ID_BYTES_MAX);
  if (utf8Length(from) > SYMBOL_BYTES_MAX) return tooLong("from", SYMBOL_BYTES_MAX);
  if (utf8Length(to) > SYMBOL_BYTES_MAX) return tooLong("to", SYMBOL_BYTES_MAX);
  if (from === to) return refuse("SPX-J109", "from and to are the same");
  const target = findFunction(program.functionIds, targetId);
  if (target === null) return refuse("SPX-J109", "target_id is no function here");
  const declared = program.files[target.file]!.functions[target.function]!;
  if (declared.authoredId === null) return refuse("SPX-J109", "target has no @id of its own");
  if (!manifest.webExports.includes(targetId)) return refuse("SPX-J109", "target is not exported");
  if (declared.name.text !== from) return refuse("SPX-J109", "from is not the current name");
  if (!SYMBOL_NAME.test(to)) return refuse("SPX-G103", "to cannot be a symbol");
  return success(target);
}

function tooLong(name: string, bytesMax: number) {
  return refuse("SPX-J109", `${name} has over ${bytesMax} bytes`);
}

/** Compiler-owned declarations are in no file, so their ids are not found. */
function findFunction(functionIds: readonly (readonly string[])[], id: string): FunctionRef | null {
  for (const [file, ids] of functionIds.entries()) {
    const at = ids.indexOf(id);
    if (at >= 0) return { file, function: at };
  }
  return null;
}

/** N14: the same functions with the same ids in the same order, and the same edges down to their places. */
export function differsInNamesOnly(base: Snapshot, candidate: Snapshot): boolean {
  const [baseIds, candidateIds] = [base.program.functionIds, candidate.program.functionIds];
  return (
    baseIds.length === candidateIds.length &&
    baseIds.every((ids, file) => sameTexts(ids, candidateIds[file]!)) &&
    equalBytes(edgeText(base), edgeText(candidate))
  );
}

function sameTexts(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((text, at) => text === right[at]);
}

/** All edges as the artifact lists them. */
function edgeText({ graph: { artifact, edgeCount, edgeTextStart } }: Snapshot): Uint8Array {
  return artifact.subarray(edgeTextStart[0]!, edgeTextStart[edgeCount]!);
}

export function factsOf({ projectRevision, workspaceRevision, sources, graph }: Snapshot): ProjectFacts {
  return { projectRevision, workspaceRevision, sources, graph: graph.artifact, graphDigest: graph.digest };
}

/** Both revisions, all source facts and the complete graph bytes (N36, N37). */
export function sameFacts(left: ProjectFacts, right: ProjectFacts): boolean {
  return (
    left.projectRevision === right.projectRevision &&
    left.workspaceRevision === right.workspaceRevision &&
    left.sources.length === right.sources.length &&
    left.sources.every((source, at) => sameSource(source, right.sources[at]!)) &&
    equalBytes(left.graph, right.graph)
  );
}

function sameSource(left: SourceFacts, right: SourceFacts): boolean {
  return (
    left.path === right.path &&
    left.sourceGraphSchema === right.sourceGraphSchema &&
    left.sourceRevision === right.sourceRevision &&
    left.sourceDigest === right.sourceDigest &&
    left.bytes === right.bytes
  );
}
