import { describe, expect, test } from "bun:test";
import { type RunOutcome, type RunResult, run } from "../../src/lang/interpret.ts";
import { CALL_DEPTH_MAX, FRAME_CELLS } from "../../src/lang/loop.ts";
import { numbers } from "../support/fuzz.ts";
import { testBody, testProgram } from "../support/programs.ts";
import { randomTestModule } from "../support/random-program.ts";
import { evaluateTree } from "../support/tree-evaluator.ts";

const STEPS = 1_000_000;

const returned = (value: number | bigint): RunOutcome => ({ kind: "returned", value: BigInt(value) });
const arithmetic = (code: number): RunOutcome => ({ kind: "arithmetic_failure", code });
const contract = (code: number): RunOutcome => ({ kind: "contract_failure", code });
const FUEL: RunOutcome = { kind: "fuel_exhausted" };
const DEPTH: RunOutcome = { kind: "call_depth_exceeded" };

/** `f(a)` of `p.core` with clauses and a body. */
const core = (clauses: string, body = "a") => `@id("p.f") fn f(a: i64) -> i64 ${clauses} { ${body} }`;
const RECURSIVE = core("", "if a == 0 { 0 } else { f(a - 1) }");

describe("X15: steps and outcomes", () => {
  const table: readonly [body: string, core: string, steps: number, RunOutcome, maxSteps?: number][] = [
    ["0", core(""), 2, returned(0)],
    ["-1", core(""), 3, returned(-1)],
    ["f(0)", core(""), 5, returned(0)],
    ["1 + 2 - 3", core(""), 6, returned(0)],
    ["let x = 1; x - 1", core(""), 5, returned(0)],
    ["let x = { 1 }; x", core(""), 4, returned(1)],
    ["if true { 0 } else { 1 }", core(""), 5, returned(0)],
    ["if false && true { 0 } else { 1 }", core(""), 6, returned(1)],
    ["if true && true { 0 } else { 1 }", core(""), 7, returned(0)],
    ["if 1.5 + 2.5 == 4.0 { 7 } else { 8 }", core(""), 9, returned(7)],
    ["f(1) - 1", core("requires a > 0"), 11, returned(0)],
    ["f(0)", core("requires a > 0"), 7, contract(1)],
    ["f(0)", core("ensures result == a"), 9, returned(0)],
    ["f(0)", core("ensures result != a"), 9, contract(2)],
    ["f(1)", core("", "a + 9223372036854775807"), 7, arithmetic(1)],
    ["f(1 / 0) + f(9223372036854775807 + 1)", core(""), 6, arithmetic(4)],
    ["9223372036854775807 + f(1 / 0)", core(""), 7, arithmetic(4)],
    ["f(254)", RECURSIVE, 2550, returned(0)],
    ["f(255)", RECURSIVE, 2553, DEPTH],
    ["main()", core(""), 512, DEPTH],
    ["f(0)", core("requires f(a) == 0"), 1023, DEPTH],
    ["f(1000)", RECURSIVE, 100, FUEL, 100],
  ];
  test.each(table)("%s with %s", (body, functions, steps, outcome, maxSteps = STEPS) => {
    const { program } = testBody(body, functions);
    expect(run(program, maxSteps)).toEqual({ outcome, stepsUsed: steps });
  });

  test("`main` with `requires false`", () => {
    const { program } = testProgram('@id("p.tests.main") fn main() -> i64 requires false { 0 }');
    expect(run(program, STEPS)).toEqual({ outcome: contract(1), stepsUsed: 2 });
  });

  test("X6: exactly max_steps steps can return, one fewer cannot", () => {
    const { program } = testBody("f(254)", RECURSIVE);
    expect(run(program, 2550)).toEqual({ outcome: returned(0), stepsUsed: 2550 });
    expect(run(program, 2549)).toEqual({ outcome: FUEL, stepsUsed: 2549 });
    expect(run(program, 1)).toEqual({ outcome: FUEL, stepsUsed: 1 });
  });
});

