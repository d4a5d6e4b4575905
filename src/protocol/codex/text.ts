/** Text and numbers of Codex in the forms that native messages allow. */

import { sha256Hex } from "../../kernel/digest.ts";
import { utf8Length } from "../../kernel/text.ts";
import { Id } from "../schema/scalar.ts";
import { MESSAGE_BYTES_MAX } from "./limits.ts";

export interface Fitted {
  readonly text: string;
  /** Whether some of it was left out. */
  readonly cut: boolean;
}

/** At most `bytesMax` bytes, cut at a code point; U+0000 and lone surrogates are shown as U+FFFD (RC30, R7, R11). */
export function fit(text: string, bytesMax: number): Fitted {
  const clean = cleaned(text);
  if (clean.length * 3 <= bytesMax || utf8Length(clean) <= bytesMax) return { text: clean, cut: false };
  return { text: clean.slice(0, endOf(clean, 0, bytesMax)), cut: true };
}

/** Whether `text` may stand in a native field as it is, so that nothing of it is hidden from the reader. */
export function fits(text: string, bytesMax: number): boolean {
  return text !== "" && cleaned(text) === text && utf8Length(text) <= bytesMax;
}

function cleaned(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** The pieces of a delta, each of 1 to `bytesMax` bytes (RC27). */
export function pieces(text: string, bytesMax: number): string[] {
  const clean = cleaned(text);
  const found: string[] = [];
  for (let start = 0; start < clean.length; ) {
    const end = endOf(clean, start, bytesMax);
    found.push(clean.slice(start, end));
    start = end;
  }
  return found;
}

/** Where the longest part from `start` ends that has at most `bytesMax` bytes and whole code points. */
function endOf(text: string, start: number, bytesMax: number): number {
  let bytes = 0;
  let at = start;
  while (at < text.length) {
    const point = text.codePointAt(at) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (bytes > bytesMax) return at;
    at += point < 0x10000 ? 1 : 2;
  }
  return at;
}

/** What is looked at of a message: enough for 4096 bytes, and a bound for the search. */
const MESSAGE_LENGTH_READ = 16_384;
// A scheme is matched from at most 32 characters, which keeps the search linear.
const URL_PATTERN = /[a-z][a-z0-9+.-]{0,31}:\/\/\S*/gi;

/** Words of Codex for a notice or failure: 1 to 4096 bytes, without any address (RC28). */
export function words(text: string, otherwise: string): string {
  const shown = text.slice(0, MESSAGE_LENGTH_READ).replace(URL_PATTERN, "<url>");
  return fit(shown, MESSAGE_BYTES_MAX).text || otherwise;
}

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

/** Unix seconds as a Timestamp without fraction (RC15); what no Timestamp can say becomes the nearest that can. */
export function timestamp(seconds: number): string {
  const whole = Math.min(Math.max(Math.floor(seconds), 0), SECONDS_MAX);
  return new Date(whole * 1000).toISOString().replace(".000Z", "Z");
}

/** Milliseconds since the epoch as a Timestamp. */
export function timestampOfMs(milliseconds: number): string {
  const whole = Math.min(Math.max(Math.floor(milliseconds), 0), SECONDS_MAX * 1000);
  return new Date(whole).toISOString();
}

export function isId(text: string): boolean {
  return Id.safeParse(text).success;
}

/** An item's id, which the model provider may have chosen: as it is, or the hash of what no Id can be (RC14). */
export function itemId(id: string): string {
  return isId(id) ? id : `x-${sha256Hex(id.toWellFormed()).slice(0, 32)}`;
}
