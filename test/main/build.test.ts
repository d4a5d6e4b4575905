import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { bundle } from "../../src/main/build.ts";
import { removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

/** What a bundle asks for besides built-in modules by their names, and other ways to run code that is not in it. */
function reachOf(text: string): string[] {
  const required = [...text.matchAll(/(?<![.\w$])require\s*\(\s*("([^"]*)"\s*\))?/g)];
  const foreign = required
    .filter(([, , name]) => name === undefined || !isBuiltin(name))
    .map(([found]) => found);
  const others = [...text.matchAll(/\beval\b|\bnew Function\b|\bimport\s*\(|\bimport\b[^;]*?\bfrom\s*["']/g)];
  return [...foreign, ...others.map(([found]) => found)];
}

describe("a bundle is one file of our own code and built-in modules (D69)", () => {
  for (const program of ["semapraxd", "semaprax"] as const) {
    test(program, async () => {
      const text = readFileSync(await bundle(program, temporaryFolder()), "utf8");
      expect(text).toContain("SPX-J102");
      expect(text).toContain('require("fs")');
      expect(reachOf(text)).toEqual([]);
    });
  }

  test("the check finds what it looks for", () => {
    const text =
      'import a from "zod"; require("fs"); require("zod"); require(a); import("fs"); eval(a); new Function(a)';
    expect(reachOf(text)).toEqual([
      'require("zod")',
      "require(",
      'import a from "',
      "import(",
      "eval",
      "new Function",
    ]);
  });
});
