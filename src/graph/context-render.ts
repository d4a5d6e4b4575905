/**
 * The bytes of a context (context.md 4 and 5): its length from stored lengths, then one buffer of that length into which
 * stored fragments of the graph are copied.
 */
import { ByteWriter } from "../kernel/bytes.ts";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { digestMemberLength, fillDigest, writeDigestMember } from "./artifact-digest.ts";
import { writeProjectMembers, writeRootMembers } from "./artifact-members.ts";
import type { ContextSelection } from "./context-selection.ts";
import { type ContextScratch, NODE_BITS, NODE_MASK } from "./context-scratch.ts";
import { ByteCounter, type Sink } from "./sink.ts";
import {
  IDENTITY_ORIGIN_TEXT,
  type IdentityOrigin,
  nameOfNode,
  type ProjectGraph,
  writeQuotedString,
} from "./storage.ts";

const SCHEMA = "semaprax.project-semantic-context.v1";
const DIGEST_MEMBER = "artifact_digest";
const DIGEST_DOMAIN = "semaprax.project-semantic-context.artifact-digest.v1";

/** `nonclaims` and the end of the artifact (C19). */
const NONCLAIMS =
  ',"nonclaims":["authenticated_declared_project_inputs_not_managed_workspace_state",' +
  '"read_only_structural_context_over_six_edge_families",' +
  '"no_patch_change_review_or_commit_authority",' +
  '"no_target_execution_or_external_consumer_compatibility",' +
  '"no_persistent_cache_or_repository_index"]}';

const MODULE_ID = '{"kind":"module","id":';
const DECLARATION_ID = '{"kind":"declaration","id":';
const MINIMUM_DEPTH = ',"minimum_depth":';

/** `reached_by` and the end of a node or frontier entry (C9), by which directions are meant. */
const REACHED = {
  root: ',"reached_by":["root"]}',
  forward: ',"reached_by":["forward"]}',
  reverse: ',"reached_by":["reverse"]}',
  both: ',"reached_by":["forward","reverse"]}',
} as const;

/** A context whose length is known and within `max_bytes`. */
export interface MeasuredContext {
  readonly selection: ContextSelection;
  /** Bytes of the artifact, digest included. */
  readonly length: number;
}

/**
 * Adds up the artifact in the order of emission and stops when it passes `max_bytes` (C21 to C24): G178 then, and nothing
 * has been rendered (C26).
 */
export function measureContext(
  graph: ProjectGraph,
  scratch: ContextScratch,
  selection: ContextSelection,
): Outcome<MeasuredContext> {
  const counter = new ByteCounter();
  writeOpening(counter, graph);
  counter.position += digestMemberLength(DIGEST_MEMBER);
  writeRest(counter, graph, scratch, selection);
  const length = counter.position;
  if (length > selection.query.maxBytes) return refuse("SPX-G178", "context is above max_bytes");
  return success({ selection, length });
}

/** The artifact (C18). */
export function renderContext(
  graph: ProjectGraph,
  scratch: ContextScratch,
  { selection, length }: MeasuredContext,
): Uint8Array {
  const writer = new ByteWriter(length);
  writeOpening(writer, graph);
  const digestStart = writer.position;
  writeDigestMember(writer, DIGEST_MEMBER);
  writeRest(writer, graph, scratch, selection);
  const artifact = writer.finish();
  fillDigest(artifact, digestStart, DIGEST_MEMBER, DIGEST_DOMAIN);
  return artifact;
}

/** Everything before the digest. */
function writeOpening(sink: Sink, { facts, digest }: ProjectGraph): void {
  writeProjectMembers(sink, SCHEMA, facts);
  sink.ascii(',"project_graph_digest":"');
  sink.ascii(digest);
  sink.ascii('"');
}

/** Everything behind the digest. Lists end early when `max_bytes` is passed, which only a counter can see. */
function writeRest(
  sink: Sink,
  graph: ProjectGraph,
  scratch: ContextScratch,
  selection: ContextSelection,
): void {
  writeSubject(sink, graph, selection);
  writeNodes(sink, graph, scratch, selection);
  writeEdges(sink, graph, scratch, selection);
  writeTruncation(sink, selection);
  writeFrontier(sink, graph, scratch, selection);
  writeClosing(sink, selection);
}

