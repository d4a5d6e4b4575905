/** Compressed sparse rows: the edges of node n are `edge[start[n]]` … `edge[start[n + 1] - 1]`, ascending. */
export interface Rows {
  /** One entry per node and one more. */
  readonly start: Uint32Array;
  /** Edge numbers. */
  readonly edge: Uint32Array;
}

/** Groups the edges by one of their ends by counting (G19): `end[e]` is the node in whose row edge e belongs. */
export function buildRows(nodeCount: number, end: Uint32Array): Rows {
  const start = new Uint32Array(nodeCount + 1);
  for (const node of end) start[node + 1]!++;
  for (let node = 0; node < nodeCount; node++) start[node + 1]! += start[node]!;
  const next = start.slice(0, nodeCount);
  const edge = new Uint32Array(end.length);
  for (let at = 0; at < end.length; at++) edge[next[end[at]!]!++] = at;
  return { start, edge };
}
