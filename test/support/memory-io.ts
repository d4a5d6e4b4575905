import type { Command } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import type { Io } from "../../src/cli/output.ts";
import { runSemaprax } from "../../src/cli/run.ts";
import { VERSION } from "../../src/kernel/version.ts";

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `semaprax` in this process, with texts in place of its descriptors. */
export function runInProcess(
  argv: readonly string[],
  {
    stdin = "",
    commands = COMMANDS,
    answer = null,
  }: {
    readonly stdin?: string;
    readonly commands?: readonly Command[];
    /** What is answered to a question; null where there is nobody to ask. A function may do something meanwhile. */
    readonly answer?: (() => string) | null;
  } = {},
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
    input: () => ({ ok: true, bytes: new TextEncoder().encode(stdin) }),
    ask:
      answer === null
        ? null
        : (question) => {
            stderr += question;
            return answer();
          },
    stdoutIsTerminal: false,
    stderrIsTerminal: false,
    noColour: false,
  };
  return { status: runSemaprax(argv, commands, VERSION, io), stdout, stderr };
}
