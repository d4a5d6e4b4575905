// Breadth first with a graph package.
import { DirectedGraph } from "graphology";
import { bfsFromNode } from "graphology-traversal";

/** A function that traverses the graph of these edges from node 0 and says how many nodes it reached. */
export function traversal(nodes, source, target) {
  const graph = new DirectedGraph();
  for (let node = 0; node < nodes; node++) graph.addNode(node);
  for (let edge = 0; edge < source.length; edge++) graph.mergeEdge(source[edge], target[edge]);
  return () => {
    let reached = 0;
    bfsFromNode(graph, 0, () => {
      reached++;
    });
    return reached;
  };
}
