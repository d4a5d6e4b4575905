import { describe, expect, test } from "bun:test";
import { resolveTexts, shown, type Texts } from "../support/language.ts";

type Row = readonly [title: string, texts: Texts, expected: readonly string[]];

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    test.each(rows)("%s", (_, texts, expected) => {
      expect(shown(texts, resolveTexts(texts))).toEqual([...expected]);
    });
  });
}

/** Module `m` with a main and these declarations, module `o` with those. */
function twoFiles(inM: string, inO: string): Texts {
  return { "m.spx": `module m; @id("m") fn main() -> i64 { 0 } ${inM}`, "o.spx": `module o; ${inO}` };
}

const FUNCTION = `@id("g") fn g() -> i64 { 0 }`;

describe("ids the compiler owns (5.2, 7.1)", () => {
  const owned = [
    "core.option",
    "core.option.none",
    "core.option.some",
    "core.option.some.value",
    "core.result",
    "core.result.ok",
    "core.result.ok.value",
    "core.result.err",
    "core.result.err.error",
  ];
  test.each(owned)("%s", (id) => {
    const texts = twoFiles("", `@id("${id}") fn f() -> i64 { 0 }`);
    expect(shown(texts, resolveTexts(texts))).toEqual(["G172"]);
    const near = twoFiles("", `@id("${id}.") fn f() -> i64 { 0 } @id("${id}x") fn g() -> i64 { 0 }`);
    expect(shown(near, resolveTexts(near))).toEqual([]);
  });
});

table("uniqueness (5.2)", [
  ["module names", { "a.spx": `module m; ${FUNCTION}`, "b.spx": `module m; fn f() -> i64 { 0 }` }, ["G172"]],
  [
    "module names differ in a part",
    { "a.spx": `module m.a; ${FUNCTION}`, "b.spx": `module m.b; fn f() -> i64 { 0 }` },
    [],
  ],
  [
    "explicit ids in a file",
    twoFiles(`@id("x") fn a() -> i64 { 0 } @id("x") fn b() -> i64 { 0 }`, FUNCTION),
    ["G172"],
  ],
  [
    "explicit ids across files",
    twoFiles(`@id("x") fn a() -> i64 { 0 }`, `@id("x") fn b() -> i64 { 0 }`),
    ["G172"],
  ],
  ["empty ids", twoFiles(`@id("") fn a() -> i64 { 0 }`, `@id("") fn b() -> i64 { 0 }`), ["G172"]],
  ["one empty id", twoFiles(`@id("") fn a() -> i64 { 0 }`, FUNCTION), []],
  ["automatic ids in a file", twoFiles(`fn a() -> i64 { 0 } fn a() -> i64 { 0 }`, FUNCTION), ["G172"]],
  ["automatic ids of one name in two files", twoFiles(`fn a() -> i64 { 0 }`, `fn a() -> i64 { 0 }`), []],
  [
    "an explicit id like an automatic one",
    twoFiles(`@id("auto:o.f") fn a() -> i64 { 0 }`, `fn f() -> i64 { 0 }`),
    ["G172"],
  ],
  [
    "an explicit id like no automatic one",
    twoFiles(`@id("auto:o.f") fn a() -> i64 { 0 }`, `@id("f") fn f() -> i64 { 0 }`),
    [],
  ],
  [
    "an explicit id like an automatic one of a dotted module",
    {
      "a.spx": `module p.q; fn f() -> i64 { 0 }`,
      "b.spx": `module b; @id("auto:p.q.f") fn f() -> i64 { 0 }`,
    },
    ["G172"],
  ],
  [
    "a function and a field",
    twoFiles(`@id("P") record P { @id("x") x: i64, }`, `@id("x") fn f() -> i64 { 0 }`),
    ["G172"],
  ],
  [
    "a lifecycle and an interface",
    twoFiles(
      `@id("R") resource R { @id("x") drop trivial; }`,
      `@id("x") interface I permits {} {} ${FUNCTION}`,
    ),
    ["G172"],
  ],
  [
    "lifecycles without ids",
    twoFiles(
      `@id("R") resource R { drop trivial; } @id("S") resource S { drop trivial; drop trivial; }`,
      FUNCTION,
    ),
    [],
  ],
  ["automatic fields of one record", twoFiles(`record P { x: i64, x: i64, }`, FUNCTION), ["G172"]],
  ["automatic fields of two records", twoFiles(`record P { x: i64, } record Q { x: i64, }`, FUNCTION), []],
]);

