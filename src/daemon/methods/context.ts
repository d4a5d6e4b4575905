import { prepareContext } from "../../graph/context.ts";
import { type ContextQuery, DIRECTIONS, TARGET_KINDS } from "../../graph/context-query.ts";
import { renderContext } from "../../graph/context-render.ts";
import { CONTEXT_BYTES_DEFAULT, CONTEXT_NODES_DEFAULT, DEPTH_DEFAULT } from "../../graph/limits.ts";
import { utf8 } from "../../kernel/bytes.ts";
import { type Outcome, success } from "../../kernel/failure.ts";
import { questionMethod } from "../method.ts";
import type { BoundParameters } from "../parameters.ts";

const BEFORE = utf8('{"context":');
const AFTER = utf8("}");

const NAMES = ["target_kind", "target", "direction", "depth", "max_bytes", "max_nodes"] as const;

/** A bounded neighbourhood in the project graph (context.md), rendered only when it will be written (C25). */
export const context = questionMethod({
  name: "context",
  parameters: NAMES,
  compute({ snapshot: { graph }, contextScratch }, parameters) {
    const query = readQuery(parameters);
    if (!query.ok) return query;
    const measured = prepareContext(graph, contextScratch, query.value);
    if (!measured.ok) return measured;
    return success({
      length: BEFORE.length + measured.value.length + AFTER.length,
      render: () => [BEFORE, renderContext(graph, contextScratch, measured.value), AFTER],
    });
  },
});

/** Types and words in the order of D49; the ranges follow with the query itself. */
function readQuery(parameters: BoundParameters<(typeof NAMES)[number]>): Outcome<ContextQuery> {
  const targetKind = parameters.word("target_kind", TARGET_KINDS);
  if (!targetKind.ok) return targetKind;
  const target = parameters.text("target");
  if (!target.ok) return target;
  const direction = parameters.word("direction", DIRECTIONS, "both");
  if (!direction.ok) return direction;
  const depth = parameters.integer("depth", DEPTH_DEFAULT);
  if (!depth.ok) return depth;
  const maxBytes = parameters.integer("max_bytes", CONTEXT_BYTES_DEFAULT);
  if (!maxBytes.ok) return maxBytes;
  const maxNodes = parameters.integer("max_nodes", CONTEXT_NODES_DEFAULT);
  if (!maxNodes.ok) return maxNodes;
  const known = parameters.refuseUnknown();
  if (!known.ok) return known;
  return success({
    targetKind: targetKind.value,
    target: target.value,
    direction: direction.value,
    depth: depth.value,
    maxBytes: maxBytes.value,
    maxNodes: maxNodes.value,
  });
}
