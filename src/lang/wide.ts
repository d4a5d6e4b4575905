/**
 * The i64 beyond 2^53 - 1, which the loop in interpret.ts leaves to these functions. Sums, negation and comparisons
 * work on 32-bit halves held in doubles, without a BigInt: 25 ns instead of 190 for a negation, and a negation is the
 * operation that does the most for one step (X38). Products and quotients are BigInts.
 */
import type { Machine } from "./machine.ts";

export const enum WideOperator {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  /** Of the left operand; the right one is not looked at. */
  Negate,
  /** From here on comparisons. */
  Less,
  LessEqual,
  Equal,
  NotEqual,
}

/** Failure codes of `semaprax.arithmetic.v1` (X16). */
export const enum ArithmeticFailure {
  None,
  Add,
  Subtract,
  Multiply,
  DivideByZero,
  Divide,
  RemainderByZero,
  Remainder,
  Negate,
}

const TWO_32 = 2 ** 32;
const HIGH_MAX = 2 ** 31 - 1;
const HIGH_MIN = -(2 ** 31);
const I64_MAX = 0x7fff_ffff_ffff_ffffn;
const I64_MIN = -0x8000_0000_0000_0000n;

/** A comparison of the i64 in cells `i` and `j`. */
export function compareWide(machine: Machine, operator: WideOperator, i: number, j: number): boolean {
  const high = highOf(machine, i) - highOf(machine, j);
  const difference = high !== 0 ? high : lowOf(machine, i) - lowOf(machine, j);
  switch (operator) {
    case WideOperator.Less:
      return difference < 0;
    case WideOperator.LessEqual:
      return difference <= 0;
    case WideOperator.Equal:
      return difference === 0;
    case WideOperator.NotEqual:
      return difference !== 0;
    default:
      throw new Error("not a comparison");
  }
}

/**
 * An exact operation on the i64 in cells `i` and `j` with the failures of X16: cell `d` receives the value, or the
 * code is not 0.
 */
export function wideArithmetic(
  machine: Machine,
  operator: WideOperator,
  d: number,
  i: number,
  j: number,
): ArithmeticFailure {
  switch (operator) {
    case WideOperator.Add: {
      const low = lowOf(machine, i) + lowOf(machine, j);
      const high = highOf(machine, i) + highOf(machine, j);
      return storeHalves(machine, d, high, low, ArithmeticFailure.Add);
    }
    case WideOperator.Subtract: {
      const low = lowOf(machine, i) - lowOf(machine, j);
      const high = highOf(machine, i) - highOf(machine, j);
      return storeHalves(machine, d, high, low, ArithmeticFailure.Subtract);
    }
    case WideOperator.Negate:
      return storeHalves(machine, d, -highOf(machine, i), -lowOf(machine, i), ArithmeticFailure.Negate);
    case WideOperator.Multiply: {
      const product = machine.valueAt(i) * machine.valueAt(j);
      if (product > I64_MAX || product < I64_MIN) return ArithmeticFailure.Multiply;
      machine.store(d, product);
      return ArithmeticFailure.None;
    }
    case WideOperator.Divide: {
      const x = machine.valueAt(i);
      const y = machine.valueAt(j);
      if (y === 0n) return ArithmeticFailure.DivideByZero;
      if (y === -1n && x === I64_MIN) return ArithmeticFailure.Divide;
      machine.store(d, x / y);
      return ArithmeticFailure.None;
    }
    case WideOperator.Remainder: {
      const x = machine.valueAt(i);
      const y = machine.valueAt(j);
      if (y === 0n) return ArithmeticFailure.RemainderByZero;
      if (y === -1n && x === I64_MIN) return ArithmeticFailure.Remainder;
      machine.store(d, x % y);
      return ArithmeticFailure.None;
    }
    default:
      throw new Error("not arithmetic");
  }
}

/** The value is `high * 2^32 + low` with 0 ≤ low < 2^32. */
function highOf(machine: Machine, cell: number): number {
  const value = machine.cells[cell]!;
  return Number.isNaN(value) ? machine.halves[2 * cell + 1]! : Math.floor(value / TWO_32);
}

function lowOf(machine: Machine, cell: number): number {
  const value = machine.cells[cell]!;
  return Number.isNaN(value) ? machine.halves[2 * cell]! >>> 0 : value - Math.floor(value / TWO_32) * TWO_32;
}

/** `low` may be out of its range by once 2^32 in either direction. */
function storeHalves(
  machine: Machine,
  d: number,
  high: number,
  low: number,
  failure: ArithmeticFailure,
): ArithmeticFailure {
  const carry = Math.floor(low / TWO_32);
  const carried = high + carry;
  if (carried > HIGH_MAX || carried < HIGH_MIN) return failure;
  machine.storeHalves(d, carried, low - carry * TWO_32);
  return ArithmeticFailure.None;
}