describe("explicit ids that spell an automatic one (7.1)", () => {
  const declared = `
    record P { x: i64, } variant V { A { y: i64, }, } resource R;
    interface I permits {} { import rust fn i() -> i64 effects {} failure infallible; }
    @id("own.id") record Q { z: i64, }`;
  const spelt = [
    "auto:record:m.P",
    "auto:field:auto:record:m.P.x",
    "auto:field:own.id.z",
    "auto:variant:m.V",
    "auto:case:auto:variant:m.V.A",
    "auto:case-field:auto:case:auto:variant:m.V.A.y",
    "auto:resource:m.R",
    "auto:interface:m.I",
    "auto:import:auto:interface:m.I.i",
  ];
  test.each(spelt)("%s", (id) => {
    const texts = twoFiles(declared, `@id("${id}") fn f() -> i64 { 0 }`);
    expect(shown(texts, resolveTexts(texts))).toEqual(["G172"]);
  });
  const free = [
    "auto:m.P",
    "auto:record:m.Q",
    "auto:variant:m.P",
    "auto:field:m.P.x",
    "auto:field:own.id.y",
    "auto:",
    "auto:x",
    "auto:record:",
    "auto:record:m.",
    "auto:field:auto:field:auto:field:auto:field:auto:record:m.P.x.x.x.x",
  ];
  test.each(free)("%s is free", (id) => {
    const texts = twoFiles(declared, `@id("${id}") fn f() -> i64 { 0 }`);
    expect(shown(texts, resolveTexts(texts))).toEqual([]);
  });
  test("owners of megabytes cost no copy for each member", () => {
    const fields = Array.from({ length: 4000 }, (_, index) => `f${index}: i64,`).join(" ");
    const functions = Array.from({ length: 1000 }, (_, index) => `fn f${index}() -> i64 { 0 }`).join(" ");
    const long = "m".repeat(1_000_000);
    const texts = {
      "a.spx": `module ${long}; ${functions}`,
      "b.spx": `module b; @id("${long}") record R { ${fields} } ${FUNCTION}`,
    };
    expect(shown(texts, resolveTexts(texts))).toEqual([]);
  });
});

table("the id of a synthetic main (5.2)", [
  [
    "G173 without a main",
    twoFiles(`@id("workspace.synthetic.main.o") fn a() -> i64 { 0 }`, FUNCTION),
    ["G173"],
  ],
  ["in the module itself", twoFiles("", `@id("workspace.synthetic.main.o") fn a() -> i64 { 0 }`), ["G173"]],
  [
    "of a field",
    twoFiles(`@id("P") record P { @id("workspace.synthetic.main.o") x: i64, }`, FUNCTION),
    ["G173"],
  ],
  ["harmless with a main", twoFiles(`@id("workspace.synthetic.main.m") fn a() -> i64 { 0 }`, FUNCTION), []],
  [
    "harmless without the module",
    twoFiles(`@id("workspace.synthetic.main.x") fn a() -> i64 { 0 }`, FUNCTION),
    [],
  ],
  [
    "after duplicate ids",
    twoFiles(
      `@id("workspace.synthetic.main.o") fn a() -> i64 { 0 } @id("x") fn b() -> i64 { 0 } @id("x") fn c() -> i64 { 0 }`,
      FUNCTION,
    ),
    ["G172"],
  ],
]);

