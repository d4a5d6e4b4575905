import { describe, expect, test } from "bun:test";
import { COLOURED, PLAIN } from "../../src/cli/colour.ts";
import { renderDiagnostic } from "../../src/cli/render-diagnostic.ts";
import { type Source, spanOf } from "../../src/lang/source.ts";

const encoder = new TextEncoder();

const nothing = () => null;
const only = (source: Source) => (path: string) => (path === source.path ? source.bytes : null);

/** Renders a finding about what stands between `«` and `»` in the text. */
function rendered(marked: string, help: readonly string[] = []): string {
  const start = encoder.encode(marked.slice(0, marked.indexOf("«"))).length;
  const end = encoder.encode(marked.slice(0, marked.indexOf("»")).replace("«", "")).length;
  const source = { path: "src/a.spx", bytes: encoder.encode(marked.replace("«", "").replace("»", "")) };
  const diagnostic = {
    code: "SPX-T000",
    severity: "error",
    path: source.path,
    span: spanOf(source, { start, end }),
    message: "words",
  } as const;
  return renderDiagnostic(diagnostic, only(source), help, PLAIN);
}

/** What follows the two heading lines. */
function body(marked: string): string {
  return rendered(marked).split("\n").slice(2).join("\n");
}

describe("a diagnostic for people (L8)", () => {
  test("heading, place, source line, carets, help", () => {
    expect(
      rendered("module a;\n\nfn f() -> i64\n{\n    «lef» + 1\n}\n", ["did you mean left?", "or not"]),
    ).toBe(
      [
        "error[SPX-T000]: words",
        "  --> src/a.spx:5:5",
        "5 |     lef + 1",
        "  |     ^^^",
        "help: did you mean left?",
        "help: or not",
        "",
      ].join("\n"),
    );
  });

  test("a remedy of several lines", () => {
    expect(rendered("«x»", ["first\n- a\n+ b\tc"])).toBe(
      "error[SPX-T000]: words\n  --> src/a.spx:1:1\n1 | x\n  | ^\nhelp: first\n      - a\n      + b\\tc\n",
    );
  });

  const lines: readonly [string, string, string][] = [
    ["at the start of the file", "«a»b", "1 | ab\n  | ^\n"],
    ["at the end of the file", "ab«»", "1 | ab\n  |   ^\n"],
    ["at the end, after the last LF", "ab\n«»", "2 |\n  | ^\n"],
    ["in an empty file", "«»", "1 |\n  | ^\n"],
    ["on an empty line", "a\n«»\nb", "2 |\n  | ^\n"],
    ["an empty range in a line", "a«»b", "1 | ab\n  |  ^\n"],
    ["a TAB before", "\t\ta «b» c", "1 | \t\ta b c\n  | \t\t  ^\n"],
    ["a TAB inside", "x «a\tbc» d", "1 | x a\tbc d\n  |   ^\t^^\n"],
    ["a TAB alone", "x«\t»y", "1 | x\ty\n  |  ^\n"],
    ["a TAB at the end of the range", "x«ab\t»y", "1 | xab\ty\n  |  ^^^\n"],
    ["wide characters before", "日本 «x»", "1 | 日本 x\n  |      ^\n"],
    ["wide characters inside", "«日本»x", "1 | 日本x\n  | ^^^^\n"],
    ["an emoji outside the basic plane", "😀«x»", "1 | 😀x\n  |   ^\n"],
    ["a joined emoji", "👨‍👩‍👧 «x»", "1 | 👨‍👩‍👧 x\n  |    ^\n"],
    ["combining marks before", "e\u0301\u0323 «x»", "1 | e\u0301\u0323 x\n  |   ^\n"],
    ["a combining mark inside", "«e\u0301f»", "1 | e\u0301f\n  | ^^\n"],
    ["a combining mark alone", "e«\u0301»", "1 | e\u0301\n  |  ^\n"],
    ["half-width forms", "«ﾊﾝ»", "1 | ﾊﾝ\n  | ^^\n"],
    ["a range that ends with its LF", "ab«c\n»d", "1 | abc\n  |   ^\n"],
    ["the LF alone", "ab«\n»d", "1 | ab\n  |   ^\n"],
    ["CRLF outside the range", "«a» b\r\n", "1 | a b\n  | ^\n"],
    ["a CR inside the range", "a«\r»\n", "1 | a\\u{d}\n  |  ^^^^^\n"],
    ["escape sequences are spelt out", "\u001b[31m«x»", "1 | \\u{1b}[31mx\n  |           ^\n"],
    ["direction overrides are spelt out", "a«\u202e»b", "1 | a\\u{202e}b\n  |  ^^^^^^^^\n"],
    ["zero-width blanks are spelt out", "a«\u200b»b", "1 | a\\u{200b}b\n  |  ^^^^^^^^\n"],
    ["a blank of no common kind is spelt out", "a«\u00a0»b", "1 | a\\u{a0}b\n  |  ^^^^^^\n"],
    ["a byte order mark is spelt out", "«\ufeff»module", "1 | \\u{feff}module\n  | ^^^^^^^^\n"],
  ];
  test.each(lines)("%s", (_, marked, expected) => {
    expect(body(marked)).toBe(expected);
  });

  const several: readonly [string, string, string][] = [
    ["two lines", "x {«\n  a» }\n", "1 | x {\n  |    ^\n2 |   a }\n  |   ^\n"],
    ["two full lines", "«{\n  a }»\n", "1 | {\n  | ^\n2 |   a }\n  |   ^^^\n"],
    ["lines between are left out", "f «{\n a\n b\n}» g", "1 | f {\n  |   ^\n  ⋮\n4 | } g\n  | ^\n"],
    ["an empty last line", "«{\n\n»x", "1 | {\n  | ^\n2 |\n  | ^\n"],
    ["numbers of different width", `${"\n".repeat(8)}«a\nb\nc»`, " 9 | a\n   | ^\n   ⋮\n11 | c\n   | ^\n"],
    ["TABs in the last line", "«{\n\t\ta»b", "1 | {\n  | ^\n2 | \t\tab\n  | \t\t^\n"],
    ["wide characters in both", "日«本\n語語»x", "1 | 日本\n  |   ^^\n2 | 語語x\n  | ^^^^\n"],
  ];
  test.each(several)("a span over several lines: %s", (_, marked, expected) => {
    expect(body(marked)).toBe(expected);
  });

  test("a long line is shown around its span", () => {
    const text = body(`${"a".repeat(1000)}«bcd»${"e".repeat(1000)}`);
    expect(text).toBe(`1 | …${"a".repeat(80)}bcd${"e".repeat(317)}…\n  |  ${" ".repeat(80)}^^^\n`);
  });

  test("a long line is cut at character boundaries", () => {
    const text = body(`${"é".repeat(200)}a«b»${"é".repeat(300)}`);
    expect(text).toBe(`1 | …${"é".repeat(39)}ab${"é".repeat(160)}…\n  |  ${" ".repeat(40)}^\n`);
  });

  test("a line of exactly the limit is shown whole", () => {
    expect(body(`«${"a".repeat(400)}»`)).toBe(`1 | ${"a".repeat(400)}\n  | ${"^".repeat(400)}\n`);
    expect(body(`«${"a".repeat(401)}»`)).toBe(`1 | ${"a".repeat(400)}…\n  | ${"^".repeat(400)}\n`);
  });

  test("a bare diagnostic has a heading only", () => {
    const bare = { code: "SPX-J102", severity: "error", path: null, span: null, message: "gone" } as const;
    expect(renderDiagnostic(bare, nothing, [], PLAIN)).toBe("error[SPX-J102]: gone\n");
    expect(renderDiagnostic(bare, nothing, ["look"], PLAIN)).toBe("error[SPX-J102]: gone\nhelp: look\n");
  });

  test("without its source a diagnostic keeps its place", () => {
    const span = { start: 1, end: 2, line: 3, column: 4 };
    const found = { code: "SPX-S103", severity: "warning", path: "a.spx", span, message: "no id" } as const;
    expect(renderDiagnostic(found, nothing, [], PLAIN)).toBe("warning[SPX-S103]: no id\n  --> a.spx:3:4\n");
  });

  test("a span beyond its source is not pictured", () => {
    const span = { start: 1, end: 9, line: 1, column: 2 };
    const found = { code: "SPX-T001", severity: "error", path: "a.spx", span, message: "w" } as const;
    const source = { path: "a.spx", bytes: encoder.encode("short") };
    expect(renderDiagnostic(found, only(source), [], PLAIN)).toBe("error[SPX-T001]: w\n  --> a.spx:1:2\n");
  });

  test("the place is that of the source that holds the span (language.md 4.1)", () => {
    const span = { start: 0, end: 2, line: 1, column: 1 };
    const found = {
      code: "SPX-T001",
      severity: "error",
      path: "a.spx",
      span,
      spanPath: "b.spx",
      message: "w",
    } as const;
    const source = { path: "b.spx", bytes: encoder.encode("fn") };
    expect(renderDiagnostic(found, only(source), [], PLAIN)).toBe(
      "error[SPX-T001]: w\n  --> b.spx:1:1 (imported by a.spx)\n1 | fn\n  | ^^\n",
    );
  });

  test("words stay on one line and hide nothing", () => {
    const message = "a\nb\tc\u001b[2J\u202e";
    const bare = { code: "SPX-G172", severity: "error", path: null, span: null, message } as const;
    expect(renderDiagnostic(bare, nothing, [], PLAIN)).toBe(
      "error[SPX-G172]: a\\u{a}b\\tc\\u{1b}[2J\\u{202e}\n",
    );
  });

  test("colour changes nothing but colour (L5)", () => {
    const source = { path: "a.spx", bytes: encoder.encode("let x") };
    const span = spanOf(source, { start: 4, end: 5 });
    const found = { code: "SPX-S109", severity: "warning", path: "a.spx", span, message: "w" } as const;
    const coloured = renderDiagnostic(found, only(source), ["h"], COLOURED);
    expect(coloured).toContain("\u001b[1;33mwarning[SPX-S109]\u001b[0m");
    expect(Bun.stripANSI(coloured)).toBe(renderDiagnostic(found, only(source), ["h"], PLAIN));
  });
});
