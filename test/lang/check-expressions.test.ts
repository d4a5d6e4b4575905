import { describe, expect, test } from "bun:test";
import { findings, inFunction, table } from "../support/check-table.ts";

table(
  "names of values (4.3)",
  [
    ["T202 before its let", "let a = b; let b = 1; a", ["T202 b", "T202 a"]],
    ["T202 own initialiser", "let a = a; 0", ["T202 a"]],
    ["T202 a function is no value", "f", ["T202 f"]],
    ["T203 a local is no function", "let g = 1; g()", ["T203 g()"]],
    ["a local may have a function's name", "let f = 1; f", []],
    ["T209 over a parameter", "let n = 1; n", ["T209 n"]],
    ["T209 over a local", "let a = 1; let a = true; 0", ["T209 a"]],
    ["T209 in an inner block", "let a = 1; { let a = 2; a }", ["T209 a"]],
    ["T209 in a branch", "if p { let n = 1; n } else { let n = 2; n }", ["T209 n", "T209 n"]],
    ["T209 after the initialiser", "let n = zz; 0", ["T202 zz", "T209 n"]],
    [
      "S109 before the initialiser, T209 after it",
      "let a = 1; let let = { let a = yy; zz }; 0",
      ["S109 let", "T202 yy", "T209 a", "T202 zz"],
    ],
    [
      "siblings may reuse a name",
      "let a = { let b = 1; b }; let d = { let b = 2; b }; let b = 3; a + d + b",
      [],
    ],
    ["branches may reuse a name", "if p { let b = 1; b } else { let b = 2; b }", []],
    ["a branch's local ends with it", "let a = if p { let b = 1; b } else { b }; b", ["T202 b", "T202 b"]],
    ["an untyped local is not introduced", "let a = zz; a + a", ["T202 zz", "T202 a", "T202 a"]],
    ["T201 outside ensures", "result", ["T201 result"]],
  ],
  inFunction,
);

const SCALARS = ["n", "p", "x", "y", "c"] as const;

const TYPE_OF: Readonly<Record<(typeof SCALARS)[number], string>> = {
  n: "i64",
  p: "bool",
  x: "f64",
  y: "f32",
  c: "char",
};

describe("every operator over every pair of scalar types (4.4)", () => {
  /** The result type, and whether the operands are refused. */
  function arithmetic(
    left: string,
    right: string,
  ): { readonly result: string; readonly codes: readonly string[] } {
    const expected = left === "f64" || left === "f32" ? left : "i64";
    return { result: expected, codes: left === expected && right === expected ? [] : ["T208"] };
  }
  function ordering(
    left: string,
    right: string,
  ): { readonly result: string; readonly codes: readonly string[] } {
    const expected = left === "bool" ? "i64" : left;
    return { result: "bool", codes: left === expected && right === expected ? [] : ["T208"] };
  }
  function expectation(operator: string, left: string, right: string) {
    switch (operator) {
      case "&&":
      case "||":
        return { result: "bool", codes: left === "bool" && right === "bool" ? [] : ["T208"] };
      case "==":
      case "!=":
        return { result: "bool", codes: left === right ? [] : ["T207"] };
      case "%": {
        const { result, codes } = arithmetic(left, right);
        return { result, codes: left === "f64" || left === "f32" ? ["T208", ...codes] : codes };
      }
      case "+":
      case "-":
      case "*":
      case "/":
        return arithmetic(left, right);
      default:
        return ordering(left, right);
    }
  }
  test.each(["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||"])("%s", (operator) => {
    for (const left of SCALARS) {
      for (const right of SCALARS) {
        const { result, codes } = expectation(operator, TYPE_OF[left], TYPE_OF[right]);
        const text = `${left} ${operator} ${right}`;
        // The let gives the result a second use, which shows its type.
        const source = `@id("f") fn f(n: i64, p: bool, x: f64, y: f32, c: char) -> ${result} { let r = ${text}; r }`;
        expect(findings(source)).toEqual(codes.map((code) => `${code} ${text}`));
      }
    }
  });
});

