/** Canonical form: a file whose text is exactly what the formatter prints (language.md 3.3). */
import { formatFile } from "./format.ts";
import type { SyntaxFile } from "./syntax.ts";

const LF = 0x0a;

/** Where a source differs from its canonical text. */
export interface Difference {
  /** The first differing byte; the shorter length if one text begins with the other. */
  readonly offset: number;
  /** The 1-based line of that byte, the same in both texts. */
  readonly line: number;
  readonly canonical: Uint8Array;
}

export function isCanonical(file: SyntaxFile): boolean {
  return firstDifference(file) === null;
}

/** The first difference between a file and its canonical text, or null if it is canonical. */
export function firstDifference(file: SyntaxFile): Difference | null {
  const { bytes } = file.source;
  const canonical = formatFile(file);
  const shared = Math.min(bytes.length, canonical.length);
  let offset = 0;
  while (offset < shared && bytes[offset] === canonical[offset]) offset++;
  if (offset === bytes.length && offset === canonical.length) return null;
  let line = 1;
  for (let at = bytes.indexOf(LF); at >= 0 && at < offset; at = bytes.indexOf(LF, at + 1)) line++;
  return { offset, line, canonical };
}
