import { describe, expect, test } from "bun:test";
import { type CheckedProject, NO_TARGET, RESULT_SLOT, TypeId } from "../../src/lang/checked.ts";
import { NodeKind } from "../../src/lang/syntax.ts";
import { findings, inFunction } from "../support/check-table.ts";
import { checkTexts, shown, type Texts } from "../support/language.ts";

describe("imports (4.1)", () => {
  const texts = (use: string, provider: string, ownText = `@id("f") fn f() -> i64 { 0 }`): Texts => ({
    "a.spx": `module a;\n${use}\n${ownText}`,
    "b.spx": `module b;\n${provider}`,
  });
  const rows: readonly (readonly [string, Texts, readonly string[]])[] = [
    [
      "a bad signature is the importer's error",
      texts(`use function @id("g") from b as g;`, `@id("g") fn g(n: i64, n: i64, let: bool) -> i64 { zz }`),
      ["T102 n", "S105 let"],
    ],
    [
      "a forbidden alias points at the provider's name",
      texts(`use function @id("g") from b as own;`, `@id("g") fn g() -> i64 { 0 }`),
      ["S104 g"],
    ],
    [
      "a NUL in the provider's id",
      texts(`use function @id("g\0") from b as g;`, `@id("g\0") fn g() -> i64 { 0 }`),
      ["S102 fn g() -> i64 { 0 }"],
    ],
    [
      "calls of stubs are checked",
      texts(
        `use function @id("g") from b as h;`,
        `@id("g") fn g(n: i64) -> bool { true }`,
        `@id("f") fn f() -> i64 { if h(true) { g(1) } else { h(2) } }`,
      ),
      ["T205 true", "T203 g(1)"],
    ],
    [
      "E101 at the stub, E102 at the call",
      texts(
        `use function @id("g") from b as g;`,
        `permit { e } @id("g") fn g() -> i64 uses { e } { 0 }`,
        `@id("f") fn f() -> i64 { g() }`,
      ),
      ["E102 g()", "E101 fn g() -> i64 uses { e } { 0 }"],
    ],
    [
      "the later file has its turn when the earlier is good",
      texts(`use function @id("g") from b as g;`, `@id("g") fn g() -> f64 { zz }`),
      ["T202 b.spx: zz"],
    ],
    [
      "an imported authored type",
      texts(
        `use type @id("P") from b as P;\nuse function @id("g") from b as g;`,
        `@id("P") record P { x: i64, } @id("g") fn g(p: P) -> P { p }`,
        `@id("f") fn f(p: P) -> P { g(p) }`,
      ),
      [],
    ],
    [
      "only the first bad file is reported",
      texts("", `@id("g") fn g() -> i64 { yy }`, `fn f() -> i64 { zz }`),
      ["S103? f", "T202 zz"],
    ],
  ];
  test.each(rows)("%s", (_, sources, expected) => {
    expect(shown(sources, checkTexts(sources))).toEqual([...expected]);
  });

  test("the path is the importer's, the span the provider's, and the span says so", () => {
    const outcome = checkTexts(
      texts(
        `use function @id("g") from b as g;`,
        `\n@id("g")\nfn g(é: i64) -> i64\n{ 0 }`.replaceAll("é", "let"),
      ),
    );
    expect(outcome).toMatchObject({
      ok: false,
      failure: [
        {
          code: "SPX-S105",
          severity: "error",
          path: "a.spx",
          spanPath: "b.spx",
          span: { start: 25, end: 28, line: 4, column: 6 },
        },
      ],
    });
  });
});

