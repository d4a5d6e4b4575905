/**
 * A diagnostic as people read it (L8):
 *
 *     error[SPX-T202]: unknown value rihgt
 *       --> src/core.spx:6:12
 *     6 |     left + rihgt
 *       |            ^^^^^
 *     help: did you mean right?
 */
import type { Diagnostic, Range, Span } from "../kernel/failure.ts";
import type { Palette } from "./colour.ts";
import { scalarStart, textColumns, visibleText, visibleWords } from "./visible-text.ts";

/** The bytes of a source by its path, or null where they cannot be had; the excerpt is left out then. */
export type SourceLookup = (path: string) => Uint8Array | null;

/** A line longer than this is shown in part; in bytes, as the next two. */
const LINE_SHOWN_MAX = 400;
/** Of a long line: how much is shown on the side of the span that does not matter, … */
const CONTEXT_SHOWN = 80;
/** … and how much on the other. */
const SPAN_SHOWN = LINE_SHOWN_MAX - CONTEXT_SHOWN;

/** How far a line's start and end are looked for, so that what is cut off is known to be there. */
const LINE_SEARCHED = LINE_SHOWN_MAX + 1;

const LF = 0x0a;
const CR = 0x0d;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Every line ends with LF. */
export function renderDiagnostic(
  diagnostic: Diagnostic,
  sourceOf: SourceLookup,
  help: readonly string[],
  palette: Palette,
): string {
  const { code, severity, path, span, spanPath } = diagnostic;
  const label = severity === "error" ? palette.error : palette.warning;
  const lines = [
    `${label(`${severity}[${code}]`)}${palette.strong(`: ${visibleWords(diagnostic.message)}`)}`,
  ];
  if (path !== null && span === null) lines.push(`  ${palette.frame("-->")} ${visibleWords(path)}`);
  if (path !== null && span !== null) {
    const seenFrom = spanPath === undefined ? "" : ` (imported by ${path})`;
    const place = `${spanPath ?? path}:${span.line}:${span.column}${seenFrom}`;
    lines.push(`  ${palette.frame("-->")} ${visibleWords(place)}`);
    const bytes = sourceOf(spanPath ?? path);
    if (bytes !== null && span.end <= bytes.length) lines.push(...excerpt(bytes, span, palette, label));
  }
  for (const remedy of help) lines.push(...remedyLines(remedy, palette));
  return `${lines.join("\n")}\n`;
}

/** The first line of a remedy after `help:`, further ones below it. */
function remedyLines(remedy: string, palette: Palette): string[] {
  const [first = "", ...rest] = remedy.split("\n").map(visibleWords);
  return [`${palette.help("help:")} ${first}`, ...rest.map((line) => `      ${line}`)];
}

/** The line of the span's start and, where that is another one, the line of its end; a caret line under each. */
export function excerpt(
  bytes: Uint8Array,
  span: Span,
  palette: Palette,
  mark: (text: string) => string,
): string[] {
  const first = lineAround(bytes, span.start, span.end);
  const last = span.end > first.end ? lineAround(bytes, Math.max(span.start, span.end - 1), span.end) : first;
  if (last.start === first.start) {
    const gutter = String(span.line).length;
    return pictured(bytes, first, span, { number: span.line, gutter, around: "start" }, palette, mark);
  }
  const between = linesBetween(bytes, first.start, last.start);
  const lastLineNumber = span.line + between;
  const gutter = String(lastLineNumber).length;
  const head = { start: span.start, end: Math.max(span.start, first.end) };
  const tail = { start: Math.min(indentEnd(bytes, last), span.end - 1), end: span.end };
  return [
    ...pictured(bytes, first, head, { number: span.line, gutter, around: "start" }, palette, mark),
    ...(between > 1 ? [palette.frame(`${" ".repeat(gutter)} ⋮`)] : []),
    ...pictured(bytes, last, tail, { number: lastLineNumber, gutter, around: "end" }, palette, mark),
  ];
}

interface LineNumbering {
  readonly number: number;
  readonly gutter: number;
  /** Which end of the marked range a part of a long line must show. */
  readonly around: "start" | "end";
}

