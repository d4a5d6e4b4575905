/** Types of expressions and what is wrong with them (language.md 4.3, 4.4), depth first in evaluation order. */
import { clip } from "../kernel/text.ts";
import {
  checkRecordFieldName,
  enterRecordValue,
  enterVariantValue,
  leaveProjection,
  leaveTry,
  leaveVariantField,
  leaveVariantValue,
  leaveWithBase,
  mismatch,
} from "./check-aggregates.ts";
import { leaveMatch, leaveMatchChild } from "./check-match.ts";
import { checkBinary, checkUnary } from "./check-operators.ts";
import type { CheckState } from "./check-state.ts";
import { NO_TARGET, RESULT_SLOT, TypeId } from "./checked.ts";
import { type Callee, SYNTHETIC_MAIN } from "./module-scope.ts";
import { isForbiddenName } from "./names.ts";
import { NodeKind } from "./syntax.ts";
import { differ } from "./types.ts";
import { Visit, type Walk } from "./walk.ts";

/** Checks one clause or body and returns its type. `walk` is one over the same tree, free to be used. */
export function checkExpression(state: CheckState, walk: Walk, root: number): TypeId {
  walk.start(root);
  for (;;) {
    switch (walk.step()) {
      case Visit.Enter:
        enter(state, walk.node);
        break;
      case Visit.Between:
        if (!between(state, walk.node, walk.childIndex)) walk.skipChildren();
        break;
      case Visit.Leave:
        leave(state, walk.node);
        break;
      case Visit.Done:
        return state.typeOf(root);
    }
  }
}

function enter(state: CheckState, node: number): void {
  const kind: NodeKind = state.tree.nodeKind[node]!;
  switch (kind) {
    case NodeKind.Call:
      enterCall(state, node);
      return;
    case NodeKind.Block:
      state.enterScope();
      enterLet(state, node, 0);
      return;
    case NodeKind.VariantValue:
      enterVariantValue(state, node);
      return;
    case NodeKind.RecordValue:
      enterRecordValue(state, node);
      return;
    default:
      return;
  }
}

/** After a child that is not the last. False: the rest of the children are not checked. */
function between(state: CheckState, node: number, childIndex: number): boolean {
  const kind: NodeKind = state.tree.nodeKind[node]!;
  switch (kind) {
    case NodeKind.With:
      // The base; what follows are replacement values, which nothing has to be checked against.
      return childIndex > 0 || leaveWithBase(state, node);
    case NodeKind.Block:
      leaveLet(state, node, childIndex);
      enterLet(state, node, childIndex + 1);
      return true;
    case NodeKind.If:
      if (childIndex === 0) leaveCondition(state, node);
      return true;
    default:
      leaveChild(state, kind, node, childIndex);
      return true;
  }
}

/** After any child, the last one included, of the nodes that treat all of them alike. */
function leaveChild(state: CheckState, kind: NodeKind, node: number, childIndex: number): void {
  switch (kind) {
    case NodeKind.Call:
      leaveArgument(state, node, childIndex);
      return;
    case NodeKind.Match:
      leaveMatchChild(state, node, childIndex);
      return;
    case NodeKind.VariantValue:
      leaveVariantField(state, node, childIndex);
      return;
    case NodeKind.RecordValue:
      checkRecordFieldName(state, node, childIndex + 1);
      return;
    default:
      return;
  }
}

function leave(state: CheckState, node: number): void {
  const kind: NodeKind = state.tree.nodeKind[node]!;
  const lastChild = state.childCount(node) - 1;
  if (lastChild >= 0) leaveChild(state, kind, node, lastChild);
  switch (kind) {
    case NodeKind.Integer:
      state.nodeType[node] = TypeId.I64;
      return;
    case NodeKind.Float64:
      state.nodeType[node] = TypeId.F64;
      return;
    case NodeKind.Float32:
      state.nodeType[node] = TypeId.F32;
      return;
    case NodeKind.Char:
      state.nodeType[node] = TypeId.Char;
      return;
    case NodeKind.Bool:
      state.nodeType[node] = TypeId.Bool;
      return;
    case NodeKind.Variable:
      checkVariable(state, node);
      return;
    case NodeKind.Unary:
      checkUnary(state, node);
      return;
    case NodeKind.Binary:
      checkBinary(state, node);
      return;
    case NodeKind.Call:
      leaveCall(state, node);
      return;
    case NodeKind.Block:
      state.nodeType[node] = state.typeOf(state.child(node, lastChild));
      state.leaveScope();
      return;
    case NodeKind.If:
      leaveIf(state, node);
      return;
    case NodeKind.Match:
      leaveMatch(state, node);
      return;
    case NodeKind.RecordValue:
      return;
    case NodeKind.VariantValue:
      leaveVariantValue(state, node);
      return;
    case NodeKind.With:
      if (lastChild === 0) leaveWithBase(state, node);
      return;
    case NodeKind.Projection:
      leaveProjection(state, node);
      return;
    case NodeKind.Try:
      leaveTry(state, node);
      return;
  }
}

