/**
 * Text from a source file, made fit for a terminal: what would move the cursor, reorder the line or not show at all is
 * spelt out, so that a hostile source can neither forge output nor hide what a diagnostic points at.
 */

/**
 * Controls other than TAB, format characters (bidirectional overrides, zero-width blanks, byte order marks), and every
 * blank but the common one. The two joiners stay: emoji and several scripts are unreadable without them.
 */
const INVISIBLE = /(?![\t \u200c\u200d])[\p{Cc}\p{Cf}\p{Z}]/gu;

export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}

/** The same for words that must stay on one line: a TAB is spelt out too. */
export function visibleWords(text: string): string {
  return visibleText(text).replaceAll("\t", "\\t");
}

/** How much of a quoted line is shown, in UTF-16 units. */
const LINE_SHOWN_MAX = 400;

/** A line that may be megabytes long, or its beginning. */
export function clipLine(line: string): string {
  if (line.length <= LINE_SHOWN_MAX) return line;
  return `${line.slice(0, LINE_SHOWN_MAX).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** Columns that visible text without TAB takes: wide characters count two, combining ones nothing. */
export function textColumns(text: string): number {
  return Bun.stringWidth(text, { countAnsiEscapeCodes: true });
}

/** The next offset in UTF-8 that does not lie inside a scalar value. */
export function scalarStart(bytes: Uint8Array, offset: number): number {
  let at = offset;
  while (at < bytes.length && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}

/** A path as it can be pasted into a shell. */
export function shellWord(path: string): string {
  return /^[\w./-]+$/.test(path) && !path.startsWith("-") ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
