/** A source text beside its canonical form (language.md 3). */
import { type Outcome, success } from "../kernel/failure.ts";
import { type Difference, firstDifference, isCanonical } from "../lang/canonical.ts";
import { formatFile } from "../lang/format.ts";
import { parse } from "../lang/parser.ts";
import type { Source } from "../lang/source.ts";
import { commentLines } from "./comments.ts";
import { scalarStart, visibleText } from "./visible-text.ts";

export interface CanonicalForm {
  readonly bytes: Uint8Array;
  /** Where the text first differs from it, or null. */
  readonly difference: LineDifference | null;
  /** Lines on which comments begin; the canonical form has none of them. */
  readonly comments: readonly number[];
  /** Formatting again changes nothing. Otherwise the text has no canonical form at all (language.md 3.3). */
  readonly isFixedPoint: boolean;
}

/** The first line that is not as it should be, and both of its forms; null where a text has no such line. */
export interface LineDifference {
  /** 1-based. */
  readonly line: number;
  readonly found: string | null;
  readonly canonical: string | null;
}

/** Why formatting again would change the text again (language.md 2.2, 3.3). */
export const NO_FIXED_POINT = "two of its comparisons would read as type arguments; bind one with let";

const LF = 0x0a;
/** How much of a line is shown before and after the place where it first differs, in bytes. */
const SHOWN_BEFORE = 80;
const SHOWN_AFTER = 80;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Refused for a text that cannot be parsed. */
export function canonicalForm(source: Source): Outcome<CanonicalForm> {
  const parsed = parse(source);
  if (!parsed.ok) return parsed;
  const found = firstDifference(parsed.value);
  if (found === null) {
    return success({ bytes: source.bytes, difference: null, comments: [], isFixedPoint: true });
  }
  const bytes = formatFile(parsed.value);
  const again = parse({ path: source.path, bytes });
  return success({
    bytes,
    difference: differingLines(source.bytes, bytes, found),
    comments: commentLines(source),
    isFixedPoint: again.ok && isCanonical(again.value),
  });
}

function differingLines(
  bytes: Uint8Array,
  canonical: Uint8Array,
  { offset, line }: Difference,
): LineDifference {
  // Up to the difference both texts are the same, so the line begins at the same place in both.
  const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(LF, offset - 1) + 1;
  const from = scalarStart(bytes, Math.max(lineStart, offset - SHOWN_BEFORE));
  const window = { lineStart, from, to: offset + SHOWN_AFTER };
  return { line, found: lineAt(bytes, window), canonical: lineAt(canonical, window) };
}

/** One line for each form of a differing line, as `- found` and `+ canonical`. */
export function describeDifference({ found, canonical }: LineDifference): string[] {
  if (found === canonical) return ["the line does not end with LF"];
  return [
    ...(found === null ? [] : [`- ${withVisibleEnd(found)}`.trimEnd()]),
    ...(canonical === null ? [] : [`+ ${canonical}`.trimEnd()]),
  ];
}

/** A blank at the end of a line shows. */
function withVisibleEnd(line: string): string {
  return line.replace(/[ \t]$/, (blank) => (blank === " " ? "\\u{20}" : "\\t"));
}

function lineAt(
  bytes: Uint8Array,
  { lineStart, from, to }: { readonly lineStart: number; readonly from: number; readonly to: number },
): string | null {
  if (lineStart >= bytes.length) return null;
  const lf = bytes.indexOf(LF, lineStart);
  const lineEnd = lf < 0 ? bytes.length : lf;
  const end = scalarStart(bytes, Math.min(to, lineEnd));
  const text = visibleText(decoder.decode(bytes.subarray(Math.min(from, lineEnd), end)));
  return `${from > lineStart ? "…" : ""}${text}${end < lineEnd ? "…" : ""}`;
}