describe("X12, X17: contracts", () => {
  const table: readonly [name: string, clauses: string, RunOutcome][] = [
    ["requires in order", "requires a == 0 requires 1 / a == 0", arithmetic(4)],
    ["the first false one ends", "requires a == 1 requires 1 / a == 0", contract(1)],
    ["requires before the body", "requires a == 1 ensures 1 / a == 0", contract(1)],
    ["ensures after the body", "ensures result == 0 ensures a != 0", contract(2)],
    ["a failure inside a clause is that failure", "ensures result / a == 0", arithmetic(4)],
    [
      "every form of condition",
      "requires a == 0 && !(a == 1 || a == 2) requires if a == 0 { true } else { false }",
      returned(0),
    ],
    ["a clause that is a constant", "requires true ensures false", contract(2)],
    [
      "a clause with lets",
      "requires { let b = a + 1; b == 1 } ensures { let b = result; b == 0 }",
      returned(0),
    ],
  ];
  test.each(table)("%s", (_, clauses, outcome) => {
    expect(run(testBody("f(0)", core(clauses)).program, STEPS).outcome).toEqual(outcome);
  });

  test("X13: a call in a clause is one deeper than the function whose clause it is", () => {
    // f(n) at depth d calls g at depth d + 1; g needs no more.
    const functions = `${core("requires g(a)", "if a == 0 { 0 } else { f(a - 1) }")}\nfn g(a: i64) -> bool { true }`;
    const last = CALL_DEPTH_MAX - 3;
    expect(run(testBody(`f(${last})`, functions).program, STEPS).outcome).toEqual(returned(0));
    expect(run(testBody(`f(${last + 1})`, functions).program, STEPS).outcome).toEqual(DEPTH);
  });
});

