// Building the project graph from a checked project, and rendering its artifact from the storage. The rivals are objects,
// recursion, a sort by a joined key and JSON.stringify.
import { buildGraph } from "../src/graph/build.ts";
import { artifactLength, type GraphBudget, renderArtifact } from "../src/graph/render.ts";
import type { ProjectGraph } from "../src/graph/storage.ts";
import { domainDigest } from "../src/kernel/digest.ts";
import type { CheckedProject } from "../src/lang/checked.ts";
import { pathSegment } from "../src/lang/identity.ts";
import { NodeKind } from "../src/lang/syntax.ts";
import { numbers } from "../test/support/fuzz.ts";
import { type GraphInput, graphOf } from "../test/support/graph-project.ts";
import { edgeObjects } from "../test/support/naive-graph.ts";
import { type SyntheticShape, syntheticInput } from "../test/support/synthetic-graph.ts";
import type { Case, HotPath } from "./harness.ts";

const SHAPES: readonly SyntheticShape[] = [
  { modules: 4, functionsPerModule: 16, calls: 10, acyclic: true },
  { modules: 16, functionsPerModule: 64, calls: 12, acyclic: true },
  { modules: 16, functionsPerModule: 64, calls: 60, acyclic: true },
];

const path: HotPath = {
  name: "graph",
  prepare: ({ short }) =>
    SHAPES.slice(0, short ? 1 : SHAPES.length).flatMap((shape) => {
      const input = syntheticInput(numbers(7), shape);
      const graph = graphOf(input);
      return [build(input, graph), render(graph)];
    }),
};
export default path;

function sizeOf(graph: ProjectGraph): string {
  return `${graph.declarationCount} declarations, ${graph.edgeCount} edges`;
}

function build(input: GraphInput, graph: ProjectGraph): Case {
  return {
    name: `build, ${sizeOf(graph)}`,
    ours: { name: "buildGraph", run: () => buildGraph(input.project, input.facts) },
    rivals: [{ name: "objects, sort, JSON.stringify", run: () => buildPlainly(input) }],
    work: { amount: graph.edgeCount, unit: "edges" },
  };
}

function render(graph: ProjectGraph): Case {
  const budget: GraphBudget = {
    sources: 1,
    totalSourceBytes: 1,
    functions: 1,
    callSites: 1,
    uses: 1,
    edges: graph.edgeCount,
    dependencyDepth: 1,
    builderBytes: 1,
    manifestBytes: 1,
  };
  let edgeBytes = 0;
  for (let edge = 0; edge < graph.edgeCount; edge++) {
    edgeBytes += graph.edgeTextStart[edge + 1]! - graph.edgeTextStart[edge]! - 1;
  }
  const artifact = JSON.parse(new TextDecoder().decode(graph.artifact));
  const edges = edgeObjects(graph);
  return {
    name: `render and digest, ${graph.artifact.length} bytes`,
    ours: {
      name: "measure, then fill one buffer",
      run: () => renderArtifact(graph, budget, artifactLength(graph, graph.facts, budget, edgeBytes)),
    },
    rivals: [
      {
        name: "JSON.stringify of ready objects",
        run: () => {
          const text = JSON.stringify({ ...artifact, graph_digest: undefined, edges });
          return JSON.stringify({ ...artifact, graph_digest: domainDigest("x", text), edges });
        },
      },
    ],
    work: { amount: graph.artifact.length, unit: "bytes" },
  };
}

interface PlainEdge {
  readonly caller_path: string;
  readonly caller: string;
  readonly target_path: string;
  readonly target: string;
  readonly kind: string;
  readonly site: string;
  readonly expression: string;
  readonly ast_path: string;
  readonly alias: string;
  readonly ordinal: number;
}

/** What one would write first: an object per edge, its path grown on the way down, a comparison of texts. */
function buildPlainly({ project, facts }: GraphInput): string {
  const edges: PlainEdge[] = [];
  for (const [file, { source, module, uses, functions }] of project.files.entries()) {
    const target = (use: number) => {
      const { file: from, function: at } = project.imports[file]![use]!;
      return {
        target_path: project.files[from]!.source.path,
        target: project.functionIds[from]![at]!,
        alias: uses[use]!.alias.text,
      };
    };
    for (const index of uses.keys()) {
      const at = `use.${index}`;
      const rest = { kind: "function_import", site: "module", expression: at, ast_path: at, ordinal: index };
      edges.push({ caller_path: source.path, caller: module, ...target(index), ...rest });
    }
    for (const [index, declared] of functions.entries()) {
      const caller = project.functionIds[file]![index]!;
      let ordinal = 0;
      callsBelow(project, file, declared.body, "body", (use, at) => {
        const expression = `declaration:${caller.length}:${caller}:expression:${at.length}:${at}`;
        const rest = { kind: "call", site: "body", expression, ast_path: at, ordinal: ordinal++ };
        edges.push({ caller_path: source.path, caller, ...target(use), ...rest });
      });
    }
  }
  const keyed = edges.map((edge) => ({
    edge,
    key: [
      edge.caller_path,
      edge.caller,
      edge.target_path,
      edge.target,
      edge.kind,
      edge.site,
      edge.expression,
    ].join("\0"),
  }));
  keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const text = JSON.stringify({ ...facts, edges: keyed.map(({ edge }) => edge) });
  return domainDigest("x", text);
}

function callsBelow(
  project: CheckedProject,
  file: number,
  node: number,
  at: string,
  visit: (use: number, at: string) => void,
): void {
  const { tree, functions } = project.files[file]!;
  if (tree.nodeKind[node] === NodeKind.Call) {
    visit(project.modules[file]!.target[node]! - functions.length, at);
  }
  const first = tree.childStart[node]!;
  for (let index = first; index < tree.childStart[node + 1]!; index++) {
    callsBelow(project, file, tree.child[index]!, at + pathSegment(tree, node, index - first), visit);
  }
}
