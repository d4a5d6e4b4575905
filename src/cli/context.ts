/** `semaprax context`: what is around one declaration (L14). */
import { prepareContext } from "../graph/context.ts";
import { DIRECTIONS, TARGET_KINDS } from "../graph/context-query.ts";
import { type MeasuredContext, renderContext } from "../graph/context-render.ts";
import { ContextScratch, NODE_BITS, NODE_MASK } from "../graph/context-scratch.ts";
import {
  CONTEXT_BYTES_DEFAULT,
  CONTEXT_BYTES_MAX,
  CONTEXT_BYTES_MIN,
  CONTEXT_NODES_DEFAULT,
  CONTEXT_NODES_MAX,
  CONTEXT_NODES_MIN,
  DEPTH_DEFAULT,
  DEPTH_MAX,
} from "../graph/limits.ts";
import { utf8 } from "../kernel/bytes.ts";
import type { Diagnostic } from "../kernel/failure.ts";
import { hasControl } from "../kernel/text.ts";
import type { AdmittedProject } from "../lang/checked.ts";
import type { Palette } from "./colour.ts";
import { defineCommand, Exit, PROJECT_OPTIONS } from "./command.ts";
import { GraphText } from "./graph-text.ts";
import { nearestName } from "./nearest-name.ts";
import { loadSnapshot } from "./project.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";
import { countOf } from "./report.ts";

const OPTIONS = {
  "--kind": { takes: "word", words: TARGET_KINDS, about: "what TARGET is (default declaration)" },
  "--direction": {
    takes: "word",
    words: DIRECTIONS,
    about: "what it calls, what calls it (default both)",
  },
  "--depth": {
    takes: "number",
    min: 0,
    max: DEPTH_MAX,
    about: `steps from TARGET (default ${DEPTH_DEFAULT})`,
  },
  "--max-nodes": {
    takes: "number",
    min: CONTEXT_NODES_MIN,
    max: CONTEXT_NODES_MAX,
    about: `nodes shown (default ${CONTEXT_NODES_DEFAULT})`,
  },
  "--max-bytes": {
    takes: "number",
    min: CONTEXT_BYTES_MIN,
    max: CONTEXT_BYTES_MAX,
    about: `bytes of the artifact (default ${CONTEXT_BYTES_DEFAULT})`,
  },
  "--json": { takes: "nothing", about: "print the context artifact" },
  ...PROJECT_OPTIONS,
} as const;

export const context = defineCommand({
  name: "context",
  summary: "show what is around a function",
  about: [
    "TARGET is the id of a function. Shows the functions and modules that call or import it and those",
    "that it calls, by their distance. --json prints the artifact that the daemon answers, byte for byte.",
  ],
  operands: { shown: "TARGET", min: 1, max: 1 },
  options: OPTIONS,
  run(options, [target = ""], surroundings) {
    if (target === "" || hasControl(target)) {
      return surroundings.misuse("TARGET is a nonempty text without control characters");
    }
    const snapshot = loadSnapshot(options["--manifest-path"], surroundings);
    if (snapshot === null) return Exit.Refused;
    const { io, palette, errorPalette } = surroundings;
    const { graph, program } = snapshot;
    const scratch = new ContextScratch(graph);
    const kind = options["--kind"] ?? "declaration";
    const measured = prepareContext(graph, scratch, {
      targetKind: kind,
      target,
      direction: options["--direction"] ?? "both",
      depth: options["--depth"] ?? DEPTH_DEFAULT,
      maxBytes: options["--max-bytes"] ?? CONTEXT_BYTES_DEFAULT,
      maxNodes: options["--max-nodes"] ?? CONTEXT_NODES_DEFAULT,
    });
    if (!measured.ok) {
      for (const diagnostic of measured.failure) {
        const help = kind === "declaration" ? targetRemedy(diagnostic, target, program) : [];
        io.err(renderDiagnostic(diagnostic, () => null, help, errorPalette));
      }
      return Exit.Refused;
    }
    if (options["--json"]) {
      io.out(renderContext(graph, scratch, measured.value));
      io.out(utf8("\n"));
    } else {
      io.out(contextTree(new GraphText(graph, program), scratch, measured.value, palette));
    }
    return Exit.Good;
  },
});

/** G177: an id that is nearly right, a function's name in place of its id, or a module. */
function targetRemedy(
  { code }: Diagnostic,
  target: string,
  { files, functionIds }: AdmittedProject,
): string[] {
  if (code !== "SPX-G177") return [];
  const module = files.findIndex((file) => file.module === target);
  if (module >= 0) return [`${target} is a module; its functions are ${functionIds[module]!.join(", ")}`];
  const ids = functionIds.flat();
  const meant = nearestName(target, ids) ?? ids.find((id) => id.endsWith(`.${target}`));
  return [meant === undefined ? "semaprax graph lists the ids" : `did you mean ${meant}?`];
}

/** The emitted nodes by depth, and under each node the edges to nodes that are at most as deep. */
function contextTree(
  text: GraphText,
  scratch: ContextScratch,
  { selection }: MeasuredContext,
  palette: Palette,
): string {
  const position = new Map<number, number>();
  for (let at = 0; at < selection.emitted; at++) position.set(scratch.order[at]! & NODE_MASK, at);
  const below = edgesOfLater(text, scratch, selection.edges, position);
  const lines: string[] = [];
  for (const [node, at] of position) {
    const indent = "  ".repeat(scratch.order[at]! >>> NODE_BITS);
    lines.push(`${indent}${palette.strong(text.nodeName(node))}  ${text.nodeFacts(node).join("  ")}`);
    for (const edge of below.get(node) ?? []) lines.push(`${indent}    ${edge}`);
  }
  if (selection.reason !== null) lines.push(...omission(text, scratch, selection));
  return `${lines.join("\n")}\n`;
}

/** Every emitted edge, under the one of its two nodes that stands later in the list. */
function edgesOfLater(
  text: GraphText,
  scratch: ContextScratch,
  count: number,
  position: ReadonlyMap<number, number>,
): ReadonlyMap<number, string[]> {
  const { edgeSource, edgeTarget } = text.graph;
  const found = new Map<number, string[]>();
  for (const edge of text.inSourceOrder([...scratch.edges.subarray(0, count)])) {
    const [source, target] = [edgeSource[edge]!, edgeTarget[edge]!];
    const sourceIsLater = position.get(source)! >= position.get(target)!;
    const node = sourceIsLater ? source : target;
    const lines = found.get(node) ?? [];
    lines.push(sourceIsLater ? text.edgeForward(edge) : text.edgeReverse(edge));
    found.set(node, lines);
  }
  return found;
}

function omission(
  text: GraphText,
  scratch: ContextScratch,
  { known, emitted, frontier, reason }: MeasuredContext["selection"],
): string[] {
  const limit = reason === "max_depth" ? "--depth" : "--max-nodes";
  const next = Array.from({ length: frontier }, (_, at) =>
    text.nodeName(scratch.order[emitted + at]! & NODE_MASK),
  );
  return [`${countOf(known - emitted, "more node")} beyond ${limit}; next: ${next.join(", ")}`];
}
