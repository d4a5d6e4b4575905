import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { COLOUR_OPTION, type Command, defineCommand, Exit, NO_OPERANDS } from "../../src/cli/command.ts";
import { COLOURED, PLAIN, paletteFor } from "../../src/cli/colour.ts";
import { OutputClosed } from "../../src/cli/output.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { runInProcess } from "../support/memory-io.ts";
import { copyProject, FIXTURES, removeTemporaryFolders } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

function throwing(error: unknown): Command {
  return defineCommand({
    name: "break",
    summary: "",
    about: [],
    operands: NO_OPERANDS,
    options: COLOUR_OPTION,
    run() {
      throw error;
    },
  });
}

describe("dispatch (L1, L2)", () => {
  test("an unexpected failure is one line and 70", () => {
    expect(runInProcess(["break"], { commands: [throwing(new TypeError("first\nsecond"))] })).toEqual({
      status: Exit.Bug,
      stdout: "",
      stderr: "semaprax: this is a bug of semaprax: TypeError: first\n",
    });
    expect(runInProcess(["break"], { commands: [throwing("text")] }).stderr).toBe(
      "semaprax: this is a bug of semaprax: text\n",
    );
  });

  test("a reader who went away is no failure worth words; a full disk is", () => {
    expect(runInProcess(["break"], { commands: [throwing(new OutputClosed("EPIPE"))] })).toEqual({
      status: Exit.Refused,
      stdout: "",
      stderr: "",
    });
    expect(runInProcess(["break"], { commands: [throwing(new OutputClosed("ENOSPC"))] })).toEqual({
      status: Exit.Refused,
      stdout: "",
      stderr: "semaprax: cannot write output: ENOSPC\n",
    });
  });

  test("names are what the table says and nothing inherited", () => {
    for (const name of ["constructor", "toString", "__proto__", ""]) {
      expect(runInProcess([name]).status).toBe(Exit.Misuse);
    }
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length);
  });

  test("every command has a line in the overview", () => {
    const { stdout } = runInProcess(["--help"]);
    for (const { name, summary } of COMMANDS) expect(stdout).toContain(`  ${name.padEnd(7)}  ${summary}\n`);
  });
});

describe("colour (L5)", () => {
  const cases: readonly ["always" | "never" | "auto", boolean, boolean, boolean, boolean][] = [
    ["auto", true, true, false, true],
    ["auto", true, true, true, false],
    ["auto", false, false, false, false],
    ["auto", false, true, false, false],
    ["auto", true, false, false, false],
    ["always", false, false, true, true],
    ["never", true, true, false, false],
  ];
  test.each(cases)(
    "%s, stdout %p, stream %p, NO_COLOR %p",
    (choice, stdoutIsTerminal, streamIsTerminal, noColour, coloured) => {
      expect(paletteFor(choice, { stdoutIsTerminal, streamIsTerminal, noColour })).toBe(
        coloured ? COLOURED : PLAIN,
      );
    },
  );
});

/** The member of a recorded response's result, as bytes of the wire. */
function recorded(session: string, request: string, member: string): string {
  const lines = readFileSync(join(FIXTURES, "sessions", session), "utf8").split("\n");
  const at = lines.findIndex((line, index) => index % 2 === 0 && line.includes(request));
  const response = lines[at + 1] ?? "";
  const start = response.indexOf(`"${member}":`) + member.length + 3;
  return response.slice(start, -2);
}

describe("documents are those of the daemon (L18)", () => {
  const root = copyProject("calculator");
  const manifest = ["--manifest-path", join(root, "semaprax.toml")];
  const document = (argv: readonly string[]) => runInProcess([...argv, "--json", ...manifest]).stdout;

  test("graph", () => {
    expect(document(["graph"])).toBe(`${recorded("calculator-v2.jsonl", '"method":"graph"', "graph")}\n`);
  });

  test("context", () => {
    const defaults = '"target_kind":"declaration","target":"calculator.add"}';
    expect(document(["context", "calculator.add"])).toBe(
      `${recorded("calculator-v2.jsonl", defaults, "context")}\n`,
    );
  });

  test("test", () => {
    expect(document(["test"])).toBe(`${recorded("calculator-v2.jsonl", '"method":"test"', "execution")}\n`);
  });
});

describe("what a run explains (L15)", () => {
  const operations: readonly [string, string][] = [
    ["1 - (-9223372036854775807)", "1 - -9223372036854775807: subtraction leaves the i64 range"],
    ["4611686018427387904 * 2", "4611686018427387904 * 2: multiplication leaves the i64 range"],
    ["7 / (3 - 3)", "7 / 0: division by zero"],
    ["(-9223372036854775807 - 1) / -1", "-9223372036854775808 / -1: division leaves the i64 range"],
    ["7 % (3 - 3)", "7 % 0: remainder by zero"],
    ["(-9223372036854775807 - 1) % -1", "-9223372036854775808 % -1: remainder of the smallest i64 by -1"],
    ["-(-9223372036854775807 - 1)", "-(-9223372036854775808): negation leaves the i64 range"],
    ["add(9223372036854775807, divide(4, 2))", "9223372036854775807 + 2: addition leaves the i64 range"],
  ];
  test.each(operations)("%s", (expression, words) => {
    const root = copyProject("calculator");
    const path = join(root, "src/app.spx");
    writeFileSync(path, readFileSync(path, "utf8").replace("add(40, divide(4, 2))", expression));
    const manifest = join(root, "semaprax.toml");
    runInProcess(["fmt", "--manifest-path", manifest]);
    const { status, stdout, stderr } = runInProcess(["run", "--manifest-path", manifest]);
    expect({ status, stdout }).toEqual({ status: Exit.Refused, stdout: "" });
    expect(stderr).toContain(`\n  ${words}\n`);
  });
});
