import { describe, expect, test } from "bun:test";
import { canonicalForm, describeDifference } from "../../src/cli/canonical-form.ts";
import { commentLines, linesShown } from "../../src/cli/comments.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const source = (text: string) => ({ path: "a.spx", bytes: encoder.encode(text) });

const CANONICAL = "module a;\n\nfn f() -> i64\n{\n    1\n}\n";

function formOf(text: string) {
  const form = canonicalForm(source(text));
  if (!form.ok) throw new Error(form.failure[0].message);
  return form.value;
}

describe("canonical form (L11)", () => {
  test("a canonical text differs nowhere", () => {
    expect(formOf(CANONICAL)).toMatchObject({ difference: null, comments: [], isFixedPoint: true });
  });

  const differences: readonly [string, string, number, string[]][] = [
    ["in the first line", CANONICAL.replace("module a", "module  a"), 1, ["- module  a;", "+ module a;"]],
    ["an indentation", CANONICAL.replace("    1", "  1"), 5, ["-   1", "+     1"]],
    ["a TAB", CANONICAL.replace("    1", "\t1"), 5, ["- \t1", "+     1"]],
    ["CRLF", CANONICAL.replace(";\n", ";\r\n"), 1, ["- module a;\\u{d}", "+ module a;"]],
    ["a blank at the end", CANONICAL.replace("1\n", "1 \n"), 5, ["-     1\\u{20}", "+     1"]],
    ["no final LF", CANONICAL.slice(0, -1), 6, ["the line does not end with LF"]],
    ["two final LFs", `${CANONICAL}\n`, 7, ["-"]],
    ["a line too many", CANONICAL.replace("\n\n", "\n\n\n"), 3, ["-", "+ fn f() -> i64"]],
    ["a line too few", CANONICAL.replace("\n\n", "\n"), 2, ["- fn f() -> i64", "+"]],
    [
      "a no-break space",
      CANONICAL.replace("fn f", "fn\u00a0f"),
      3,
      ["- fn\\u{a0}f() -> i64", "+ fn f() -> i64"],
    ],
  ];
  test.each(differences)("%s", (_, text, line, shown) => {
    const { difference, bytes, isFixedPoint } = formOf(text);
    expect(difference?.line).toBe(line);
    expect(difference === null ? [] : describeDifference(difference)).toEqual(shown);
    expect(decoder.decode(bytes)).toBe(CANONICAL);
    expect(isFixedPoint).toBe(true);
  });

  test("of a long line the neighbourhood of the difference is shown", () => {
    const left = `    ${"1 + ".repeat(100)}1 `;
    const right = `+ 1${" + 1".repeat(100)}`;
    const { difference } = formOf(CANONICAL.replace("    1", `${left} ${right}`));
    expect(difference === null ? [] : describeDifference(difference)).toEqual([
      `- …${left.slice(-80)} ${right.slice(0, 79)}…`,
      `+ …${left.slice(-80)}${right.slice(0, 80)}…`,
    ]);
  });

  test("a text without a canonical form is told (language.md 3.3)", () => {
    expect(formOf(CANONICAL.replace("1", "two((a < b), c > (d + 1) * 2)")).isFixedPoint).toBe(false);
    expect(formOf(CANONICAL.replace("1", "two((a < b), c > d + 1)")).isFixedPoint).toBe(true);
  });
});

describe("comments (L11)", () => {
  const cases: readonly [string, number[]][] = [
    ["module a;", []],
    ["// a\nmodule a;", [1]],
    ["module a; // x // y\n\n//\nfn f", [1, 3]],
    ["module a;\n// last", [2]],
    ["//", [1]],
    ['@id("// no") // yes', [1]],
    ['@id("a\n// no\n") // yes', [3]],
    ["'/' / // yes\n/ 2", [1]],
    ["//a\n//b\n//c\nx//d", [1, 2, 3, 4]],
    ["// cannot be lexed #\n#", []],
  ];
  test.each(cases)("%j", (text, lines) => {
    expect(commentLines(source(text))).toEqual(lines);
  });

  test("lines in words", () => {
    expect(linesShown([3])).toBe("line 3");
    expect(linesShown([3, 7])).toBe("lines 3 and 7");
    expect(linesShown([3, 7, 9])).toBe("lines 3, 7 and 9");
    const many = Array.from({ length: 12 }, (_, index) => index + 1);
    expect(linesShown(many.slice(0, 10))).toBe("lines 1, 2, 3, 4, 5, 6, 7, 8, 9 and 10");
    expect(linesShown(many)).toBe("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more");
  });
});
