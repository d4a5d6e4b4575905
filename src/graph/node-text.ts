/** The texts of nodes that contexts copy: everything up to the value of `minimum_depth` (G24). */
import { ByteWriter } from "../kernel/bytes.ts";
import { ByteCounter, type Sink } from "./sink.ts";
import {
  DeclarationKind,
  IDENTITY_ORIGIN_TEXT,
  type IdentityOrigin,
  type NodeArrays,
  writeQuotedString,
  type StringTable,
} from "./storage.ts";

/** The total length F, and the start of the text of each node; the last entry is F. */
export function measureNodeTexts(graph: StringTable & NodeArrays): { total: number; start: Float64Array } {
  const nodeCount = graph.modulePath.length + graph.declId.length;
  const start = new Float64Array(nodeCount + 1);
  const counter = new ByteCounter();
  for (let node = 0; node < nodeCount; node++) {
    writeNodeText(counter, graph, node);
    start[node + 1] = counter.position;
  }
  return { total: counter.position, start };
}

export function buildNodeTexts(graph: StringTable & NodeArrays, total: number): Uint8Array {
  const nodeCount = graph.modulePath.length + graph.declId.length;
  const writer = new ByteWriter(total);
  for (let node = 0; node < nodeCount; node++) writeNodeText(writer, graph, node);
  return writer.finish();
}

/** Nothing for a compiler-owned declaration: no edge leads to it, so it is in no context. */
function writeNodeText(sink: Sink, graph: StringTable & NodeArrays, node: number): void {
  const moduleCount = graph.modulePath.length;
  const isModule = node < moduleCount;
  const declaration = node - moduleCount;
  if (!isModule && graph.declKind[declaration] !== DeclarationKind.Function) return;
  const module = isModule ? node : graph.declModule[declaration]!;
  if (isModule) {
    sink.ascii('{"kind":"module","declaration_kind":null,"identity_origin":null,"id":');
    writeQuotedString(sink, graph, graph.moduleName[node]!);
  } else {
    const origin: IdentityOrigin = graph.declOrigin[declaration]!;
    sink.ascii('{"kind":"declaration","declaration_kind":"function","identity_origin":"');
    sink.ascii(IDENTITY_ORIGIN_TEXT[origin]);
    sink.ascii('","id":');
    writeQuotedString(sink, graph, graph.declId[declaration]!);
  }
  sink.ascii(',"path":');
  writeQuotedString(sink, graph, graph.modulePath[module]!);
  sink.ascii(',"module":');
  writeQuotedString(sink, graph, graph.moduleName[module]!);
  sink.ascii(',"minimum_depth":');
}