describe("X63: the edges of i64", () => {
  const MIN = -(2n ** 63n);
  const MAX = 2n ** 63n - 1n;
  const EDGES = [
    MIN,
    MIN + 1n,
    -(2n ** 53n) - 1n,
    -(2n ** 53n),
    -(2n ** 53n) + 1n,
    -(2n ** 32n),
    -7n,
    -2n,
    -1n,
    0n,
    1n,
    2n,
    7n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    MAX - 1n,
    MAX,
  ];
  const source = (value: bigint): string =>
    value === MIN ? "(-9223372036854775807 - 1)" : value < 0n ? `(-${-value})` : `${value}`;
  const checked = (value: bigint, code: number): RunOutcome =>
    value < MIN || value > MAX ? arithmetic(code) : returned(value);

  const OPERATORS: readonly [operator: string, (x: bigint, y: bigint) => RunOutcome][] = [
    ["+", (x, y) => checked(x + y, 1)],
    ["-", (x, y) => checked(x - y, 2)],
    ["*", (x, y) => checked(x * y, 3)],
    ["/", (x, y) => (y === 0n ? arithmetic(4) : checked(x / y, 5))],
    ["%", (x, y) => (y === 0n ? arithmetic(6) : x === MIN && y === -1n ? arithmetic(7) : returned(x % y))],
  ];
  const COMPARISONS: readonly [operator: string, (x: bigint, y: bigint) => boolean][] = [
    ["==", (x, y) => x === y],
    ["!=", (x, y) => x !== y],
    ["<", (x, y) => x < y],
    ["<=", (x, y) => x <= y],
    [">", (x, y) => x > y],
    [">=", (x, y) => x >= y],
  ];

  interface Sum {
    readonly body: string;
    readonly outcome: RunOutcome;
  }

  /** Evaluates many bodies of type i64 in one program: each is a function, and each in turn its `main`. */
  function outcomes(sums: readonly Sum[], functions = ""): void {
    const bodies = sums.map(({ body }, index) => `@id("s${index}") fn s${index}() -> i64 { ${body} }`);
    const { project, program } = testProgram(
      `${functions}\n${bodies.join("\n")}\n@id("p.tests.main") fn main() -> i64 { 0 }`,
    );
    const places = new Map(
      program.functions.map((ref, number) => [
        project.files[ref.file]!.functions[ref.function]!.name.text,
        program.functionPc[number]!,
      ]),
    );
    for (const [index, { body, outcome }] of sums.entries()) {
      const { outcome: given } = run({ ...program, mainPc: places.get(`s${index}`)! }, STEPS);
      expect([body, given]).toEqual([body, outcome]);
    }
  }

  const pairs = EDGES.flatMap((x) => EDGES.map((y) => [x, y] as const));

  test("arithmetic, of constants and of parameters", () => {
    const names = ["add", "sub", "mul", "div", "rem"];
    const functions = OPERATORS.map(
      ([operator], index) => `fn ${names[index]}(x: i64, y: i64) -> i64 { x ${operator} y }`,
    );
    const sums = pairs.flatMap(([x, y]) =>
      OPERATORS.flatMap(([operator, expected], index) => [
        { body: `${source(x)} ${operator} ${source(y)}`, outcome: expected(x, y) },
        { body: `${names[index]}(${source(x)}, ${source(y)})`, outcome: expected(x, y) },
      ]),
    );
    outcomes(sums, functions.join("\n"));
  });

  test("comparisons, as values and as jumps", () => {
    const sums = pairs.flatMap(([x, y]) =>
      COMPARISONS.flatMap(([operator, expected]) => {
        const comparison = `${source(x)} ${operator} ${source(y)}`;
        const outcome = returned(expected(x, y) ? 1 : 0);
        return [
          { body: `let c = ${comparison}; if c { 1 } else { 0 }`, outcome },
          { body: `if ${comparison} { 1 } else { 0 }`, outcome },
          { body: `if !(${comparison}) { 0 } else { 1 }`, outcome },
        ];
      }),
    );
    outcomes(sums);
  });

  test("negation; and X36: no -0 leaks", () => {
    const zeros = ["0 * -1", "-0", "-1 / 2", "-4 % 2", "0 / -5", "-(9007199254740992 - 9007199254740992)"];
    outcomes([
      ...EDGES.map((x) => ({ body: `-${source(x)}`, outcome: checked(-x, 8) })),
      ...zeros.flatMap((zero) => [
        { body: zero, outcome: returned(0) },
        { body: `if ${zero} == 0 && !(${zero} < 0) && ${zero} >= 0 { 1 } else { 0 }`, outcome: returned(1) },
        { body: `(${zero}) - 9223372036854775807`, outcome: returned(-MAX) },
      ]),
    ]);
    const zero = run(testBody("0 * -1").program, STEPS).outcome;
    expect(zero.kind === "returned" && zero.value.toString()).toBe("0");
  });

  test("wide values pass through every way a value can go", () => {
    const wide = 9007199254740993n;
    const functions = [
      "fn id(x: i64) -> i64 { x }",
      "fn second(x: i64, y: i64) -> i64 requires x == y ensures result == x { let z = y; z }",
      "fn choose(c: bool, x: i64) -> i64 { let z = { let w = x + 1; w - 1 }; if c && x == z { z } else { -z } }",
    ];
    outcomes(
      [
        { body: `${wide}`, outcome: returned(wide) },
        { body: `id(${wide})`, outcome: returned(wide) },
        { body: `second(${wide}, id(${wide}))`, outcome: returned(wide) },
        { body: `choose(true, ${wide})`, outcome: returned(wide) },
        { body: `choose(false, ${wide})`, outcome: returned(-wide) },
        // A cell that held a wide value holds a number afterwards.
        { body: `id(${wide}) - id(${wide}) + id(3)`, outcome: returned(3) },
      ],
      functions.join("\n"),
    );
  });
});