/** A source line and its caret line. TABs are kept in both, so that they line up whatever the tab stops are. */
function pictured(
  bytes: Uint8Array,
  line: Range,
  marked: Range,
  { number, gutter, around }: LineNumbering,
  palette: Palette,
  mark: (text: string) => string,
): string[] {
  const shownRange = partOfLine(bytes, line, around === "start" ? marked.start : marked.end, around);
  const from = Math.max(shownRange.start, marked.start);
  const to = Math.min(shownRange.end, Math.max(from, marked.end));
  const prefix = (shownRange.start > line.start ? "…" : "") + decoded(bytes, shownRange.start, from);
  const middle = decoded(bytes, from, to);
  const suffix = decoded(bytes, to, endWithoutCr(bytes, to, shownRange.end));
  const cut = shownRange.end < line.end ? "…" : "";
  const rule = palette.frame("|");
  const text = `${prefix}${middle}${suffix}${cut}`.trimEnd();
  const numbered = `${palette.frame(String(number).padStart(gutter))} ${rule}`;
  return [
    text === "" ? numbered : `${numbered} ${text}`,
    `${" ".repeat(gutter)} ${rule} ${blanksUnder(prefix)}${mark(caretsUnder(prefix, middle))}`,
  ];
}

function blanksUnder(prefix: string): string {
  return prefix
    .split("\t")
    .map((run) => " ".repeat(textColumns(run)))
    .join("\t");
}

/** Carets as wide as the marked text, at least one. A TAB inside stays a TAB; a last one gets a caret. */
function caretsUnder(prefix: string, marked: string): string {
  const endsWithTab = marked.endsWith("\t");
  const runs = (endsWithTab ? marked.slice(0, -1) : marked).split("\t");
  const before = prefix.slice(prefix.lastIndexOf("\t") + 1);
  const carets = runs.map((run, index) =>
    // The first run may complete a character of the prefix, for example with a combining mark.
    "^".repeat(Math.max(0, index > 0 ? textColumns(run) : textColumns(before + run) - textColumns(before))),
  );
  const joined = carets.join("\t");
  return endsWithTab || !joined.includes("^") ? `${joined}^` : joined;
}

/**
 * The line that holds a byte offset, without its LF; at least up to `reach` where it is longer. Of a line that goes on for
 * long on either side only the near part is found: a file may be one line with a diagnostic at every word.
 */
function lineAround(bytes: Uint8Array, offset: number, reach: number): Range {
  const from = Math.max(0, offset - LINE_SEARCHED);
  const to = Math.min(bytes.length, Math.max(offset, reach) + LINE_SEARCHED);
  const lf = bytes.subarray(offset, to).indexOf(LF);
  return {
    start: from + bytes.subarray(from, offset).lastIndexOf(LF) + 1,
    end: lf < 0 ? to : offset + lf,
  };
}

function linesBetween(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LF, from); at >= 0 && at < to; at = bytes.indexOf(LF, at + 1)) count++;
  return count;
}

function indentEnd(bytes: Uint8Array, line: Range): number {
  let at = line.start;
  while (at < line.end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at;
}

/** What of a line is shown: all of it, or the neighbourhood of one offset. */
function partOfLine(bytes: Uint8Array, line: Range, offset: number, around: "start" | "end"): Range {
  if (line.end - line.start <= LINE_SHOWN_MAX) return line;
  const before = around === "start" ? CONTEXT_SHOWN : SPAN_SHOWN;
  const start = Math.max(line.start, Math.min(offset - before, line.end - LINE_SHOWN_MAX));
  const end = Math.min(line.end, start + LINE_SHOWN_MAX);
  return { start: scalarStart(bytes, start), end: scalarStart(bytes, end) };
}

function endWithoutCr(bytes: Uint8Array, from: number, end: number): number {
  return end > from && bytes[end - 1] === CR ? end - 1 : end;
}

function decoded(bytes: Uint8Array, start: number, end: number): string {
  return visibleText(decoder.decode(bytes.subarray(start, end)));
}
