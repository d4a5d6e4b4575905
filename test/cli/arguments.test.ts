import { describe, expect, test } from "bun:test";
import { parseArguments, type OptionTable } from "../../src/cli/arguments.ts";

const TABLE = {
  "--json": { takes: "nothing", about: "" },
  "--manifest-path": { takes: "text", placeholder: "PATH", about: "" },
  "--direction": { takes: "word", words: ["forward", "reverse"], about: "" },
  "--depth": { takes: "number", min: 1, max: 1024, about: "" },
} as const satisfies OptionTable;

const NONE = { "--json": false, "--manifest-path": null, "--direction": null, "--depth": null };
const OPERANDS = { shown: "FILE…", min: 0, max: 2 };

function parsed(argv: readonly string[], operands = OPERANDS) {
  return parseArguments(TABLE, operands, argv);
}

describe("arguments (L1)", () => {
  const accepted: readonly [readonly string[], Partial<Record<keyof typeof NONE, unknown>>, string[]][] = [
    [[], {}, []],
    [["--json"], { "--json": true }, []],
    [["a", "--depth", "1", "b"], { "--depth": 1 }, ["a", "b"]],
    [["--depth", "1024"], { "--depth": 1024 }, []],
    [["--manifest-path", "--json"], { "--manifest-path": "--json" }, []],
    [["--manifest-path", "--help"], { "--manifest-path": "--help" }, []],
    [["--direction", "reverse"], { "--direction": "reverse" }, []],
    [["-"], {}, ["-"]],
    [["--", "--json", "--"], {}, ["--json", "--"]],
    [["--", "--help"], {}, ["--help"]],
  ];
  test.each(accepted)("%j is accepted", (argv, options, operands) => {
    expect<unknown>(parsed(argv)).toEqual({ kind: "run", options: { ...NONE, ...options }, operands });
  });

  const refused: readonly [readonly string[], string][] = [
    [["-h"], 'unknown option "-h"'],
    [["--jsn"], 'unknown option "--jsn"'],
    [["--constructor"], 'unknown option "--constructor"'],
    [["--json=true"], 'unknown option "--json=true"'],
    [["--depth=3"], 'the value of --depth is the next argument: write --depth "3"'],
    [["--json", "--json"], "--json is given twice"],
    [["--depth", "1", "--depth", "x"], "--depth is given twice"],
    [["--depth"], "--depth needs a value: a number from 1 to 1024"],
    [["--depth", "0"], '--depth takes a number from 1 to 1024, not "0"'],
    [["--depth", "1025"], '--depth takes a number from 1 to 1024, not "1025"'],
    [["--depth", "01"], '--depth takes a number from 1 to 1024, not "01"'],
    [["--depth", "+1"], '--depth takes a number from 1 to 1024, not "+1"'],
    [["--depth", "1e2"], '--depth takes a number from 1 to 1024, not "1e2"'],
    [["--depth", "0x10"], '--depth takes a number from 1 to 1024, not "0x10"'],
    [["--depth", "-1"], '--depth takes a number from 1 to 1024, not "-1"'],
    [["--depth", " 1"], '--depth takes a number from 1 to 1024, not " 1"'],
    [["--depth", ""], '--depth takes a number from 1 to 1024, not ""'],
    [
      ["--depth", "18446744073709551616"],
      '--depth takes a number from 1 to 1024, not "18446744073709551616"',
    ],
    [["--direction", "both"], '--direction takes forward|reverse, not "both"'],
    [["--manifest-path", ""], '--manifest-path takes PATH, not ""'],
    [["a", "b", "c"], 'unexpected operand "c"'],
    [["--wrong", "--help"], 'unknown option "--wrong"'],
  ];
  test.each(refused)("%j is refused", (argv, words) => {
    expect(parsed(argv)).toEqual({ kind: "misuse", words });
  });

  test("help ends the reading where it stands", () => {
    expect(parsed(["a", "--help", "--wrong"])).toEqual({ kind: "help" });
  });

  test("a missing operand is named", () => {
    const needed = { shown: "TARGET", min: 1, max: 1 };
    expect(parsed([], needed)).toEqual({ kind: "misuse", words: "an operand is missing: TARGET" });
    expect(parsed(["x"], needed).kind).toBe("run");
  });

  test("a long or strange argument is clipped to one line", () => {
    expect(parsed([`--${"é".repeat(100)}\n`])).toEqual({
      kind: "misuse",
      words: `unknown option "--${"é".repeat(62)}…"`,
    });
    expect(parsed(["-\u001b[31m\n"])).toEqual({ kind: "misuse", words: 'unknown option "-\\u001b[31m\\n"' });
  });
});
