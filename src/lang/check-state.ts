/** What the expression checks of one module share: the tree, the results, and the clause or body being checked. */
import type { Code, Range } from "../kernel/failure.ts";
import type { TextIndex } from "../kernel/text-index.ts";
import { NO_TARGET, TypeId } from "./checked.ts";
import type { Findings } from "./findings.ts";
import type { ModuleScope } from "./module-scope.ts";
import { Locals } from "./names.ts";
import type { PreludeCase, PreludeVariant } from "./prelude.ts";
import type { Tree } from "./syntax.ts";
import { type NameSet, NO_NAMES } from "./types.ts";

/** A variant value whose fields are being checked. */
export interface OpenVariantValue {
  /** The instance, for example `Option<i64>`; unmodelled for authored ones. */
  readonly type: TypeId;
  /** Null when the type is no variant or has no such case. */
  readonly case: PreludeCase | null;
  /** Names of the fields so far. */
  readonly seen: TextIndex;
}

/** A match whose arms are being checked. */
export interface OpenMatch {
  readonly scrutineeType: TypeId;
  readonly variant: PreludeVariant | null;
  readonly covered: Set<string>;
  hasWildcard: boolean;
  /** Of the first typed arm. */
  armType: TypeId;
}

export class CheckState {
  readonly tree: Tree;
  /** See `CheckedModule` for these three. */
  readonly nodeType: Uint16Array<ArrayBuffer>;
  readonly target: Int32Array<ArrayBuffer>;
  readonly letSlot: Uint32Array<ArrayBuffer>;
  readonly locals: Locals;

  /** The innermost is last, in all three: how many locals were visible where a block or an arm began, … */
  readonly scopeDepths: number[] = [];
  readonly openValues: OpenVariantValue[] = [];
  readonly openMatches: OpenMatch[] = [];

  /** Of the function that is being checked. */
  returnType: TypeId = TypeId.Untyped;
  typeParameters: NameSet = NO_NAMES;
  /** What is being checked: `result` exists in `ensures` only, `?` in bodies only. */
  site: "requires" | "body" | "ensures" = "body";

  constructor(
    readonly scope: ModuleScope,
    readonly findings: Findings,
  ) {
    this.tree = scope.file.tree;
    this.nodeType = new Uint16Array(this.tree.nodeCount);
    this.target = new Int32Array(this.tree.nodeCount).fill(NO_TARGET);
    this.letSlot = new Uint32Array(this.tree.letCount);
    this.locals = new Locals(scope.names.size);
  }

  typeOf(node: number): TypeId {
    return this.nodeType[node]!;
  }

  child(node: number, index: number): number {
    return this.tree.child[this.tree.childStart[node]! + index]!;
  }

  childCount(node: number): number {
    return this.tree.childStart[node + 1]! - this.tree.childStart[node]!;
  }

  rangeOf(node: number): Range {
    return { start: this.tree.nodeStart[node]!, end: this.tree.nodeEnd[node]! };
  }

  /** An error whose span is a whole node. */
  errorAt(code: Code, node: number, message: string): void {
    this.findings.error(code, this.rangeOf(node), message);
  }

  describe(type: TypeId): string {
    return this.scope.types.describe(type);
  }

  enterScope(): void {
    this.scopeDepths.push(this.locals.depth);
  }

  leaveScope(): void {
    this.locals.leaveTo(this.scopeDepths.pop() ?? 0);
  }
}
