/** Choosing what a context contains (context.md 2 and 3): numbers only, in time that depends on what is reached (C33). */
import { type Traversal, traverse } from "./bfs.ts";
import type { ContextQuery } from "./context-query.ts";
import { type ContextScratch, NODE_BITS, NODE_MASK } from "./context-scratch.ts";
import type { ProjectGraph } from "./storage.ts";

/** What was chosen. The lists are in the scratch: nodes in `order`, edges in `edges`. */
export interface ContextSelection {
  readonly query: ContextQuery;
  /** The target's number among the declarations. */
  readonly declaration: number;
  readonly known: number;
  /** The first so many nodes of the order (C12). */
  readonly emitted: number;
  /** The next so many (C14). */
  readonly frontier: number;
  readonly edges: number;
  readonly reason: "max_depth" | "max_nodes" | null;
  /** The largest depth of an emitted node. */
  readonly usedDepth: number;
  /** C34 */
  readonly builderBytes: number;
}

/** Selects for a query in range, about a declaration that is a function. */
export function selectContext(
  graph: ProjectGraph,
  scratch: ContextScratch,
  query: ContextQuery,
  declaration: number,
): ContextSelection {
  const { order } = scratch;
  const { direction, depth, maxNodes } = query;
  const root = graph.moduleCount + declaration;
  const epoch = scratch.nextEpoch();
  const forward = direction === "reverse" ? 0 : traverseForward(graph, scratch, root, depth);
  const reverse = direction === "forward" ? 0 : traverseReverse(graph, scratch, root, depth);
  const known = orderKnown(scratch, epoch, forward, reverse);

  const depthAt = (position: number): number => order[position]! >>> NODE_BITS;
  let emitted = Math.min(known, maxNodes);
  while (depthAt(emitted - 1) > depth) emitted--;
  let frontier = 0;
  while (emitted + frontier < known && depthAt(emitted + frontier) === depthAt(emitted)) frontier++;
  const edges = selectEdges(graph, scratch, epoch, emitted);
  return {
    query,
    declaration,
    known,
    emitted,
    frontier,
    edges,
    reason: emitted === known ? null : depthAt(emitted) > depth ? "max_depth" : "max_nodes",
    usedDepth: depthAt(emitted - 1),
    builderBytes: 8 * (forward + reverse) + 4 * known + 4 * edges,
  };
}

function traverseForward(graph: ProjectGraph, scratch: ContextScratch, root: number, depth: number): number {
  const { forwardStart, forwardEdge, edgeTarget } = graph;
  return traverse(scratch.forward, scratch.epoch, forwardStart, forwardEdge, edgeTarget, root, depth);
}

function traverseReverse(graph: ProjectGraph, scratch: ContextScratch, root: number, depth: number): number {
  const { reverseStart, reverseEdge, edgeSource } = graph;
  return traverse(scratch.reverse, scratch.epoch, reverseStart, reverseEdge, edgeSource, root, depth);
}

/** Sorts the nodes found in either direction by smallest depth, then number (C11), and returns how many there are. */
function orderKnown(
  { forward, reverse, order }: ContextScratch,
  epoch: number,
  forwardCount: number,
  reverseCount: number,
): number {
  let known = 0;
  for (let at = 0; at < forwardCount; at++) {
    const node = forward.queue[at]!;
    order[known++] = keyOf(forward, reverse, epoch, node);
  }
  for (let at = 0; at < reverseCount; at++) {
    const node = reverse.queue[at]!;
    if (forward.stamp[node] !== epoch) order[known++] = keyOf(forward, reverse, epoch, node);
  }
  order.subarray(0, known).sort();
  return known;
}

/** The place of a known node in the order of C11. */
function keyOf(forward: Traversal, reverse: Traversal, epoch: number, node: number): number {
  const isForward = forward.stamp[node] === epoch;
  const isReverse = reverse.stamp[node] === epoch;
  const depth =
    isForward && isReverse
      ? Math.min(forward.distance[node]!, reverse.distance[node]!)
      : isForward
        ? forward.distance[node]!
        : reverse.distance[node]!;
  return (depth << NODE_BITS) | node;
}

/** Collects the edges between emitted nodes that one direction reached both (C15, C32); returns how many. */
function selectEdges(graph: ProjectGraph, scratch: ContextScratch, epoch: number, emitted: number): number {
  const { forward, reverse, order, edgeStamp, edges } = scratch;
  const { forwardStart, forwardEdge, edgeTarget, reverseStart, reverseEdge, edgeSource } = graph;
  // A known node is emitted when it is not behind the last emitted one.
  const last = order[emitted - 1]!;
  let count = 0;
  const take = (
    traversal: Traversal,
    rowStart: Uint32Array,
    rowEdge: Uint32Array,
    far: Uint32Array,
    node: number,
  ): void => {
    if (traversal.stamp[node] !== epoch) return;
    const end = rowStart[node + 1]!;
    for (let at = rowStart[node]!; at < end; at++) {
      const edge = rowEdge[at]!;
      const other = far[edge]!;
      if (traversal.stamp[other] !== epoch || keyOf(forward, reverse, epoch, other) > last) continue;
      if (edgeStamp[edge] === epoch) continue;
      edgeStamp[edge] = epoch;
      edges[count++] = edge;
    }
  };
  for (let at = 0; at < emitted; at++) {
    const node = order[at]! & NODE_MASK;
    take(forward, forwardStart, forwardEdge, edgeTarget, node);
    take(reverse, reverseStart, reverseEdge, edgeSource, node);
  }
  edges.subarray(0, count).sort();
  return count;
}
