/**
 * The option grammar that all commands share (L1). A command describes its options in a table; this file reads the
 * arguments by it and hands back values whose types follow from that table.
 *
 * An option's value is always the next argument. Arguments are read left to right and the first offence counts;
 * `--` ends the options, and a lone `-` is an operand.
 */

/** `--json`: takes no value. */
export interface Flag {
  readonly takes: "nothing";
  readonly about: string;
}

/** Any nonempty text, also one that starts with `-`. */
export interface TextOption {
  readonly takes: "text";
  /** How the help names the value. */
  readonly placeholder: string;
  readonly about: string;
}

/** One of a few words. */
export interface WordOption<Word extends string = string> {
  readonly takes: "word";
  readonly words: readonly Word[];
  readonly about: string;
}

/** A canonical decimal within bounds that both pass: no sign, no leading zero (D3). */
export interface NumberOption {
  readonly takes: "number";
  readonly min: number;
  readonly max: number;
  readonly about: string;
}

export type Option = Flag | TextOption | WordOption | NumberOption;
export type OptionTable = Readonly<Record<`--${string}`, Option>>;

/** A flag is given or not; every other option has a value or null. */
export type OptionValue<O extends Option> = O extends Flag
  ? boolean
  : O extends WordOption<infer Word>
    ? Word | null
    : O extends NumberOption
      ? number | null
      : string | null;

export type OptionValues<T extends OptionTable> = {
  readonly [Name in keyof T]: T[Name] extends Option ? OptionValue<T[Name]> : never;
};

/** How many operands a command takes, and how its usage line shows them. */
export interface Operands {
  readonly shown: string;
  readonly min: number;
  readonly max: number;
}

export type Arguments<T extends OptionTable> =
  | { readonly kind: "run"; readonly options: OptionValues<T>; readonly operands: readonly string[] }
  | { readonly kind: "help" }
  /** One line of words that names the offending argument. */
  | { readonly kind: "misuse"; readonly words: string };

const DECIMAL = /^(0|[1-9][0-9]*)$/;
/** How much of an argument an error line repeats, in UTF-16 units. */
const SHOWN_ARGUMENT_MAX = 64;

export function parseArguments<const T extends OptionTable>(
  table: T,
  operands: Operands,
  argv: readonly string[],
): Arguments<T> {
  const values = new Map<string, boolean | string | number>();
  const found: string[] = [];
  let optionsEnded = false;
  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at]!;
    if (optionsEnded || argument === "-" || !argument.startsWith("-")) {
      found.push(argument);
      continue;
    }
    if (argument === "--") {
      optionsEnded = true;
      continue;
    }
    if (argument === "--help") return { kind: "help" };
    const option = isName(table, argument) ? table[argument] : undefined;
    if (option === undefined) return misuse(unknownOption(table, argument));
    if (values.has(argument)) return misuse(`${argument} is given twice`);
    if (option.takes === "nothing") {
      values.set(argument, true);
      continue;
    }
    const text = argv[++at];
    if (text === undefined) return misuse(`${argument} needs a value: ${valueShown(option)}`);
    const value = optionValue(option, text);
    if (value === null) return misuse(`${argument} takes ${valueShown(option)}, not ${shown(text)}`);
    values.set(argument, value);
  }
  if (found.length < operands.min) return misuse(`an operand is missing: ${operands.shown}`);
  if (found.length > operands.max) return misuse(`unexpected operand ${shown(found[operands.max]!)}`);
  return { kind: "run", options: completed(table, values), operands: found };
}

/** How a value is described in help and errors. */
export function valueShown(option: Exclude<Option, Flag>): string {
  switch (option.takes) {
    case "text":
      return option.placeholder;
    case "word":
      return option.words.join("|");
    case "number":
      return `a number from ${option.min} to ${option.max}`;
  }
}

/** An argument as an error line repeats it: quoted, clipped, without control characters. */
export function shown(argument: string): string {
  const units = Array.from(argument);
  const clipped =
    units.length > SHOWN_ARGUMENT_MAX ? `${units.slice(0, SHOWN_ARGUMENT_MAX).join("")}…` : argument;
  return JSON.stringify(clipped);
}

function misuse(words: string): { readonly kind: "misuse"; readonly words: string } {
  return { kind: "misuse", words };
}

function isName<T extends OptionTable>(table: T, argument: string): argument is `--${string}` & keyof T {
  return Object.hasOwn(table, argument);
}

function unknownOption(table: OptionTable, argument: string): string {
  const equals = argument.indexOf("=");
  const name = argument.slice(0, equals);
  if (equals > 0 && isName(table, name) && table[name]!.takes !== "nothing") {
    return `the value of ${name} is the next argument: write ${name} ${shown(argument.slice(equals + 1))}`;
  }
  return `unknown option ${shown(argument)}`;
}

function optionValue(option: Exclude<Option, Flag>, text: string): string | number | null {
  switch (option.takes) {
    case "text":
      return text === "" ? null : text;
    case "word":
      return option.words.includes(text) ? text : null;
    case "number": {
      // Digits beyond 2^53 are rounded here, but every bound is far below, so they are refused all the same.
      const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
      return value >= option.min && value <= option.max ? value : null;
    }
  }
}

function completed<T extends OptionTable>(
  table: T,
  values: ReadonlyMap<string, boolean | string | number>,
): OptionValues<T> {
  const entries = Object.entries(table).map(
    ([name, option]: [string, Option]) =>
      [name, values.get(name) ?? (option.takes === "nothing" ? false : null)] as const,
  );
  // The one place where the table's types are asserted: `optionValue` put each value in by the same table.
  return Object.fromEntries(entries) as OptionValues<T>;
}
