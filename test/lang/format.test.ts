import { describe, expect, test } from "bun:test";
import cases from "../../fixtures/format.json";
import { utf8 } from "../../src/kernel/bytes.ts";
import { firstDifference, isCanonical } from "../../src/lang/canonical.ts";
import { formatFile } from "../../src/lang/format.ts";
import { parse } from "../../src/lang/parser.ts";
import { renameFunction } from "../../src/lang/patch.ts";
import type { SyntaxFile } from "../../src/lang/syntax.ts";
import { numbers } from "../support/fuzz.ts";
import { randomModule } from "../support/random-syntax.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function parsed(text: string): SyntaxFile {
  const outcome = parse({ path: "a.spx", bytes: utf8(text) });
  if (!outcome.ok) throw new Error(`${outcome.failure[0].message} in ${text}`);
  return outcome.value;
}

function format(text: string): string {
  return decoder.decode(formatFile(parsed(text)));
}

/** The canonical form of an expression as the body of a function. */
function formatExpression(expression: string): string {
  const text = format(`module m; fn f() -> i64 { ${expression} }`);
  return text.slice("module m;\n\nfn f() -> i64\n{\n    ".length, -"\n}\n".length);
}

describe("recorded canonical texts (language.md 3)", () => {
  test.each(cases)("$name", ({ input, canonical, ...rest }) => {
    expect(format(input)).toBe(canonical);
    const isFixedPoint = !("fixedPoint" in rest);
    expect(format(canonical) === canonical).toBe(isFixedPoint);
    expect(isCanonical(parsed(canonical))).toBe(isFixedPoint);
  });
});

describe("expressions (language.md 3.2)", () => {
  const rows: readonly (readonly [input: string, canonical: string])[] = [
    ["(a + b) + 1", "a + b + 1"],
    ["a + (b + 1)", "a + (b + 1)"],
    ["-(a + b)", "-(a + b)"],
    ["-(f(x))", "-f(x)"],
    ["a - (-b)", "a - -b"],
    ["(p == q) != r", "p == q != r"],
    ["p == (q != r)", "p == (q != r)"],
    ["(a * b) + (c % d)", "a * b + c % d"],
    ["(a + b) * (c - d)", "(a + b) * (c - d)"],
    ["(a || b) && (c && d)", "(a || b) && (c && d)"],
    ["(if p { 1 } else { 2 }) + 3", "if p { 1 } else { 2 } + 3"],
    ["-(if p { 1 } else { 2 })", "-if p { 1 } else { 2 }"],
    ["({ 1 }) * 2", "{ 1 } * 2"],
    ["{ let x = (1); { x } }", "{ let x = 1; { x } }"],
    ["(a + b).f", "(a + b).f"],
    ["(if p { a } else { b }).f", "(if p { a } else { b }).f"],
    ["({ a }).f", "({ a }).f"],
    ["(match a { }).f", "match a {  }.f"],
    ["(a + b)?", "(a + b)?"],
    ["(a)?.f?", "a?.f?"],
    ["({ a }) with { }", "({ a }) with {}"],
    ["(a + b) with { f: (c), g: d + e, }", "(a + b) with { f: c, g: d + e }"],
    ["f ( )", "f()"],
    ["f<a,b<c>>((1),2)", "f<a, b<c>>(1, 2)"],
    ["P{}", "P {}"],
    ["a . P{}", "a.P {}"],
    ["P<a>{x,y:1,}", "P<a> { x: x, y: 1 }"],
    ["T::C{}", "T::C {}"],
    ["T<a,b>::C{x:1,y:z}", "T<a, b>::C { x: 1, y: z }"],
    ["match a{}", "match a {  }"],
    [
      "match a{_=>1,T::C{}=>2,T::C{f,g:g,h:i,j:_,}=>3,P{f:Q{g}}=>4,}",
      "match a { _ => 1, T::C {} => 2, T::C { f, g, h: i, j: _ } => 3, P { f: Q { g } } => 4, }",
    ],
    ["if (P { }) == a { 1 } else { 2 }", "if (P {} == a) { 1 } else { 2 }"],
    ["if f({ T::C { } }) { 1 } else { 2 }", "if (f({ T::C {} })) { 1 } else { 2 }"],
    ["if (a with { }) { 1 } else { 2 }", "if a with {} { 1 } else { 2 }"],
    ["match (P { }) { _ => P { }, }", "match (P {}) { _ => P {}, }"],
    ["if (if (P { }) { a } else { b }) { 1 } else { 2 }", "if (if (P {}) { a } else { b }) { 1 } else { 2 }"],
    ["if a { P { } } else { T::C { } }", "if a { P {} } else { T::C {} }"],
    ["f((a < b), c > d)", "f(a < b, c > d)"],
    ["007 + 9223372036854775807", "7 + 9223372036854775807"],
  ];
  test.each(rows)("%s", (input, canonical) => {
    expect(formatExpression(input)).toBe(canonical);
  });

  test("a clause that contains a record value is wrapped, any other is not", () => {
    const text = format("module m; fn f() -> i64 requires f(P { }) ensures (a) ensures (P { }).x { 1 }");
    expect(text).toBe(
      "module m;\n\nfn f() -> i64\n    requires (f(P {}))\n    ensures a\n    ensures (P {}.x)\n{\n    1\n}\n",
    );
  });

  test("the trap: a fixed point needs a let (3.3)", () => {
    const once = formatExpression("two((a < b), c > (d + 1) * 2)");
    expect(once).toBe("two(a < b, c > (d + 1) * 2)");
    expect(formatExpression(once)).toBe("two(a<b, c>(d + 1) * 2)");
  });
});

