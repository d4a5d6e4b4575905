/** Phase 3 of language.md 12.1 for one file: everything that a source must be on its own. */
import { type Outcome, refuse } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { firstDifference } from "./canonical.ts";
import { countFile, type Totals } from "./limits.ts";
import { parse } from "./parser.ts";
import type { Source } from "./source.ts";
import type { SyntaxFile } from "./syntax.ts";

export interface Admission {
  readonly file: SyntaxFile;
  /** With this file. */
  readonly totals: Totals;
}

/**
 * Lexing, parsing, native imports (`SPX-G218`), canonical form (`SPX-G170`) and counting limits (`SPX-G171`) of one file,
 * in this order; the first failure wins. The last three are bare.
 */
export function admitSource(source: Source, before: Totals): Outcome<Admission> {
  const parsed = parse(source);
  if (!parsed.ok) return parsed;
  const file = parsed.value;
  const path = clip(source.path);
  if (hasNativeImport(file)) return refuse("SPX-G218", `${path} imports a native function`);
  const difference = firstDifference(file);
  if (difference !== null) return refuse("SPX-G170", `${path} is not canonical at line ${difference.line}`);
  const totals = countFile(before, file);
  return totals.ok ? { ok: true, value: { file, totals: totals.value } } : totals;
}

function hasNativeImport(file: SyntaxFile): boolean {
  return file.interfaces.some((declared) => declared.imports.some((imported) => imported.rust));
}
