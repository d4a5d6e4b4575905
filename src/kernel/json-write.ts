/**
 * Writing JSON strings. There are two ways to escape (D28): *quoting*, for every string inside a result, and the wire's
 * own, for ids and error messages, which is that of `JSON.stringify`.
 */
import { type ByteWriter, utf8 } from "./bytes.ts";
import { isControl, utf8Length } from "./text.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The length in bytes of `text` quoted, both quotation marks included. */
export function quotedLength(text: string): number {
  let length = utf8Length(text) + 2;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (needsEscape(unit)) length += escapeLength(unit) - (unit < 0x80 ? 1 : 2);
  }
  return length;
}

/** Writes {@link quotedLength} bytes. */
export function writeQuoted(writer: ByteWriter, text: string): void {
  writer.byte(QUOTE);
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (!needsEscape(unit)) continue;
    writeRun(writer, text, done, at);
    writer.ascii(escapeOf(unit));
    done = at + 1;
  }
  writeRun(writer, text, done, text.length);
  writer.byte(QUOTE);
}

/** `text` quoted, as text. */
export function quote(text: string): string {
  let quoted = '"';
  let done = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (!needsEscape(unit)) continue;
    quoted += text.slice(done, at) + escapeOf(unit);
    done = at + 1;
  }
  return `${quoted}${text.slice(done)}"`;
}

/** `text` quoted, as bytes. */
export function quoteBytes(text: string): Uint8Array {
  return utf8(quote(text));
}

/** `text` as an id or an error message (D28, left column). */
export function wireString(text: string): string {
  return JSON.stringify(text);
}

/** The bytes of {@link wireString}. */
export function wireStringBytes(text: string): Uint8Array {
  return utf8(JSON.stringify(text));
}

function writeRun(writer: ByteWriter, text: string, start: number, end: number): void {
  if (start === end) return;
  const run = text.slice(start, end);
  writer.utf8(run, utf8Length(run));
}

function needsEscape(unit: number): boolean {
  return unit === QUOTE || unit === BACKSLASH || isControl(unit);
}

function escapeLength(unit: number): number {
  return shortEscape(unit) === null ? 6 : 2;
}

function escapeOf(unit: number): string {
  return shortEscape(unit) ?? `\\u00${unit.toString(16).padStart(2, "0")}`;
}

/** The escapes of two characters. Backspace and form feed have none in this policy. */
function shortEscape(unit: number): string | null {
  switch (unit) {
    case QUOTE:
      return '\\"';
    case BACKSLASH:
      return "\\\\";
    case 0x0a:
      return "\\n";
    case 0x0d:
      return "\\r";
    case 0x09:
      return "\\t";
    default:
      return null;
  }
}
