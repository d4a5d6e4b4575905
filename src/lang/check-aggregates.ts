/** Variant and record values, `with`, projections and `?` (language.md 4.6). For `match` see check-match.ts. */
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import type { CheckState, OpenVariantValue } from "./check-state.ts";
import { TypeId } from "./checked.ts";
import type { AggregateSyntax, TypeSyntax } from "./syntax.ts";
import { differ } from "./types.ts";

function aggregateOf(state: CheckState, node: number): AggregateSyntax {
  return state.tree.aggregates[state.tree.nodeData[node]!]!;
}

/** The type-name check of a value: the span is the whole value, also for what is wrong with an argument. */
function checkTypeName(state: CheckState, node: number, type: TypeSyntax): TypeId {
  for (const part of [type, ...type.arguments]) {
    const problem = state.scope.types.problem(part, state.typeParameters);
    if (problem !== null) state.errorAt(problem.code, node, problem.message);
  }
  return state.scope.types.resolve(type, state.typeParameters);
}

export function enterVariantValue(state: CheckState, node: number): void {
  const aggregate = aggregateOf(state, node);
  const type = aggregate.type === null ? TypeId.Untyped : checkTypeName(state, node, aggregate.type);
  const variant = state.scope.types.variantOf(type);
  const found = variant?.cases.find((candidate) => candidate.name === aggregate.caseName) ?? null;
  if (found === null && type !== TypeId.Unmodelled) {
    const what = `${clip(aggregate.type?.name ?? "", 31)}::${clip(aggregate.caseName ?? "", 31)}`;
    state.errorAt("SPX-T215", node, `no such variant case: ${what}`);
  }
  state.openValues.push({ type, case: found, seen: new TextIndex() });
  checkVariantFieldName(state, node, 0);
}

/** Before the value of field `index`, if there is one. */
function checkVariantFieldName(state: CheckState, node: number, index: number): void {
  const field = aggregateOf(state, node).fields[index];
  const open = innermost(state);
  if (field === undefined || open.type === TypeId.Unmodelled) return;
  const isKnown = open.case?.fields.some(({ name }) => name === field.name) ?? false;
  if (!open.seen.add(field.name)) {
    state.findings.error("SPX-T212", field, `field given twice: ${clip(field.name)}`);
  } else if (!isKnown) {
    state.findings.error("SPX-T212", field, `unknown field ${clip(field.name)}`);
  }
}

/** After the value of field `index`. */
export function leaveVariantField(state: CheckState, node: number, index: number): void {
  const open = innermost(state);
  const name = aggregateOf(state, node).fields[index]!.name;
  const field = open.case?.fields.find((candidate) => candidate.name === name);
  if (field !== undefined) {
    const value = state.child(node, index);
    const expected = state.scope.types.argumentOf(open.type, field.argument);
    const given = state.typeOf(value);
    if (differ(expected, given)) {
      state.errorAt("SPX-T215", value, mismatch(state, "field", expected, given));
    }
  }
  checkVariantFieldName(state, node, index + 1);
}

/** After the last field. */
export function leaveVariantValue(state: CheckState, node: number): void {
  const open = innermost(state);
  state.openValues.pop();
  for (const field of open.case?.fields ?? []) {
    if (!open.seen.has(field.name)) state.errorAt("SPX-T213", node, `missing field ${field.name}`);
  }
  const isKnown = open.case !== null || open.type === TypeId.Unmodelled;
  state.nodeType[node] = isKnown ? open.type : TypeId.Untyped;
}

function innermost(state: CheckState): OpenVariantValue {
  return state.openValues[state.openValues.length - 1]!;
}

/** No record is modelled: whatever is not authored is no record. */
export function enterRecordValue(state: CheckState, node: number): void {
  const { type: syntax } = aggregateOf(state, node);
  const type = syntax === null ? TypeId.Untyped : checkTypeName(state, node, syntax);
  if (type !== TypeId.Unmodelled) {
    state.errorAt("SPX-T215", node, `${clip(syntax?.name ?? "")} is not a record`);
  }
  state.nodeType[node] = type === TypeId.Unmodelled ? type : TypeId.Untyped;
  checkRecordFieldName(state, node, 0);
}

/** Before the value of field `index`, if there is one. */
export function checkRecordFieldName(state: CheckState, node: number, index: number): void {
  const field = aggregateOf(state, node).fields[index];
  if (field === undefined || state.typeOf(node) === TypeId.Unmodelled) return;
  state.findings.error("SPX-T212", field, `unknown field ${clip(field.name)}`);
}

/** After the base of a `with`. False: the replacement values are not checked. */
export function leaveWithBase(state: CheckState, node: number): boolean {
  const base = state.child(node, 0);
  const type = state.typeOf(base);
  if (type === TypeId.Unmodelled) {
    state.nodeType[node] = type;
    return true;
  }
  if (type !== TypeId.Untyped) state.errorAt("SPX-T215", base, `${state.describe(type)} is not a record`);
  return false;
}

export function leaveProjection(state: CheckState, node: number): void {
  const type = state.typeOf(state.child(node, 0));
  if (type === TypeId.Unmodelled) state.nodeType[node] = type;
  else if (type !== TypeId.Untyped) state.errorAt("SPX-T214", node, `${state.describe(type)} has no fields`);
}

export function leaveTry(state: CheckState, node: number): void {
  const type = state.typeOf(state.child(node, 0));
  if (type === TypeId.Untyped) return;
  const { types } = state.scope;
  const variant = types.variantOf(type);
  if (state.site !== "body") {
    state.errorAt("SPX-T218", node, "? cannot stand in a contract");
  } else if (type === TypeId.Unmodelled || state.returnType === TypeId.Unmodelled) {
    state.nodeType[node] = TypeId.Unmodelled;
  } else if (variant === null) {
    state.errorAt("SPX-T218", node, `? needs Option or Result, not ${state.describe(type)}`);
  } else if (types.variantOf(state.returnType) !== variant) {
    state.errorAt("SPX-T218", node, `? needs a function returning ${variant.name}`);
  } else if (
    variant.name === "Result" &&
    differ(types.argumentOf(type, 1), types.argumentOf(state.returnType, 1))
  ) {
    state.errorAt("SPX-T219", node, "? meets a different error type");
  } else {
    state.nodeType[node] = types.argumentOf(type, 0);
  }
}

/** Words about one value of a wrong type. */
export function mismatch(state: CheckState, what: string, expected: TypeId, given: TypeId): string {
  return `${what} is ${state.describe(given)}, not ${state.describe(expected)}`;
}
