/**
 * A second opinion on graphs: plain objects, recursion, sorting by whole tuples and `JSON.stringify`. It shares nothing with
 * `src/graph` but the storage that it reads.
 */
import { createHash } from "node:crypto";
import {
  DeclarationKind,
  type EdgeKind,
  EdgeSite,
  IdentityOrigin,
  NONE,
  type ProjectGraph,
} from "../../src/graph/storage.ts";
import { type Expression, type ModelFunction, type ModelProject, modelId } from "./random-project.ts";

export interface EdgeObject {
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

/** JSON with the escapes of D28, right column. */
export function quotedJson(value: unknown): string {
  return JSON.stringify(value).replace(/\\b|\\f|\\\\|[\u007f-\u009f]/g, (found) => {
    if (found === "\\\\") return found;
    const code = found === "\\b" ? 8 : found === "\\f" ? 12 : found.charCodeAt(0);
    return `\\u${code.toString(16).padStart(4, "0")}`;
  });
}

/** `D(domain, text)` of P30. */
export function naiveDigest(domain: string, text: string): string {
  const bytes = Buffer.from(text, "utf8");
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(bytes.length));
  return `sha256:${createHash("sha256").update(`${domain}\0`).update(length).update(bytes).digest("hex")}`;
}

/** String `number` of the table. */
export function stringAt(graph: ProjectGraph, number: number): string {
  return Buffer.from(graph.utf8.subarray(graph.utf8Start[number]!, graph.utf8Start[number + 1]!)).toString(
    "utf8",
  );
}

const SITES: Readonly<Record<EdgeSite, string>> = {
  [EdgeSite.Body]: "body",
  [EdgeSite.Ensures]: "ensures",
  [EdgeSite.Module]: "module",
  [EdgeSite.Requires]: "requires",
};
const KINDS: Readonly<Record<DeclarationKind, string>> = {
  [DeclarationKind.Function]: "function",
  [DeclarationKind.Variant]: "variant",
  [DeclarationKind.VariantCase]: "variant_case",
  [DeclarationKind.CaseField]: "case_field",
};
const ORIGINS: Readonly<Record<IdentityOrigin, string>> = {
  [IdentityOrigin.Explicit]: "explicit",
  [IdentityOrigin.Automatic]: "automatic",
  [IdentityOrigin.CompilerOwned]: "compiler_owned",
};

/** The edge objects of a graph, read from its arrays. */
export function edgeObjects(graph: ProjectGraph): EdgeObject[] {
  return Array.from({ length: graph.edgeCount }, (_, edge) => {
    const source = graph.edgeSource[edge]!;
    const target = graph.edgeTarget[edge]! - graph.moduleCount;
    const isImport = source < graph.moduleCount;
    const caller = isImport ? graph.moduleName[source]! : graph.declId[source - graph.moduleCount]!;
    const module = isImport ? source : graph.declModule[source - graph.moduleCount]!;
    const id = stringAt(graph, caller);
    const path = stringAt(graph, graph.edgePath[edge]!);
    const site: EdgeSite = graph.edgeSite[edge]!;
    const kind: EdgeKind = graph.edgeKind[edge]!;
    return {
      caller_path: stringAt(graph, graph.modulePath[module]!),
      caller: id,
      target_path: stringAt(graph, graph.modulePath[graph.declModule[target]!]!),
      target: stringAt(graph, graph.declId[target]!),
      kind: kind === 0 ? "call" : "function_import",
      site: SITES[site],
      expression: isImport
        ? path
        : `declaration:${Buffer.byteLength(id)}:${id}:expression:${path.length}:${path}`,
      ast_path: path,
      alias: stringAt(graph, graph.edgeAlias[edge]!),
      ordinal: graph.edgeOrdinal[edge]!,
    };
  });
}

