/**
 * The bytes of the artifact (G1 to G10, G23 to G26, G31). What stands before and after the edges is written into a
 * {@link Sink}: first a counter, then the buffer of exactly the measured length.
 */
import { ByteWriter } from "../kernel/bytes.ts";
import type { Digest } from "../kernel/digest.ts";
import { digestMemberLength, fillDigest, writeDigestMember } from "./artifact-digest.ts";
import { writeProjectMembers, writeRootMembers } from "./artifact-members.ts";
import { EdgeWriter } from "./edge-text.ts";
import { ByteCounter, type Sink } from "./sink.ts";
import {
  DECLARATION_KIND_TEXT,
  type DeclarationKind,
  type GraphFacts,
  type GraphIndex,
  IDENTITY_ORIGIN_TEXT,
  type IdentityOrigin,
  type NodeArrays,
  NONE,
  writeQuotedString,
  type StringTable,
} from "./storage.ts";

const SCHEMA = "semaprax.project-semantic-graph.v1";
const DIGEST_MEMBER = "graph_digest";
const DIGEST_DOMAIN = "semaprax.project-semantic-graph.artifact-digest.v1";

/** `nonclaims` and the end of the artifact (G2). */
const NONCLAIMS =
  ',"nonclaims":["authenticated_declared_project_inputs_not_managed_workspace_state",' +
  '"no_exclusive_lock_stage_publish_apply_or_commit_authority",' +
  '"not_patch_evidence_signature_provenance_approval_or_reusable_authorization",' +
  '"no_target_codegen_artifact_project_test_or_external_execution",' +
  '"no_generic_resource_interface_ownership_or_lifetime_composition",' +
  '"no_dynamic_linking_package_registry_network_or_dependency_fetch",' +
  '"no_incremental_cache_persistence_or_repository_index",' +
  '"no_create_delete_move_or_source_rewrite",' +
  '"no_external_consumer_compatibility"]}';

/** The members of `budget` (G31). */
export interface GraphBudget {
  readonly sources: number;
  readonly totalSourceBytes: number;
  readonly functions: number;
  readonly callSites: number;
  readonly uses: number;
  readonly edges: number;
  readonly dependencyDepth: number;
  readonly builderBytes: number;
  readonly manifestBytes: number;
}

type Nodes = StringTable & NodeArrays;

/** The length of the artifact; `edgeTextBytes` is that of the edge objects without commas. */
export function artifactLength(
  nodes: Nodes,
  facts: GraphFacts,
  budget: GraphBudget,
  edgeTextBytes: number,
): number {
  const counter = new ByteCounter();
  writeProjectMembers(counter, SCHEMA, facts);
  writeNodes(counter, nodes, facts);
  writeClosing(counter, budget);
  const commas = Math.max(budget.edges - 1, 0);
  return counter.position + digestMemberLength(DIGEST_MEMBER) + edgeTextBytes + commas;
}

export interface RenderedArtifact {
  readonly artifact: Uint8Array;
  readonly digest: Digest;
  readonly edgeTextStart: Uint32Array;
}

/** Renders the artifact into `length` bytes, the result of {@link artifactLength}. */
export function renderArtifact(graph: GraphIndex, budget: GraphBudget, length: number): RenderedArtifact {
  const { edgeCount, facts } = graph;
  const writer = new ByteWriter(length);
  writeProjectMembers(writer, SCHEMA, facts);
  const digestStart = writer.position;
  writeDigestMember(writer, DIGEST_MEMBER);
  writeNodes(writer, graph, facts);
  const edges = new EdgeWriter(writer, graph);
  const edgeTextStart = new Uint32Array(edgeCount + 1);
  for (let edge = 0; edge < edgeCount; edge++) {
    if (edge > 0) writer.ascii(",");
    edgeTextStart[edge] = writer.position;
    edges.write(edge);
  }
  // The closing bracket counts as what separates the last edge from the end of the list.
  edgeTextStart[edgeCount] = writer.position + 1;
  writeClosing(writer, budget);
  const artifact = writer.finish();
  const digest = fillDigest(artifact, digestStart, DIGEST_MEMBER, DIGEST_DOMAIN);
  return { artifact, digest, edgeTextStart };
}

