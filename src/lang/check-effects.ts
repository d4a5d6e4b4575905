/** Calls of functions with effects (language.md 4.2 step 6, 4.5). Only modules outside the profile have any. */
import { clip } from "../kernel/text.ts";
import type { CheckState } from "./check-state.ts";
import type { Callee } from "./module-scope.ts";
import { NodeKind } from "./syntax.ts";
import { Visit, type Walk } from "./walk.ts";

/** C102: a contract has no effects. */
export function checkClauseEffects(state: CheckState, walk: Walk, root: number): void {
  if (state.scope.effects.size === 0) return;
  forEachCall(state, walk, root, (node, callee) => {
    if (callee.effects.length > 0) state.errorAt("SPX-C102", node, "a contract cannot have effects");
  });
}

/** E102: whoever calls a function declares its effects too. */
export function checkBodyEffects(state: CheckState, walk: Walk, caller: Callee): void {
  if (state.scope.effects.size === 0) return;
  // Sets may be large and many functions may call many others, so they are compared as marks and not as texts, and a
  // callee once for each caller, however often it is called.
  const isDeclared = new Uint8Array(state.scope.effects.size);
  for (const effect of caller.effects) isDeclared[effect] = 1;
  const missingOf = new Map<Callee, string | null>();
  forEachCall(state, walk, caller.syntax.body, (node, callee) => {
    let missing = missingOf.get(callee);
    if (missing === undefined) {
      missing = callee.syntax.effects[firstUnmarked(callee.effects, isDeclared)] ?? null;
      missingOf.set(callee, missing);
    }
    if (missing !== null) state.errorAt("SPX-E102", node, `the caller lacks effect ${clip(missing)}`);
  });
}

/** The index of the first effect without a mark, or the length. */
function firstUnmarked(effects: Uint32Array, marks: Uint8Array): number {
  let index = 0;
  while (index < effects.length && marks[effects[index]!] === 1) index++;
  return index;
}

/** In pre-order, calls of unknown functions left out. */
function forEachCall(
  state: CheckState,
  walk: Walk,
  root: number,
  visit: (node: number, callee: Callee) => void,
): void {
  const { tree, scope } = state;
  walk.start(root);
  for (let step = walk.step(); step !== Visit.Done; step = walk.step()) {
    const { node } = walk;
    if (step !== Visit.Enter || tree.nodeKind[node] !== NodeKind.Call) continue;
    const index = scope.calleeByName[tree.nodeData[node]!]!;
    const callee = index < 0 ? null : scope.callees[index]!;
    if (callee !== null) visit(node, callee);
  }
}
