/** The JSON object of an edge (G9, G10, G13): how long it is before it exists, and its bytes. */
import { type ByteWriter, decimalLength } from "../kernel/bytes.ts";
import {
  EDGE_KIND_TEXT,
  EDGE_SITE_TEXT,
  EdgeKind,
  EdgeSite,
  type GraphIndex,
  moduleOfNode,
  nameOfNode,
  quotedString,
} from "./storage.ts";

const CALLER_PATH = '{"caller_path":';
const CALLER = ',"caller":';
const TARGET_PATH = ',"target_path":';
const TARGET = ',"target":';
const KIND = ',"kind":"';
const SITE = '","site":"';
const EXPRESSION = '","expression":"';
const AST_PATH = '","ast_path":"';
const ALIAS = '","alias":';
const ORDINAL = ',"ordinal":';
const END = "}";
const FIXED_LENGTH =
  CALLER_PATH.length +
  CALLER.length +
  TARGET_PATH.length +
  TARGET.length +
  KIND.length +
  SITE.length +
  EXPRESSION.length +
  AST_PATH.length +
  ALIAS.length +
  ORDINAL.length +
  END.length;

const DECLARATION = "declaration:";
const OF_EXPRESSION = ":expression:";

/**
 * The number of bytes that {@link writeEdge} writes for an import. `quotedBytes` is the length of caller path, caller,
 * target path, target and alias, each quoted.
 */
export function importTextLength(quotedBytes: number, pathBytes: number, ordinal: number): number {
  return textLength(EdgeKind.FunctionImport, EdgeSite.Module, quotedBytes, pathBytes, ordinal) + pathBytes;
}

/** The same for a call. `callerBytes` and `callerQuoted` are the lengths of the caller's id, plain and quoted. */
export function callTextLength(
  site: EdgeSite,
  quotedBytes: number,
  pathBytes: number,
  ordinal: number,
  callerBytes: number,
  callerQuoted: number,
): number {
  const expression =
    DECLARATION.length +
    decimalLength(callerBytes) +
    1 +
    (callerQuoted - 2) +
    OF_EXPRESSION.length +
    decimalLength(pathBytes) +
    1 +
    pathBytes;
  return textLength(EdgeKind.Call, site, quotedBytes, pathBytes, ordinal) + expression;
}

/** Everything but the value of `expression`. */
function textLength(
  kind: EdgeKind,
  site: EdgeSite,
  quotedBytes: number,
  pathBytes: number,
  ordinal: number,
): number {
  return (
    FIXED_LENGTH +
    EDGE_KIND_TEXT[kind].length +
    EDGE_SITE_TEXT[site].length +
    quotedBytes +
    pathBytes +
    decimalLength(ordinal)
  );
}

/** Writes the object of edge `edge`. AST paths are ASCII without anything to escape, so they are copied as they are. */
export function writeEdge(writer: ByteWriter, graph: GraphIndex, edge: number): void {
  const { json, jsonStart, utf8, utf8Start } = graph;
  const source = graph.edgeSource[edge]!;
  const target = graph.edgeTarget[edge]!;
  const caller = nameOfNode(graph, source);
  const kind: EdgeKind = graph.edgeKind[edge]!;
  const site: EdgeSite = graph.edgeSite[edge]!;
  const pathNumber = graph.edgePath[edge]!;
  const path = utf8.subarray(utf8Start[pathNumber]!, utf8Start[pathNumber + 1]!);

  writer.ascii(CALLER_PATH);
  writer.bytes(quotedString(graph, graph.modulePath[moduleOfNode(graph, source)]!));
  writer.ascii(CALLER);
  writer.bytes(quotedString(graph, caller));
  writer.ascii(TARGET_PATH);
  writer.bytes(quotedString(graph, graph.modulePath[moduleOfNode(graph, target)]!));
  writer.ascii(TARGET);
  writer.bytes(quotedString(graph, nameOfNode(graph, target)));
  writer.ascii(KIND);
  writer.ascii(EDGE_KIND_TEXT[kind]);
  writer.ascii(SITE);
  writer.ascii(EDGE_SITE_TEXT[site]);
  writer.ascii(EXPRESSION);
  if (kind === EdgeKind.Call) {
    writer.ascii(DECLARATION);
    writer.decimal(utf8Start[caller + 1]! - utf8Start[caller]!);
    writer.ascii(":");
    writer.bytes(json.subarray(jsonStart[caller]! + 1, jsonStart[caller + 1]! - 1));
    writer.ascii(OF_EXPRESSION);
    writer.decimal(path.length);
    writer.ascii(":");
  }
  writer.bytes(path);
  writer.ascii(AST_PATH);
  writer.bytes(path);
  writer.ascii(ALIAS);
  writer.bytes(quotedString(graph, graph.edgeAlias[edge]!));
  writer.ascii(ORDINAL);
  writer.decimal(graph.edgeOrdinal[edge]!);
  writer.ascii(END);
}
