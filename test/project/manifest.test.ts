import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseManifest } from "../../src/project/manifest.ts";

const FIXTURES = join(import.meta.dir, "..", "..", "fixtures");
const LINES = {
  schema: 'schema = "semaprax.project.v1"',
  name: 'name = "calculator"',
  entry: 'entry = "calculator.app"',
  sources: 'sources = ["src/app.spx", "src/core.spx"]',
  web_exports: 'web_exports = ["calculator.add"]',
  tests: 'tests = ["calculator.tests"]',
};
type Lines = typeof LINES;

/** A good manifest with some lines replaced. */
function manifest(changes: Partial<Lines> = {}): string {
  return `${Object.values({ ...LINES, ...changes }).join("\n")}\n`;
}

function list(key: string, values: readonly string[]): string {
  return `${key} = [${values.map((value) => `"${value}"`).join(", ")}]`;
}

/** `count` ascending names. */
function names(count: number, suffix = ""): string[] {
  return Array.from({ length: count }, (_, index) => `n${String(index).padStart(5, "0")}${suffix}`);
}

const bytes = (text: string) => new TextEncoder().encode(text);

/** "accepted", or the code of the only diagnostic, which must be bare. */
function verdict(input: string | Uint8Array): string {
  const outcome = parseManifest(typeof input === "string" ? bytes(input) : input);
  if (outcome.ok) return "accepted";
  const [first, ...others] = outcome.failure;
  expect(others).toEqual([]);
  expect(first).toMatchObject({ severity: "error", path: null, span: null });
  // D29: one line, at most 40 bytes of ours and 64 of the file's.
  expect(first.message).toMatch(/^[ -~]{1,40}(?:: [^\p{Cc}]{0,64})?$/u);
  return first.code;
}

/** A manifest of exactly `length` bytes whose name is what is wrong with it. */
function padded(length: number): string {
  const empty = manifest({ name: 'name = ""' });
  return manifest({ name: `name = "${"b".repeat(length - empty.length)}"` });
}

const J100 = "SPX-J100";
const J101 = "SPX-J101";
const J102 = "SPX-J102";

test("P15 the calculator's manifest, 262 bytes", () => {
  const file = readFileSync(join(FIXTURES, "projects", "calculator", "semaprax.toml"));
  expect(file.length).toBe(262);
  expect(parseManifest(file)).toEqual({
    ok: true,
    value: {
      name: "calculator",
      entry: "calculator.app",
      testModule: "calculator.tests",
      sources: ["src/app.spx", "src/core.spx", "src/tests.spx"],
      webExports: ["calculator.add", "calculator.divide", "calculator.is-negative", "calculator.not"],
    },
  });
});