/** Module `a` that uses, module `b` with several declarations, module `c`. */
function importing(uses: string, ownFunctions = `@id("f") fn f() -> i64 { 0 }`): Texts {
  return {
    "a.spx": `module a; ${uses} ${ownFunctions}`,
    "b.spx": `module b;
      @id("g") fn g(n: i64) -> i64 { 0 } @id("h") fn h(x: f64, y: f32, c: char) -> f64 { 0.0 } fn auto() -> i64 { 0 }
      @id("generic") fn generic<T>(x: i64) -> i64 { 0 } @id("mode") fn mode(x: own i64) -> i64 { 0 }
      @id("P") record P { @id("P.x") x: i64, } record Q { x: i64, }
      @id("takesP") fn takes_p(p: P) -> i64 { 0 } @id("givesP") fn gives_p() -> P { zz }
      @id("takesQ") fn takes_q(q: Q) -> i64 { 0 } @id("option") fn option(o: Option<i64>) -> i64 { 0 }
      @id("unknown") fn unknown() -> foo { 0 } @id("nested") fn nested(p: P<Q>) -> i64 { 0 }
      @id("") fn empty() -> i64 { 0 }`,
    "c.spx": `module c; use type @id("P") from b as Pc; @id("k") fn k() -> i64 { 0 } @id("takesPc") fn takes_pc(p: Pc) -> i64 { 0 }`,
  };
}

const useOf = (id: string, alias = "x", module = "b"): string =>
  `use function @id("${id}") from ${module} as ${alias};`;
const typeOf = (id: string, alias = "X", module = "b"): string =>
  `use type @id("${id}") from ${module} as ${alias};`;

describe("use (5.1)", () => {
  const rows: readonly (readonly [title: string, uses: string, bad: string | null])[] = [
    ["plain", useOf("g"), null],
    ["floats and chars pass", useOf("h"), null],
    ["an empty id", useOf(""), null],
    ["1: twice", `${useOf("g")} ${useOf("g", "y")}`, useOf("g", "y")],
    [
      "1: once as a function, once as a type, is another failure",
      `${useOf("g")} ${typeOf("g")}`,
      typeOf("g"),
    ],
    ["2: from itself", useOf("f", "x", "a"), useOf("f", "x", "a")],
    ["2: from nowhere", useOf("g", "x", "zz"), useOf("g", "x", "zz")],
    ["3: alias twice", `${useOf("g")} ${useOf("k", "x", "c")}`, useOf("k", "x", "c")],
    ["3: alias of an own function", useOf("g", "f"), useOf("g", "f")],
    ["3: alias main", useOf("g", "main"), useOf("g", "main")],
    ["3: a type alias is no function's", `${typeOf("P", "f")} ${useOf("g", "P")}`, null],
    ["4: no such id", useOf("zz"), useOf("zz")],
    ["5: automatic id", useOf("auto:b.auto"), useOf("auto:b.auto")],
    ["5: of another module", useOf("k"), useOf("k")],
    ["5: a type", useOf("P"), useOf("P")],
    ["5: a field", useOf("P.x"), useOf("P.x")],
    ["5: use type of a type", typeOf("P"), null],
    ["5: use type of a function", typeOf("g"), typeOf("g")],
    ["5: use type of a field", typeOf("P.x"), typeOf("P.x")],
    ["5: use type of an automatic id", typeOf("auto:record:b.Q"), typeOf("auto:record:b.Q")],
    ["6: type parameters", useOf("generic"), useOf("generic")],
    ["6: modes", useOf("mode"), useOf("mode")],
    ["7: a type that is not imported", useOf("takesP"), useOf("takesP")],
    ["7: as a return type", useOf("givesP"), useOf("givesP")],
    ["7: Option", useOf("option"), useOf("option")],
    ["7: unknown", useOf("unknown"), useOf("unknown")],
    ["7: of an automatic id", `${typeOf("P")} ${useOf("takesQ")}`, useOf("takesQ")],
    ["7: as an argument", `${typeOf("P")} ${useOf("nested")}`, useOf("nested")],
    [
      "7: imported, whatever the alias and the order",
      `${useOf("takesP")} ${useOf("givesP", "y")} ${typeOf("P", "Z")}`,
      null,
    ],
    ["7: imported by the provider too", `${useOf("takesPc", "x", "c")} ${typeOf("P")}`, null],
    ["7: imported by the provider only", useOf("takesPc", "x", "c"), useOf("takesPc", "x", "c")],
  ];
  test.each(rows)("%s", (_, uses, bad) => {
    const texts = importing(uses);
    expect(shown(texts, resolveTexts(texts))).toEqual(bad === null ? [] : [`G172 ${bad}`]);
  });
  /** Each use breaks two rules; the words tell which was looked at first. */
  const orders: readonly (readonly [string, string, RegExp])[] = [
    ["1 before 2", `${useOf("g")} ${useOf("g", "x", "a")}`, /imported twice/],
    ["2 before 3", useOf("g", "main", "zz"), /no source declares/],
    ["3 before 4", useOf("zz", "main"), /alias/],
    ["6 before 7", useOf("generic"), /generic/],
  ];
  test.each(orders)("rule %s", (_, uses, words) => {
    const outcome = resolveTexts(importing(uses));
    expect(outcome.ok ? "" : outcome.failure[0].message).toMatch(words);
  });
  test("of two bad files the earlier one is reported, of two bad uses the first", () => {
    const texts: Texts = {
      "a.spx": `module a; ${useOf("zz")} ${useOf("yy", "y")} ${FUNCTION}`,
      "b.spx": `module b; ${useOf("ww", "x", "nowhere")} fn f() -> i64 { 0 }`,
    };
    expect(shown(texts, resolveTexts(texts))).toEqual([`G172 ${useOf("zz")}`]);
  });
});

