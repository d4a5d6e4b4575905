/** Which instruction does what an operator says. The checker has made sure that the types fit. */
import { TypeId } from "./checked.ts";
import { Op } from "./loop.ts";
import { BinaryOperator } from "./syntax.ts";

export function isComparison(operator: BinaryOperator): boolean {
  return operator >= BinaryOperator.Equal && operator <= BinaryOperator.GreaterEqual;
}

/** The opposite comparison, for every type without NaN. */
export function inverse(operator: BinaryOperator): BinaryOperator {
  switch (operator) {
    case BinaryOperator.Equal:
      return BinaryOperator.NotEqual;
    case BinaryOperator.NotEqual:
      return BinaryOperator.Equal;
    case BinaryOperator.Less:
      return BinaryOperator.GreaterEqual;
    case BinaryOperator.LessEqual:
      return BinaryOperator.Greater;
    case BinaryOperator.Greater:
      return BinaryOperator.LessEqual;
    case BinaryOperator.GreaterEqual:
      return BinaryOperator.Less;
    default:
      throw new Error("not a comparison");
  }
}

/**
 * Whether the instruction takes the operands of this comparison in the other order: `a > b` is `b < a`. Both are
 * evaluated by then, and NaN compares false either way.
 */
export function takesSwapped(operator: BinaryOperator): boolean {
  return operator === BinaryOperator.Greater || operator === BinaryOperator.GreaterEqual;
}

export function jumpOp(operator: BinaryOperator): Op {
  switch (operator) {
    case BinaryOperator.Equal:
      return Op.JumpEqual;
    case BinaryOperator.NotEqual:
      return Op.JumpNotEqual;
    case BinaryOperator.Less:
    case BinaryOperator.Greater:
      return Op.JumpLess;
    case BinaryOperator.LessEqual:
    case BinaryOperator.GreaterEqual:
      return Op.JumpLessEqual;
    default:
      throw new Error("not a comparison");
  }
}

export function comparisonOp(operator: BinaryOperator, isFloat: boolean): Op {
  switch (operator) {
    case BinaryOperator.Equal:
      return isFloat ? Op.EqualFloat : Op.Equal;
    case BinaryOperator.NotEqual:
      return isFloat ? Op.NotEqualFloat : Op.NotEqual;
    case BinaryOperator.Less:
    case BinaryOperator.Greater:
      return isFloat ? Op.LessFloat : Op.Less;
    case BinaryOperator.LessEqual:
    case BinaryOperator.GreaterEqual:
      return isFloat ? Op.LessEqualFloat : Op.LessEqual;
    default:
      throw new Error("not a comparison");
  }
}

export function arithmeticOp(operator: BinaryOperator, type: TypeId): Op {
  switch (operator) {
    case BinaryOperator.Add:
      return type === TypeId.F64 ? Op.AddF64 : type === TypeId.F32 ? Op.AddF32 : Op.Add;
    case BinaryOperator.Subtract:
      return type === TypeId.F64 ? Op.SubtractF64 : type === TypeId.F32 ? Op.SubtractF32 : Op.Subtract;
    case BinaryOperator.Multiply:
      return type === TypeId.F64 ? Op.MultiplyF64 : type === TypeId.F32 ? Op.MultiplyF32 : Op.Multiply;
    case BinaryOperator.Divide:
      return type === TypeId.F64 ? Op.DivideF64 : type === TypeId.F32 ? Op.DivideF32 : Op.Divide;
    case BinaryOperator.Remainder:
      return Op.Remainder;
    default:
      throw new Error("not arithmetic");
  }
}