describe("X18: floats and chars", () => {
  const table: readonly [condition: string, boolean][] = [
    ["0.1 + 0.2 == 0.30000000000000004", true],
    ["0.1f32 + 0.2f32 == 0.3f32", true],
    ["0.1f32 + 0.2f32 == 0.30000001192092896f32", true],
    ["16777216.0f32 + 1.0f32 == 16777216.0f32", true],
    ["16777216.0 + 1.0 == 16777216.0", false],
    ["1.0f32 / 3.0f32 * 3.0f32 == 1.0f32", true],
    ["1.0 / 0.0 > 340282346638528859811704183484516925440.0", true],
    ["-1.0 / 0.0 < 0.0", true],
    ["1.0 / -0.0 < 0.0", true],
    ["-0.0 == 0.0", true],
    ["0.0 / 0.0 == 0.0 / 0.0", false],
    ["0.0 / 0.0 != 0.0 / 0.0", true],
    ["0.0 / 0.0 < 1.0", false],
    ["0.0 / 0.0 >= 1.0", false],
    ["!(0.0 / 0.0 < 1.0)", true],
    ["{ let n = 0.0 / 0.0; let m = if true { n } else { 1.0 }; m != m }", true],
    ["'a' < 'b'", true],
    ["'\\u{e000}' < '\\u{1f600}'", true],
    ["'a' == 'a'", true],
    ["true == !false", true],
    ["true != true", false],
  ];
  test.each(table)("%s", (condition, value) => {
    expect(run(testBody(`if ${condition} { 1 } else { 0 }`).program, STEPS).outcome).toEqual(
      returned(value ? 1 : 0),
    );
    expect(run(testBody(`let c = ${condition}; if c { 1 } else { 0 }`).program, STEPS).outcome).toEqual(
      returned(value ? 1 : 0),
    );
  });
});

describe("X64: nesting", () => {
  const chain = 100_000;
  const deep = 1990;
  const table: readonly [name: string, body: string, value: number, steps: number][] = [
    ["additions", `0${" + 1".repeat(chain)}`, chain, 2 + 2 * chain],
    [
      "conjunctions as a value",
      `let c = true${" && true".repeat(chain)}; if c { 0 } else { 1 }`,
      0,
      6 + 2 * chain,
    ],
    ["conjunctions as a condition", `if true${" && true".repeat(chain)} { 0 } else { 1 }`, 0, 5 + 2 * chain],
    ["disjunctions", `if false${" || false".repeat(chain)} { 1 } else { 0 }`, 0, 5 + 2 * chain],
    ["lets", `${manyLets(20_000)} v19999`, 20_000, 1 + 1 + 3 * 20_000],
    ["blocks", `${"{ ".repeat(deep)}7${" }".repeat(deep)}`, 7, 2 + deep],
    ["blocks with lets", nestedLets(deep), deep, 3 + 4 * deep],
    ["then-branches", `${"if true { ".repeat(deep)}7${" } else { 0 }".repeat(deep)}`, 7, 2 + 3 * deep],
    [
      "conditions",
      `if ${"if ".repeat(deep)}true${" { true } else { false }".repeat(deep)} { 7 } else { 8 }`,
      7,
      5 + 4 * deep - deep,
    ],
    ["calls", `${"f(".repeat(deep)}7${")".repeat(deep)}`, 7, 2 + 3 * deep],
    ["negations", `${"-".repeat(deep)}7`, 7, 2 + deep],
    ["nots", `if ${"!".repeat(deep)}true { 7 } else { 8 }`, 7, 5 + deep],
    ["right operands", `${"1 + (".repeat(deep)}0${")".repeat(deep)}`, deep, 2 + 2 * deep],
  ];
  test.each(table)("%s", (_, body, value, steps) => {
    expect(run(testBody(body).program, STEPS)).toEqual({ outcome: returned(value), stepsUsed: steps });
  });

  function manyLets(count: number): string {
    return Array.from(
      { length: count },
      (_, at) => `let v${at} = ${at === 0 ? "0" : `v${at - 1}`} + 1;`,
    ).join(" ");
  }

  function nestedLets(depth: number): string {
    let body = `v${depth - 1}`;
    for (let at = depth - 1; at >= 0; at--) {
      body = `{ let v${at} = ${at === 0 ? "0" : `v${at - 1}`} + 1; ${body} }`;
    }
    return `let r = ${body}; r`;
  }
});

