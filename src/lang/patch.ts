import { formatFile } from "./format.ts";
import type { SyntaxFile } from "./syntax.ts";

/**
 * The candidate source of a rename (N10): the canonical text of a file in which the function `from` is declared as `to`
 * and every call of `from`, in bodies and clauses, calls `to`. Values of the same name and import aliases stay. Whether the
 * result is a valid source is for the phases that every source goes through (N11).
 */
export function renameFunction(file: SyntaxFile, from: string, to: string): Uint8Array {
  return formatFile(file, { from, to });
}
