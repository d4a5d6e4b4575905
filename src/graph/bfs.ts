/**
 * One breadth-first traversal over compressed rows, without an allocation. A node has been seen when its stamp equals
 * the epoch, so nothing is cleared between queries (C30).
 */
export interface Traversal {
  readonly stamp: Uint32Array;
  /** Valid for seen nodes. */
  readonly distance: Uint32Array;
  /** The seen nodes in the order in which they were found, so grouped by ascending distance. */
  readonly queue: Uint32Array;
}

export function createTraversal(nodeCount: number): Traversal {
  return {
    stamp: new Uint32Array(nodeCount),
    distance: new Uint32Array(nodeCount),
    queue: new Uint32Array(nodeCount),
  };
}

/**
 * Expands every node within `depth` steps of `root` (C6), so nodes up to `depth + 1` are found. `far[e]` is the end of
 * edge e that lies in the direction of travel. Returns how many nodes were found: that prefix of the queue is valid.
 */
export function traverse(
  { stamp, distance, queue }: Traversal,
  epoch: number,
  rowStart: Uint32Array,
  rowEdge: Uint32Array,
  far: Uint32Array,
  root: number,
  depth: number,
): number {
  queue[0] = root;
  stamp[root] = epoch;
  distance[root] = 0;
  let found = 1;
  for (let head = 0; head < found; head++) {
    const node = queue[head]!;
    const next = distance[node]! + 1;
    if (next > depth + 1) break;
    const end = rowStart[node + 1]!;
    for (let at = rowStart[node]!; at < end; at++) {
      const neighbour = far[rowEdge[at]!]!;
      if (stamp[neighbour] === epoch) continue;
      stamp[neighbour] = epoch;
      distance[neighbour] = next;
      queue[found++] = neighbour;
    }
  }
  return found;
}
