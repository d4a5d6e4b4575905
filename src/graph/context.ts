/** The method `context` without its transport (context.md): a query in, an artifact or a refusal out. */
import { utf8 } from "../kernel/bytes.ts";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { type ContextQuery, checkContextBounds } from "./context-query.ts";
import { type MeasuredContext, measureContext, renderContext } from "./context-render.ts";
import type { ContextScratch } from "./context-scratch.ts";
import { selectContext } from "./context-selection.ts";
import { DeclarationKind, findDeclaration, type ProjectGraph } from "./storage.ts";

/**
 * Answers a query whose parameters have the right types: its ranges, the lookup of its target and the length of its
 * result are checked here, in the order of D49. G176, G177, G178, bare.
 */
export function queryContext(
  graph: ProjectGraph,
  scratch: ContextScratch,
  query: ContextQuery,
): Outcome<Uint8Array> {
  const measured = prepareContext(graph, scratch, query);
  return measured.ok ? success(renderContext(graph, scratch, measured.value)) : measured;
}

/**
 * {@link queryContext} up to the point where the artifact's length is known and nothing has been rendered (C25). The
 * result is good for one `renderContext`, before the next query.
 */
export function prepareContext(
  graph: ProjectGraph,
  scratch: ContextScratch,
  query: ContextQuery,
): Outcome<MeasuredContext> {
  const bounds = checkContextBounds(query);
  if (!bounds.ok) return bounds;
  const target = findTarget(graph, query);
  if (!target.ok) return target;
  return measureContext(graph, scratch, selectContext(graph, scratch, query, target.value));
}

/** The declaration that a query is about (C3). */
function findTarget(graph: ProjectGraph, { targetKind, target }: ContextQuery): Outcome<number> {
  if (targetKind === "capability") return refuse("SPX-G177", "a project has no capabilities");
  const declaration = findDeclaration(graph, utf8(target));
  if (declaration < 0) return refuse("SPX-G177", `no declaration has the id ${clip(target)}`);
  if (graph.declKind[declaration] !== DeclarationKind.Function) {
    return refuse("SPX-G177", `the compiler owns ${clip(target)}`);
  }
  return success(declaration);
}
