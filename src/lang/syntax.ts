/**
 * The syntax tree of one file.
 *
 * Declarations are plain objects (a project has a few thousand at most). Expressions live in one struct of arrays
 * per file, a node being an index: sources may be megabytes long, and no node deserves an object. Nodes are numbered
 * in post-order, so a node's operands have smaller numbers than the node, and the subtree of a node is a contiguous
 * run of numbers that ends with it. Since a chain of operators may be as deep as the file is long, nobody walks a tree
 * by recursion: see walk.ts.
 */
import type { Range } from "../kernel/failure.ts";
import type { Source } from "./source.ts";

/** What a node is. The comment names its children in order, then what `data` holds. */
export const enum NodeKind {
  /** No children. `data`: index into `integers`. */
  Integer,
  /** No children. `data`: index into `floats`. Binary64. */
  Float64,
  /** No children. `data`: index into `floats`. Binary32, already rounded. */
  Float32,
  /** No children. `data`: the scalar value. */
  Char,
  /** No children. `data`: 0 or 1. */
  Bool,
  /** No children. `data`: index into `names`. `result` is a variable here. */
  Variable,
  /** Operand. `data`: {@link UnaryOperator}. */
  Unary,
  /** Left, right. `data`: {@link BinaryOperator}. */
  Binary,
  /** The arguments. `data`: index into `names`. Type arguments, if any, are in `typeArguments`. */
  Call,
  /** The values of the lets, then the tail. `data`: index of the first let in the let table. */
  Block,
  /** Condition, then-block, else-block. */
  If,
  /** Scrutinee, then the value of each arm. `data`: index into `matches`. */
  Match,
  /** The field values in written order. `data`: index into `aggregates`. */
  RecordValue,
  /** The field values in written order. `data`: index into `aggregates`. */
  VariantValue,
  /** Base, then the replacement values in written order. `data`: index into `aggregates`. */
  With,
  /** Base. `data`: index into `names`, the field. */
  Projection,
  /** Operand of `?`. */
  Try,
}

export const enum UnaryOperator {
  Negate,
  Not,
}

/** In the order of their precedence table (language.md 2.2). */
export const enum BinaryOperator {
  Or,
  And,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
}

/** All expressions of one file. Arrays named `node…` have one entry per node. */
export interface Tree {
  readonly nodeCount: number;
  readonly nodeKind: Uint8Array;
  /** Byte range of the node, parentheses of the source included as language.md 2.2 says. */
  readonly nodeStart: Uint32Array;
  readonly nodeEnd: Uint32Array;
  readonly nodeData: Uint32Array;
  /** `nodeCount + 1` entries: the children of node n are `child[childStart[n]]` … `child[childStart[n + 1] - 1]`. */
  readonly childStart: Uint32Array;
  readonly child: Uint32Array;

  /** The let table: lets of one block are neighbours, in order. */
  readonly letCount: number;
  /** Index into `names`. */
  readonly letName: Uint32Array;
  readonly letNameStart: Uint32Array;
  readonly letNameEnd: Uint32Array;
  /** `let` to `;`. */
  readonly letStart: Uint32Array;
  readonly letEnd: Uint32Array;

  /** Distinct identifiers used in expressions (variables, callees, lets, fields). */
  readonly names: readonly string[];
  /** Values of integer literals: a number up to 2^53 - 1, a bigint beyond (0 … 2^63 - 1). One form per value. */
  readonly integers: readonly (number | bigint)[];
  readonly floats: readonly number[];
  /** Type arguments of calls, by node; absent for nearly all. */
  readonly typeArguments: ReadonlyMap<number, readonly TypeSyntax[]>;
  readonly aggregates: readonly AggregateSyntax[];
  readonly matches: readonly MatchSyntax[];
}

/** `QID [ '<' type … '>' ]`. A scalar type is a name without arguments. */
export interface TypeSyntax extends Range {
  readonly name: string;
  readonly arguments: readonly TypeSyntax[];
}

/** The parts of a record value, variant value or `with` that are not expressions. */
export interface AggregateSyntax {
  /** Null for `with`. */
  readonly type: TypeSyntax | null;
  /** The case name of a variant value, else null. */
  readonly caseName: string | null;
  /** Field initialisers in written order; child n (after the base of a `with`) is the value of field n. */
  readonly fields: readonly FieldSyntax[];
}

/** A field initialiser; its range goes from the name to the end of the value. */
export interface FieldSyntax extends Range {
  readonly name: string;
  /** `f` without a value: the child is a variable node with the range of the name. */
  readonly shorthand: boolean;
}

