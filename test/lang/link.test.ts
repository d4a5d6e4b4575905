import { describe, expect, test } from "bun:test";
import { EXPORTED_FUNCTIONS_MAX } from "../../src/lang/link.ts";
import { admitTexts, shown, type Texts } from "../support/language.ts";

const FACTS = { entry: "a", testModule: "t", webExports: ["a.main"] };
const MAIN_A = `@id("a.main") fn main() -> i64 { 0 }`;
const MAIN_T = `@id("t.main") fn main() -> i64 { 0 }`;

/** Entry, tests, `p` that entry imports, `q` that the tests import, `s` that nobody does. */
function project(changes: { readonly [module in "a" | "t" | "p" | "q" | "s" | "qUses"]?: string }): Texts {
  const { a = MAIN_A, t = MAIN_T, p = "", q = "", qUses = "", s = `@id("s") fn s() -> i64 { 0 }` } = changes;
  return {
    "a.spx": `module a; use function @id("p") from p as p; ${a}`,
    "p.spx": `module p; @id("p") fn p() -> i64 { 0 } ${p}`,
    "q.spx": `module q; ${qUses} @id("q") fn q() -> i64 { 0 } ${q}`,
    "s.spx": `module s; ${s}`,
    "t.spx": `module t; use function @id("q") from q as q; ${t}`,
  };
}

function codes(texts: Texts, facts = FACTS): readonly string[] {
  return shown(texts, admitTexts(texts, facts));
}

function words(texts: Texts, facts = FACTS): string {
  const outcome = admitTexts(texts, facts);
  return outcome.ok ? "" : `${outcome.failure[0].code} ${outcome.failure[0].message}`;
}

test("the plain project is admitted", () => expect(codes(project({}))).toEqual([]));

describe("the whole set (6.1)", () => {
  const outside: readonly (readonly [string, string])[] = [
    ["permit", `permit { e } @id("s") fn s() -> i64 { 0 }`],
    ["record", `@id("P") record P {} @id("s") fn s() -> i64 { 0 }`],
    ["variant", `@id("V") variant V {} @id("s") fn s() -> i64 { 0 }`],
    ["resource", `@id("R") resource R; @id("s") fn s() -> i64 { 0 }`],
    ["interface", `@id("I") interface I permits {} {} @id("s") fn s() -> i64 { 0 }`],
    ["generic function", `@id("s") fn s<T>() -> i64 { 0 }`],
    ["main", `@id("s") fn main() -> i64 { 0 }`],
    ["mode of an unmodelled type", `@id("R") resource R; @id("s") fn s(r: own R) -> i64 { 0 }`],
    ["f64 parameter", `@id("s") fn s(x: f64) -> i64 { 0 }`],
    ["f32 parameter", `@id("s") fn s(x: f32) -> i64 { 0 }`],
    ["char return type", `@id("s") fn s() -> char { 'c' }`],
    ["Option return type", `@id("s") fn s() -> Option<i64> { Option<i64>::None {} }`],
    ["use type", `use type @id("P") from u as P; @id("s") fn s() -> i64 { 0 }`],
  ];
  test.each(outside)("G172, bare: %s", (_, s) => {
    const texts = {
      ...project({ s }),
      "u.spx": `module u; @id("P") record P {} @id("u") fn u() -> i64 { 0 }`,
    };
    expect(codes(texts)).toEqual(["G172"]);
  });
  test("effects", () => {
    expect(codes(project({ s: `permit { e } @id("s") fn s() -> i64 uses { e } { 0 }` }))).toEqual(["G172"]);
  });
  test("floats, chars, variants, automatic ids and many parameters may stand in an unreached module", () => {
    const s = `fn s(a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64, i: i64) -> i64 {
      let x = 1.5; let y = 'c'; let z = 1.5f32; let o = Option<i64>::Some { value: 1 }; match o { Option::Some { value } => value, _ => 0, } }`;
    expect(codes(project({ s }))).toEqual([]);
  });
  test("comes before the closures", () => {
    expect(
      words(project({ s: `@id("s") fn main() -> i64 { 0 }`, a: `@id("a.f") fn f() -> i64 { 0 }` })),
    ).toContain("outside entry");
  });
});