describe("P17 rows 1 and 2", () => {
  test("65536 bytes are read, 65537 are not", () => {
    expect(padded(65_536).length).toBe(65_536);
    expect(verdict(padded(65_536))).toBe(J100);
    expect(verdict(padded(65_537))).toBe(J101);
  });

  test("the length comes before the encoding", () => {
    expect(verdict(new Uint8Array(65_537).fill(0xff))).toBe(J101);
    expect(verdict(new Uint8Array(65_536).fill(0xff))).toBe(J102);
  });

  test.each([
    ["a stray byte", [0xff]],
    ["an overlong slash", [0xc0, 0xaf]],
    ["a surrogate", [0xed, 0xa0, 0x80]],
    ["beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
    ["an unfinished character", [0xc3]],
  ])("%s is no UTF-8, before anything else is said", (_, tail) => {
    expect(verdict(new Uint8Array([...bytes(`\r${manifest()}`), ...tail]))).toBe(J102);
  });
});

describe("P17 rows 3 to 5 and 19: exactly the bytes of P15", () => {
  const good = manifest();

  test("the pattern of the table below is accepted", () => {
    expect(verdict(good)).toBe("accepted");
  });

  test.each<[string, string]>([
    ["nothing", ""],
    ["one LF", "\n"],
    ["CR LF", good.replaceAll("\n", "\r\n")],
    ["a CR inside a string", manifest({ name: 'name = "a\rb"' })],
    ["a NUL", manifest({ name: 'name = "a\0b"' })],
    ["a byte order mark in front", `\ufeff${good}`],
    ["a byte order mark inside", manifest({ name: 'name = "\ufeff"' })],
    ["no LF at the end", good.slice(0, -1)],
    ["two LF at the end", `${good}\n`],
    ["an LF in front", `\n${good}`],
    ["five lines", good.replace(`${LINES.web_exports}\n`, "")],
    ["a seventh line", `${good}license = "none"\n`],
    ["a comment line", `# rates\n${good}`],
    ["a comment after a value", manifest({ name: `${LINES.name} # rates` })],
    ["a key twice", manifest({ entry: LINES.name })],
    ["keys in another order", manifest({ name: LINES.entry, entry: LINES.name })],
    ["another key", manifest({ tests: 'test = ["calculator.tests"]' })],
    ["a quoted key", manifest({ name: '"name" = "calculator"' })],
    ["a dotted key", manifest({ name: 'name.x = "calculator"' })],
    ["a table header", manifest({ name: "[name]" })],
    ["two blanks before =", manifest({ name: 'name  = "calculator"' })],
    ["no blank after =", manifest({ name: 'name ="calculator"' })],
    ["a tab after =", manifest({ name: 'name =\t"calculator"' })],
    ["a leading blank", manifest({ name: ` ${LINES.name}` })],
    ["a trailing blank", manifest({ name: `${LINES.name} ` })],
    ["no blank after a comma", manifest({ sources: 'sources = ["a.spx","b.spx"]' })],
    ["two blanks after a comma", manifest({ sources: 'sources = ["a.spx",  "b.spx"]' })],
    ["a blank before a comma", manifest({ sources: 'sources = ["a.spx" , "b.spx"]' })],
    ["a blank inside a bracket", manifest({ sources: 'sources = [ "a.spx", "b.spx"]' })],
    ["a trailing comma", manifest({ sources: 'sources = ["a.spx", "b.spx",]' })],
    ["an array over two lines", manifest({ sources: 'sources = ["a.spx",\n"b.spx"]' })],
    ["an empty element", manifest({ web_exports: 'web_exports = [""]' })],
    ["a string in place of an array", manifest({ tests: 'tests = "calculator.tests"' })],
    ["an array in place of a string", manifest({ name: 'name = ["calculator"]' })],
    ["an array in an array", manifest({ sources: 'sources = [["a.spx", "b.spx"]]' })],
    ["a number", manifest({ name: "name = 1" })],
    ["a number in an array", manifest({ sources: 'sources = ["a.spx", 1]' })],
    ["a date", manifest({ name: "name = 1979-05-27" })],
    ["a literal string", manifest({ name: "name = 'calculator'" })],
    ["a string of several lines", manifest({ name: 'name = """calculator"""' })],
    ["a string that swallows a line", manifest({ name: 'name = """', entry: '"""' })],
    ["an escape", manifest({ name: 'name = "c\\u0061lculator"' })],
    ["a backslash at the end", manifest({ name: 'name = "calculator\\"' })],
    ["an unclosed string", manifest({ name: 'name = "calculator' })],
    ["an unclosed array", manifest({ sources: 'sources = ["a.spx", "b.spx"' })],
    ["a raw control character", manifest({ name: 'name = "a\u0001"' })],
    ["a DEL", manifest({ name: 'name = "a\u007f"' })],
    ["a tab in a string", manifest({ name: 'name = "a\tb"' })],
    ["U+2028, which is no line end here", manifest({ name: 'name = "a\u2028b"' })],
  ])("%s is SPX-J100", (_, text) => {
    expect(verdict(text)).toBe(J100);
  });
});

describe("P17 rows 6 to 18", () => {
  const named = (name: string) => manifest({ name: `name = "${name}"` });
  const entered = (entry: string) => manifest({ entry: `entry = "${entry}"` });
  const sourced = (...paths: string[]) => manifest({ sources: list("sources", paths) });
  const exported = (...ids: string[]) => manifest({ web_exports: list("web_exports", ids) });
  const tested = (...modules: string[]) => manifest({ tests: list("tests", modules) });

  test.each<[string, string, string]>([
    ["6: another version", manifest({ schema: 'schema = "semaprax.project.v2"' }), J100],
    ["6: an empty schema", manifest({ schema: 'schema = ""' }), J100],
    ["7: one letter", named("a"), "accepted"],
    ["7: digits and hyphens", named("a-9-"), "accepted"],
    ["7: 64 bytes", named("a".repeat(64)), "accepted"],
    ["7: 65 bytes", named("a".repeat(65)), J100],
    ["7: empty", named(""), J100],
    ["7: a digit first", named("9a"), J100],
    ["7: a hyphen first", named("-a"), J100],
    ["7: upper case", named("aB"), J100],
    ["7: an underscore", named("a_b"), J100],
    ["7: not ASCII", named("é"), J100],
    ["8: one part", entered("_"), "accepted"],
    ["8: all kinds of characters", entered("_a.B9.z_"), "accepted"],
    ["8: 240 bytes", entered("a".repeat(240)), "accepted"],
    ["8: 241 bytes", entered("a".repeat(241)), J100],
    ["8: empty", entered(""), J100],
    ["8: a digit first in a part", entered("a.9"), J100],
    ["8: an empty part", entered("a..b"), J100],
    ["8: a dot at the end", entered("a."), J100],
    ["8: a hyphen", entered("a-b"), J100],
    ["9: no source", sourced(), J100],
    ["9: one source", sourced("a.spx"), J100],
    ["9: two sources", sourced("a.spx", "b.spx"), "accepted"],
    ["10: 16 sources", sourced(...names(16, ".spx")), "accepted"],
    ["10: 17 sources", sourced(...names(17, ".spx")), J101],
    ["11: descending", sourced("b.spx", "a.spx"), J100],
    ["11: the same twice", sourced("a.spx", "a.spx"), J100],
    ["11: by bytes, so - before . before /", sourced("a-b.spx", "a.spx", "a/b.spx"), "accepted"],
    ["12: a path that P18 refuses", sourced("a.spx", "b.txt"), J100],
    ["13: no export", exported(), J100],
    ["13: one export", exported("a"), "accepted"],
    ["14: 32 exports", exported(...names(32)), "accepted"],
    ["14: 33 exports", exported(...names(33)), J101],
    ["15: descending", exported("b", "a"), J100],
    ["15: the same twice", exported("a", "a"), J100],
    ["16: all kinds of characters", exported("-._09az"), "accepted"],
    ["16: 128 bytes", exported("a".repeat(128)), "accepted"],
    ["16: 129 bytes", exported("a".repeat(129)), J100],
    ["16: upper case", exported("A"), J100],
    ["16: a blank", exported("a b"), J100],
    ["16: not ASCII", exported("é"), J100],
    ["17: no test module", tested(), J100],
    ["17: two test modules", tested("a", "b"), J100],
    ["17: not a module name", tested("a-b"), J100],
    ["17: 240 bytes", tested("a".repeat(240)), "accepted"],
    ["17: 241 bytes", tested("a".repeat(241)), J100],
    ["18: entry is the test module", tested("calculator.app"), J100],
    ["18: names differ by case only", tested("calculator.App"), "accepted"],
  ])("row %s", (_, text, expected) => {
    expect(verdict(text)).toBe(expected);
  });
});

describe("P17: the first failure wins", () => {
  const tooManySources = list("sources", names(17, ".spx"));
  const tooManyExports = list("web_exports", names(33));

  test.each<[string, string, string]>([
    ["3 before 10", manifest({ sources: `${tooManySources}\r` }), J100],
    ["4 before 10", `${manifest({ sources: tooManySources })}\n`, J100],
    ["5 before 10", manifest({ sources: tooManySources, tests: "tests = []]" }), J100],
    ["7 before 10", manifest({ name: 'name = "A"', sources: tooManySources }), J100],
    ["8 before 10", manifest({ entry: 'entry = "-"', sources: tooManySources }), J100],
    ["10 before 11", manifest({ sources: list("sources", names(17, ".spx").reverse()) }), J101],
    ["10 before 12", manifest({ sources: list("sources", names(17, ".txt")) }), J101],
    ["10 before 13", manifest({ sources: tooManySources, web_exports: "web_exports = []" }), J101],
    [
      "11 before 14",
      manifest({ sources: 'sources = ["b.spx", "a.spx"]', web_exports: tooManyExports }),
      J100,
    ],
    [
      "12 before 14",
      manifest({ sources: 'sources = ["a.spx", "b.txt"]', web_exports: tooManyExports }),
      J100,
    ],
    ["14 before 15", manifest({ web_exports: list("web_exports", names(33).reverse()) }), J101],
    ["14 before 16", manifest({ web_exports: list("web_exports", names(33, "A")) }), J101],
    ["14 before 17", manifest({ web_exports: tooManyExports, tests: "tests = []" }), J101],
  ])("row %s", (_, text, expected) => {
    expect(verdict(text)).toBe(expected);
  });

  test("row 11 sorts by UTF-8 bytes: both orders end in J100, by different rows", () => {
    const words = (text: string) => {
      const outcome = parseManifest(bytes(text));
      return outcome.ok ? "" : outcome.failure[0].message;
    };
    const sorted = manifest({ sources: 'sources = ["\uffee.spx", "\u{1f600}.spx"]' });
    const unsorted = manifest({ sources: 'sources = ["\u{1f600}.spx", "\uffee.spx"]' });
    expect(words(sorted)).toBe("not a source path: \uffee.spx");
    expect(words(unsorted)).toBe("source is not in order: \uffee.spx");
  });
});

describe("a hostile manifest", () => {
  test.each([
    "constructor.polluted = 1\n",
    "[constructor]\npolluted = 1\n",
    "__proto__.polluted = 1\n",
    manifest({ sources: "sources = { constructor.polluted = 1 }" }),
    manifest({ sources: "sources = [{ constructor.polluted = 1 }]" }),
    manifest({ sources: "sources = [{ __proto__.polluted = 1 }]" }),
    `${manifest()}constructor.polluted = 1\n`,
    manifest({ tests: "constructor.polluted = 1" }),
  ])("writes to no inherited object: %j", (text) => {
    expect(verdict(text)).toBe(J100);
    expect("polluted" in Object).toBe(false);
    expect("polluted" in {}).toBe(false);
  });

  test("names of inherited members are ordinary strings", () => {
    expect(verdict(manifest({ name: 'name = "constructor"', entry: 'entry = "__proto__"' }))).toBe(
      "accepted",
    );
  });

  test.each<[string, string, string]>([
    ["LFs", "\n".repeat(65_536), J100],
    ["brackets", manifest({ sources: `sources = ${"[".repeat(65_000)}` }), J100],
    ["dots", `a${".a".repeat(32_000)} = 1\n`, J100],
    ["digits", manifest({ name: `name = ${"1".repeat(65_000)}` }), J100],
    ["quotes", manifest({ sources: `sources = [${'"'.repeat(65_000)}]` }), J100],
    ["array elements", manifest({ sources: list("sources", names(6000)) }), J101],
    ["one-letter elements", manifest({ sources: list("sources", Array<string>(13_000).fill("a")) }), J101],
    ["unclosed elements", manifest({ sources: `sources = [${'"a", '.repeat(13_000)}` }), J100],
    ["blanks", manifest({ sources: `sources = [${" ".repeat(65_000)}]` }), J100],
  ])("of nothing but %s ends with an answer", (_, text, expected) => {
    expect(verdict(text)).toBe(expected);
  });
});
