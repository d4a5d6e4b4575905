import { describe, expect, test } from "bun:test";
import { findings, table } from "../support/check-table.ts";

const FORBIDDEN =
  "module permit resource fn own borrow shared uses requires ensures let if else true false result".split(
    " ",
  );

const ALLOWED =
  "match use type with as from id i64 bool char main _ drop record variant interface unit".split(" ");

describe("names (4.2)", () => {
  test.each(FORBIDDEN)("%s names no function, parameter or local", (name) => {
    expect(findings(`@id("f") fn ${name}() -> i64 { 0 }`)).toEqual([`S104 ${name}`]);
    expect(findings(`@id("f") fn f(${name}: i64) -> i64 { 0 }`)).toEqual([`S105 ${name}`]);
    expect(findings(`@id("f") fn f() -> i64 { let ${name} = 1; 0 }`)).toEqual([`S109 ${name}`]);
  });
  test.each(ALLOWED)("%s may name any of them", (name) => {
    expect(findings(`@id("f") fn ${name}() -> i64 { 0 }`)).toEqual([]);
    expect(findings(`@id("f") fn f(${name}: i64) -> i64 { 0 }`)).toEqual([]);
    expect(findings(`@id("f") fn f() -> i64 { let ${name} = 1; 0 }`)).toEqual([]);
  });
});

table("declarations, first pass (4.2)", [
  [
    "S101 at every later one",
    `@id("a") fn f() -> i64 { 0 } @id("b") fn f() -> i64 { 0 } @id("c") fn f() -> i64 { 0 }`,
    ["S101 f", "S101 f"],
  ],
  ["S102: NUL in an id", `@id("a\0b") fn f() -> i64 { 0 }`, ["S102 fn f() -> i64 { 0 }"]],
  [
    "T225: reserved prefix",
    `@id("semaprax.function-execution.v1:") fn f() -> i64 { 0 }`,
    ["T225 fn f() -> i64 { 0 }"],
  ],
  ["T225 not below the prefix", `@id("semaprax.function-execution.v1") fn f() -> i64 { 0 }`, []],
  [
    "S102 hides T225",
    `@id("semaprax.function-execution.v1:\0") fn f() -> i64 { 0 }`,
    ["S102 fn f() -> i64 { 0 }"],
  ],
  ["S103 alone is not reported", `fn f() -> i64 { 0 }`, []],
  [
    "S103 in its place among errors",
    `fn if() -> i64 { zz }  fn f() -> i64 { 0 }`,
    ["S104 if", "S103? if", "S103? f", "T202 zz"],
  ],
  [
    "S104 before S101 before the id",
    `@id("a") fn fn() -> i64 { 0 } @id("\0") fn fn() -> i64 { 0 }`,
    ["S104 fn", "S104 fn", "S101 fn", "S102 fn fn() -> i64 { 0 }"],
  ],
  [
    "calls resolve to the later of two functions",
    `@id("a") fn f() -> i64 { 0 } @id("b") fn f() -> bool { true } @id("c") fn g() -> bool { f() }`,
    ["S101 f"],
  ],
]);

table("declarations, second pass (4.2)", [
  [
    "T001 return type, then parameters",
    `@id("f") fn f(a: foo, b: bar) -> baz { 0 }`,
    ["T001 fn f(a: foo, b: bar) -> baz { 0 }", "T001 a", "T001 b", "T103 { 0 }"],
  ],
  ["a scalar name with arguments is an unknown type", `@id("f") fn f(a: i64<bool>) -> i64 { 0 }`, ["T001 a"]],
  ["dotted names are unknown types", `@id("f") fn f(a: m.i64) -> i64 { 0 }`, ["T001 a"]],
  [
    "T221 wrong number of arguments",
    `@id("f") fn f(a: Option, b: Option<i64, i64>, c: Result<i64>, d: Result) -> i64 { 0 }`,
    ["T221 a", "T221 b", "T221 c", "T221 d"],
  ],
  [
    "T223 arguments other than i64 and bool",
    `@id("f") fn f(a: Option<f64>, b: Result<i64, char>, c: Option<Option<i64>>, d: Option<foo>) -> i64 { 0 }`,
    ["T223 a", "T223 b", "T223 c", "T223 d"],
  ],
  ["T223 once for a type", `@id("f") fn f(a: Result<f64, f32>) -> i64 { 0 }`, ["T223 a"]],
  [
    "Option and Result signatures are well formed",
    `@id("f") fn f(a: Option<i64>, b: Result<bool, i64>) -> Option<i64> { a }`,
    [],
  ],
  [
    "S105, O002, T102 for each parameter in turn",
    `@id("f") fn f(let: own i64, let: borrow bool, b: shared f64) -> i64 { 0 }`,
    ["S105 let", "O002 let", "S105 let", "O002 let", "T102 let", "O002 b"],
  ],
  ["T103: the body block", `@id("f") fn f() -> bool { 1 }`, ["T103 { 1 }"]],
  ["no T103 for an untyped body", `@id("f") fn f() -> bool { zz }`, ["T202 zz"]],
  [
    "requires, body, ensures, in that order",
    `@id("f") fn f() -> i64 ensures e1 requires r1 ensures e2 requires r2 { b }`,
    ["T202 r1", "T202 r2", "T202 b", "T202 e1", "T202 e2"],
  ],
  [
    "T104 comes last",
    `@id("m") fn main(a: i64) -> bool { zz } @id("f") fn f() -> i64 { yy }`,
    ["T202 zz", "T202 yy", "T104 fn main(a: i64) -> bool { zz }"],
  ],
  ["T104: type parameters", `@id("m") fn main<T>() -> i64 { 0 }`, ["T104 fn main<T>() -> i64 { 0 }"]],
  ["T104: return type", `@id("m") fn main() -> bool { true }`, ["T104 fn main() -> bool { true }"]],
  [
    "the type of an unknown name is a type",
    `@id("f") fn f(a: foo, b: foo, c: bar) -> bool { a == b && a == c }`,
    ["T001 a", "T001 b", "T001 c", "T207 a == c"],
  ],
]);