/** From the digest to the first edge. */
function writeNodes(sink: Sink, nodes: Nodes, facts: GraphFacts): void {
  writeRootMembers(sink, facts);
  sink.ascii(',"modules":[');
  for (let module = 0; module < nodes.modulePath.length; module++) {
    if (module > 0) sink.ascii(",");
    writeModule(sink, nodes, facts, module);
  }
  sink.ascii('],"declarations":[');
  for (let declaration = 0; declaration < nodes.declId.length; declaration++) {
    if (declaration > 0) sink.ascii(",");
    writeDeclaration(sink, nodes, declaration);
  }
  sink.ascii('],"edges":[');
}

/** G3 */
function writeModule(sink: Sink, nodes: Nodes, facts: GraphFacts, module: number): void {
  const { sourceGraphSchema, sourceRevision, sourceDigest } = facts.sources[module]!;
  sink.ascii('{"path":');
  writeQuotedString(sink, nodes, nodes.modulePath[module]!);
  sink.ascii(',"module":');
  writeQuotedString(sink, nodes, nodes.moduleName[module]!);
  sink.ascii(',"source_graph_schema":"');
  sink.ascii(sourceGraphSchema);
  sink.ascii('","source_revision":"');
  sink.ascii(sourceRevision);
  sink.ascii('","source_digest":"');
  sink.ascii(sourceDigest);
  sink.ascii('","dependency_depth":');
  sink.decimal(nodes.moduleDepth[module]!);
  sink.ascii("}");
}

/** G5 */
function writeDeclaration(sink: Sink, nodes: Nodes, declaration: number): void {
  const kind: DeclarationKind = nodes.declKind[declaration]!;
  const origin: IdentityOrigin = nodes.declOrigin[declaration]!;
  const owner = nodes.declOwner[declaration]!;
  const module = nodes.declModule[declaration]!;
  sink.ascii('{"id":');
  writeQuotedString(sink, nodes, nodes.declId[declaration]!);
  sink.ascii(',"kind":"');
  sink.ascii(DECLARATION_KIND_TEXT[kind]);
  sink.ascii('","identity_origin":"');
  sink.ascii(IDENTITY_ORIGIN_TEXT[origin]);
  sink.ascii('","owner":');
  if (owner === NONE) sink.ascii("null");
  else writeQuotedString(sink, nodes, owner);
  if (module === NONE) {
    sink.ascii(',"path":null,"module":null}');
    return;
  }
  sink.ascii(',"path":');
  writeQuotedString(sink, nodes, nodes.modulePath[module]!);
  sink.ascii(',"module":');
  writeQuotedString(sink, nodes, nodes.moduleName[module]!);
  sink.ascii("}");
}

/** From the end of the edges to the end. */
function writeClosing(sink: Sink, budget: GraphBudget): void {
  const members = [
    ['],"budget":{"used_sources":', budget.sources],
    [',"used_total_source_bytes":', budget.totalSourceBytes],
    [',"used_declarations":', budget.functions],
    [',"used_callables":', budget.functions],
    [',"used_call_sites":', budget.callSites],
    [',"used_uses":', budget.uses],
    [',"used_cross_file_edges":', budget.edges],
    [',"used_dependency_depth":', budget.dependencyDepth],
    [',"used_builder_bytes":', budget.builderBytes],
    [',"used_manifest_bytes":', budget.manifestBytes],
  ] as const;
  for (const [member, value] of members) {
    sink.ascii(member);
    sink.decimal(value);
  }
  sink.ascii("}");
  sink.ascii(NONCLAIMS);
}
