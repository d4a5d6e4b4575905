// D29: apart from text of the request and names of inputs, an error message is at most 40 bytes long, `SPX-XXXX: `
// included. Every literal message of the daemon's side is read from the sources, its inserted names left out.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = join(import.meta.dir, "..", "src");
const PARTS = ["lang", "graph", "project", "daemon"];
const WORDS_BYTES_MAX = 40 - "SPX-J102: ".length;

/** A code directly followed by its words, whatever function takes them. */
const MESSAGE =
  /"(SPX-[A-Z]\d+)",\s*(?:[\w.]+(?:\([^()]*\))?,\s*)*(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)/g;

function messages(): { file: string; code: string; words: string }[] {
  return PARTS.flatMap((part) =>
    readdirSync(join(SOURCES, part), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .flatMap((name) => {
        const text = readFileSync(join(SOURCES, part, name), "utf8");
        return [...text.matchAll(MESSAGE)].map(([, code = "", plain, template]) => ({
          file: `${part}/${name}`,
          code,
          words: (plain ?? template ?? "").replace(/\$\{[^{}]*\}/g, ""),
        }));
      }),
  );
}

describe("error messages (D29)", () => {
  const found = messages();

  test("the sources hold them as literals", () => {
    expect(found.length).toBeGreaterThan(50);
  });

  test("each is short and on one line", () => {
    const offences = found.filter(
      ({ words }) => Buffer.byteLength(words) > WORDS_BYTES_MAX || /[\n\r]/.test(words),
    );
    expect(offences).toEqual([]);
  });
});