/** G35, from the arrays themselves. */
export function storageBytes(graph: ProjectGraph): number {
  const arrays = [
    graph.utf8,
    graph.utf8Start,
    graph.json,
    graph.jsonStart,
    graph.modulePath,
    graph.moduleName,
    graph.moduleDepth,
    graph.declId,
    graph.declOwner,
    graph.declModule,
    graph.declKind,
    graph.declOrigin,
    graph.edgeSource,
    graph.edgeTarget,
    graph.edgePath,
    graph.edgeAlias,
    graph.edgeOrdinal,
    graph.edgeKind,
    graph.edgeSite,
    graph.forwardStart,
    graph.reverseStart,
    graph.forwardEdge,
    graph.reverseEdge,
    graph.edgeTextStart,
    graph.nodeText,
    graph.nodeTextStart,
  ];
  return arrays.reduce((sum, array) => sum + array.byteLength, 0);
}

/** What the budget counts in the sources. */
export interface SourceCounts {
  readonly totalSourceBytes: number;
  readonly callSites: number;
  readonly uses: number;
}

/** The artifact, from the storage (G41). */
export function naiveArtifact(graph: ProjectGraph, counts: SourceCounts): string {
  const { facts } = graph;
  const functions = graph.declKind.filter((kind) => kind === DeclarationKind.Function).length;
  const members = (digest: string | undefined) => ({
    schema: "semaprax.project-semantic-graph.v1",
    project_schema: "semaprax.project.v1",
    project: facts.project,
    project_revision: facts.projectRevision,
    workspace_revision: facts.workspaceRevision,
    graph_digest: digest,
    entry_module: facts.entryModule,
    test_module: facts.testModule,
    modules: facts.sources.map((source, module) => ({
      path: stringAt(graph, graph.modulePath[module]!),
      module: stringAt(graph, graph.moduleName[module]!),
      source_graph_schema: source.sourceGraphSchema,
      source_revision: source.sourceRevision,
      source_digest: source.sourceDigest,
      dependency_depth: graph.moduleDepth[module]!,
    })),
    declarations: Array.from(graph.declId, (id, declaration) => {
      const kind: DeclarationKind = graph.declKind[declaration]!;
      const origin: IdentityOrigin = graph.declOrigin[declaration]!;
      const owner = graph.declOwner[declaration]!;
      const module = graph.declModule[declaration]!;
      return {
        id: stringAt(graph, id),
        kind: KINDS[kind],
        identity_origin: ORIGINS[origin],
        owner: owner === NONE ? null : stringAt(graph, owner),
        path: module === NONE ? null : stringAt(graph, graph.modulePath[module]!),
        module: module === NONE ? null : stringAt(graph, graph.moduleName[module]!),
      };
    }),
    edges: edgeObjects(graph),
    budget: {
      used_sources: facts.sources.length,
      used_total_source_bytes: counts.totalSourceBytes,
      used_declarations: functions,
      used_callables: functions,
      used_call_sites: counts.callSites,
      used_uses: counts.uses,
      used_cross_file_edges: graph.edgeCount,
      used_dependency_depth: Math.max(...graph.moduleDepth),
      used_builder_bytes: storageBytes(graph),
      used_manifest_bytes: facts.manifestBytes,
    },
    nonclaims: [
      "authenticated_declared_project_inputs_not_managed_workspace_state",
      "no_exclusive_lock_stage_publish_apply_or_commit_authority",
      "not_patch_evidence_signature_provenance_approval_or_reusable_authorization",
      "no_target_codegen_artifact_project_test_or_external_execution",
      "no_generic_resource_interface_ownership_or_lifetime_composition",
      "no_dynamic_linking_package_registry_network_or_dependency_fetch",
      "no_incremental_cache_persistence_or_repository_index",
      "no_create_delete_move_or_source_rewrite",
      "no_external_consumer_compatibility",
    ],
  });
  const digest = naiveDigest(
    "semaprax.project-semantic-graph.artifact-digest.v1",
    quotedJson(members(undefined)),
  );
  return quotedJson(members(digest));
}

