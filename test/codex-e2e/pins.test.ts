// The pinned schemas against those of the installed program, and our own definitions against both (RC4).
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedMethods, changedPins, changedSubset, Generated, readPins } from "./pins.ts";
import { generateSchemas, HOW_TO_INSTALL, PROGRAM } from "./program.ts";
import { type JsonSchema, misfits } from "./schema-fit.ts";

setDefaultTimeout(60_000);

if (PROGRAM === null) test.skip(`the program is not installed: ${HOW_TO_INSTALL}`, () => undefined);

describe.skipIf(PROGRAM === null)("schemas of Codex 0.163.0", () => {
  let folder = "";
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "codex-pins-"));
    for (const name of ["one", "two"])
      await generateSchemas(PROGRAM!, join(folder, name), join(folder, "home"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("RC4: they are the same each time they are generated", () => {
    const files = readdirSync(join(folder, "one"), { recursive: true, encoding: "utf8" });
    expect(files.length).toBeGreaterThan(100);
    const differing = files.filter((name) => {
      const [one, two] = [join(folder, "one", name), join(folder, "two", name)];
      return statSync(one).isFile() && !readFileSync(one).equals(readFileSync(two));
    });
    expect(differing).toEqual([]);
  });

  test("RC4: they are the pinned ones", () => {
    const pins = readPins();
    expect([Object.keys(pins.files).length, Object.keys(pins.definitions).length]).toEqual([15, 45]);
    expect(changedPins(new Generated(join(folder, "one")), pins)).toEqual([]);
  });

  test("RC4: every field that is sent or read is there, with a type that fits", () => {
    expect(changedSubset(new Generated(join(folder, "one")))).toEqual([]);
  });

  test("section 4, 6: every method is known, and none is made up", () => {
    expect(changedMethods(new Generated(join(folder, "one")))).toEqual([]);
  });
});

describe("fitting a schema", () => {
  const text: JsonSchema = { type: "string" };
  const words = (...values: string[]): JsonSchema => ({ type: "string", enum: values });
  const object = (properties: Record<string, JsonSchema>, required: string[] = []): JsonSchema => ({
    type: "object",
    properties,
    required,
  });
  const check = (ours: JsonSchema, theirs: JsonSchema, direction: "sent" | "received", definitions = {}) =>
    misfits(ours, { schema: theirs, definitions }, direction);

  test.each([
    ["the same", object({ a: text }, ["a"]), object({ a: text }, ["a"]), [], []],
    ["a field that is gone", object({ a: text }), object({}), ["a: no such field"], ["a: no such field"]],
    ["a field more", object({}), object({ a: text }), [], []],
    [
      "a field that must be sent",
      object({}),
      object({ a: text }, ["a"]),
      ["a: required by one side and not by the other"],
      [],
    ],
    [
      "a field that may be missing",
      object({ a: text }, ["a"]),
      object({ a: text }),
      [],
      ["a: required by one side and not by the other"],
    ],
    [
      "null",
      object({ a: text }),
      object({ a: { type: ["string", "null"] } }),
      [],
      ["a: null where string is expected"],
    ],
    [
      "another type",
      object({ a: text }),
      object({ a: { type: "integer" } }),
      ["a: string where integer is expected"],
      ["a: integer where string is expected"],
    ],
    [
      "a word more",
      object({ a: words("x") }),
      object({ a: words("x", "y") }),
      [],
      ['a: "y" where "x" is expected'],
    ],
    [
      "a word less",
      object({ a: words("x", "y") }),
      object({ a: words("x") }),
      ['a: "y" where "x" is expected'],
      [],
    ],
    ["any word", object({ a: words("x") }), object({ a: text }), [], ['a: string where "x" is expected']],
    [
      "items",
      { type: "array", items: text },
      { type: "array", items: { type: "null" } },
      ["[]: string where null is expected"],
      ["[]: null where string is expected"],
    ],
    ["anything", object({ a: {} }), object({ a: text }), ["a: anything where string is expected"], []],
  ] as [string, JsonSchema, JsonSchema, string[], string[]][])(
    "RC4: %s",
    (_, ours, theirs, sent, received) => {
      expect(check(ours, theirs, "sent")).toEqual(sent);
      expect(check(ours, theirs, "received")).toEqual(received);
    },
  );

  test("RC4: references, defaults and unions", () => {
    const definitions = { Word: text };
    const word: JsonSchema = { allOf: [{ $ref: "#/definitions/Word" }], default: "x" };
    expect(check(object({ a: text }, ["a"]), object({ a: word }), "received", definitions)).toEqual([]);
    expect(
      check(
        object({ a: text }),
        object({ a: { anyOf: [{ $ref: "#/definitions/Word" }, { type: "null" }] } }),
        "sent",
        definitions,
      ),
    ).toEqual([]);
  });
});
