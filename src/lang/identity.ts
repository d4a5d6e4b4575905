/** Identities of declarations and of places inside functions (language.md 7). They depend on ids, never on names. */
import { NodeKind, type Tree } from "./syntax.ts";

/** Ids of the prelude's declarations (7.1), in byte order. No source may use one. */
export const COMPILER_OWNED_IDS = [
  "core.option",
  "core.option.none",
  "core.option.some",
  "core.option.some.value",
  "core.result",
  "core.result.err",
  "core.result.err.error",
  "core.result.ok",
  "core.result.ok.value",
] as const;

/** No function id may begin with it (T225). */
export const RESERVED_ID_PREFIX = "semaprax.function-execution.v1:";

/** The id of a function without `@id` (7.1). */
export function automaticFunctionId(module: string, name: string): string {
  return `auto:${module}.${name}`;
}

/** The id of the `main` that a module without one is checked with (4.1). */
export function syntheticMainId(module: string): string {
  return `workspace.synthetic.main.${module}`;
}

/** The segment of an AST path that leads from a node to its child at `childIndex` (7.2). ASCII. */
export function pathSegment(tree: Tree, node: number, childIndex: number): string {
  const kind: NodeKind = tree.nodeKind[node]!;
  switch (kind) {
    case NodeKind.Unary:
      return ".value";
    case NodeKind.Binary:
      return childIndex === 0 ? ".left" : ".right";
    case NodeKind.Call:
      return `.arg.${childIndex}`;
    case NodeKind.Block:
      return isLastChild(tree, node, childIndex) ? ".tail" : `.s${childIndex}.value`;
    case NodeKind.If:
      return childIndex === 0 ? ".condition" : childIndex === 1 ? ".then" : ".else";
    case NodeKind.Match:
      return childIndex === 0 ? ".scrutinee" : `.arm.${childIndex - 1}.value`;
    case NodeKind.RecordValue:
    case NodeKind.VariantValue:
      return `.field.${childIndex}.value`;
    case NodeKind.With:
      return childIndex === 0 ? ".base" : `.field.${childIndex - 1}.value`;
    case NodeKind.Projection:
      return ".base";
    case NodeKind.Try:
      return ".operand";
    case NodeKind.Integer:
    case NodeKind.Float64:
    case NodeKind.Float32:
    case NodeKind.Char:
    case NodeKind.Bool:
    case NodeKind.Variable:
      throw new RangeError("a leaf has no children");
  }
}

function isLastChild(tree: Tree, node: number, childIndex: number): boolean {
  return tree.childStart[node]! + childIndex + 1 === tree.childStart[node + 1]!;
}
