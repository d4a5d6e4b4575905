/**
 * The working arrays of context queries, allocated once per snapshot (C29). Queries are answered one after the other, so
 * one set is enough (C36); a result is valid until the next query.
 */
import { createTraversal, type Traversal } from "./bfs.ts";
import type { ProjectGraph } from "./storage.ts";

/** Nodes in the order of C11 are sorted as one number each: the depth above the bits of the node (C31). */
export const NODE_BITS = 13;
export const NODE_MASK = (1 << NODE_BITS) - 1;

const EPOCH_MAX = 0xffffffff;

export class ContextScratch {
  readonly forward: Traversal;
  readonly reverse: Traversal;
  /** The known nodes in the order of C11: depth · 2^13 + node. */
  readonly order: Uint32Array;
  readonly edgeStamp: Uint32Array;
  /** The emitted edges, ascending. */
  readonly edges: Uint32Array;
  /** The stamp of the last query. Only tests set it. */
  epoch = 0;

  constructor({ nodeCount, edgeCount }: ProjectGraph) {
    if (nodeCount > NODE_MASK) throw new RangeError("more nodes than the limits of a project admit");
    this.forward = createTraversal(nodeCount);
    this.reverse = createTraversal(nodeCount);
    this.order = new Uint32Array(nodeCount);
    this.edgeStamp = new Uint32Array(edgeCount);
    this.edges = new Uint32Array(edgeCount);
  }

  /** The stamp of the next query; stamps of earlier ones never equal it (C30). */
  nextEpoch(): number {
    if (this.epoch === EPOCH_MAX) {
      this.forward.stamp.fill(0);
      this.reverse.stamp.fill(0);
      this.edgeStamp.fill(0);
      this.epoch = 0;
    }
    return ++this.epoch;
  }
}
