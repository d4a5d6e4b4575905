import { describe, expect, test } from "bun:test";
import { explainRun } from "../../src/lang/explain.ts";
import { run } from "../../src/lang/interpret.ts";
import { testBody, type TestProgram } from "../support/programs.ts";

/** The explanation, with ranges as the text in them and functions as their names. */
function explained({ project, program }: TestProgram, maxSteps = 1_000_000): unknown {
  const explanation = explainRun(project, program, run(program, maxSteps).outcome);
  if (explanation === null) return null;
  const name = ({ file, function: number }: { file: number; function: number }): string =>
    project.files[file]!.functions[number]!.name.text;
  const { functions, ...rest } = explanation;
  if (rest.kind === "limit") return { kind: rest.kind, functions: functions.map(name) };
  const { range, ...facts } = rest;
  const { bytes } = project.files[functions[0]!.file]!.source;
  const text = new TextDecoder().decode(bytes.subarray(range.start, range.end));
  return { ...facts, text, functions: functions.map(name) };
}

describe("L15: why a run failed", () => {
  test("not at all", () => {
    expect(explained(testBody("f(0)"))).toBeNull();
  });

  const contracts: readonly [clauses: string, clause: string, text: string, result: string | null][] = [
    ["requires n < 0 requires n > 7", "requires", "n < 0", null],
    ["requires n > 0 requires n == 7 || b", "requires", "n == 7 || b", null],
    ["ensures true ensures result != n + 1", "ensures", "result != n + 1", "6"],
    ["ensures { let m = n; m == result }", "ensures", "{ let m = n; m == result }", "6"],
  ];
  test.each(contracts)("a clause of `%s`", (clauses, clause, text, result) => {
    const core = `@id("p.f") fn f(n: i64, b: bool) -> i64 ${clauses} { let k = n; k + 1 }
fn twice(n: i64) -> i64 { f(n, false) * 2 }`;
    const program = testBody("1 + f(2 + 3, false)", core);
    expect(explained(program)).toEqual({
      kind: "contract",
      clause,
      text,
      arguments: [
        { name: "n", value: "5" },
        { name: "b", value: "false" },
      ],
      result,
      functions: ["f", "main"],
    });
  });

  test("a result that is an argument or a constant", () => {
    const echo = '@id("p.f") fn f(a: i64) -> i64 ensures result != a { a }';
    expect(explained(testBody("f(-9007199254740993)", echo))).toMatchObject({ result: "-9007199254740993" });
    const constant = '@id("p.f") fn f(a: i64) -> bool ensures !result { true }';
    expect(explained(testBody("if f(0) { 0 } else { 1 }", constant))).toMatchObject({ result: "true" });
  });

  const operations: readonly [body: string, operator: string, operands: readonly string[]][] = [
    ["a + 9223372036854775807", "+", ["1", "9223372036854775807"]],
    ["-9223372036854775807 - 1 - a", "-", ["-9223372036854775808", "1"]],
    ["9223372036854775807 * (a + 1)", "*", ["9223372036854775807", "2"]],
    ["7 / (a - 1)", "/", ["7", "0"]],
    ["(a + 6) % (a - 1)", "%", ["7", "0"]],
    ["-(-9223372036854775807 - a)", "-", ["-9223372036854775808"]],
  ];
  test.each(operations)("the operation %s", (body, operator, operands) => {
    const core = `@id("p.f") fn f(a: i64) -> i64 { let unused = a * 2; ${body} }`;
    expect(explained(testBody("let one = 1; f(one)", core))).toEqual({
      kind: "arithmetic",
      operator,
      operands,
      text: body,
      functions: ["f", "main"],
    });
  });

  test("exhausted fuel and depth: the functions, innermost first", () => {
    const core = `@id("p.f") fn f(a: i64) -> i64 { g(a) }
fn g(a: i64) -> i64 { f(a + 1) }`;
    expect(explained(testBody("f(0)", core), 14)).toEqual({
      kind: "limit",
      functions: ["g", "f", "g", "f", "main"],
    });
    const { functions } = explained(testBody("f(0)", core)) as { functions: string[] };
    expect(functions.length).toBe(256);
    expect(functions.slice(0, 2)).toEqual(["f", "g"]);
    expect(functions.slice(-3)).toEqual(["g", "f", "main"]);
  });
});