describe("literals (language.md 3.1, 3.2)", () => {
  const rows: readonly (readonly [input: string, canonical: string])[] = [
    ["1.0e21", "1000000000000000000000.0"],
    ["1.0e-7", "0.0000001"],
    ["1.50", "1.5"],
    ["0.0e5", "0.0"],
    ["123.456e1", "1234.56"],
    ["123.456e2", "12345.6"],
    ["123.456e3", "123456.0"],
    ["1.5e300", `15${"0".repeat(299)}.0`],
    ["5.0e-324", `0.${"0".repeat(323)}5`],
    ["2.5e-8", "0.000000025"],
    ["0.1f32", "0.1f32"],
    ["16777217.0f32", "16777216.0f32"],
    ["3.4028235e38f32", "340282350000000000000000000000000000000.0f32"],
    ["1.0e-45f32", `0.${"0".repeat(44)}1f32`],
    ["'\\u{0}'", "'\\0'"],
    ["'\t'", "'\\t'"],
    ["'\n'", "'\\n'"],
    ["'\r'", "'\\r'"],
    ["'\\u{27}'", "'\\''"],
    ["'\\u{5C}'", "'\\\\'"],
    ["'\"'", "'\"'"],
    ["'\\u{20}'", "' '"],
    ["'\\u{7e}'", "'~'"],
    ["'\\u{7F}'", "'\\u{7f}'"],
    ["'\\u{1}'", "'\\u{1}'"],
    ["'é'", "'\\u{e9}'"],
    ["'\u{1F600}'", "'\\u{1f600}'"],
    ["'\\u{00000A}'", "'\\n'"],
  ];
  test.each(rows)("%j", (input, canonical) => {
    expect(formatExpression(input)).toBe(canonical);
    expect(formatExpression(canonical)).toBe(canonical);
  });

  test("in strings only the backslash and the quote are escaped", () => {
    const text = format('module m; @id("\\"\\\\\\n\\t\uFEFF\0é\u{1F600}") fn f() -> i64 { 0 }');
    expect(text).toBe('module m;\n\n@id("\\"\\\\\n\t\uFEFF\0é\u{1F600}")\nfn f() -> i64\n{\n    0\n}\n');
    expect(isCanonical(parsed(text))).toBe(true);
  });
});

