// Bounded neighbourhoods: the traversal alone on graphs of any size, and whole answers on graphs as large as a project's
// can be. The rivals are adjacency in maps, and JSON.stringify of objects.
import { createTraversal, traverse } from "../src/graph/bfs.ts";
import { prepareContext, queryContext } from "../src/graph/context.ts";
import type { ContextQuery } from "../src/graph/context-query.ts";
import { ContextScratch } from "../src/graph/context-scratch.ts";
import { buildRows } from "../src/graph/csr.ts";
import type { ProjectGraph } from "../src/graph/storage.ts";
import { domainDigest } from "../src/kernel/digest.ts";
import { numbers } from "../test/support/fuzz.ts";
import { graphOf } from "../test/support/graph-project.ts";
import type { EdgeObject } from "../test/support/naive-graph.ts";
import { syntheticInput } from "../test/support/synthetic-graph.ts";
import type { Case, HotPath } from "./harness.ts";
import { isInstalled } from "./temporary.ts";

const path: HotPath = {
  name: "context",
  async prepare({ short }, leftOut) {
    const graphology = await loadGraphology(leftOut);
    return [
      ...[1_000, 10_000, 100_000]
        .slice(0, short ? 1 : 3)
        .map((nodes) => breadthFirst(nodes, nodes * 5, graphology)),
      ...wholeAnswers(short),
    ];
  },
};
export default path;

/** A graph package takes minutes to build larger ones. */
const PACKAGE_NODES_MAX = 10_000;

interface GraphPackage {
  traversal(nodes: number, source: Uint32Array, target: Uint32Array): () => number;
}

async function loadGraphology(leftOut: (what: string) => void): Promise<GraphPackage | null> {
  const names = ["graphology", "graphology-traversal"];
  if (!names.every((name) => isInstalled(name, leftOut))) return null;
  // Not a literal, so that types are not looked for where the package is missing.
  const file: string = "./rivals/graphology.mjs";
  return await import(file);
}

function breadthFirst(nodes: number, edges: number, graphology: GraphPackage | null): Case {
  const random = numbers(11);
  // As in a project's graph, edges are sorted by source.
  const source = Uint32Array.from({ length: edges }, () => random(nodes)).sort();
  const target = Uint32Array.from({ length: edges }, () => random(nodes));
  const { start, edge } = buildRows(nodes, source);
  const traversal = createTraversal(nodes);
  let epoch = 0;

  const sets = new Map<number, Set<number>>();
  const lists = new Map<string, string[]>();
  for (let node = 0; node < nodes; node++) {
    sets.set(node, new Set());
    lists.set(`n${node}`, []);
  }
  for (let at = 0; at < edges; at++) {
    sets.get(source[at]!)!.add(target[at]!);
    lists.get(`n${source[at]}`)!.push(`n${target[at]}`);
  }
  const contender = (name: string, run: () => number) => ({ name, run, result: run });
  const plain = nodes > PACKAGE_NODES_MAX ? null : graphology?.traversal(nodes, source, target);
  return {
    name: `breadth first, ${nodes} nodes, ${edges} edges`,
    ours: contender("compressed rows, epoch stamps", () =>
      traverse(traversal, ++epoch, start, edge, target, 0, 1024),
    ),
    rivals: [
      contender("Map<number, Set<number>>", () => distancesFrom(0, (node) => sets.get(node)!).size),
      contender("Map<string, string[]>", () => distancesFrom("n0", (node) => lists.get(node)!).size),
      ...(plain ? [contender("graphology", plain)] : []),
    ],
    work: { amount: edges, unit: "edges" },
  };
}

function distancesFrom<Node>(root: Node, neighbours: (node: Node) => Iterable<Node>): Map<Node, number> {
  const distances = new Map([[root, 0]]);
  const queue = [root];
  for (let head = 0; head < queue.length; head++) {
    const node = queue[head]!;
    const next = distances.get(node)! + 1;
    for (const neighbour of neighbours(node)) {
      if (distances.has(neighbour)) continue;
      distances.set(neighbour, next);
      queue.push(neighbour);
    }
  }
  return distances;
}

