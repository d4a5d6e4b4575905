/**
 * What is retained of a project's graph: a struct of arrays (graph.md section 3) and the artifact that was rendered
 * from it. Nodes are numbered modules first, in path order, then declarations in the byte order of their ids (G15);
 * edges in the order of the artifact's list. Nobody writes into any of it after the build (G39).
 */
import type { Digest, ProjectRevision, SourceRevision, WorkspaceRevision } from "../kernel/digest.ts";
import type { Sink } from "./sink.ts";

/** "No string", "no module". */
export const NONE = 0xffffffff;

export const enum DeclarationKind {
  Function,
  Variant,
  VariantCase,
  CaseField,
}

export const enum IdentityOrigin {
  Explicit,
  Automatic,
  CompilerOwned,
}

/** In the byte order of their texts, so that comparing numbers compares texts (G9). */
export const enum EdgeKind {
  Call,
  FunctionImport,
}

/** In the byte order of their texts. */
export const enum EdgeSite {
  Body,
  Ensures,
  Module,
  Requires,
}

export const DECLARATION_KIND_TEXT = ["function", "variant", "variant_case", "case_field"] as const;
export const IDENTITY_ORIGIN_TEXT = ["explicit", "automatic", "compiler_owned"] as const;
export const EDGE_KIND_TEXT = ["call", "function_import"] as const;
export const EDGE_SITE_TEXT = ["body", "ensures", "module", "requires"] as const;

/** What the artifact says about one source besides its syntax. */
export interface GraphSourceFacts {
  readonly sourceGraphSchema: string;
  readonly sourceRevision: SourceRevision;
  readonly sourceDigest: Digest;
}

/** What the artifact says that does not follow from the checked project. */
export interface GraphFacts {
  /** `name`, `entry` and the test module of the manifest. */
  readonly project: string;
  readonly entryModule: string;
  readonly testModule: string;
  readonly projectRevision: ProjectRevision;
  readonly workspaceRevision: WorkspaceRevision;
  /** Byte length of the manifest. */
  readonly manifestBytes: number;
  /** One per source, in path order. */
  readonly sources: readonly GraphSourceFacts[];
}

/**
 * The distinct strings of the graph, numbered in byte order: comparing two numbers compares the strings (G20).
 * String n is `utf8[utf8Start[n]]` … `utf8[utf8Start[n + 1] - 1]`, and quoted the same range of `json`.
 */
export interface StringTable {
  readonly utf8: Uint8Array;
  readonly utf8Start: Uint32Array;
  /** Quotes included. */
  readonly json: Uint8Array;
  readonly jsonStart: Uint32Array;
}

export interface NodeArrays {
  readonly modulePath: Uint32Array;
  readonly moduleName: Uint32Array;
  readonly moduleDepth: Uint32Array;
  readonly declId: Uint32Array;
  /** A string, or {@link NONE}. */
  readonly declOwner: Uint32Array;
  /** A module, or {@link NONE} for the compiler's own declarations. */
  readonly declModule: Uint32Array;
  /** {@link DeclarationKind} */
  readonly declKind: Uint8Array;
  /** {@link IdentityOrigin} */
  readonly declOrigin: Uint8Array;
}

export interface EdgeArrays {
  /** A module node for an import, a function node for a call (G16). */
  readonly edgeSource: Uint32Array;
  /** A function node. */
  readonly edgeTarget: Uint32Array;
  /** The AST path: a string. */
  readonly edgePath: Uint32Array;
  /** A string. */
  readonly edgeAlias: Uint32Array;
  readonly edgeOrdinal: Uint32Array;
  /** {@link EdgeKind} */
  readonly edgeKind: Uint8Array;
  /** {@link EdgeSite} */
  readonly edgeSite: Uint8Array;
}

export interface Adjacency {
  /** Rows by source and by target: see csr.ts. */
  readonly forwardStart: Uint32Array;
  readonly forwardEdge: Uint32Array;
  readonly reverseStart: Uint32Array;
  readonly reverseEdge: Uint32Array;
}

/** Everything but the rendered texts. */
export interface GraphIndex extends StringTable, NodeArrays, EdgeArrays, Adjacency {
  readonly facts: GraphFacts;
  readonly moduleCount: number;
  readonly declarationCount: number;
  readonly nodeCount: number;
  readonly edgeCount: number;
}

export interface ProjectGraph extends GraphIndex {
  /** Node n of a context up to the value of `minimum_depth` (G24): from entry n to entry n + 1. */
  readonly nodeText: Uint8Array;
  readonly nodeTextStart: Uint32Array;
  /** Edge object e in `artifact`: from entry e to the byte before entry e + 1, which is the `,` or `]` after it. */
  readonly edgeTextStart: Uint32Array;
  /** The JSON object that `graph` answers (G1), rendered once. */
  readonly artifact: Uint8Array;
  /** `graph_digest` of the artifact (G34). */
  readonly digest: Digest;
}

/** Writes a string of the table as JSON, quotes included. */
export function writeQuotedString(sink: Sink, { json, jsonStart }: StringTable, string: number): void {
  sink.range(json, jsonStart[string]!, jsonStart[string + 1]!);
}

/** The number of the module that a node is, or lives in; {@link NONE} for the compiler's own declarations. */
export function moduleOfNode(graph: GraphIndex, node: number): number {
  return node < graph.moduleCount ? node : graph.declModule[node - graph.moduleCount]!;
}

/** The string that names a node: a module's name or a declaration's id. */
export function nameOfNode(graph: GraphIndex, node: number): number {
  return node < graph.moduleCount ? graph.moduleName[node]! : graph.declId[node - graph.moduleCount]!;
}

/**
 * The declaration with an id, by binary search (G21); -1 if there is none. `id` is its UTF-8 bytes.
 */
export function findDeclaration(graph: GraphIndex, id: Uint8Array): number {
  let low = 0;
  let high = graph.declarationCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const order = compareToString(graph, graph.declId[middle]!, id);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}

/** Negative, zero or positive, like string `string` of the table compared to `bytes`. */
function compareToString({ utf8, utf8Start }: StringTable, string: number, bytes: Uint8Array): number {
  const start = utf8Start[string]!;
  const length = utf8Start[string + 1]! - start;
  const common = Math.min(length, bytes.length);
  for (let at = 0; at < common; at++) {
    const difference = utf8[start + at]! - bytes[at]!;
    if (difference !== 0) return difference;
  }
  return length - bytes.length;
}
