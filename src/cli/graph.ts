/** `semaprax graph`: modules, functions and edges of the project (L13). */
import { utf8 } from "../kernel/bytes.ts";
import { defineCommand, Exit, NO_OPERANDS, PROJECT_OPTIONS } from "./command.ts";
import type { Palette } from "./colour.ts";
import { GraphText, stringText } from "./graph-text.ts";
import { loadSnapshot } from "./project.ts";

export const graph = defineCommand({
  name: "graph",
  summary: "show modules, functions and the edges between files",
  about: [
    "Shows the modules of the project, its functions by their ids, and every import and call across",
    "files. --json prints the artifact that the daemon answers, byte for byte.",
  ],
  operands: NO_OPERANDS,
  options: { "--json": { takes: "nothing", about: "print the graph artifact" }, ...PROJECT_OPTIONS },
  run(options, _operands, surroundings) {
    const snapshot = loadSnapshot(options["--manifest-path"], surroundings);
    if (snapshot === null) return Exit.Refused;
    const { io, palette } = surroundings;
    if (options["--json"]) {
      io.out(snapshot.graph.artifact);
      io.out(utf8("\n"));
    } else {
      io.out(graphTable(new GraphText(snapshot.graph, snapshot.program), palette));
    }
    return Exit.Good;
  },
});

function graphTable(text: GraphText, palette: Palette): string {
  return [
    palette.strong("modules"),
    ...aligned(moduleRows(text)),
    palette.strong("functions"),
    ...aligned(text.functionNodes().map((node) => [text.nodeName(node), ...text.nodeFacts(node)])),
    palette.strong("edges"),
    ...edgeLines(text),
    "",
  ].join("\n");
}

function moduleRows({ graph }: GraphText): string[][] {
  const { entryModule, testModule } = graph.facts;
  return Array.from({ length: graph.moduleCount }, (_, module) => {
    const name = stringText(graph, graph.moduleName[module]!);
    const role = name === entryModule ? ["entry"] : name === testModule ? ["tests"] : [];
    return [
      name,
      stringText(graph, graph.modulePath[module]!),
      `depth ${graph.moduleDepth[module]}`,
      ...role,
    ];
  });
}

/** The edges of one source are neighbours in the artifact's list. */
function edgeLines(text: GraphText): string[] {
  const { edgeCount, edgeSource } = text.graph;
  const lines: string[] = [];
  for (let edge = 0; edge < edgeCount; ) {
    const source = edgeSource[edge]!;
    const edges: number[] = [];
    while (edge < edgeCount && edgeSource[edge] === source) edges.push(edge++);
    lines.push(`  ${text.nodeName(source)}`);
    for (const one of text.inSourceOrder(edges)) lines.push(`    ${text.edgeForward(one)}`);
  }
  return lines;
}

/** Rows as columns, indented; the last cell of a row is not padded. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, Bun.stringWidth(cell));
  }
  return rows.map((row) => {
    const padded = row.map((cell, column) => cell + " ".repeat(widths[column]! - Bun.stringWidth(cell)));
    return `  ${padded.join("  ").trimEnd()}`;
  });
}
