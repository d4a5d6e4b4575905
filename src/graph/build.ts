/**
 * From a checked project to its graph: measure, refuse what does not fit (G28, G30), and only then allocate and fill. What
 * the measures are taken from are the sources themselves, so memory stays in proportion to what will be kept.
 */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import type { CheckedProject } from "../lang/checked.ts";
import { buildRows } from "./csr.ts";
import { orderEdges } from "./edge-order.ts";
import { collectEdges, type EdgeDraft, measureEdges } from "./edges.ts";
import { ARTIFACT_BYTES_MAX, BUILDER_BYTES_MAX } from "./limits.ts";
import { buildNodeTexts, measureNodeTexts } from "./node-text.ts";
import { type BuiltNodes, buildNodes } from "./nodes.ts";
import { Outline } from "./outline.ts";
import { artifactLength, type GraphBudget, renderArtifact } from "./render.ts";
import type { Adjacency, EdgeArrays, GraphFacts, ProjectGraph } from "./storage.ts";
import { buildStringTable, numberSymbols, SymbolArena, type SymbolNumbers } from "./symbols.ts";

/**
 * Builds the graph of a project that has passed phase 8 of language.md 12.1. Refuses with G171, bare, when edges,
 * storage or artifact pass their bound (G28). Linear in sources and results, apart from sorting (G38).
 */
export function buildGraph(project: CheckedProject, facts: GraphFacts): Outcome<ProjectGraph> {
  const outlined = Outline.of(project);
  if (!outlined.ok) return outlined;
  const outline = outlined.value;
  const measured = measureEdges(outline);
  if (!measured.ok) return measured;
  const { callCount, textBytes, callPathBytes } = measured.value;
  // The artifact contains every name at least once, so this bounds what numbering the strings will take.
  const namesBytes = outline.quotedLength.reduce((sum, length) => sum + length, 0);
  if (namesBytes + textBytes > ARTIFACT_BYTES_MAX) return tooLong();

  const arena = new SymbolArena(outline, callCount, callPathBytes);
  const draft = collectEdges(outline, measured.value, arena);
  const symbols = numberSymbols(arena);
  const strings = buildStringTable(arena, symbols);
  const nodes = buildNodes(outline, symbols);
  const named = { ...strings, ...nodes.arrays };
  const nodeTexts = measureNodeTexts(named);
  const builderBytes = countBuilderBytes(outline, symbols, nodeTexts.total, draft.count);
  if (builderBytes > BUILDER_BYTES_MAX) return refuse("SPX-G171", "project graph is too large");
  const budget: GraphBudget = {
    sources: outline.moduleCount,
    totalSourceBytes: project.files.reduce((sum, file) => sum + file.source.bytes.length, 0),
    functions: outline.functionCount,
    callSites: outline.callSiteCount,
    uses: outline.useCount,
    edges: draft.count,
    dependencyDepth: project.dependencyDepth.reduce((most, depth) => Math.max(most, depth), 0),
    builderBytes,
    manifestBytes: facts.manifestBytes,
  };
  const length = artifactLength(named, facts, budget, textBytes);
  if (length > ARTIFACT_BYTES_MAX) return tooLong();

  const edges = fillEdges(outline, draft, symbols, nodes, strings.utf8Start);
  const nodeCount = outline.moduleCount + outline.declarationCount;
  const index = {
    ...named,
    ...edges,
    ...buildAdjacency(nodeCount, edges),
    facts,
    moduleCount: outline.moduleCount,
    declarationCount: outline.declarationCount,
    nodeCount,
    edgeCount: draft.count,
  };
  return success({
    ...index,
    nodeText: buildNodeTexts(named, nodeTexts.total),
    nodeTextStart: Uint32Array.from(nodeTexts.start),
    ...renderArtifact(index, budget, length),
  });
}

function tooLong() {
  return refuse("SPX-G171", "project graph is too long");
}

/** G35: the bytes of all arrays of section 3. */
function countBuilderBytes(
  outline: Outline,
  strings: SymbolNumbers,
  nodeTextBytes: number,
  edgeCount: number,
): number {
  const { moduleCount, declarationCount } = outline;
  const nodeCount = moduleCount + declarationCount;
  return (
    strings.utf8Bytes +
    strings.jsonBytes +
    nodeTextBytes +
    8 * (strings.count + 1) +
    12 * moduleCount +
    14 * declarationCount +
    34 * edgeCount +
    12 * (nodeCount + 1) +
    4
  );
}

/** The edges in the order of the list (G9), their ends as nodes (G15). */
function fillEdges(
  outline: Outline,
  draft: EdgeDraft,
  symbols: SymbolNumbers,
  nodes: BuiltNodes,
  utf8Start: Uint32Array,
): EdgeArrays {
  const { moduleCount } = outline;
  const { numberOf } = symbols;
  const pathLength = (string: number): number => utf8Start[string + 1]! - utf8Start[string]!;
  const nodeOfFunction = (number: number): number => moduleCount + nodes.declarationOf[number]!;
  const order = orderEdges(outline, draft, symbols, pathLength);
  const { count } = draft;
  const edges = {
    edgeSource: new Uint32Array(count),
    edgeTarget: new Uint32Array(count),
    edgePath: new Uint32Array(count),
    edgeAlias: new Uint32Array(count),
    edgeOrdinal: new Uint32Array(count),
    edgeKind: new Uint8Array(count),
    edgeSite: new Uint8Array(count),
  };
  for (let at = 0; at < count; at++) {
    const edge = order[at]!;
    const source = draft.source[edge]!;
    edges.edgeSource[at] = source < moduleCount ? source : nodeOfFunction(source - moduleCount);
    edges.edgeTarget[at] = nodeOfFunction(draft.target[edge]!);
    edges.edgePath[at] = numberOf[draft.path[edge]!]!;
    edges.edgeAlias[at] = numberOf[draft.alias[edge]!]!;
    edges.edgeOrdinal[at] = draft.ordinal[edge]!;
    edges.edgeKind[at] = draft.kind[edge]!;
    edges.edgeSite[at] = draft.site[edge]!;
  }
  return edges;
}

function buildAdjacency(nodeCount: number, { edgeSource, edgeTarget }: EdgeArrays): Adjacency {
  const forward = buildRows(nodeCount, edgeSource);
  const reverse = buildRows(nodeCount, edgeTarget);
  return {
    forwardStart: forward.start,
    forwardEdge: forward.edge,
    reverseStart: reverse.start,
    reverseEdge: reverse.edge,
  };
}
