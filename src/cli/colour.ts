/** Colour for people who look at a terminal (L5). Text that a program reads never has any. */

export const COLOUR_CHOICES = ["always", "never", "auto"] as const;
export type ColourChoice = (typeof COLOUR_CHOICES)[number];

/** Wraps text for its meaning; without colour every function gives the text back. */
export interface Palette {
  error(text: string): string;
  warning(text: string): string;
  /** A remedy. */
  help(text: string): string;
  good(text: string): string;
  /** Line numbers, arrows and rules around a source line. */
  frame(text: string): string;
  strong(text: string): string;
}

export const PLAIN: Palette = {
  error: same,
  warning: same,
  help: same,
  good: same,
  frame: same,
  strong: same,
};

export const COLOURED: Palette = {
  error: (text) => painted("1;31", text),
  warning: (text) => painted("1;33", text),
  help: (text) => painted("1;36", text),
  good: (text) => painted("32", text),
  frame: (text) => painted("34", text),
  strong: (text) => painted("1", text),
};

/**
 * L5: `auto` colours only when stdout is a terminal and NO_COLOR is unset; on stderr that has to be a terminal too,
 * so that a redirected log stays clean.
 */
export function paletteFor(
  choice: ColourChoice,
  facts: {
    readonly stdoutIsTerminal: boolean;
    readonly streamIsTerminal: boolean;
    readonly noColour: boolean;
  },
): Palette {
  const coloured =
    choice === "always" ||
    (choice === "auto" && facts.stdoutIsTerminal && facts.streamIsTerminal && !facts.noColour);
  return coloured ? COLOURED : PLAIN;
}

function same(text: string): string {
  return text;
}

function painted(attributes: string, text: string): string {
  return text === "" ? "" : `\u001b[${attributes}m${text}\u001b[0m`;
}
