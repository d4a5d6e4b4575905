/** The two passes over the functions of a module (language.md 4.2). */
import type { Range } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import { checkBodyEffects, checkClauseEffects } from "./check-effects.ts";
import { checkExpression } from "./check-expressions.ts";
import type { CheckState } from "./check-state.ts";
import { TypeId } from "./checked.ts";
import { RESERVED_ID_PREFIX } from "./identity.ts";
import type { Callee } from "./module-scope.ts";
import { isForbiddenName } from "./names.ts";
import type { TypeSyntax } from "./syntax.ts";
import { differ } from "./types.ts";
import type { Walk } from "./walk.ts";

/** First pass: names and ids. */
export function checkIdentities(state: CheckState): void {
  const names = new TextIndex();
  for (const callee of state.scope.callees) {
    if (callee === null) continue;
    const { syntax, source, name, id } = callee;
    const { findings } = state;
    if (isForbiddenName(name)) {
      findings.error("SPX-S104", syntax.name, `reserved name ${clip(name)}`, source);
    }
    if (!names.add(name)) {
      findings.error("SPX-S101", syntax.name, `function declared twice: ${clip(name)}`, source);
    }
    if (syntax.authoredId === null) {
      findings.warning("SPX-S103", syntax.name, `no @id: ${clip(name)}`);
    } else if (id.includes("\0")) {
      findings.error("SPX-S102", syntax, "an id cannot contain NUL", source);
    } else if (id.startsWith(RESERVED_ID_PREFIX)) {
      findings.error("SPX-T225", syntax, `reserved id ${clip(id)}`, source);
    }
  }
}

/** Second pass: signatures, contracts, bodies and effects. Returns the number of slots per own function. */
export function checkFunctions(state: CheckState, walk: Walk): Uint32Array<ArrayBuffer> {
  const { file, callees } = state.scope;
  const permits = new TextIndex(file.permits);
  const slotCount = new Uint32Array(file.functions.length);
  callees.forEach((callee, index) => {
    if (callee === null) return;
    checkSignature(state, callee);
    if (!callee.isStub) slotCount[index] = checkCode(state, walk, callee);
    for (const effect of callee.syntax.effects) {
      if (permits.has(effect)) continue;
      state.findings.error(
        "SPX-E101",
        callee.syntax,
        `effect is not permitted: ${clip(effect)}`,
        callee.source,
      );
    }
    if (!callee.isStub) checkBodyEffects(state, walk, callee);
  });
  checkMain(state);
  return slotCount;
}

function checkSignature(state: CheckState, callee: Callee): void {
  const { syntax, source } = callee;
  const { parameters, returnType } = syntax;
  reportType(state, callee, returnType, syntax);
  for (const parameter of parameters) reportType(state, callee, parameter.type, parameter.name);
  const names = new TextIndex();
  parameters.forEach(({ name, mode }, index) => {
    const { findings } = state;
    if (isForbiddenName(name.text)) {
      findings.error("SPX-S105", name, `reserved name ${clip(name.text)}`, source);
    }
    if (mode !== null && callee.parameterTypes[index] !== TypeId.Unmodelled) {
      findings.error("SPX-O002", name, `${mode} is for resources only`, source);
    }
    if (!names.add(name.text)) {
      findings.error("SPX-T102", name, `parameter declared twice: ${clip(name.text)}`, source);
    }
  });
}

/** The named types of a stub are the importing file's own imports, so they are known. */
function reportType(state: CheckState, callee: Callee, type: TypeSyntax, range: Range): void {
  if (callee.isStub) return;
  const problem = state.scope.types.problem(type, callee.typeParameters);
  if (problem !== null) state.findings.error(problem.code, range, problem.message);
}

/** Contracts and body of an own function; a clause sees the parameters, not the body's locals. Returns the slots. */
function checkCode(state: CheckState, walk: Walk, callee: Callee): number {
  const { syntax } = callee;
  const { locals, scope } = state;
  state.typeParameters = callee.typeParameters;
  state.returnType = callee.returnType;
  syntax.parameters.forEach(({ name }, index) => {
    locals.bind(scope.names.intern(name.text), callee.parameterTypes[index]!);
  });
  for (const clause of syntax.requires) checkClause(state, walk, clause, "requires");
  state.site = "body";
  const bodyType = checkExpression(state, walk, syntax.body);
  if (differ(callee.returnType, bodyType)) {
    const types = `${state.describe(bodyType)}, not ${state.describe(callee.returnType)}`;
    state.errorAt("SPX-T103", syntax.body, `body gives ${types}`);
  }
  for (const clause of syntax.ensures) checkClause(state, walk, clause, "ensures");
  const { slotCount } = locals;
  locals.clear();
  return slotCount;
}

function checkClause(state: CheckState, walk: Walk, clause: number, site: "requires" | "ensures"): void {
  state.site = site;
  checkClauseEffects(state, walk, clause);
  const type = checkExpression(state, walk, clause);
  if (differ(TypeId.Bool, type)) {
    state.errorAt("SPX-C101", clause, `${site} is ${state.describe(type)}, not bool`);
  }
}

/** T104, for the `main` that calls would resolve to. */
function checkMain(state: CheckState): void {
  const main = state.scope.callees.findLast((callee) => callee?.name === "main");
  if (main === undefined || main === null || main.isStub) return;
  const isPlain = main.parameterTypes.length === 0 && !main.isGeneric && main.returnType === TypeId.I64;
  if (!isPlain) state.findings.error("SPX-T104", main.syntax, "main must be fn main() -> i64");
}
