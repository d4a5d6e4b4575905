/** Source text in which «…» marks the span that a diagnostic is expected to have. */
import type { Diagnostic, Span } from "../../src/kernel/failure.ts";

const encoder = new TextEncoder();

export interface Marked {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** Null without a mark. */
  readonly span: Span | null;
}

export function marked(source: string): Marked {
  const text = source.replace(/[«»]/g, "");
  const bytes = encoder.encode(text);
  const open = source.indexOf("«");
  if (open < 0) return { text, bytes, span: null };
  const before = source.slice(0, open);
  const start = encoder.encode(before).length;
  const end = start + encoder.encode(source.slice(open + 1, source.indexOf("»"))).length;
  const lines = before.split("\n");
  return { text, bytes, span: { start, end, line: lines.length, column: [...lines.at(-1)!].length + 1 } };
}

/** The diagnostic without its words, which are our own. */
export function withoutWords({ code, severity, path, span }: Diagnostic): Omit<Diagnostic, "message"> {
  return { code, severity, path, span };
}
