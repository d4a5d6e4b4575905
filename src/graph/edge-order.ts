/** Sorting the edges by the tuple of G9, by integers only (G20). */
import type { EdgeDraft } from "./edges.ts";
import type { Outline } from "./outline.ts";
import { sortByKey } from "./sort.ts";
import { EdgeKind } from "./storage.ts";
import type { SymbolNumbers } from "./symbols.ts";

/** The edges of a draft in the order of the list: entry e is the position of edge e in the draft. */
export function orderEdges(
  outline: Outline,
  draft: EdgeDraft,
  symbols: SymbolNumbers,
  pathLength: (string: number) => number,
): Uint32Array {
  const { moduleCount } = outline;
  const { numberOf, count: stringCount } = symbols;
  const { count } = draft;
  const order = new Uint32Array(count);
  for (let edge = 0; edge < count; edge++) order[edge] = edge;
  const scratch = new Uint32Array(count);
  const key = new Uint32Array(count);
  const sortBy = (keyOf: (edge: number) => number, keyCount: number): void => {
    for (let edge = 0; edge < count; edge++) key[edge] = keyOf(edge);
    sortByKey(order, scratch, key, keyCount);
  };
  const isImport = (edge: number): boolean => draft.kind[edge] === EdgeKind.FunctionImport;

  // The least significant member first. No two edges agree up to `expression`, so what comes after it decides nothing.
  // Files are in path order and strings in byte order, so their numbers are compared in place of their texts.
  const rank = rankExpressions(draft, numberOf, stringCount, pathLength);
  sortBy((edge) => {
    const path = numberOf[draft.path[edge]!]!;
    return isImport(edge) ? path : rank[path]!;
  }, stringCount);
  sortBy((edge) => draft.site[edge]!, 4);
  sortBy((edge) => draft.kind[edge]!, 2);
  sortBy((edge) => numberOf[outline.functionId(draft.target[edge]!)]!, stringCount);
  sortBy((edge) => outline.fileOfFunction[draft.target[edge]!]!, moduleCount);
  sortBy((edge) => numberOf[callerSymbol(outline, draft, edge)]!, stringCount);
  sortBy((edge) => callerFile(outline, draft, edge), moduleCount);
  return order;
}

function callerSymbol(outline: Outline, draft: EdgeDraft, edge: number): number {
  const source = draft.source[edge]!;
  const { moduleCount } = outline;
  return source < moduleCount ? outline.moduleName(source) : outline.functionId(source - moduleCount);
}

function callerFile(outline: Outline, draft: EdgeDraft, edge: number): number {
  const source = draft.source[edge]!;
  const { moduleCount } = outline;
  return source < moduleCount ? source : outline.fileOfFunction[source - moduleCount]!;
}

/**
 * For the strings that are paths of calls: their order as the end `B:PATH` of an expression, B being the decimal
 * length of PATH (G13).
 */
function rankExpressions(
  draft: EdgeDraft,
  numberOf: Uint32Array,
  stringCount: number,
  pathLength: (string: number) => number,
): Uint32Array {
  const isCallPath = new Uint8Array(stringCount);
  let pathCount = 0;
  for (let edge = 0; edge < draft.count; edge++) {
    const path = numberOf[draft.path[edge]!]!;
    if (draft.kind[edge] === EdgeKind.FunctionImport || isCallPath[path] === 1) continue;
    isCallPath[path] = 1;
    pathCount++;
  }
  // Length and string in one number: below 11^9 · 2^17, so exact.
  const keys = new Float64Array(pathCount);
  let at = 0;
  for (let path = 0; path < stringCount; path++) {
    if (isCallPath[path] === 1) keys[at++] = decimalTextKey(pathLength(path)) * stringCount + path;
  }
  keys.sort();
  const rank = new Uint32Array(stringCount);
  for (let position = 0; position < pathCount; position++) rank[keys[position]! % stringCount] = position;
  return rank;
}

/** Orders numbers below 10^8 like their decimal texts with a `:` behind: the text as a fraction in base 11. */
function decimalTextKey(value: number): number {
  const text = `${value}:`;
  let key = 0;
  for (let at = 0; at < 9; at++) key = key * 11 + (at < text.length ? text.charCodeAt(at) - 0x30 : 0);
  return key;
}
