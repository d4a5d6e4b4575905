import { describe, expect, test } from "bun:test";
import { isSourcePath } from "../../src/project/source-path.ts";

const deep = (segments: number) => `${"a/".repeat(segments - 1)}a.spx`;
/** A path of exactly `bytes` bytes whose segments have at most 64. */
function long(bytes: number): string {
  const folder = `${"a".repeat(39)}/`;
  const path = folder.repeat(5);
  return `${path}${"b".repeat(bytes - path.length - ".spx".length)}.spx`;
}

const ACCEPTED = [
  "a_b.spx",
  "a-.spx",
  "a.b.spx",
  "a..b.spx",
  "a.-.spx",
  "9/b.spx",
  "com0.spx",
  "com10.spx",
  "lpt0.spx",
  "console.spx",
  "conx/a.spx",
  "xnul.spx",
  "semaprax.toml.spx",
  "a-/b_.spx",
  "a._/b.spx",
  "a.spx/b.spx",
  "a.spx.spx",
  deep(16),
  `${"a".repeat(64)}/b.spx`,
  `${"a".repeat(60)}.spx`,
  long(240),
];

const REFUSED = [
  "",
  "A.spx",
  ".a.spx",
  ".spx",
  "a/.spx",
  "-a.spx",
  "_a.spx",
  "a./b.spx",
  "a../b.spx",
  "./a.spx",
  "../a.spx",
  "a/./b.spx",
  "a/../b.spx",
  "a//b.spx",
  "/a.spx",
  "a.spx/",
  "a/",
  "con.spx",
  "prn.spx",
  "aux.spx",
  "nul/a.spx",
  "nul.x/a.spx",
  "aux.x.spx",
  "com1.spx",
  "com9/a.spx",
  "lpt1.spx",
  "lpt9.x.spx",
  "a.SPX",
  "a.spX",
  "a.txt",
  "a",
  "aspx",
  ".git/a.spx",
  "-/a.spx",
  "_/a.spx",
  "a b.spx",
  " a.spx",
  "a.spx ",
  "a\\b.spx",
  "~a.spx",
  "a~.spx",
  "a+b.spx",
  "a'b.spx",
  "é.spx",
  "a\u0301.spx",
  "a\t.spx",
  "a.spx\n",
  deep(17),
  `${"a".repeat(65)}/b.spx`,
  `${"a".repeat(61)}.spx`,
  long(241),
];

describe("P18", () => {
  test.each(ACCEPTED)("accepts %j", (path) => {
    expect(isSourcePath(path)).toBe(true);
  });

  test.each(REFUSED)("refuses %j", (path) => {
    expect(isSourcePath(path)).toBe(false);
  });

  test("the long examples have the lengths that they are for", () => {
    expect([long(240).length, long(241).length]).toEqual([240, 241]);
    expect([deep(16).split("/").length, deep(17).split("/").length]).toEqual([16, 17]);
    expect(
      long(241)
        .split("/")
        .every((segment) => segment.length <= 64),
    ).toBe(true);
  });
});
