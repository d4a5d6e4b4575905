/** The types of one module as small integers (language.md 4.2, step 1). */
import type { Code } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import { TypeId } from "./checked.ts";
import { type PreludeVariant, preludeVariant } from "./prelude.ts";
import type { TypeSyntax } from "./syntax.ts";

/** A node's type is kept in 16 bits. Beyond so many all further unknown names of a module share the last id. */
const NAMED_TYPES_MAX = 0xffff - TypeId.FirstNamed;

/** What is wrong with how a type is written. */
export interface TypeProblem {
  readonly code: Code;
  readonly message: string;
}

/** A set of names that can be asked only. */
export type NameSet = Pick<TextIndex, "has">;

export const NO_NAMES: NameSet = { has: () => false };

/** Interns named types: two spellings of one type have one id. Recursion is bounded by the parser's nesting limit. */
export class TypeTable {
  /** Of named type `FirstNamed + n`. */
  private readonly names: string[] = [];
  private readonly argumentLists: (readonly TypeId[])[] = [];
  private readonly spellings = new TextIndex();

  /** `unmodelled`: names of the module's authored and imported types. */
  constructor(private readonly unmodelled: NameSet) {}

  /** `parameters`: the type parameters in scope. */
  resolve(type: TypeSyntax, parameters: NameSet): TypeId {
    const scalar = scalarType(type);
    if (scalar !== TypeId.Untyped) return scalar;
    if (this.isUnmodelled(type, parameters)) return TypeId.Unmodelled;
    const ids: TypeId[] = [];
    for (const argument of type.arguments) ids.push(this.resolve(argument, parameters));
    return ids.includes(TypeId.Unmodelled) ? TypeId.Unmodelled : this.intern(type.name, ids);
  }

  /** T001, T221 or T223: what is wrong with this type apart from what is wrong inside its arguments. */
  problem(type: TypeSyntax, parameters: NameSet): TypeProblem | null {
    if (scalarType(type) !== TypeId.Untyped || this.isUnmodelled(type, parameters)) return null;
    const variant = preludeVariant(type.name);
    if (variant === null) return { code: "SPX-T001", message: `unknown type ${clip(type.name)}` };
    const { name, arity } = variant;
    if (type.arguments.length !== arity) {
      return { code: "SPX-T221", message: `${name} takes ${arity === 1 ? "1 type" : "2 types"}` };
    }
    const allFit = type.arguments.every((argument) => isPreludeArgument(this.resolve(argument, parameters)));
    return allFit ? null : { code: "SPX-T223", message: `${name} holds only i64 or bool` };
  }

  /** The variant that a type is an instance of, else null. */
  variantOf(type: TypeId): PreludeVariant | null {
    return type < TypeId.FirstNamed ? null : preludeVariant(this.names[type - TypeId.FirstNamed]!);
  }

  /** A type argument; untyped where the type was written with too few. */
  argumentOf(type: TypeId, index: number): TypeId {
    return this.argumentLists[type - TypeId.FirstNamed]?.[index] ?? TypeId.Untyped;
  }

  /** For messages: at most 30 bytes. */
  describe(type: TypeId): string {
    switch (type) {
      case TypeId.Untyped:
      case TypeId.Unmodelled:
        return "?";
      case TypeId.I64:
        return "i64";
      case TypeId.Bool:
        return "bool";
      case TypeId.F64:
        return "f64";
      case TypeId.F32:
        return "f32";
      case TypeId.Char:
        return "char";
      default:
        return this.describeNamed(type);
    }
  }

  private describeNamed(type: TypeId): string {
    const name = this.names[type - TypeId.FirstNamed]!;
    const ids = this.argumentLists[type - TypeId.FirstNamed]!;
    if (ids.length === 0) return clip(name, 30);
    const shown = ids.slice(0, 2).map((id) => (id < TypeId.FirstNamed ? this.describe(id) : "…"));
    return clip(`${clip(name, 16)}<${shown.join(", ")}>`, 30);
  }

  private isUnmodelled(type: TypeSyntax, parameters: NameSet): boolean {
    return parameters.has(type.name) || this.unmodelled.has(type.name);
  }

  private intern(name: string, ids: readonly TypeId[]): TypeId {
    const key = ids.length === 0 ? name : `${name}<${ids.join(",")}>`;
    const index = this.spellings.intern(key);
    if (index >= NAMED_TYPES_MAX) return TypeId.FirstNamed + NAMED_TYPES_MAX - 1;
    if (index === this.names.length) {
      this.names.push(name);
      this.argumentLists.push(ids);
    }
    return TypeId.FirstNamed + index;
  }
}

/** The scalar type that is written here, or untyped: `i64<bool>` is a named type (language.md 2.1). */
export function scalarType(type: TypeSyntax): TypeId {
  if (type.arguments.length > 0) return TypeId.Untyped;
  switch (type.name) {
    case "i64":
      return TypeId.I64;
    case "bool":
      return TypeId.Bool;
    case "f64":
      return TypeId.F64;
    case "f32":
      return TypeId.F32;
    case "char":
      return TypeId.Char;
    default:
      return TypeId.Untyped;
  }
}

/** The type of a signature that is seen from another module: that module's named types are not modelled here. */
export function scalarOrUnmodelled(type: TypeSyntax): TypeId {
  const scalar = scalarType(type);
  return scalar === TypeId.Untyped ? TypeId.Unmodelled : scalar;
}

/** Whether two types are known to differ: nothing is held against an untyped or unmodelled side. */
export function differ(a: TypeId, b: TypeId): boolean {
  return a !== b && isModelled(a) && isModelled(b);
}

export function isModelled(type: TypeId): boolean {
  return type !== TypeId.Untyped && type !== TypeId.Unmodelled;
}

export function isFloat(type: TypeId): boolean {
  return type === TypeId.F64 || type === TypeId.F32;
}

function isPreludeArgument(type: TypeId): boolean {
  return type === TypeId.I64 || type === TypeId.Bool || type === TypeId.Unmodelled;
}