export interface MatchSyntax {
  /** One per arm, in order; child n + 1 of the match node is the value of arm n. */
  readonly arms: readonly ArmSyntax[];
}

/** An arm; its range goes from the pattern to the end of the value. */
export interface ArmSyntax extends Range {
  readonly pattern: PatternSyntax;
}

export type PatternSyntax =
  | ({ readonly kind: "wildcard" } & Range)
  | ({
      readonly kind: "case";
      readonly typeName: string;
      readonly caseName: string;
      readonly fields: readonly PatternFieldSyntax[];
    } & Range)
  | ({
      readonly kind: "record";
      readonly typeName: string;
      readonly fields: readonly PatternFieldSyntax[];
    } & Range);

/** `f`, `f: name`, `f: _` or `f: T { … }`; its range is that of the whole. */
export interface PatternFieldSyntax extends Range {
  readonly name: string;
  readonly binding:
    | ({ readonly kind: "name"; readonly name: string } & Range)
    | ({ readonly kind: "wildcard" } & Range)
    | ({ readonly kind: "pattern"; readonly pattern: PatternSyntax } & Range);
}

/** A name with the range of its token. */
export interface NameSyntax extends Range {
  readonly text: string;
}

/** The value of an `@id("…")`; null where a declaration has none (its id is then automatic). */
export type AuthoredId = string | null;

export type ParameterMode = "own" | "borrow" | "shared";

export interface ParameterSyntax {
  readonly name: NameSyntax;
  readonly mode: ParameterMode | null;
  readonly type: TypeSyntax;
}

/** The range goes from the `fn` token to the closing `}`. */
export interface FunctionSyntax extends Range {
  readonly authoredId: AuthoredId;
  readonly name: NameSyntax;
  readonly typeParameters: readonly string[];
  readonly parameters: readonly ParameterSyntax[];
  readonly returnType: TypeSyntax;
  readonly effects: readonly string[];
  /** Root nodes, in source order. */
  readonly requires: readonly number[];
  readonly ensures: readonly number[];
  /** A block node. */
  readonly body: number;
}

/** The range goes from the `use` token to the `;`. */
export interface UseSyntax extends Range {
  readonly kind: "function" | "type";
  readonly id: string;
  readonly module: string;
  readonly alias: NameSyntax;
}

export interface MemberSyntax {
  readonly authoredId: AuthoredId;
  readonly name: NameSyntax;
  readonly type: TypeSyntax;
}

export interface CaseSyntax {
  readonly authoredId: AuthoredId;
  readonly name: NameSyntax;
  readonly fields: readonly MemberSyntax[];
}

export interface LifecycleSyntax {
  readonly authoredId: AuthoredId;
  /** The key of `drop import "key"`, or null for `drop trivial`. */
  readonly importKey: string | null;
}

export type TypeDeclarationSyntax = {
  readonly authoredId: AuthoredId;
  readonly name: NameSyntax;
  readonly typeParameters: readonly string[];
} & Range &
  (
    | { readonly kind: "resource"; readonly lifecycles: readonly LifecycleSyntax[] }
    | { readonly kind: "record"; readonly fields: readonly MemberSyntax[] }
    | { readonly kind: "variant"; readonly cases: readonly CaseSyntax[] }
  );

export interface ImportSyntax {
  readonly authoredId: AuthoredId;
  readonly rust: boolean;
  readonly name: NameSyntax;
  readonly parameters: readonly ParameterSyntax[];
  readonly result: "unit" | "i64" | "bool";
  readonly effects: readonly string[];
  /** The domain of `failure status "…"`, or null for `failure infallible`. */
  readonly failureDomain: string | null;
  /** The parameter of `consumes … always`, or null. */
  readonly consumes: string | null;
}

export interface InterfaceSyntax extends Range {
  readonly authoredId: AuthoredId;
  readonly name: NameSyntax;
  readonly permits: readonly string[];
  readonly imports: readonly ImportSyntax[];
}

/** One parsed file. Items of a kind are in source order; the formatter groups them (language.md 3.1). */
export interface SyntaxFile {
  readonly source: Source;
  readonly module: string;
  readonly uses: readonly UseSyntax[];
  readonly permits: readonly string[];
  readonly types: readonly TypeDeclarationSyntax[];
  readonly interfaces: readonly InterfaceSyntax[];
  readonly functions: readonly FunctionSyntax[];
  readonly tree: Tree;
}
