/** Canonical form: a file whose text is exactly what the formatter prints (language.md 3.3). */
import { printFile } from "./format.ts";
import { spanOf } from "./source.ts";
import type { SyntaxFile } from "./syntax.ts";
import { TextComparer } from "./text-sink.ts";

/** Where a source first differs from its canonical text. */
export interface Difference {
  /** The first differing byte; the shorter length if one text begins with the other. */
  readonly offset: number;
  /** The 1-based line of that byte, which is the same in both texts. */
  readonly line: number;
}

export function isCanonical(file: SyntaxFile): boolean {
  return firstDifference(file) === null;
}

/** The first difference between a file and its canonical text, or null if it is canonical. Nothing is copied. */
export function firstDifference(file: SyntaxFile): Difference | null {
  const comparer = new TextComparer(file.source.bytes);
  printFile(file, null, comparer);
  if (comparer.isEqual()) return null;
  const offset = comparer.equalBytes;
  return { offset, line: spanOf(file.source, { start: offset, end: offset }).line };
}
