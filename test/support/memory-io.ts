import { COMMANDS } from "../../src/cli/commands.ts";
import type { Command } from "../../src/cli/command.ts";
import type { Io } from "../../src/cli/output.ts";
import { runSemaprax } from "../../src/cli/run.ts";
import type { CommandResult } from "./transcript.ts";

/** Runs `semaprax` in this process; nothing but the command line is different. */
export function runInProcess(
  argv: readonly string[],
  commands: readonly Command[] = COMMANDS,
): CommandResult {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let [stdout, stderr] = ["", ""];
  const io: Io = {
    out: (text) => {
      stdout += typeof text === "string" ? text : decoder.decode(text);
    },
    err: (text) => {
      stderr += text;
    },
    input: () => ({ ok: true, bytes: new Uint8Array() }),
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    noColour: false,
  };
  return { status: runSemaprax(argv, commands, "1.2.3", io), stdout, stderr };
}
