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
  writeQuotedString,
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
 * The number of bytes that {@link EdgeWriter} writes for an import. `quotedBytes` is the length of caller path, caller,
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

/**
 * Writes edge objects one after the other. Neighbours in the list mostly differ only behind the middle of `expression`, and
 * what they have in common is copied from the object before: 65536 edges took 20 ms in place of 43.
 */
export class EdgeWriter {
  private headStart = 0;
  private headLength = 0;

  constructor(
    private readonly writer: ByteWriter,
    private readonly graph: GraphIndex,
  ) {}

  /** Writes the object of edge `edge`; edges come in ascending order. */
  write(edge: number): void {
    const { writer, graph } = this;
    const start = writer.position;
    if (edge > 0 && this.sharesHead(edge - 1, edge)) writer.repeat(this.headStart, this.headLength);
    else writeHead(writer, graph, edge);
    this.headStart = start;
    this.headLength = writer.position - start;
    writeTail(writer, graph, edge);
  }

  private sharesHead(a: number, b: number): boolean {
    const { edgeSource, edgeTarget, edgeKind, edgeSite } = this.graph;
    return (
      edgeSource[a] === edgeSource[b] &&
      edgeTarget[a] === edgeTarget[b] &&
      edgeKind[a] === edgeKind[b] &&
      edgeSite[a] === edgeSite[b]
    );
  }
}

/** Up to the path, or its length, in `expression`. */
function writeHead(writer: ByteWriter, graph: GraphIndex, edge: number): void {
  const source = graph.edgeSource[edge]!;
  const target = graph.edgeTarget[edge]!;
  const caller = nameOfNode(graph, source);
  const kind: EdgeKind = graph.edgeKind[edge]!;
  const site: EdgeSite = graph.edgeSite[edge]!;
  writer.ascii(CALLER_PATH);
  writeQuotedString(writer, graph, graph.modulePath[moduleOfNode(graph, source)]!);
  writer.ascii(CALLER);
  writeQuotedString(writer, graph, caller);
  writer.ascii(TARGET_PATH);
  writeQuotedString(writer, graph, graph.modulePath[moduleOfNode(graph, target)]!);
  writer.ascii(TARGET);
  writeQuotedString(writer, graph, nameOfNode(graph, target));
  writer.ascii(KIND);
  writer.ascii(EDGE_KIND_TEXT[kind]);
  writer.ascii(SITE);
  writer.ascii(EDGE_SITE_TEXT[site]);
  writer.ascii(EXPRESSION);
  if (kind === EdgeKind.FunctionImport) return;
  const { json, jsonStart, utf8Start } = graph;
  writer.ascii(DECLARATION);
  writer.decimal(utf8Start[caller + 1]! - utf8Start[caller]!);
  writer.ascii(":");
  writer.range(json, jsonStart[caller]! + 1, jsonStart[caller + 1]! - 1);
  writer.ascii(OF_EXPRESSION);
}

/** The rest. AST paths are ASCII without anything to escape, so they are copied as they are. */
function writeTail(writer: ByteWriter, graph: GraphIndex, edge: number): void {
  const { json, jsonStart, utf8, utf8Start } = graph;
  const path = graph.edgePath[edge]!;
  const pathStart = utf8Start[path]!;
  const pathEnd = utf8Start[path + 1]!;
  const alias = graph.edgeAlias[edge]!;
  const kind: EdgeKind = graph.edgeKind[edge]!;
  if (kind === EdgeKind.Call) {
    writer.decimal(pathEnd - pathStart);
    writer.ascii(":");
  }
  writer.range(utf8, pathStart, pathEnd);
  writer.ascii(AST_PATH);
  writer.range(utf8, pathStart, pathEnd);
  writer.ascii(ALIAS);
  writer.range(json, jsonStart[alias]!, jsonStart[alias + 1]!);
  writer.ascii(ORDINAL);
  writer.decimal(graph.edgeOrdinal[edge]!);
  writer.ascii(END);
}
