// Whatever the files say, a command answers; it never ends with a bug.
import { afterAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Exit } from "../../src/cli/command.ts";
import { renderDiagnostic } from "../../src/cli/render-diagnostic.ts";
import { PLAIN } from "../../src/cli/colour.ts";
import { spanOf } from "../../src/lang/source.ts";
import { fuzz } from "../support/fuzz.ts";
import { runInProcess } from "../support/memory-io.ts";
import { copyProject, readProject, removeTemporaryFolders } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

const decoder = new TextDecoder();
const FILES = [...readProject("calculator")].map(([path, bytes]) => [path, decoder.decode(bytes)] as const);
/** What a mutation puts in: words and signs that mean something somewhere. */
const PIECES = [
  ..."@(){}:;,.+-*/%!=<>&|\"'#\n\t \\",
  ..." fn let if else match use module main result true i64 bool f64 own requires ensures permit".split(" "),
  "// c\n",
  "add",
  "left",
  "é",
  "1.5",
  '@id("x")',
  "calculator.app",
  "\u0000",
  "\ufeff",
  "\r",
];

const mutation = fc.record({
  file: fc.nat(FILES.length - 1),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(12),
  piece: fc.constantFrom(...PIECES, ""),
});

function mutated(mutations: readonly { file: number; at: number; removed: number; piece: string }[]) {
  const texts = FILES.map(([, text]) => text);
  for (const { file, at, removed, piece } of mutations) {
    const text = texts[file]!;
    const start = Math.floor(at * text.length);
    texts[file] = text.slice(0, start) + piece + text.slice(start + removed);
  }
  return texts;
}

describe("arbitrary projects", () => {
  const root = copyProject("calculator");
  const manifest = ["--manifest-path", join(root, "semaprax.toml")];

  test("check, test, run and fmt --check answer", () => {
    const answers = [Exit.Good, Exit.Refused];
    fuzz(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 3 }), (mutations) => {
        for (const [index, text] of mutated(mutations).entries())
          writeFileSync(join(root, FILES[index]![0]), text);
        const { status, stdout, stderr } = runInProcess(["check", ...manifest]);
        expect(answers).toContain(status);
        expect(status === Exit.Good ? stderr : stdout).toBe("");
        const document = runInProcess(["check", "--json", ...manifest]);
        expect(document).toMatchObject({ status, stderr: "" });
        expect(JSON.parse(document.stdout)).toMatchObject({ ok: status === Exit.Good });
        expect(document.stdout.indexOf("\n")).toBe(document.stdout.length - 1);
        expect(answers).toContain(runInProcess(["fmt", "--check", ...manifest]).status);
        if (status === Exit.Good) {
          expect(answers).toContain(runInProcess(["test", "--max-steps", "1000", ...manifest]).status);
          expect(answers).toContain(runInProcess(["run", "--max-steps", "1000", ...manifest]).status);
        }
      }),
      200,
    );
  });

  test("an excerpt of any span has as many lines as it should", () => {
    const text = fc.array(fc.constantFrom("a", "\n", "\t", "é", "日", "\u0301", "\r", " ", "x".repeat(450)), {
      maxLength: 12,
    });
    fuzz(
      fc.property(text, fc.nat(), fc.nat(), (pieces, from, length) => {
        const characters = Array.from(pieces.join(""));
        const start = from % (characters.length + 1);
        const end = Math.min(characters.length, start + (length % 8));
        const bytesBefore = (count: number) => Buffer.byteLength(characters.slice(0, count).join(""));
        const source = { path: "a", bytes: new TextEncoder().encode(characters.join("")) };
        const span = spanOf(source, { start: bytesBefore(start), end: bytesBefore(end) });
        const found = { code: "SPX-T001", severity: "error", path: "a", span, message: "m" } as const;
        const rendered = renderDiagnostic(found, () => source.bytes, [], PLAIN);
        const newlines = characters
          .slice(start, Math.max(start, end - 1))
          .filter((character) => character === "\n").length;
        // Heading, place, then a line and its carets; for a span over lines twice that, and a mark where some are left out.
        const excerptLines = newlines === 0 ? 2 : newlines === 1 ? 4 : 5;
        expect(rendered.split("\n").length - 1).toBe(2 + excerptLines);
        const carets = rendered.split("\n").filter((line) => /^ +\| .*\^/.test(line));
        expect(carets.length).toBe(newlines === 0 ? 1 : 2);
      }),
      500,
    );
  });
});