describe("results of checking", () => {
  function checked(source: string): CheckedProject {
    const outcome = checkTexts({ "m.spx": `module m;\n${source}` });
    if (!outcome.ok) throw new Error(outcome.failure[0].message);
    return outcome.value;
  }

  test("slots: parameters first, disjoint scopes share, clauses count too", () => {
    const source = `@id("f") fn f(a: i64, b: i64) -> i64
      requires { let c = 1; let d = 2; let e = 3; c + d + e > 0 }
      { let x = { let y = a; y }; if b > 0 { let z = x; z } else { let w = 1; w } }
      @id("g") fn g() -> i64 { 0 }`;
    const { modules, files } = checked(source);
    const { letSlot, slotCount } = modules[0]!;
    const { tree } = files[0]!;
    const slots = Array.from(letSlot, (slot, entry) => [tree.names[tree.letName[entry]!], slot]);
    expect(Object.fromEntries(slots)).toEqual({ c: 2, d: 3, e: 4, x: 2, y: 2, z: 3, w: 3 });
    expect([...slotCount]).toEqual([5, 0]);
  });

  test("targets and types of nodes", () => {
    const texts = {
      "a.spx": `module a;
        use type @id("P") from b as P;
        use function @id("g") from b as g;
        @id("f") fn f(n: i64) -> i64 ensures result == n { f(g(1.5, 'c', 0.5f32)) }`,
      "b.spx": `module b; @id("P") record P {} @id("g") fn g(x: f64, c: char, y: f32) -> i64 { 0 }`,
    };
    const outcome = checkTexts(texts);
    if (!outcome.ok) throw new Error(outcome.failure[0].message);
    const { nodeKind, nodeCount } = outcome.value.files[0]!.tree;
    const { nodeType, target } = outcome.value.modules[0]!;
    const nodes = Array.from({ length: nodeCount }, (_, node) => [
      nodeKind[node],
      nodeType[node],
      target[node],
    ]);
    expect(nodes).toEqual([
      [NodeKind.Variable, TypeId.I64, RESULT_SLOT],
      [NodeKind.Variable, TypeId.I64, 0],
      [NodeKind.Binary, TypeId.Bool, NO_TARGET],
      [NodeKind.Float64, TypeId.F64, NO_TARGET],
      [NodeKind.Char, TypeId.Char, NO_TARGET],
      [NodeKind.Float32, TypeId.F32, NO_TARGET],
      // One own function, and the import is the second use.
      [NodeKind.Call, TypeId.I64, 2],
      [NodeKind.Call, TypeId.I64, 0],
      [NodeKind.Block, TypeId.I64, NO_TARGET],
    ]);
  });
});

describe("sizes", () => {
  test("a chain of 65,536 additions", () => {
    expect(findings(inFunction(`${"n + ".repeat(65_536)}n`))).toEqual([]);
    expect(findings(inFunction(`p + ${"n + ".repeat(65_536)}n`))).toEqual(["T208 p + n"]);
  });
  test("2,000 nested blocks", () => {
    const nested = `${"{ let a = zz; ".repeat(2000)}0${" }".repeat(2000)}`;
    expect(findings(inFunction(nested))).toEqual(Array(2000).fill("T202 zz"));
  });
  test("100,000 findings on one line, each at its place", () => {
    const texts = { "m.spx": `module m; @id("é") fn f() -> i64 { ${"z + ".repeat(99_999)}z }` };
    const outcome = checkTexts(texts);
    if (outcome.ok) throw new Error("nothing found");
    expect(outcome.failure.length).toBe(100_000);
    const first = texts["m.spx"].indexOf("z");
    expect(outcome.failure[0].span).toEqual({ start: first + 1, end: first + 2, line: 1, column: first + 1 });
    const last = first + 4 * 99_999;
    expect(outcome.failure.at(-1)!.span).toEqual({
      start: last + 1,
      end: last + 2,
      line: 1,
      column: last + 1,
    });
  });
  test("more unknown types than there are type numbers", () => {
    const parameters = Array.from({ length: 70_000 }, (_, index) => `p${index}: t${index}`).join(", ");
    expect(findings(`@id("f") fn f(${parameters}) -> i64 { p0 + p69999 }`).length).toBe(70_001);
  });
});

test("every message is one line, and short but for the names in it (D29)", () => {
  const long = "n".repeat(200);
  const sources = [
    `@id("f") fn f(a: ${long}, b: i64) -> i64 { let ${long} = ${long}x; ${long}(b) + f(b, a) }`,
    `@id("f") fn f(a: ${long}1, b: ${long}2) -> bool { a == b && (if a == a { a } else { b }) }`,
    `@id("f") fn f() -> i64 { let a = ${long}::${long} { ${long}: 1 }; match a { ${long}::${long} {} => 1, } }`,
    `@id("semaprax.function-execution.v1:${long}") fn ${long}(${long}: i64, ${long}: i64) -> bool uses { ${long} } { 1 }`,
  ];
  for (const source of sources) {
    const outcome = checkTexts({ "m.spx": `module m;\n${source}` });
    if (outcome.ok) throw new Error("nothing found");
    for (const { message } of outcome.failure) {
      expect(message).not.toMatch(/[\n\r]/);
      expect(message.length).toBeLessThanOrEqual(40 + 64);
    }
  }
});