table("effects (4.2 step 6, 4.5)", [
  [
    "E101 per effect that is not permitted",
    `permit { a } @id("f") fn f() -> i64 uses { a, b, c } { 0 }`,
    ["E101 fn f() -> i64 uses { a, b, c } { 0 }", "E101 fn f() -> i64 uses { a, b, c } { 0 }"],
  ],
  [
    "E102 per call, in pre-order",
    `permit { a } @id("g") fn g(n: i64) -> i64 uses { a } { 0 } @id("f") fn f() -> i64 { g(g(1)) + h(g(2)) } @id("h") fn h(n: i64) -> i64 { n }`,
    ["E102 g(g(1))", "E102 g(1)", "E102 g(2)"],
  ],
  [
    "a caller that declares the effect",
    `permit { a, b } @id("g") fn g() -> i64 uses { a } { 0 } @id("f") fn f() -> i64 uses { b, a } { g() }`,
    [],
  ],
  [
    "E101 before E102, both after the contracts",
    `@id("g") fn g() -> i64 uses { a } { 0 } @id("f") fn f() -> i64 uses { b } ensures zz { g() }`,
    [
      "E101 fn g() -> i64 uses { a } { 0 }",
      "T202 zz",
      "E101 fn f() -> i64 uses { b } ensures zz { g() }",
      "E102 g()",
    ],
  ],
  [
    "C102 per call of a clause, before its expression",
    `permit { a } @id("g") fn g(n: i64) -> i64 uses { a } { 0 } @id("f") fn f() -> i64 requires g(g(zz)) == 0 { 0 }`,
    ["C102 g(g(zz))", "C102 g(zz)", "T202 zz"],
  ],
  [
    "calls that are not checked for types count too",
    `permit { a } @id("g") fn g() -> i64 uses { a } { 0 } @id("f") fn f(n: i64) -> i64 { n with { v: g() } }`,
    ["T215 n", "E102 g()"],
  ],
]);

table("contracts (4.5)", [
  ["C101 the clause", `@id("f") fn f() -> i64 requires 1 ensures result { 0 }`, ["C101 1", "C101 result"]],
  ["no C101 for an untyped clause", `@id("f") fn f() -> i64 requires zz { 0 }`, ["T202 zz"]],
  ["T201 in requires", `@id("f") fn f() -> i64 requires result > 0 { 0 }`, ["T201 result"]],
  ["result has the return type", `@id("f") fn f() -> bool ensures result { true }`, []],
  ["a clause does not see locals", `@id("f") fn f() -> i64 ensures a > 0 { let a = 1; a }`, ["T202 a"]],
  [
    "a clause's locals do not leave it",
    `@id("f") fn f() -> i64 requires { let a = true; a } requires a { let a = 1; a }`,
    ["T202 a"],
  ],
  ["T209 in a clause", `@id("f") fn f(n: i64) -> i64 requires { let n = true; n } { n }`, ["T209 n"]],
  [
    "T218: no ? in a contract",
    `@id("f") fn f(o: Option<bool>) -> Option<bool> requires o? { o }`,
    ["T218 o?"],
  ],
]);