table(
  "expressions (4.4)",
  [
    ["T206 minus on bool, the result is i64", "-p", ["T206 -p"]],
    ["T206 minus on char, the result is i64", "-c + 1", ["T206 -c"]],
    ["T206 not on i64, the result is bool", "if !n { 1 } else { 2 }", ["T206 !n"]],
    ["minus on floats", "let a = -x + x; let b = -y + y; 0", []],
    [
      "unary on an untyped operand is untyped",
      "let a = -zz; let b = !zz; 0 + a",
      ["T202 zz", "T202 zz", "T202 a"],
    ],
    ["T208 for a typed side though the other is untyped", "zz + p", ["T202 zz", "T208 zz + p"]],
    ["T208 on the left though the right is untyped", "p + zz", ["T202 zz", "T208 p + zz"]],
    ["an untyped left side expects i64", "zz + x", ["T202 zz", "T208 zz + x"]],
    ["no T208 for untyped sides, but a type", "let a = zz + zz; a", ["T202 zz", "T202 zz"]],
    ["an untyped comparison is bool", "if zz < yy { 1 } else { 2 }", ["T202 zz", "T202 yy"]],
    ["no T207 with an untyped side", "if zz == p { 1 } else { 2 }", ["T202 zz"]],
    ["one T208 for two wrong sides", "p + c", ["T208 p + c"]],
    ["chained comparisons", "if 1 < 2 < 3 { 1 } else { 2 }", ["T208 1 < 2 < 3"]],
    ["T210 before the branches, T211 last", "if n { zz; } else { p }", ["T210 n", "T202 zz"]],
    ["T211 the whole", "if n { n } else { p }", ["T210 n", "T211 if n { n } else { p }"]],
    ["an if is untyped if a branch is", "let a = if p { 1 } else { zz }; a", ["T202 zz", "T202 a"]],
    [
      "an if with different branches has the type of the first",
      "(if p { 1 } else { p }) + 1",
      ["T211 (if p { 1 } else { p })"],
    ],
    ["no T210 for an untyped condition", "if zz { 1 } else { 2 }", ["T202 zz"]],
    ["spans include parentheses", "(n) + (p)", ["T208 (n) + (p)"]],
    ["a block has the type of its tail", "{ let a = p; { a } } && p", ["T103 { { let a = p; { a } } && p }"]],
  ],
  inFunction,
);

table("calls (4.4)", [
  [
    "T203, then the arguments",
    `@id("f") fn f() -> i64 { g(zz, yy) }`,
    ["T203 g(zz, yy)", "T202 zz", "T202 yy"],
  ],
  ["T203 leaves the call untyped", `@id("f") fn f() -> i64 { let a = g(); a }`, ["T203 g()", "T202 a"]],
  [
    "T204 before the arguments, T205 directly after each",
    `@id("f") fn f(a: i64, b: i64) -> i64 { f(true, zz, yy) }`,
    ["T204 f(true, zz, yy)", "T205 true", "T202 zz", "T202 yy"],
  ],
  ["T204 too few", `@id("f") fn f(a: i64) -> i64 { f() }`, ["T204 f()"]],
  [
    "a call with wrong arguments keeps its type",
    `@id("f") fn f(a: i64) -> bool { f(true) && f() }`,
    ["T205 true", "T204 f()"],
  ],
  [
    "T205 nested: the inner call first",
    `@id("f") fn f(a: i64) -> bool { f(f(true)) }`,
    ["T205 true", "T205 f(true)"],
  ],
  [
    "T225: no T205 follows and the call is untyped",
    `@id("f") fn f(a: i64) -> i64 { let b = f<i64>(true); b }`,
    ["T225 f<i64>(true)", "T202 b"],
  ],
  ["T204 before T225", `@id("f") fn f(a: i64) -> i64 { f<i64>() }`, ["T204 f<i64>()", "T225 f<i64>()"]],
  [
    "T203 with type arguments is only that",
    `@id("f") fn f() -> i64 { g<i64>(zz) }`,
    ["T203 g<i64>(zz)", "T202 zz"],
  ],
  [
    "functions are visible everywhere",
    `@id("f") fn f() -> i64 requires g() { if g() { 1 } else { f() } } @id("g") fn g() -> bool { f() > 0 }`,
    [],
  ],
  ["main can be called", `@id("m") fn main() -> i64 { if true { 0 } else { main() } }`, []],
  ["a module without main is checked with one", `@id("f") fn f() -> i64 { main() }`, []],
  [
    "the supplied main takes nothing",
    `@id("f") fn f() -> bool { main(1) }`,
    ["T204 main(1)", "T103 { main(1) }"],
  ],
]);
