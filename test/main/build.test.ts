import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { bundle } from "../../src/main/build.ts";
import { removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

/** What a bundle imports, and which ways it has to run code that is not in it. */
function reachOf(text: string) {
  const { imports } = new Bun.Transpiler({ loader: "js" }).scan(text);
  return {
    outside: imports.filter(({ path }) => !isBuiltin(path)),
    late: imports.filter(({ kind }) => kind !== "import-statement"),
    evaluated: [...text.matchAll(/\beval\b|\bnew Function\b|\bimport\s*\(|[^.\w$]require\s*\(/g)].map(
      ([found]) => found,
    ),
  };
}

const NOTHING = { outside: [], late: [], evaluated: [] };

describe("a bundle is one file of our own code and built-in modules (D69)", () => {
  for (const program of ["semapraxd", "semaprax"] as const) {
    test(program, async () => {
      const text = readFileSync(await bundle(program, temporaryFolder()), "utf8");
      expect(text).toContain("SPX-J102");
      expect(reachOf(text)).toEqual(NOTHING);
    });
  }

  test("the check finds what it looks for", () => {
    const text =
      'import "zod"; export const a = [eval("1"), import("fs"), require("path"), new Function("")];';
    const { outside, late, evaluated } = reachOf(text);
    expect(outside.map(({ path }) => path)).toEqual(["zod"]);
    expect(late.map(({ path }) => path)).toEqual(["fs"]);
    expect(evaluated).toEqual(["eval", "import(", " require(", "new Function"]);
  });
});
