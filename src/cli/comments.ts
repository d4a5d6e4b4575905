import { lex } from "../lang/lexer.ts";
import type { Source } from "../lang/source.ts";

const SLASH = 0x2f;
const LF = 0x0a;

/**
 * The 1-based lines on which a comment begins (language.md 1.2), ascending; none for a file that cannot be lexed.
 * Between two tokens there is nothing but white space and comments, so a slash there begins a comment.
 */
export function commentLines(source: Source): number[] {
  const lexed = lex(source);
  if (!lexed.ok) return [];
  const { bytes } = source;
  const { count, start, end } = lexed.value;
  const lines: number[] = [];
  let line = 1;
  let counted = 0;
  for (let token = 0; token < count; token++) {
    const gapEnd = start[token]!;
    for (let at = token === 0 ? 0 : end[token - 1]!; at < gapEnd; at++) {
      if (bytes[at] !== SLASH) continue;
      for (; counted < at; counted++) if (bytes[counted] === LF) line++;
      lines.push(line);
      const lineEnd = bytes.indexOf(LF, at);
      at = lineEnd < 0 ? gapEnd : lineEnd;
    }
  }
  return lines;
}

const LINES_SHOWN_MAX = 10;

/** `line 3`, `lines 3, 7 and 9`, or the first ten and how many more. */
export function linesShown(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines[0]}`;
  if (lines.length > LINES_SHOWN_MAX) {
    return `lines ${lines.slice(0, LINES_SHOWN_MAX).join(", ")} and ${lines.length - LINES_SHOWN_MAX} more`;
  }
  return `lines ${lines.slice(0, -1).join(", ")} and ${lines.at(-1)}`;
}