describe("X33: the cells grow", () => {
  /** `f(n)` has `lets` cells alive while it calls itself. */
  function tower(lets: number, literal: string): string {
    const names = Array.from({ length: lets }, (_, at) => `v${at}`);
    const values = names.map((name) => `let ${name} = a + ${literal};`).join(" ");
    return core(
      "",
      `${values} let r = if a == 0 { 0 } else { f(a - 1) }; r + v0 - v${lets - 1} + a - v${lets >> 1} + ${literal}`,
    );
  }
  for (const lets of [
    1,
    FRAME_CELLS - 3,
    FRAME_CELLS - 2,
    FRAME_CELLS - 1,
    FRAME_CELLS,
    FRAME_CELLS + 1,
    1200,
    5000,
  ]) {
    test(`254 open frames of ${lets} lets`, () => {
      const { project, program } = testBody("f(253)", tower(lets, "1"));
      const all = 100_000_000;
      expect(run(program, all)).toEqual({ outcome: returned(0), stepsUsed: stepsOf(lets) });
      expect(run(program, all)).toEqual({ outcome: returned(0), stepsUsed: stepsOf(lets) });
      if (lets < 100) expect(evaluateTree(project, project.test, all).stepsUsed).toBe(stepsOf(lets));
    });
  }
  /** Per frame: block, the lets, the `if` with its branch, the sum; and `main`. */
  function stepsOf(lets: number): number {
    const frame = 1 + 3 * lets + 4 + 11;
    return 3 + 253 * (frame + 5) + (frame + 2);
  }

  test("wide values are kept", () => {
    const { program } = testBody("f(253)", tower(200, "9007199254740993"));
    expect(run(program, 100_000_000).outcome).toEqual(returned(0));
  });

  test("a frame takes no cells for a branch that is not taken", () => {
    const lets = Array.from({ length: 50_000 }, (_, at) => `let v${at} = a + 1;`).join(" ");
    const functions = core("", `if a == 0 { ${lets} v49999 } else { f(a - 1) }`);
    const { program } = testBody("f(250)", functions);
    expect(run(program, STEPS).outcome).toEqual(returned(1));
    expect(program.machine.cells.length).toBeLessThan(200_000);
  });

  test("a call of a thousand arguments", () => {
    const parameters = Array.from({ length: 1000 }, (_, at) => `p${at}: i64`).join(", ");
    const values = Array.from({ length: 1000 }, (_, at) => `${at}`).join(", ");
    const { program } = testProgram(
      `fn many(${parameters}) -> i64 { p0 + p1 + p999 }\n@id("p.tests.main") fn main() -> i64 { 1 + many(${values}) }`,
    );
    expect(run(program, STEPS).outcome).toEqual(returned(1001));
  });
});

describe("X62: against the plain evaluator", () => {
  /** With every bound from 1 to the steps of the whole run, or to this many. */
  const BOUNDS_MAX = 300;
  const random = numbers();
  for (let group = 0; group < 8; group++) {
    test(`random programs, group ${group}`, () => {
      for (let count = 0; count < 25; count++) {
        const text = randomTestModule(random);
        const { project, program } = testProgram(text);
        const same = (maxSteps: number): RunResult => {
          const expected = evaluateTree(project, project.test, maxSteps);
          expect([text, maxSteps, run(program, maxSteps)]).toEqual([text, maxSteps, expected]);
          return expected;
        };
        const { stepsUsed } = same(20_000);
        for (let maxSteps = 1; maxSteps <= Math.min(stepsUsed, BOUNDS_MAX); maxSteps++) same(maxSteps);
      }
    });
  }
});
