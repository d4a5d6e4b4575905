/** What a command is: a row of a table with options, words of help, and a function. */
import {
  parseArguments,
  valueShown,
  type Operands,
  type Option,
  type OptionTable,
  type OptionValues,
} from "./arguments.ts";
import { COLOUR_CHOICES, paletteFor, type ColourChoice, type Palette } from "./colour.ts";
import type { Io } from "./output.ts";

/** L2. */
export const enum Exit {
  Good = 0,
  /** The project is invalid, a test failed, a file is not canonical, a document does not verify. */
  Refused = 1,
  Misuse = 2,
  /** An unexpected failure. */
  Bug = 70,
}

export interface Command {
  readonly name: string;
  /** For the list of commands. */
  readonly summary: string;
  /** The text of `semaprax NAME --help`. */
  help(): string;
  run(argv: readonly string[], io: Io): Exit;
}

/** What every command's function is given besides its options and operands. */
export interface Surroundings {
  readonly io: Io;
  /** For stdout and for stderr. */
  readonly palette: Palette;
  readonly errorPalette: Palette;
  /** One line on stderr that names the command and where its help is; for misuse that the grammar cannot see. */
  misuse(words: string): Exit.Misuse;
}

export interface CommandDefinition<T extends OptionTable> {
  readonly name: string;
  readonly summary: string;
  /** Paragraphs; each element is one line of the help. */
  readonly about: readonly string[];
  readonly operands: Operands;
  readonly options: T;
  run(options: OptionValues<T>, operands: readonly string[], surroundings: Surroundings): Exit;
}

export const NO_OPERANDS: Operands = { shown: "", min: 0, max: 0 };

export const COLOUR_OPTION = {
  "--color": { takes: "word", words: COLOUR_CHOICES, about: "colour the output (default auto)" },
} as const satisfies OptionTable;

/** L3. */
export const PROJECT_OPTIONS = {
  "--manifest-path": {
    takes: "text",
    placeholder: "PATH",
    about: "the project, without . or .. components (default semaprax.toml)",
  },
  ...COLOUR_OPTION,
} as const satisfies OptionTable;

export const DEFAULT_MANIFEST_PATH = "semaprax.toml";

export function defineCommand<const T extends OptionTable & typeof COLOUR_OPTION>(
  definition: CommandDefinition<T>,
): Command {
  const { name, summary, operands, options } = definition;
  return {
    name,
    summary,
    help: () => commandHelp(definition),
    run(argv, io) {
      const misuse = (words: string): Exit.Misuse => {
        io.err(`semaprax ${name}: ${words}; see semaprax ${name} --help\n`);
        return Exit.Misuse;
      };
      const parsed = parseArguments(options, operands, argv);
      switch (parsed.kind) {
        case "help":
          io.out(commandHelp(definition));
          return Exit.Good;
        case "misuse":
          return misuse(parsed.words);
        case "run":
          return definition.run(parsed.options, parsed.operands, {
            io,
            ...palettes(parsed.options["--color"], io),
            misuse,
          });
      }
    },
  };
}

function palettes(
  choice: ColourChoice | null,
  io: Io,
): { readonly palette: Palette; readonly errorPalette: Palette } {
  const { stdoutIsTerminal, stderrIsTerminal, noColour } = io;
  const of = (streamIsTerminal: boolean) =>
    paletteFor(choice ?? "auto", { stdoutIsTerminal, streamIsTerminal, noColour });
  return { palette: of(stdoutIsTerminal), errorPalette: of(stderrIsTerminal) };
}

function commandHelp<T extends OptionTable>(definition: CommandDefinition<T>): string {
  const { name, about, operands, options } = definition;
  const rows = Object.entries(options).map(
    ([option, value]: [string, Option]) => [optionShown(option, value), value.about] as const,
  );
  const usage = ["semaprax", name, "[options]", operands.shown].filter((word) => word !== "").join(" ");
  return [
    `usage: ${usage}`,
    "",
    ...about,
    "",
    "options:",
    ...columns([...rows, ["--help", "print this text"]]),
    "",
  ].join("\n");
}

function optionShown(name: string, option: Option): string {
  switch (option.takes) {
    case "nothing":
      return name;
    case "number":
      return `${name} N`;
    case "text":
    case "word":
      return `${name} ${valueShown(option)}`;
  }
}

/** Two columns, the second where the longest of the first ends. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