/** From `entry_module` to `query`. */
function writeSubject(sink: Sink, graph: ProjectGraph, { declaration, query }: ContextSelection): void {
  const origin: IdentityOrigin = graph.declOrigin[declaration]!;
  const module = graph.declModule[declaration]!;
  writeRootMembers(sink, graph.facts);
  sink.ascii(',"target":{"kind":"declaration","id":');
  writeQuotedString(sink, graph, graph.declId[declaration]!);
  sink.ascii(',"declaration_kind":"function","identity_origin":"');
  sink.ascii(IDENTITY_ORIGIN_TEXT[origin]);
  sink.ascii('","path":');
  writeQuotedString(sink, graph, graph.modulePath[module]!);
  sink.ascii(',"module":');
  writeQuotedString(sink, graph, graph.moduleName[module]!);
  sink.ascii('},"query":{"direction":"');
  sink.ascii(query.direction);
  sink.ascii('","depth":');
  sink.decimal(query.depth);
  sink.ascii(',"max_bytes":');
  sink.decimal(query.maxBytes);
  sink.ascii(',"max_nodes":');
  sink.decimal(query.maxNodes);
  sink.ascii("}");
}

function writeNodes(
  sink: Sink,
  graph: ProjectGraph,
  scratch: ContextScratch,
  { emitted, query }: ContextSelection,
): void {
  const { nodeText, nodeTextStart } = graph;
  sink.ascii(',"nodes":[');
  for (let at = 0; at < emitted && sink.position <= query.maxBytes; at++) {
    const node = scratch.order[at]! & NODE_MASK;
    if (at > 0) sink.ascii(",");
    sink.range(nodeText, nodeTextStart[node]!, nodeTextStart[node + 1]!);
    writeReached(sink, scratch, at);
  }
  sink.ascii("]");
}

/** The value of `minimum_depth`, and `reached_by`, of the node at a position of the order. */
function writeReached(sink: Sink, scratch: ContextScratch, position: number): void {
  const { forward, reverse, epoch } = scratch;
  const key = scratch.order[position]!;
  const node = key & NODE_MASK;
  const depth = key >>> NODE_BITS;
  const isForward = forward.stamp[node] === epoch && forward.distance[node] === depth;
  const isReverse = reverse.stamp[node] === epoch && reverse.distance[node] === depth;
  sink.decimal(depth);
  if (depth === 0) sink.ascii(REACHED.root);
  else if (isForward && isReverse) sink.ascii(REACHED.both);
  else sink.ascii(isForward ? REACHED.forward : REACHED.reverse);
}

/** Edge objects that are neighbours in the graph's artifact are copied together with the commas between them. */
function writeEdges(
  sink: Sink,
  graph: ProjectGraph,
  { edges }: ContextScratch,
  { edges: count, query }: ContextSelection,
): void {
  const { artifact, edgeTextStart } = graph;
  sink.ascii(',"edges":[');
  for (let at = 0; at < count && sink.position <= query.maxBytes; ) {
    if (at > 0) sink.ascii(",");
    const first = edges[at]!;
    let last = first;
    for (at++; at < count && edges[at] === last + 1; at++) last++;
    sink.range(artifact, edgeTextStart[first]!, edgeTextStart[last + 1]! - 1);
  }
  sink.ascii("]");
}

function writeTruncation(sink: Sink, { known, emitted, reason }: ContextSelection): void {
  sink.ascii(',"truncation":{"truncated":');
  if (reason === null) sink.ascii('false,"reasons":[]');
  else {
    sink.ascii('true,"reasons":["');
    sink.ascii(reason);
    sink.ascii('"]');
  }
  sink.ascii(',"omitted_known_nodes":');
  sink.decimal(known - emitted);
  sink.ascii(',"deferred_known_nodes":0}');
}

function writeFrontier(
  sink: Sink,
  graph: ProjectGraph,
  scratch: ContextScratch,
  { emitted, frontier, query }: ContextSelection,
): void {
  sink.ascii(',"frontier":[');
  for (let at = emitted; at < emitted + frontier && sink.position <= query.maxBytes; at++) {
    const node = scratch.order[at]! & NODE_MASK;
    if (at > emitted) sink.ascii(",");
    sink.ascii(node < graph.moduleCount ? MODULE_ID : DECLARATION_ID);
    writeQuotedString(sink, graph, nameOfNode(graph, node));
    sink.ascii(MINIMUM_DEPTH);
    writeReached(sink, scratch, at);
  }
  sink.ascii("]");
}

function writeClosing(sink: Sink, selection: ContextSelection): void {
  sink.ascii(',"budget":{"used_nodes":');
  sink.decimal(selection.emitted);
  sink.ascii(',"used_edges":');
  sink.decimal(selection.edges);
  sink.ascii(',"used_depth":');
  sink.decimal(selection.usedDepth);
  sink.ascii(',"used_builder_bytes":');
  sink.decimal(selection.builderBytes);
  sink.ascii("}");
  sink.ascii(NONCLAIMS);
}