function wholeAnswers(short: boolean): Case[] {
  const shape = { modules: 16, functionsPerModule: 64, calls: short ? 2 : 12, acyclic: true };
  const sparse = graphOf(syntheticInput(numbers(7), { ...shape, calls: 4 }));
  const dense = graphOf(syntheticInput(numbers(7), shape));
  return [
    answer("ten nodes", dense, { target: "9.1", direction: "forward", depth: 1, maxNodes: 10 }),
    answer("everything known", sparse, { target: "0.1", direction: "reverse", depth: 1024, maxNodes: 1024 }),
    answer("everything known", dense, { target: "0.1", direction: "reverse", depth: 1024, maxNodes: 1024 }),
    budget("everything known", dense, { target: "0.1", direction: "reverse", depth: 1024, maxNodes: 1024 }),
  ];
}

function answer(
  name: string,
  graph: ProjectGraph,
  asked: Pick<ContextQuery, "target" | "direction" | "depth" | "maxNodes">,
): Case {
  const query: ContextQuery = { ...asked, targetKind: "declaration", maxBytes: 16_777_216 };
  const scratch = new ContextScratch(graph);
  const plain = new PlainContexts(graph);
  const outcome = queryContext(graph, scratch, query);
  if (!outcome.ok) throw new Error("the query is refused");
  const { nodes, edges } = JSON.parse(new TextDecoder().decode(outcome.value));
  return {
    name: `${name}: ${nodes.length} nodes, ${edges.length} edges, ${outcome.value.length} bytes`,
    ours: { name: "queryContext", run: () => queryContext(graph, scratch, query) },
    rivals: [{ name: "maps and JSON.stringify", run: () => plain.answer(query) }],
    work: { amount: outcome.value.length, unit: "bytes" },
  };
}

/** The length of an answer before anything of it exists, as it is compared with `max_bytes`. */
function budget(
  name: string,
  graph: ProjectGraph,
  asked: Pick<ContextQuery, "target" | "direction" | "depth" | "maxNodes">,
): Case {
  const query: ContextQuery = { ...asked, targetKind: "declaration", maxBytes: 16_777_216 };
  const scratch = new ContextScratch(graph);
  const plain = new PlainContexts(graph);
  return {
    name: `${name}: its length`,
    ours: { name: "prepareContext", run: () => prepareContext(graph, scratch, query) },
    rivals: [{ name: "maps, JSON.stringify, byteLength", run: () => Buffer.byteLength(plain.answer(query)) }],
  };
}

/** A straightforward one-way neighbourhood over objects in maps, rendered by JSON.stringify. */
class PlainContexts {
  private readonly nodes = new Map<string, object>();
  private readonly next = {
    forward: new Map<string, Set<string>>(),
    reverse: new Map<string, Set<string>>(),
  };
  private readonly edges: readonly (EdgeObject & { readonly from: string; readonly to: string })[];

  constructor(graph: ProjectGraph) {
    const { modules, declarations, edges } = JSON.parse(new TextDecoder().decode(graph.artifact));
    for (const module of modules) this.nodes.set(`module ${module.module}`, module);
    for (const declared of declarations) this.nodes.set(`function ${declared.id}`, declared);
    for (const node of this.nodes.keys()) {
      this.next.forward.set(node, new Set());
      this.next.reverse.set(node, new Set());
    }
    this.edges = edges.map((edge: EdgeObject) => {
      const from = `${edge.kind === "call" ? "function" : "module"} ${edge.caller}`;
      const to = `function ${edge.target}`;
      this.next.forward.get(from)!.add(to);
      this.next.reverse.get(to)!.add(from);
      return { ...edge, from, to };
    });
  }

  answer({ target, direction, depth, maxNodes }: ContextQuery): string {
    const next = this.next[direction === "both" ? "forward" : direction];
    const distances = distancesFrom(`function ${target}`, (node) => next.get(node)!);
    const known = [...distances].filter(([, distance]) => distance <= depth).sort((a, b) => a[1] - b[1]);
    const emitted = new Map(known.slice(0, maxNodes));
    const nodes = [...emitted].map(([node, distance]) => ({
      ...this.nodes.get(node),
      minimum_depth: distance,
      reached_by: [direction],
    }));
    const edges = this.edges
      .filter(({ from, to }) => emitted.has(from) && emitted.has(to))
      .map(({ from: _from, to: _to, ...edge }) => edge);
    const text = JSON.stringify({ nodes, edges });
    return JSON.stringify({ digest: domainDigest("x", text), nodes, edges });
  }
}
