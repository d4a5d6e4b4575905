/** A unified diff of two texts in which line n of one corresponds to line n of the other. */

const CONTEXT_LINES = 3;

/**
 * Compares line by line, which is exact for a change that neither adds nor removes lines. Lines beyond the shorter
 * text count as added or removed at the end. Texts that are equal give an empty string.
 */
export function unifiedDiff(path: string, before: string, after: string): string {
  const [old, young] = [linesOf(before), linesOf(after)];
  const count = Math.max(old.length, young.length);
  const changed: number[] = [];
  for (let line = 0; line < count; line++) if (old[line] !== young[line]) changed.push(line);
  if (changed.length === 0) return "";
  const parts = [`--- ${path}\n+++ ${path}\n`];
  for (let at = 0; at < changed.length; ) {
    const first = changed[at]!;
    let last = first;
    // Two changes share a hunk when their contexts touch.
    while (++at < changed.length && changed[at]! - last <= 2 * CONTEXT_LINES) last = changed[at]!;
    const from = Math.max(0, first - CONTEXT_LINES);
    parts.push(hunk(old, young, from, Math.min(count, last + 1 + CONTEXT_LINES)));
  }
  return parts.join("");
}

function hunk(old: readonly string[], young: readonly string[], from: number, to: number): string {
  const rows: string[] = [];
  for (let line = from; line < to; ) {
    if (old[line] === young[line]) {
      rows.push(row(" ", old[line++]!));
      continue;
    }
    let end = line;
    while (end < to && old[end] !== young[end]) end++;
    for (const text of old.slice(line, end)) rows.push(row("-", text));
    for (const text of young.slice(line, end)) rows.push(row("+", text));
    line = end;
  }
  return `@@ -${place(old, from, to)} +${place(young, from, to)} @@\n${rows.join("")}`;
}

/** `START,COUNT` of a hunk; an empty one names the line before it. */
function place(lines: readonly string[], from: number, to: number): string {
  const count = Math.max(0, Math.min(to, lines.length) - from);
  const start = count === 0 ? Math.min(from, lines.length) : from + 1;
  return count === 1 ? String(start) : `${start},${count}`;
}

function row(sign: string, text: string): string {
  return text.endsWith("\n") ? `${sign}${text}` : `${sign}${text}\n\\ No newline at end of file\n`;
}

/** The lines of a text, each with its LF. */
function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
