import { describe, expect, test } from "bun:test";
import { unifiedDiff } from "../../src/cli/unified-diff.ts";

const numbered = (count: number, change: (line: number) => string) =>
  Array.from({ length: count }, (_, line) => `${change(line + 1)}\n`).join("");

describe("unified diff (L20)", () => {
  test("equal texts", () => {
    expect(unifiedDiff("a", "x\ny\n", "x\ny\n")).toBe("");
    expect(unifiedDiff("a", "", "")).toBe("");
  });

  test("one line among others keeps three lines of context", () => {
    const before = numbered(9, (line) => `l${line}`);
    const after = numbered(9, (line) => (line === 5 ? "new" : `l${line}`));
    expect(unifiedDiff("src/a.spx", before, after)).toBe(
      "--- src/a.spx\n+++ src/a.spx\n@@ -2,7 +2,7 @@\n l2\n l3\n l4\n-l5\n+new\n l6\n l7\n l8\n",
    );
  });

  test("changes share a hunk up to six lines apart", () => {
    const before = numbered(20, (line) => `l${line}`);
    const near = numbered(20, (line) => (line === 4 || line === 10 ? "new" : `l${line}`));
    const far = numbered(20, (line) => (line === 4 || line === 12 ? "new" : `l${line}`));
    expect(unifiedDiff("a", before, near).match(/^@@.*$/gm)).toEqual(["@@ -1,13 +1,13 @@"]);
    expect(unifiedDiff("a", before, far).match(/^@@.*$/gm)).toEqual(["@@ -1,7 +1,7 @@", "@@ -9,7 +9,7 @@"]);
  });

  test("neighbouring changes are one block of removals and one of additions", () => {
    expect(unifiedDiff("a", "1\n2\n", "x\ny\n")).toBe("--- a\n+++ a\n@@ -1,2 +1,2 @@\n-1\n-2\n+x\n+y\n");
  });

  test("a missing final LF", () => {
    expect(unifiedDiff("a", "1", "1\n")).toBe(
      "--- a\n+++ a\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+1\n",
    );
  });

  test("texts of different length", () => {
    expect(unifiedDiff("a", "1\n", "1\n2\n")).toBe("--- a\n+++ a\n@@ -1 +1,2 @@\n 1\n+2\n");
    expect(unifiedDiff("a", "", "1\n")).toBe("--- a\n+++ a\n@@ -0,0 +1 @@\n+1\n");
    expect(unifiedDiff("a", "1\n", "")).toBe("--- a\n+++ a\n@@ -1 +0,0 @@\n-1\n");
  });
});
