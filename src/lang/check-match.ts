/** `match` and its patterns (language.md 4.6). */
import type { Range } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import { mismatch } from "./check-aggregates.ts";
import type { CheckState, OpenMatch } from "./check-state.ts";
import { TypeId } from "./checked.ts";
import { isForbiddenName } from "./names.ts";
import type { PreludeCase } from "./prelude.ts";
import type { MatchSyntax, PatternFieldSyntax, PatternSyntax } from "./syntax.ts";
import { differ } from "./types.ts";

type CasePattern = Extract<PatternSyntax, { kind: "case" }>;

function matchOf(state: CheckState, node: number): MatchSyntax {
  return state.tree.matches[state.tree.nodeData[node]!]!;
}

/** After child `index`: the scrutinee, or the value of an arm. Then the pattern of the next arm is due. */
export function leaveMatchChild(state: CheckState, node: number, index: number): void {
  if (index === 0) leaveScrutinee(state, node);
  else leaveArm(state, state.child(node, index));
  const nextArm = matchOf(state, node).arms[index];
  if (nextArm !== undefined) enterArm(state, nextArm.pattern);
}

export function leaveMatch(state: CheckState, node: number): void {
  const open = innermost(state);
  state.openMatches.pop();
  if (open.variant !== null && !open.hasWildcard && !coversAll(open)) {
    const missing = open.variant.cases.find(({ name }) => !open.covered.has(name))!;
    state.errorAt("SPX-M101", node, `no arm for ${open.variant.name}::${missing.name}`);
  }
  state.nodeType[node] = open.armType;
}

function leaveScrutinee(state: CheckState, node: number): void {
  const scrutinee = state.child(node, 0);
  const scrutineeType = state.typeOf(scrutinee);
  const variant = state.scope.types.variantOf(scrutineeType);
  if (variant === null && scrutineeType !== TypeId.Unmodelled) {
    state.errorAt("SPX-M103", scrutinee, "only variants can be matched");
  }
  const armType = TypeId.Untyped;
  state.openMatches.push({ scrutineeType, variant, covered: new Set(), hasWildcard: false, armType });
}

function enterArm(state: CheckState, pattern: PatternSyntax): void {
  state.enterScope();
  const open = innermost(state);
  if (open.scrutineeType === TypeId.Unmodelled) {
    bindUnmodelled(state, pattern);
    return;
  }
  switch (pattern.kind) {
    case "wildcard":
      if (open.hasWildcard || (open.variant !== null && coversAll(open))) {
        state.findings.error("SPX-M102", pattern, "no value is left for this arm");
      }
      open.hasWildcard = true;
      return;
    case "case":
      checkCasePattern(state, open, pattern);
      return;
    case "record":
      state.findings.error("SPX-M103", pattern, "record pattern fits no variant");
      return;
  }
}

function leaveArm(state: CheckState, value: number): void {
  state.leaveScope();
  const open = innermost(state);
  const type = state.typeOf(value);
  if (open.armType === TypeId.Untyped) open.armType = type;
  else if (differ(open.armType, type)) {
    state.errorAt("SPX-T216", value, mismatch(state, "arm", open.armType, type));
  }
}

function checkCasePattern(state: CheckState, open: OpenMatch, pattern: CasePattern): void {
  const { variant } = open;
  const found =
    variant !== null && variant.name === pattern.typeName
      ? variant.cases.find(({ name }) => name === pattern.caseName)
      : undefined;
  if (found === undefined) {
    const what = `${clip(pattern.typeName, 31)}::${clip(pattern.caseName, 31)}`;
    state.findings.error("SPX-M103", pattern, `no case of the matched value: ${what}`);
    return;
  }
  if (open.hasWildcard || open.covered.has(found.name)) {
    state.findings.error("SPX-M102", pattern, "no value is left for this arm");
  }
  open.covered.add(found.name);
  checkPatternFields(state, open, pattern, found);
}

function checkPatternFields(state: CheckState, open: OpenMatch, pattern: CasePattern, of: PreludeCase): void {
  const seen = new TextIndex();
  const bindings = new TextIndex();
  for (const field of pattern.fields) {
    const known = of.fields.find(({ name }) => name === field.name);
    if (!seen.add(field.name)) {
      state.findings.error("SPX-M104", field, `field matched twice: ${clip(field.name)}`);
    } else if (known === undefined) {
      state.findings.error("SPX-M104", field, `unknown field ${clip(field.name)}`);
    }
    const type =
      known === undefined ? TypeId.Untyped : state.scope.types.argumentOf(open.scrutineeType, known.argument);
    checkBinding(state, field.binding, type, bindings);
  }
  for (const { name } of of.fields) {
    if (!seen.has(name)) state.findings.error("SPX-M104", pattern, `missing field ${name}`);
  }
}

function checkBinding(
  state: CheckState,
  binding: PatternFieldSyntax["binding"],
  type: TypeId,
  bindings: TextIndex,
): void {
  switch (binding.kind) {
    case "wildcard":
      return;
    case "pattern":
      state.findings.error("SPX-M103", binding.pattern, "the field holds no record");
      return;
    case "name": {
      const name = state.scope.names.intern(binding.name);
      const isTaken = !bindings.add(binding.name) || state.locals.isBound(name);
      if (isForbiddenName(binding.name)) reportBinding(state, binding, "reserved name", binding.name);
      else if (isTaken) reportBinding(state, binding, "name is already in use:", binding.name);
      if (type !== TypeId.Untyped) state.locals.bind(name, type);
      return;
    }
  }
}

function reportBinding(state: CheckState, range: Range, what: string, name: string): void {
  state.findings.error("SPX-M104", range, `${what} ${clip(name)}`);
}

/** Introduces the names of a pattern over an authored type. Patterns may nest, so there is a list of open ones. */
function bindUnmodelled(state: CheckState, outermost: PatternSyntax): void {
  const pending: PatternSyntax[] = [outermost];
  for (let pattern = pending.pop(); pattern !== undefined; pattern = pending.pop()) {
    if (pattern.kind === "wildcard") continue;
    for (const { binding } of pattern.fields) {
      if (binding.kind === "pattern") pending.push(binding.pattern);
      else if (binding.kind === "name") {
        state.locals.bind(state.scope.names.intern(binding.name), TypeId.Unmodelled);
      }
    }
  }
}

function coversAll(open: OpenMatch): boolean {
  return open.variant !== null && open.covered.size === open.variant.cases.length;
}

function innermost(state: CheckState): OpenMatch {
  return state.openMatches[state.openMatches.length - 1]!;
}
