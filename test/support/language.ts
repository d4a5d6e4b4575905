/** Runs the phases of the language over source texts, and shows what they find as short lines. */
import type { Diagnostic, Outcome } from "../../src/kernel/failure.ts";
import { checkProject } from "../../src/lang/check.ts";
import type { AdmittedProject, CheckedProject, ResolvedProject } from "../../src/lang/checked.ts";
import { admitProject, type ManifestFacts } from "../../src/lang/link.ts";
import { parse } from "../../src/lang/parser.ts";
import { resolveProject } from "../../src/lang/resolve.ts";
import type { SyntaxFile } from "../../src/lang/syntax.ts";

/** Path to text; paths in their order. */
export type Texts = Readonly<Record<string, string>>;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The texts need not be canonical. */
export function parseTexts(texts: Texts): readonly SyntaxFile[] {
  return Object.entries(texts).map(([path, text]) => {
    const parsed = parse({ path, bytes: encoder.encode(text) });
    if (!parsed.ok) throw new Error(`${path}: ${parsed.failure[0].code} ${parsed.failure[0].message}`);
    return parsed.value;
  });
}

export function resolveTexts(texts: Texts): Outcome<ResolvedProject> {
  return resolveProject(parseTexts(texts));
}

export function checkTexts(texts: Texts): Outcome<CheckedProject> {
  const resolved = resolveTexts(texts);
  return resolved.ok ? checkProject(resolved.value) : resolved;
}

export function admitTexts(texts: Texts, facts: ManifestFacts): Outcome<AdmittedProject> {
  const checked = checkTexts(texts);
  return checked.ok ? admitProject(checked.value, facts) : checked;
}

/**
 * One line for each diagnostic: the code, `?` after that of a warning, `path:` where it is not the first file's, and
 * the text of its span: `T202 zz`. A bare diagnostic is its code alone. An empty list stands for success.
 */
export function shown(texts: Texts, outcome: Outcome<unknown>): readonly string[] {
  if (outcome.ok) return [];
  const bytes = new Map(Object.entries(texts).map(([path, text]) => [path, encoder.encode(text)]));
  return outcome.failure.map((diagnostic) => line(bytes, diagnostic));
}

function line(
  texts: ReadonlyMap<string, Uint8Array>,
  { code, severity, path, span, spanPath }: Diagnostic,
): string {
  const label = `${code.slice("SPX-".length)}${severity === "warning" ? "?" : ""}`;
  if (path === null || span === null) return label;
  const spanned = decoder.decode(texts.get(spanPath ?? path)?.subarray(span.start, span.end));
  const place = path === texts.keys().next().value ? "" : `${path}: `;
  return `${label} ${place}${spanned}`;
}
