/** Phase 8: one module after the other in path order (language.md 4). */
import { type Failure, type Outcome, success } from "../kernel/failure.ts";
import { checkFunctions, checkIdentities } from "./check-declarations.ts";
import { CheckState } from "./check-state.ts";
import type { CheckedModule, CheckedProject, ResolvedProject } from "./checked.ts";
import { Findings } from "./findings.ts";
import { moduleScope } from "./module-scope.ts";
import { Walk } from "./walk.ts";

/** Refused with everything that was found in the first module with an error, warnings included (4.1). */
export function checkProject(resolved: ResolvedProject): Outcome<CheckedProject> {
  const modules: CheckedModule[] = [];
  for (let file = 0; file < resolved.files.length; file++) {
    const { module, failure } = checkModule(resolved, file);
    if (failure !== null) return { ok: false, failure };
    modules.push(module);
  }
  return success({ ...resolved, modules });
}

function checkModule(
  resolved: ResolvedProject,
  file: number,
): { readonly module: CheckedModule; readonly failure: Failure | null } {
  const scope = moduleScope(resolved, file);
  const findings = new Findings(scope.file.source);
  const state = new CheckState(scope, findings);
  checkIdentities(state);
  const slotCount = checkFunctions(state, new Walk(scope.file.tree));
  const { nodeType, target, letSlot } = state;
  return { module: { nodeType, target, letSlot, slotCount }, failure: findings.failure() };
}
