/** From the arguments of the process to one command and its exit status (L1, L2). */
import { shown } from "./arguments.ts";
import { columns, type Command, Exit } from "./command.ts";
import { nearestName } from "./nearest-name.ts";
import { type Io, OutputClosed } from "./output.ts";

/** How other programs are asked for help. */
const HELP_ELSEWHERE: ReadonlySet<string> = new Set(["help", "-h", "-help", "-?"]);

/** Never throws: an exception of a command is a bug of ours and becomes one line and status 70. */
export function runSemaprax(
  argv: readonly string[],
  commands: readonly Command[],
  version: string,
  io: Io,
): Exit {
  try {
    return dispatch(argv, commands, version, io);
  } catch (error) {
    return afterException(error, io);
  }
}

function dispatch(argv: readonly string[], commands: readonly Command[], version: string, io: Io): Exit {
  const [first, ...rest] = argv;
  if (first === undefined) return misuse(io, "a command is missing");
  if (first === "--help" || first === "--version") {
    if (rest.length > 0) return misuse(io, `${first} stands alone, unexpected ${shown(rest[0]!)}`);
    io.out(first === "--help" ? overview(commands) : `semaprax ${version}\n`);
    return Exit.Good;
  }
  const command = commands.find(({ name }) => name === first);
  if (command !== undefined) return command.run(rest, io);
  if (HELP_ELSEWHERE.has(first)) return helpIsElsewhere(first, rest[0], commands, io);
  if (first.startsWith("-")) return misuse(io, `unknown option ${shown(first)}`);
  const nearest = nearestName(
    first,
    commands.map(({ name }) => name),
  );
  return misuse(
    io,
    `unknown command ${shown(first)}${nearest === null ? "" : ` (did you mean ${nearest}?)`}`,
  );
}

function misuse(io: Io, words: string): Exit.Misuse {
  io.err(`semaprax: ${words}; see semaprax --help\n`);
  return Exit.Misuse;
}

/** Refused like any unknown word (L1), with what to write in place of it. */
function helpIsElsewhere(
  first: string,
  topic: string | undefined,
  commands: readonly Command[],
  io: Io,
): Exit.Misuse {
  const command = commands.find(({ name }) => name === topic);
  const unknown = `unknown ${first.startsWith("-") ? "option" : "command"} ${shown(first)}`;
  io.err(`semaprax: ${unknown}; write semaprax ${command === undefined ? "" : `${command.name} `}--help\n`);
  return Exit.Misuse;
}

/** The text of `semaprax --help`. */
export function overview(commands: readonly Command[]): string {
  return [
    "usage: semaprax COMMAND [options] [operands]",
    "",
    "Checks, formats, explores and runs one SPX project. The project is the semaprax.toml of the",
    "working directory, or the one that --manifest-path names.",
    "",
    "commands:",
    ...columns(commands.map(({ name, summary }) => [name, summary] as const)),
    "",
    "options:",
    ...columns([
      ["--help", "print this text; after a command, the help of that command"],
      ["--version", "print the version"],
    ]),
    "",
    "exit status: 0 good, 1 refused or failing, 2 misuse, 70 a bug of semaprax",
    "",
  ].join("\n");
}

function afterException(error: unknown, io: Io): Exit {
  // Whoever read our output has seen enough and closed it.
  if (error instanceof OutputClosed && error.code === "EPIPE") return Exit.Refused;
  const [words, status] =
    error instanceof OutputClosed
      ? ([error.message, Exit.Refused] as const)
      : ([`this is a bug of semaprax: ${firstLine(error)}`, Exit.Bug] as const);
  try {
    io.err(`semaprax: ${words}\n`);
  } catch {
    // Nowhere is left to say it; the status does.
  }
  return status;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split("\n", 1)[0] ?? "";
}
