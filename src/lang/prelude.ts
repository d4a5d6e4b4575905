/** The two variants that exist everywhere without a declaration (language.md 4.6). */

export interface PreludeField {
  readonly name: string;
  /** Which argument of the variant's type is the type of this field. */
  readonly argument: number;
}

export interface PreludeCase {
  readonly name: string;
  readonly fields: readonly PreludeField[];
}

export interface PreludeVariant {
  readonly name: "Option" | "Result";
  /** How many type arguments the variant takes. */
  readonly arity: number;
  readonly cases: readonly PreludeCase[];
}

const OPTION: PreludeVariant = {
  name: "Option",
  arity: 1,
  cases: [
    { name: "None", fields: [] },
    { name: "Some", fields: [{ name: "value", argument: 0 }] },
  ],
};

const RESULT: PreludeVariant = {
  name: "Result",
  arity: 2,
  cases: [
    { name: "Ok", fields: [{ name: "value", argument: 0 }] },
    { name: "Err", fields: [{ name: "error", argument: 1 }] },
  ],
};

export function preludeVariant(name: string): PreludeVariant | null {
  return name === "Option" ? OPTION : name === "Result" ? RESULT : null;
}
