/** Remedies for what does not fit together in one module (language.md 4), where a word of advice is the same for all. */
import type { Code, Span } from "../../kernel/failure.ts";
import type { SyntaxFile } from "../../lang/syntax.ts";
import { nearestName } from "../nearest-name.ts";
import { textOf } from "../signature.ts";

const FIXED: ReadonlyMap<Code, string> = new Map<Code, string>([
  ["SPX-T206", "- takes an i64 or a float, ! takes a bool"],
  ["SPX-T207", "both sides of == and != have one type; nothing is converted"],
  ["SPX-T210", "a condition is a bool: compare, as in x != 0"],
  ["SPX-T211", "both branches of an if have one type"],
  ["SPX-T221", "Option takes one type argument, Result two"],
  ["SPX-T223", "the type arguments of Option and Result are i64 or bool"],
  ["SPX-C101", "a contract clause is a bool: compare, as in result >= 0"],
  ["SPX-O002", "remove the mode: numbers and bools are copied"],
  ["SPX-E101", "the functions of a project have no effects: remove the uses clause"],
  ["SPX-E102", "the functions of a project have no effects: remove the uses clause"],
  ["SPX-M101", "name every case, or end with the arm _ => VALUE,"],
  ["SPX-M102", "remove the arm: the ones before it cover everything it could match"],
]);

export function typeRemedy(code: Code, file: SyntaxFile, span: Span): string[] {
  const fixed = FIXED.get(code);
  if (fixed !== undefined) return [fixed];
  const found = textOf(file, span.start, span.end);
  switch (code) {
    case "SPX-S101":
      return firstDeclaration(file, found);
    case "SPX-S103":
      return idLine(file, found);
    case "SPX-S104":
    case "SPX-S105":
    case "SPX-S109":
      return /^\w+$/.test(found) ? [`the word has a meaning of its own: try ${found}_`] : [];
    case "SPX-T208":
      return operandRemedy(found);
    case "SPX-T209":
      return /^\w+$/.test(found)
        ? [`${found} has a value here already and keeps it: choose another name`]
        : [];
    default:
      return [];
  }
}

function firstDeclaration(file: SyntaxFile, name: string): string[] {
  const first = file.functions.find((declared) => declared.name.text === name);
  if (first !== undefined) return ["functions of a module have different names; there is no overloading"];
  return file.uses.some(({ alias }) => alias.text === name) ? ["choose another alias for the import"] : [];
}

/** The line that gives a function an explicit id: one that is asked for already, or one that its place suggests. */
export function idLine(file: SyntaxFile, name: string, id = `${file.module}.${name}`): string[] {
  return /^\w+$/.test(name) ? [`write @id("${id}") on the line above fn ${name}`] : [];
}

/** An id as it is usually given to a function of that name: `calculator.is-negative` to `is_negative`. */
export function isIdOf(id: string, name: string): boolean {
  return id.slice(id.lastIndexOf(".") + 1).replaceAll("-", "_") === name;
}

function operandRemedy(found: string): string[] {
  const comparisons = found.match(/<=|>=|<|>/g) ?? [];
  if (comparisons.length > 1) return ["a comparison gives a bool: write a < b && b < c"];
  if (/&&|\|\|/.test(found)) return ["&& and || take bools: compare, as in x != 0"];
  return [];
}

export const KNOWN_TYPES: readonly string[] = ["i64", "bool", "char", "f32", "f64", "Option", "Result"];

const OTHER_LANGUAGES: ReadonlyMap<string, string> = new Map([
  ["int", "i64"],
  ["integer", "i64"],
  ["int64", "i64"],
  ["i32", "i64"],
  ["u32", "i64"],
  ["u64", "i64"],
  ["usize", "i64"],
  ["long", "i64"],
  ["number", "i64"],
  ["boolean", "bool"],
]);

/** What a type that does not exist was probably meant to be: a misspelt one, or one of another language. */
export function unknownType(name: string): string[] {
  if (KNOWN_TYPES.includes(name)) return [];
  const meant = OTHER_LANGUAGES.get(name.toLowerCase()) ?? nearestName(name, KNOWN_TYPES);
  const guess = meant === null ? [] : [`did you mean ${meant}?`];
  return [[...guess, "signatures of a project have i64 and bool only"].join(" ")];
}
