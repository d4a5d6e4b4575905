/** Calls of functions with effects (language.md 4.2 step 6, 4.5). Only modules outside the profile have any. */
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import type { CheckState } from "./check-state.ts";
import type { Callee } from "./module-scope.ts";
import { NodeKind } from "./syntax.ts";
import { Visit, type Walk } from "./walk.ts";

/** C102: a contract has no effects. */
export function checkClauseEffects(state: CheckState, walk: Walk, root: number): void {
  if (!state.scope.hasEffects) return;
  forEachCall(state, walk, root, (node, callee) => {
    if (callee.syntax.effects.length > 0) state.errorAt("SPX-C102", node, "a contract cannot have effects");
  });
}

/** E102: whoever calls a function declares its effects too. */
export function checkBodyEffects(state: CheckState, walk: Walk, caller: Callee): void {
  if (!state.scope.hasEffects) return;
  const declared = new TextIndex(caller.syntax.effects);
  // A callee is compared once however often it is called.
  const undeclared = new Map<Callee, string | null>();
  forEachCall(state, walk, caller.syntax.body, (node, callee) => {
    let missing = undeclared.get(callee);
    if (missing === undefined) {
      missing = callee.syntax.effects.find((effect) => !declared.has(effect)) ?? null;
      undeclared.set(callee, missing);
    }
    if (missing !== null) state.errorAt("SPX-E102", node, `the caller lacks effect ${clip(missing)}`);
  });
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
