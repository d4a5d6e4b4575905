import type { Range, Span } from "../kernel/failure.ts";

/** One source file as it was read: the path exactly as listed in `sources`, and its valid UTF-8 bytes. */
export interface Source {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const LF = 0x0a;

/**
 * The line and column of a byte range (language.md 0). Only LF starts a line; the column counts Unicode scalar
 * values. Costs O(start), so it is called on the error path only: the syntax tree stores offsets.
 */
export function spanOf(source: Source, range: Range): Span {
  const { bytes } = source;
  let line = 1;
  let lineStart = 0;
  for (let at = bytes.indexOf(LF); at >= 0 && at < range.start; at = bytes.indexOf(LF, at + 1)) {
    line++;
    lineStart = at + 1;
  }
  let column = 1;
  for (let at = lineStart; at < range.start; at++) {
    // Every byte but a continuation byte (10xxxxxx) begins a scalar value.
    if ((bytes[at]! & 0xc0) !== 0x80) column++;
  }
  return { start: range.start, end: range.end, line, column };
}
