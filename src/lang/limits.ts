/** The counting limits of language.md 5.4 that one file can touch, and the bound on nesting. */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { NodeKind, type SyntaxFile } from "./syntax.ts";

/** Functions, types, fields, cases, lifecycles, interfaces and imports of a project (language.md 5.4). */
export const DECLARATIONS_MAX = 4096;
/** Functions of a project (language.md 5.4). */
export const CALLABLES_MAX = 1024;
/** Call nodes in contracts and bodies of a project (language.md 5.4). */
export const CALL_SITES_MAX = 65_536;
/** `use` declarations of a project (language.md 5.4). */
export const USES_MAX = 4096;
/**
 * Open expressions, type arguments and patterns at any point of a file (language.md 2.1; at least 2000). One of them takes
 * at most 660 bytes of the host's stack before any optimisation: 1.6 MB in all, of 5 MB that there are.
 */
export const NESTING_MAX = 2500;

/** What has been counted so far in the files of a project. */
export interface Totals {
  readonly declarations: number;
  readonly callables: number;
  readonly callSites: number;
  readonly uses: number;
}

export const NO_TOTALS: Totals = { declarations: 0, callables: 0, callSites: 0, uses: 0 };

/** The totals with one more file, or `SPX-G171`, bare, for the first limit in the order of the table. */
export function countFile(before: Totals, file: SyntaxFile): Outcome<Totals> {
  const totals: Totals = {
    declarations: before.declarations + countDeclarations(file),
    callables: before.callables + file.functions.length,
    callSites: before.callSites + countCalls(file),
    uses: before.uses + file.uses.length,
  };
  if (totals.declarations > DECLARATIONS_MAX) return exceeded(DECLARATIONS_MAX, "declarations");
  if (totals.callables > CALLABLES_MAX) return exceeded(CALLABLES_MAX, "functions");
  if (totals.callSites > CALL_SITES_MAX) return exceeded(CALL_SITES_MAX, "calls");
  if (totals.uses > USES_MAX) return exceeded(USES_MAX, "uses");
  return success(totals);
}

function countDeclarations(file: SyntaxFile): number {
  let count = file.functions.length + file.types.length + file.interfaces.length;
  for (const type of file.types) {
    switch (type.kind) {
      case "resource":
        count += type.lifecycles.length;
        break;
      case "record":
        count += type.fields.length;
        break;
      case "variant":
        count += type.cases.length;
        for (const variantCase of type.cases) count += variantCase.fields.length;
        break;
    }
  }
  for (const declared of file.interfaces) count += declared.imports.length;
  return count;
}

/** Every node belongs to a contract or a body, so every call node counts. */
export function countCalls(file: SyntaxFile): number {
  const { nodeCount, nodeKind } = file.tree;
  let count = 0;
  for (let node = 0; node < nodeCount; node++) {
    if (nodeKind[node] === NodeKind.Call) count++;
  }
  return count;
}

function exceeded(limit: number, what: string) {
  return refuse("SPX-G171", `more than ${limit} ${what} in a project`);
}
