import { describe, expect, test } from "bun:test";
import { utf8 } from "../../src/kernel/bytes.ts";
import { countFile, NO_TOTALS, type Totals } from "../../src/lang/limits.ts";
import { parse } from "../../src/lang/parser.ts";
import type { SyntaxFile } from "../../src/lang/syntax.ts";

function parsed(text: string): SyntaxFile {
  const outcome = parse({ path: "a.spx", bytes: utf8(text) });
  if (!outcome.ok) throw new Error(outcome.failure[0].message);
  return outcome.value;
}

describe("what counts (language.md 5.4)", () => {
  const f = "fn f() -> i64 { 0 }";
  const rows: readonly (readonly [text: string, totals: Partial<Totals>])[] = [
    [f, { declarations: 1, callables: 1, callSites: 0, uses: 0 }],
    [`use function @id("a") from b as c; use type @id("a") from b as d; ${f}`, { declarations: 1, uses: 2 }],
    [`permit { a, b } ${f}`, { declarations: 1 }],
    [`resource R; ${f}`, { declarations: 2 }],
    [`resource R { drop trivial; drop import "k"; } ${f}`, { declarations: 4 }],
    [`record P<T> { x: i64, y: T, } ${f}`, { declarations: 4 }],
    [`variant V { A, B { x: i64, y: i64, }, } ${f}`, { declarations: 6 }],
    [
      `interface I permits { a } { import rust fn g(x: i64) -> unit effects { } failure infallible; } ${f}`,
      { declarations: 3, callables: 1 },
    ],
    [
      "fn f(a: i64) -> i64 requires f(1) > 0 ensures f(f(2)) > 0 { let x = f(3); if g<i64>(4) { x } else { -f(5) } }",
      { declarations: 1, callables: 1, callSites: 6 },
    ],
  ];
  test.each(rows)("%s", (text, totals) => {
    const counted = countFile(NO_TOTALS, parsed(`module m; ${text}`));
    if (!counted.ok) throw new Error("refused");
    expect(counted.value).toMatchObject(totals);
  });
});

describe("each limit is enforced at exactly its value (language.md 5.4)", () => {
  const file = parsed(
    'module m; use function @id("a") from b as c; record P { x: i64, } fn f() -> i64 { f() }',
  );
  const rows: readonly (readonly [limited: keyof Totals, before: number, words: string])[] = [
    ["declarations", 4096 - 3, "more than 4096 declarations in a project"],
    ["callables", 1024 - 1, "more than 1024 functions in a project"],
    ["callSites", 65_536 - 1, "more than 65536 calls in a project"],
    ["uses", 4096 - 1, "more than 4096 uses in a project"],
  ];
  test.each(rows)("%s", (limited, before, message) => {
    const passes = countFile({ ...NO_TOTALS, [limited]: before }, file);
    expect(passes.ok).toBe(true);
    const refused = countFile({ ...NO_TOTALS, [limited]: before + 1 }, file);
    if (refused.ok) throw new Error("passed");
    expect(refused.failure).toEqual([
      { code: "SPX-G171", severity: "error", path: null, span: null, message },
    ]);
  });

  test("the first one in the order of the table wins", () => {
    const full: Totals = { declarations: 4096, callables: 1024, callSites: 65_536, uses: 4096 };
    const order = ["declarations", "functions", "calls", "uses"];
    const keys = ["declarations", "callables", "callSites", "uses"] as const;
    keys.forEach((_, at) => {
      const before = { ...full };
      for (const key of keys.slice(0, at)) before[key] = 0;
      const refused = countFile(before, file);
      if (refused.ok) throw new Error("passed");
      expect(refused.failure[0].message).toContain(order[at]!);
    });
  });

  test("files add up", () => {
    const functions = "fn f() -> i64 { f() + f() }\n".repeat(512);
    const half = parsed(`module m; ${functions}`);
    const first = countFile(NO_TOTALS, half);
    if (!first.ok) throw new Error("refused");
    const second = countFile(first.value, half);
    if (!second.ok) throw new Error("refused");
    expect(second.value).toEqual({ declarations: 1024, callables: 1024, callSites: 2048, uses: 0 });
    expect(countFile(second.value, file).ok).toBe(false);
  });
});
