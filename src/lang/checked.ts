/** What resolving, checking and linking know about a project; see syntax.ts for what they know it about. */
import type { SyntaxFile } from "./syntax.ts";

/** The types of values that a project can contain, and the ends of the table of further ones. */
export const enum TypeId {
  /** After an error; suppresses follow-up findings (language.md 4.4). */
  Untyped,
  I64,
  Bool,
  F64,
  F32,
  Char,
  /** A type outside the profile (authored, imported or a type parameter): known, but never compared (4.6). */
  Unmodelled,
  /** The first id of a named type: prelude variants and unknown names, one id per distinct spelling. */
  FirstNamed,
}

/** In {@link CheckedModule.target}, for variables: the result of the function, inside an `ensures` clause. */
export const RESULT_SLOT = -1;
/** In {@link CheckedModule.target}: nothing, or not found. */
export const NO_TARGET = -2;

/** A function of the project: a file (index in path order) and a function of that file (index in source order). */
export interface FunctionRef {
  readonly file: number;
  readonly function: number;
}

/** What checking one module found out (language.md 4). */
export interface CheckedModule {
  /** Per node its {@link TypeId}. */
  readonly nodeType: Uint16Array;
  /**
   * Per node: for a variable its slot (parameters first, then lets) or {@link RESULT_SLOT}; for a call n ≥ 0 the
   * function n of the same file, or `functions.length + n` for the import alias of use n; else {@link NO_TARGET}.
   */
  readonly target: Int32Array;
  /** Per let of the let table the slot it binds. Slots are numbered per function; disjoint scopes may share one. */
  readonly letSlot: Uint32Array;
  /** Per function: how many slots a frame needs, parameters included. */
  readonly slotCount: Uint32Array;
}

/** A project after language.md phases 4 to 6: names of modules, ids, uses and dependencies are settled. */
export interface ResolvedProject {
  /** In path order. */
  readonly files: readonly SyntaxFile[];
  /** Per file, per `use`: the function it names; null for a `use type`. */
  readonly imports: readonly (readonly (FunctionRef | null)[])[];
  /** Per file, per `use`: the file of the module it names. */
  readonly importedFiles: readonly Uint32Array[];
  /** Per file: 1 plus the largest depth of a module it uses (language.md 5.3). */
  readonly dependencyDepth: Uint32Array;
  /** Per file, per function: its explicit or automatic id (language.md 7.1). */
  readonly functionIds: readonly (readonly string[])[];
}

/** A project after phase 8. */
export interface CheckedProject extends ResolvedProject {
  /** Per file. */
  readonly modules: readonly CheckedModule[];
}

/** A root module and everything reachable from it over `use` (language.md 6.2). */
export interface Closure {
  /** File of the root module. */
  readonly rootFile: number;
  readonly main: FunctionRef;
  /** Files in path order. */
  readonly files: readonly number[];
  /** Every function of every module of the closure, sorted by id. */
  readonly functions: readonly FunctionRef[];
}

/** A project after phases 9 to 11. */
export interface AdmittedProject extends CheckedProject {
  readonly entry: Closure;
  readonly test: Closure;
}