function nameOf(state: CheckState, node: number): string {
  return state.tree.names[state.tree.nodeData[node]!]!;
}

function checkVariable(state: CheckState, node: number): void {
  const name = state.tree.nodeData[node]!;
  const { locals } = state;
  if (nameOf(state, node) === "result") checkResult(state, node);
  else if (locals.isBound(name)) {
    state.target[node] = locals.slotOf(name);
    state.nodeType[node] = locals.typeOf(name);
  } else {
    state.errorAt("SPX-T202", node, `unknown value ${clip(nameOf(state, node))}`);
  }
}

function checkResult(state: CheckState, node: number): void {
  if (state.site !== "ensures") {
    state.errorAt("SPX-T201", node, "result exists only in ensures");
    return;
  }
  state.target[node] = RESULT_SLOT;
  state.nodeType[node] = state.returnType;
}

/** Before the value of let `index`, if that child is one. */
function enterLet(state: CheckState, node: number, index: number): void {
  if (index === state.childCount(node) - 1) return;
  const entry = state.tree.nodeData[node]! + index;
  const name = state.tree.names[state.tree.letName[entry]!]!;
  if (isForbiddenName(name)) reportLet(state, entry, "SPX-S109", `reserved name ${clip(name)}`);
}

/** After the value of let `index`: a name is visible from here on, so an initialiser never sees its own. */
function leaveLet(state: CheckState, node: number, index: number): void {
  const { tree, locals } = state;
  const entry = tree.nodeData[node]! + index;
  const name = tree.letName[entry]!;
  if (locals.isBound(name)) {
    reportLet(state, entry, "SPX-T209", `name is already in use: ${clip(tree.names[name]!)}`);
  }
  const type = state.typeOf(state.child(node, index));
  if (type !== TypeId.Untyped) state.letSlot[entry] = locals.bind(name, type);
}

function reportLet(state: CheckState, entry: number, code: "SPX-S109" | "SPX-T209", message: string): void {
  const { letNameStart, letNameEnd } = state.tree;
  state.findings.error(code, { start: letNameStart[entry]!, end: letNameEnd[entry]! }, message);
}

function leaveCondition(state: CheckState, node: number): void {
  const condition = state.child(node, 0);
  const type = state.typeOf(condition);
  if (differ(TypeId.Bool, type)) {
    state.errorAt("SPX-T210", condition, mismatch(state, "condition", TypeId.Bool, type));
  }
}

function leaveIf(state: CheckState, node: number): void {
  const whenTrue = state.typeOf(state.child(node, 1));
  const whenFalse = state.typeOf(state.child(node, 2));
  if (differ(whenTrue, whenFalse)) {
    const types = `${state.describe(whenTrue)} and ${state.describe(whenFalse)}`;
    state.errorAt("SPX-T211", node, `branches differ: ${types}`);
  }
  const isTyped = whenTrue !== TypeId.Untyped && whenFalse !== TypeId.Untyped;
  state.nodeType[node] = isTyped ? whenTrue : TypeId.Untyped;
}

/** Everything about a call that is reported before its arguments. */
function enterCall(state: CheckState, node: number): void {
  const index = state.scope.calleeByName[state.tree.nodeData[node]!]!;
  if (index === NO_TARGET) {
    state.errorAt("SPX-T203", node, `unknown function ${clip(nameOf(state, node))}`);
    return;
  }
  const callee = index === SYNTHETIC_MAIN ? null : state.scope.callees[index]!;
  const expected = callee?.parameterTypes.length ?? 0;
  const given = state.childCount(node);
  if (given !== expected) {
    const count = `${expected} ${expected === 1 ? "argument" : "arguments"}`;
    state.errorAt("SPX-T204", node, `${clip(nameOf(state, node))} takes ${count}, not ${given}`);
  }
  if (state.tree.typeArguments.has(node) && callee?.isGeneric !== true) {
    state.errorAt("SPX-T225", node, `${clip(nameOf(state, node))} is not generic`);
  } else if (callee !== null) {
    state.target[node] = index;
  } else {
    // The synthetic main is nothing that can be called at run time, so the call has a type but no target.
    state.nodeType[node] = TypeId.I64;
  }
}

function calleeOf(state: CheckState, node: number): Callee | null {
  const target = state.target[node]!;
  return target === NO_TARGET ? null : state.scope.callees[target]!;
}

/** Directly after argument `index`. */
function leaveArgument(state: CheckState, node: number, index: number): void {
  const expected = calleeOf(state, node)?.parameterTypes[index];
  const argument = state.child(node, index);
  const given = state.typeOf(argument);
  if (expected !== undefined && differ(expected, given)) {
    state.errorAt("SPX-T205", argument, mismatch(state, "argument", expected, given));
  }
}

function leaveCall(state: CheckState, node: number): void {
  const callee = calleeOf(state, node);
  if (callee !== null) state.nodeType[node] = callee.returnType;
}
