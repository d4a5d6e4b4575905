/** A second opinion on contexts (C38): maps of strings, sorting by tuples, `JSON.stringify`. Reads a graph artifact only. */
import { type EdgeObject, naiveDigest, quotedJson } from "./naive-graph.ts";

interface GraphArtifact {
  readonly project_schema: string;
  readonly project: string;
  readonly project_revision: string;
  readonly workspace_revision: string;
  readonly graph_digest: string;
  readonly entry_module: string;
  readonly test_module: string;
  readonly modules: readonly { readonly path: string; readonly module: string }[];
  readonly declarations: readonly {
    readonly id: string;
    readonly kind: string;
    readonly identity_origin: string;
    readonly path: string;
    readonly module: string;
  }[];
  readonly edges: readonly EdgeObject[];
}

interface NaiveNode {
  readonly kind: "module" | "declaration";
  readonly declaration_kind: string | null;
  readonly identity_origin: string | null;
  readonly id: string;
  readonly path: string;
  readonly module: string;
  /** Position in the order of all nodes (G15). */
  readonly number: number;
}

export interface NaiveQuery {
  readonly target: string;
  readonly direction: "forward" | "reverse" | "both";
  readonly depth: number;
  readonly maxBytes: number;
  readonly maxNodes: number;
}

export class NaiveContexts {
  private readonly graph: GraphArtifact;
  private readonly nodes = new Map<string, NaiveNode>();
  private readonly next = {
    forward: new Map<string, Set<string>>(),
    reverse: new Map<string, Set<string>>(),
  };

  constructor(artifact: Uint8Array) {
    this.graph = JSON.parse(new TextDecoder().decode(artifact));
    const { modules, declarations, edges } = this.graph;
    for (const { path, module } of modules) {
      this.add({ kind: "module", declaration_kind: null, identity_origin: null, id: module, path, module });
    }
    for (const { id, kind, identity_origin, path, module } of declarations) {
      this.add({ kind: "declaration", declaration_kind: kind, identity_origin, id, path, module });
    }
    for (const edge of edges) {
      const [source, target] = ends(edge);
      neighbours(this.next.forward, source).add(target);
      neighbours(this.next.reverse, target).add(source);
    }
  }

  /** The ids of all functions. */
  functions(): string[] {
    return this.graph.declarations.filter(({ kind }) => kind === "function").map(({ id }) => id);
  }

  /** The artifact, of any length. */
  answer(query: NaiveQuery): string {
    const directions = query.direction === "both" ? (["forward", "reverse"] as const) : [query.direction];
    const root = `declaration ${query.target}`;
    const reached = new Map(
      directions.map((direction) => [direction, this.reach(direction, root, query.depth)]),
    );
    const known = [...new Set([...reached.values()].flatMap((distances) => [...distances.keys()]))]
      .map((key) => {
        const distances = directions.map(
          (direction) => reached.get(direction)!.get(key) ?? Number.POSITIVE_INFINITY,
        );
        const depth = Math.min(...distances);
        const by = directions.filter((_, index) => distances[index] === depth);
        return { key, node: this.nodes.get(key)!, depth, by: depth === 0 ? ["root"] : by };
      })
      .sort((a, b) => a.depth - b.depth || a.node.number - b.node.number);
    const emitted = known.filter(({ depth }) => depth <= query.depth).slice(0, query.maxNodes);
    const omitted = known.filter((entry) => !emitted.includes(entry));
    const frontier = omitted.filter(({ depth }) => depth === omitted[0]!.depth);
    const shown = new Set(emitted.map(({ key }) => key));
    const edges = this.graph.edges.filter((edge) => {
      const [source, target] = ends(edge);
      if (!shown.has(source) || !shown.has(target)) return false;
      return directions.some((direction) => {
        const distances = reached.get(direction)!;
        return distances.has(source) && distances.has(target);
      });
    });
    const pairs = [...reached.values()].reduce((sum, distances) => sum + distances.size, 0);
    const members = (digest: string | undefined) => ({
      schema: "semaprax.project-semantic-context.v1",
      project_schema: this.graph.project_schema,
      project: this.graph.project,
      project_revision: this.graph.project_revision,
      workspace_revision: this.graph.workspace_revision,
      project_graph_digest: this.graph.graph_digest,
      artifact_digest: digest,
      entry_module: this.graph.entry_module,
      test_module: this.graph.test_module,
      target: targetMembers(this.nodes.get(root)!),
      query: {
        direction: query.direction,
        depth: query.depth,
        max_bytes: query.maxBytes,
        max_nodes: query.maxNodes,
      },
      nodes: emitted.map(({ node: { number: _, ...node }, depth, by }) => ({
        ...node,
        minimum_depth: depth,
        reached_by: by,
      })),
      edges,
      truncation: {
        truncated: omitted.length > 0,
        reasons: omitted.length === 0 ? [] : [omitted[0]!.depth > query.depth ? "max_depth" : "max_nodes"],
        omitted_known_nodes: omitted.length,
        deferred_known_nodes: 0,
      },
      frontier: frontier.map(({ node, depth, by }) => ({
        kind: node.kind,
        id: node.id,
        minimum_depth: depth,
        reached_by: by,
      })),
      budget: {
        used_nodes: emitted.length,
        used_edges: edges.length,
        used_depth: emitted[emitted.length - 1]!.depth,
        used_builder_bytes: 8 * pairs + 4 * known.length + 4 * edges.length,
      },
      nonclaims: [
        "authenticated_declared_project_inputs_not_managed_workspace_state",
        "read_only_structural_context_over_six_edge_families",
        "no_patch_change_review_or_commit_authority",
        "no_target_execution_or_external_consumer_compatibility",
        "no_persistent_cache_or_repository_index",
      ],
    });
    const domain = "semaprax.project-semantic-context.artifact-digest.v1";
    return quotedJson(members(naiveDigest(domain, quotedJson(members(undefined)))));
  }

  private add(node: Omit<NaiveNode, "number">): void {
    this.nodes.set(`${node.kind} ${node.id}`, { ...node, number: this.nodes.size });
  }

  /** The nodes up to `depth` + 1 steps away, with their distances (C6). */
  private reach(direction: "forward" | "reverse", root: string, depth: number): Map<string, number> {
    const distances = new Map([[root, 0]]);
    let front = [root];
    for (let distance = 1; distance <= depth + 1 && front.length > 0; distance++) {
      const found = new Set(front.flatMap((key) => [...(this.next[direction].get(key) ?? [])]));
      front = [...found].filter((key) => !distances.has(key));
      for (const key of front) distances.set(key, distance);
    }
    return distances;
  }
}

function ends(edge: EdgeObject): [string, string] {
  const source = edge.kind === "function_import" ? "module" : "declaration";
  return [`${source} ${edge.caller}`, `declaration ${edge.target}`];
}

function neighbours(map: Map<string, Set<string>>, key: string): Set<string> {
  const found = map.get(key) ?? new Set<string>();
  map.set(key, found);
  return found;
}

function targetMembers({ kind, id, declaration_kind, identity_origin, path, module }: NaiveNode) {
  return { kind, id, declaration_kind, identity_origin, path, module };
}