/** Module `mN` for each list of numbers, which are those of the modules that it imports. */
function graph(lists: readonly (readonly number[])[]): Texts {
  return Object.fromEntries(
    lists.map((targets, file) => {
      const uses = targets.map((target) => useOf(`f${target}`, `x${target}`, `m${target}`)).join(" ");
      return [`m${file}.spx`, `module m${file}; ${uses} @id("f${file}") fn f() -> i64 { 0 }`];
    }),
  );
}

describe("dependencies (5.3)", () => {
  test("depth is one more than that of the deepest import", () => {
    const outcome = resolveTexts(graph([[1, 2], [3], [], [2], [], [0, 4]]));
    expect(outcome.ok && [...outcome.value.dependencyDepth]).toEqual([4, 3, 1, 2, 1, 5]);
    expect(outcome.ok && outcome.value.importedFiles.map((targets) => [...targets])).toEqual([
      [1, 2],
      [3],
      [],
      [2],
      [],
      [0, 4],
    ]);
    expect(outcome.ok && outcome.value.imports[5]).toEqual([
      { file: 0, function: 0 },
      { file: 4, function: 0 },
    ]);
  });
  test.each([
    ["two modules", [[1], [0]]],
    ["three modules, one outside", [[1], [2], [3], [1]]],
    ["beside a good part", [[], [2], [1], [0]]],
  ])("a cycle of %s is G172, bare", (_, lists) => {
    const texts = graph(lists);
    expect(shown(texts, resolveTexts(texts))).toEqual(["G172"]);
  });
  test("the words spell the cycle out, not the way to it", () => {
    const outcome = resolveTexts(graph([[2], [], [3], [4, 1], [2]]));
    expect(outcome.ok ? "" : outcome.failure[0].message).toEndWith(": m2 -> m3 -> m4 -> m2");
  });
  test("a bad use comes before a cycle", () => {
    const texts = {
      ...graph([[1], [0]]),
      "z.spx": `module z; ${useOf("zz", "x", "m0")} fn f() -> i64 { 0 }`,
    };
    expect(shown(texts, resolveTexts(texts))).toEqual([`G172 z.spx: ${useOf("zz", "x", "m0")}`]);
  });
  const chain = (length: number) =>
    graph(Array.from({ length }, (_, file) => (file + 1 < length ? [file + 1] : [])));
  test("depth 16 passes, 17 is G171", () => {
    expect(shown(chain(16), resolveTexts(chain(16)))).toEqual([]);
    expect(shown(chain(17), resolveTexts(chain(17)))).toEqual(["G171"]);
  });
});

test("ids of functions are the explicit or the automatic ones (7.1)", () => {
  const outcome = resolveTexts(twoFiles("fn a() -> i64 { 0 }", FUNCTION));
  expect(outcome.ok && outcome.value.functionIds).toEqual([["m", "auto:m.a"], ["g"]]);
});