describe("layout (language.md 3.1, 3.4)", () => {
  test("a function with everything", () => {
    const text = format(
      'module a.b use function @id("x") from c as d; permit{e.f,g} @id("") fn h<T,U>(i:own R<T>,j:i64)->i64 uses{g} ensures 1 requires 2 ensures 3 requires 4{let k=5;let l=6;k;}',
    );
    expect(text).toBe(`module a.b;
use function @id("x") from c as d;

permit { e.f, g }

@id("")
fn h<T, U>(i: own R<T>, j: i64) -> i64
    uses { g }
    requires 2
    requires 4
    ensures 1
    ensures 3
{
    let k = 5;
    let l = 6;
    k
}
`);
  });

  test("items are grouped: types, interfaces, functions", () => {
    const text = format(
      'module m; fn f() -> i64 { 1 } interface I permits { } { @id("i.f") import rust fn f(x: i64) -> bool effects { a } failure infallible; import fn g(y: own R) -> unit effects { } failure status "d" consumes y always; } @id("v") variant V { @id("v.a") A, B { @id("v.b.y") y: bool, z: T<i64>, }, C { }, } resource R; fn g() -> i64 { 2 } resource S<T> { @id("s.d") drop trivial; drop import "k\\""; } record P<T> { @id("p.x") x: i64, y: T, } interface J permits { a, b } { } record Q { }',
    );
    expect(text).toBe(`module m;

@id("v")
variant V {
    @id("v.a")
    A,
    B {
        @id("v.b.y")
        y: bool,
        z: T<i64>,
    },
    C,
}

resource R;

resource S<T> {
    @id("s.d")
    drop trivial;
    drop import "k\\"";
}

record P<T> {
    @id("p.x")
    x: i64,
    y: T,
}

record Q {
}

interface I
    permits {  }
{
    @id("i.f")
    import rust fn f(x: i64) -> bool
        effects { a }
        failure infallible;
    import fn g(y: own R) -> unit
        effects {  }
        failure status "d"
        consumes y always;
}

interface J
    permits { a, b }
{
}

fn f() -> i64
{
    1
}

fn g() -> i64
{
    2
}
`);
    expect(isCanonical(parsed(text))).toBe(true);
  });

  test("long chains and deep trees are printed", () => {
    const chain = `1${" + 1".repeat(100_000)}`;
    expect(formatExpression(chain)).toBe(chain);
    const unary = `${"-!".repeat(20_000)}a`;
    expect(formatExpression(unary)).toBe(unary);
    const blocks = `${"{ ".repeat(2000)}1${" }".repeat(2000)}`;
    expect(formatExpression(blocks)).toBe(blocks);
  });

  test("random modules: the canonical text is a fixed point, and no node appears or vanishes", () => {
    const random = numbers();
    for (let run = 0; run < 200; run++) {
      const source = randomModule(random);
      const file = parsed(source);
      const canonical = decoder.decode(formatFile(file));
      const again = parsed(canonical);
      expect(decoder.decode(formatFile(again))).toBe(canonical);
      expect(isCanonical(again)).toBe(true);
      expect(isCanonical(file)).toBe(source === canonical);
      // Clauses and items may trade places, so the order of the nodes may differ.
      expect([...again.tree.nodeKind].sort()).toEqual([...file.tree.nodeKind].sort());
    }
  });
});

describe("the first difference (language.md 3.3)", () => {
  const canonical = "module m;\n\nfn f() -> i64\n{\n    1 + 2\n}\n";
  const rows: readonly (readonly [source: string, difference: { offset: number; line: number } | null])[] = [
    [canonical, null],
    [canonical.slice(0, -1), { offset: canonical.length - 1, line: 6 }],
    [`${canonical}\n`, { offset: canonical.length, line: 7 }],
    [` ${canonical}`, { offset: 0, line: 1 }],
    [canonical.replace("1 + 2", "1 +  2"), { offset: canonical.indexOf("2"), line: 5 }],
    [canonical.replaceAll("\n", "\r\n"), { offset: 9, line: 1 }],
    [`${canonical}// end`, { offset: canonical.length, line: 7 }],
    [canonical.replace("module m;", "module m"), { offset: 8, line: 1 }],
    [canonical.replace("fn f", '@id("é\\n")\nfn f'), { offset: 'module m;\n\n@id("éé'.length, line: 3 }],
  ];
  test.each(rows)("%j", (source, difference) => {
    expect(firstDifference(parsed(source))).toEqual(difference);
  });
});

describe("renaming by formatting (N10)", () => {
  test("the declaration and the calls, and nothing else of that name", () => {
    const source = `module m;
use function @id("f") from n as g;

fn f(f: i64) -> i64
    requires f(f) == 1
    ensures g(f(1)) == f
{
    let f2 = f;
    if f == 0 { f(f(1)) } else { g(f) + h(1) }
}

@id("f")
fn h(x: f) -> i64
{
    f<f>(P { f: f }.f)
}
`;
    expect(decoder.decode(renameFunction(parsed(source), "f", "new_name"))).toBe(`module m;
use function @id("f") from n as g;

fn new_name(f: i64) -> i64
    requires new_name(f) == 1
    ensures g(new_name(1)) == f
{
    let f2 = f;
    if f == 0 { new_name(new_name(1)) } else { g(f) + h(1) }
}

@id("f")
fn h(x: f) -> i64
{
    new_name<f>(P { f: f }.f)
}
`);
  });

  test("the result is text, whatever it says: later phases judge it (N11)", () => {
    const text = decoder.decode(renameFunction(parsed("module m; fn f() -> i64 { f() }"), "f", "é b"));
    expect(text).toBe("module m;\n\nfn é b() -> i64\n{\n    é b()\n}\n");
  });
});
