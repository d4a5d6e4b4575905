/** Unary and binary operators (language.md 4.4). */
import type { CheckState } from "./check-state.ts";
import { TypeId } from "./checked.ts";
import { BinaryOperator, UnaryOperator } from "./syntax.ts";
import { differ, isFloat } from "./types.ts";

export function checkUnary(state: CheckState, node: number): void {
  const operand = state.typeOf(state.child(node, 0));
  if (operand === TypeId.Untyped || operand === TypeId.Unmodelled) {
    state.nodeType[node] = operand;
    return;
  }
  const operator: UnaryOperator = state.tree.nodeData[node]!;
  switch (operator) {
    case UnaryOperator.Negate: {
      const isNumber = operand === TypeId.I64 || isFloat(operand);
      if (!isNumber) state.errorAt("SPX-T206", node, `cannot negate ${state.describe(operand)}`);
      state.nodeType[node] = isNumber ? operand : TypeId.I64;
      return;
    }
    case UnaryOperator.Not:
      if (operand !== TypeId.Bool) {
        state.errorAt("SPX-T206", node, `! needs bool, not ${state.describe(operand)}`);
      }
      state.nodeType[node] = TypeId.Bool;
      return;
  }
}

export function checkBinary(state: CheckState, node: number): void {
  const left = state.typeOf(state.child(node, 0));
  const operator: BinaryOperator = state.tree.nodeData[node]!;
  switch (operator) {
    case BinaryOperator.Or:
    case BinaryOperator.And:
      checkOperands(state, node, TypeId.Bool);
      state.nodeType[node] = TypeId.Bool;
      return;
    case BinaryOperator.Equal:
    case BinaryOperator.NotEqual:
      checkEquality(state, node);
      state.nodeType[node] = TypeId.Bool;
      return;
    case BinaryOperator.Less:
    case BinaryOperator.LessEqual:
    case BinaryOperator.Greater:
    case BinaryOperator.GreaterEqual:
      checkOperands(state, node, isOrdered(left) ? left : TypeId.I64);
      state.nodeType[node] = TypeId.Bool;
      return;
    case BinaryOperator.Remainder:
      if (isFloat(left)) state.errorAt("SPX-T208", node, "% has no floats");
      state.nodeType[node] = checkArithmetic(state, node, left);
      return;
    case BinaryOperator.Add:
    case BinaryOperator.Subtract:
    case BinaryOperator.Multiply:
    case BinaryOperator.Divide:
      state.nodeType[node] = checkArithmetic(state, node, left);
      return;
  }
}

/** Returns the type of the result. */
function checkArithmetic(state: CheckState, node: number, left: TypeId): TypeId {
  if (left === TypeId.Unmodelled) return left;
  const expected = isFloat(left) ? left : TypeId.I64;
  checkOperands(state, node, expected);
  return expected;
}

function isOrdered(type: TypeId): boolean {
  return type === TypeId.I64 || type === TypeId.Char || isFloat(type);
}

/** Both sides must be of the expected type; an untyped side is passed over, and one error is enough for both. */
function checkOperands(state: CheckState, node: number, expected: TypeId): void {
  const left = state.typeOf(state.child(node, 0));
  const right = state.typeOf(state.child(node, 1));
  if (left === TypeId.Unmodelled) return;
  const wrong = differ(expected, left) ? left : right;
  if (differ(expected, wrong)) {
    state.errorAt("SPX-T208", node, `operand is ${state.describe(wrong)}, not ${state.describe(expected)}`);
  }
}

function checkEquality(state: CheckState, node: number): void {
  const left = state.typeOf(state.child(node, 0));
  const right = state.typeOf(state.child(node, 1));
  if (differ(left, right)) {
    state.errorAt("SPX-T207", node, `cannot compare ${state.describe(left)} and ${state.describe(right)}`);
  }
}