describe("closures (6.2)", () => {
  const broken: readonly (readonly [string, Texts, typeof FACTS, string])[] = [
    ["no entry module", project({}), { ...FACTS, entry: "zz" }, "SPX-G172 main outside entry and tests: a"],
    [
      "no entry module and no main",
      project({ a: '@id("a.f") fn f() -> i64 { 0 }' }),
      { ...FACTS, entry: "zz" },
      "SPX-G172 no source declares module zz",
    ],
    [
      "no test module",
      project({ t: '@id("t.f") fn f() -> i64 { 0 }' }),
      { ...FACTS, testModule: "zz" },
      "SPX-G172 no source declares module zz",
    ],
    [
      "entry imports the tests",
      project({
        t: `${MAIN_T} @id("t.f") fn f() -> i64 { 0 }`,
        a: `use function @id("t.f") from t as tf; ${MAIN_A}`,
      }),
      FACTS,
      "SPX-G172 imported module has a main: t",
    ],
    [
      "tests reach the entry through another",
      project({ a: `${MAIN_A} @id("f") fn f() -> i64 { 0 }`, qUses: `use function @id("f") from a as f;` }),
      FACTS,
      "SPX-G172 imported module has a main: a",
    ],
    [
      "entry without main",
      project({ a: `@id("a.f") fn f() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 module has no main: a",
    ],
    [
      "tests without main",
      project({ t: `@id("t.f") fn f() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 module has no main: t",
    ],
    [
      "entry's main without id",
      project({ a: `fn main() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 main needs an @id: a",
    ],
    [
      "tests' main without id",
      project({ t: `fn main() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 main needs an @id: t",
    ],
    [
      "entry comes before tests",
      project({ a: `fn main() -> i64 { 0 }`, t: `@id("t.f") fn f() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 main needs an @id: a",
    ],
    [
      "tests come before exports",
      project({ a: `${MAIN_A} fn f() -> i64 { 0 }`, t: `@id("t.f") fn f() -> i64 { 0 }` }),
      FACTS,
      "SPX-G172 module has no main: t",
    ],
  ];
  test.each(broken)("%s", (_, texts, facts, expected) => {
    expect(words(texts, facts)).toBe(expected);
  });

  const option = `let o = Option<bool>::None {}; 0`;
  test.each(["a", "p", "q", "t"] as const)("H006: a prelude value in %s, called or not", (module) => {
    const main = module === "a" ? MAIN_A : module === "t" ? MAIN_T : "";
    expect(codes(project({ [module]: `${main} @id("o") fn o() -> i64 { ${option} }` }))).toEqual(["H006"]);
  });
  test("H006 in a contract", () => {
    const p = `@id("o") fn o() -> i64 requires Option<i64>::None {} == Option<i64>::None {} { 0 }`;
    expect(codes(project({ p }))).toEqual(["H006"]);
  });
  test("a call of the main that only checking knows is refused where it would run", () => {
    const call = `@id("c") fn c() -> i64 { main() }`;
    expect(codes(project({ p: call }))).toEqual(["G172"]);
    expect(codes(project({ s: call }))).toEqual([]);
  });

  test("functions are sorted by the UTF-8 bytes of their ids", () => {
    const p = ["\u{1f600}", "\uffee", "b", "B", ""]
      .map((id, index) => `@id("${id}") fn f${index}() -> i64 { 0 }`)
      .join(" ");
    const outcome = admitTexts(project({ p }), FACTS);
    if (!outcome.ok) throw new Error(outcome.failure[0].message);
    const { entry, test: tests, functionIds } = outcome.value;
    const ids = entry.functions.map(({ file, function: index }) => functionIds[file]![index]);
    expect(ids).toEqual(["", "B", "a.main", "b", "p", "\uffee", "\u{1f600}"]);
    expect(entry).toMatchObject({ rootFile: 0, main: { file: 0, function: 0 }, files: [0, 1] });
    expect(tests).toMatchObject({ rootFile: 4, main: { file: 4, function: 0 }, files: [2, 4] });
  });
});

describe("exports (6.3)", () => {
  const parameters = (count: number) =>
    Array.from({ length: count }, (_, index) => `p${index}: i64`).join(", ");
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ["W115: automatic id", "fn f() -> i64 { 0 }", ["W115"]],
    ["8 parameters pass", `@id("f") fn f(${parameters(8)}) -> i64 { 0 }`, []],
    ["W116: 9 parameters", `@id("f") fn f(${parameters(9)}) -> i64 { 0 }`, ["W116"]],
    ["W115: a float", `@id("f") fn f() -> bool { 1.5 < 2.5 }`, ["W115"]],
    ["W115: a single-precision local", `@id("f") fn f() -> i64 { let x = 1.5f32; 0 }`, ["W115"]],
    ["W115: a char in requires", `@id("f") fn f() -> i64 requires 'a' < 'b' { 0 }`, ["W115"]],
    ["W115: a char in ensures", `@id("f") fn f() -> i64 ensures 'a' < 'b' { 0 }`, ["W115"]],
    [
      "by id: 9 parameters at b before a float at c",
      `@id("c") fn f() -> bool { 1.5 < 2.5 } @id("b") fn g(${parameters(9)}) -> i64 { 0 }`,
      ["W116"],
    ],
    [
      "by id: a float at b before 9 parameters at c",
      `@id("b") fn f() -> bool { 1.5 < 2.5 } @id("c") fn g(${parameters(9)}) -> i64 { 0 }`,
      ["W115"],
    ],
    [
      "an automatic id sorts by its text",
      `fn f() -> i64 { 0 } @id("aut") fn g(${parameters(9)}) -> i64 { 0 }`,
      ["W116"],
    ],
    ["in one function the automatic id comes first", `fn f(${parameters(9)}) -> i64 { 0 }`, ["W115"]],
    [
      "in one function the parameters come before the types",
      `@id("f") fn f(${parameters(9)}) -> bool { 1.5 < 2.5 }`,
      ["W116"],
    ],
  ];
  test.each(rows)("%s", (_, source, expected) => {
    expect(codes(project({ p: source }))).toEqual([...expected]);
    expect(codes(project({ a: `${MAIN_A} ${source}` }))).toEqual([...expected]);
    // None of it matters to the tests.
    expect(codes(project({ q: source }))).toEqual([]);
    expect(codes(project({ t: `${MAIN_T} ${source}` }))).toEqual([]);
  });

  test("256 functions pass, 257 are W116, whatever else is wrong", () => {
    const functions = (count: number, attribute: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => `${attribute(index)} fn f${index}() -> i64 { 0 }`).join(
        " ",
      );
    // Two functions are there already: entry's main and p.
    const full = functions(EXPORTED_FUNCTIONS_MAX - 2, (index) => `@id("f${index}")`);
    expect(EXPORTED_FUNCTIONS_MAX).toBe(256);
    expect(codes(project({ p: full }))).toEqual([]);
    expect(codes(project({ p: `${full} @id("x") fn x() -> i64 { 0 }` }))).toEqual(["W116"]);
    expect(codes(project({ p: functions(EXPORTED_FUNCTIONS_MAX - 1, () => "") }))).toEqual(["W116"]);
  });

  test.each([
    ["entry's main and a provider's function", ["a.main", "p"], []],
    ["unknown", ["a.main", "zz"], ["W115"]],
    ["of the tests", ["q"], ["W115"]],
    ["of an unreached module", ["s"], ["W115"]],
    ["matched exactly", ["a.Main"], ["W115"]],
    ["an automatic name", ["auto:p.p"], ["W115"]],
  ])("exported: %s", (_, webExports, expected) => {
    expect(codes(project({}), { ...FACTS, webExports })).toEqual(expected);
  });
});

test("every message is one line, and short but for the names in it (D29)", () => {
  const long = "n".repeat(200);
  const all: readonly string[] = [
    words(project({ s: `@id("s") fn ${long}<T>() -> i64 { 0 }` })),
    words(project({ s: `@id("s") fn ${long}() -> f64 { 0.0 }` })),
    words(project({}), { ...FACTS, webExports: [long] }),
    words(project({ p: `fn ${long}() -> i64 { 0 }` })),
    words(project({ a: `@id("x") fn x() -> i64 { 0 }` }), { ...FACTS, entry: long }),
    words(project({ s: `permit { e } @id("s") fn s() -> i64 { 0 }` })),
  ];
  for (const text of all) {
    expect(text).toMatch(/^SPX-[A-Z]\d{3} [^\n\r]+$/);
    expect(text.length).toBeLessThanOrEqual("SPX-G172 ".length + 40 + 64);
  }
});