/** The edges that a model project has (G9 to G14), sorted by whole tuples. */
export function modelEdges(model: ModelProject): EdgeObject[] {
  const edges: EdgeObject[] = [];
  for (const module of model.modules) {
    const target = (use: number) => {
      const { module: from, function: at, alias } = module.uses[use]!;
      const provider = model.modules[from]!;
      return {
        target_path: provider.path,
        target: modelId(provider, provider.functions[at]!),
        alias,
      };
    };
    for (const use of module.uses.keys()) {
      edges.push({
        caller_path: module.path,
        caller: module.name,
        kind: "function_import",
        site: "module",
        expression: `use.${use}`,
        ast_path: `use.${use}`,
        ordinal: use,
        ...target(use),
      });
    }
    for (const declared of module.functions) {
      const caller = modelId(module, declared);
      for (const { site, path, use, ordinal } of modelCalls(declared)) {
        edges.push({
          caller_path: module.path,
          caller,
          kind: "call",
          site,
          expression: `declaration:${Buffer.byteLength(caller)}:${caller}:expression:${path.length}:${path}`,
          ast_path: path,
          ordinal,
          ...target(use),
        });
      }
    }
  }
  return edges.sort(compareEdges);
}

/** How many call nodes a model has. */
export function modelCallSites(model: ModelProject): number {
  return model.modules
    .flatMap((module) => module.functions)
    .reduce((sum, declared) => sum + allCalls(declared).length, 0);
}

/** G9, member by member. */
export function compareEdges(a: EdgeObject, b: EdgeObject): number {
  return (
    Buffer.compare(Buffer.from(a.caller_path), Buffer.from(b.caller_path)) ||
    Buffer.compare(Buffer.from(a.caller), Buffer.from(b.caller)) ||
    Buffer.compare(Buffer.from(a.target_path), Buffer.from(b.target_path)) ||
    Buffer.compare(Buffer.from(a.target), Buffer.from(b.target)) ||
    Buffer.compare(Buffer.from(a.kind), Buffer.from(b.kind)) ||
    Buffer.compare(Buffer.from(a.site), Buffer.from(b.site)) ||
    Buffer.compare(Buffer.from(a.expression), Buffer.from(b.expression)) ||
    Buffer.compare(Buffer.from(a.ast_path), Buffer.from(b.ast_path)) ||
    Buffer.compare(Buffer.from(a.alias), Buffer.from(b.alias)) ||
    a.ordinal - b.ordinal
  );
}

interface ModelCall {
  readonly site: string;
  readonly path: string;
  readonly ordinal: number;
  readonly use: number | null;
}

function modelCalls(declared: ModelFunction): (ModelCall & { readonly use: number })[] {
  return allCalls(declared).flatMap((call) => (call.use === null ? [] : [{ ...call, use: call.use }]));
}

function allCalls(declared: ModelFunction): ModelCall[] {
  return [
    ...declared.requires.flatMap((clause, index) => callsOf(clause, "requires", `requires.${index}`)),
    ...callsOf(declared.body, "body", "body"),
    ...declared.ensures.flatMap((clause, index) => callsOf(clause, "ensures", `ensures.${index}`)),
  ];
}

function callsOf(root: Expression, site: string, rootPath: string): ModelCall[] {
  const calls: ModelCall[] = [];
  const visit = (expression: Expression, path: string): void => {
    switch (expression.kind) {
      case "literal":
      case "variable":
        return;
      case "unary":
        visit(expression.operand, `${path}.value`);
        return;
      case "binary":
        visit(expression.left, `${path}.left`);
        visit(expression.right, `${path}.right`);
        return;
      case "call":
        calls.push({ site, path, ordinal: calls.length, use: expression.use });
        for (const [index, argument] of expression.arguments.entries())
          visit(argument, `${path}.arg.${index}`);
        return;
      case "block":
        for (const [index, { value }] of expression.lets.entries()) visit(value, `${path}.s${index}.value`);
        visit(expression.tail, `${path}.tail`);
        return;
      case "if":
        visit(expression.condition, `${path}.condition`);
        visit(expression.whenTrue, `${path}.then`);
        visit(expression.whenFalse, `${path}.else`);
    }
  };
  visit(root, rootPath);
  return calls;
}
