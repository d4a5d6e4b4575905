/**
 * The i64 beyond 2^53 - 1, which the loop in loop.ts leaves to these functions. A value is
 * `high * 2^32 + low` with a signed `high` and 0 ≤ low < 2^32, both held in doubles, and every intermediate result is an
 * exact double. There is no BigInt here: with them a negation took 190 ns instead of 15 and a remainder 150 instead
 * of 40, and their garbage stopped runs for milliseconds at a time. A negation is a whole step (X38).
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

const TWO_16 = 2 ** 16;
const TWO_32 = 2 ** 32;
const TWO_64 = 2 ** 64;
const HIGH_MAX = 2 ** 31 - 1;
const HIGH_MIN = -(2 ** 31);
/** Below this a remainder times 2^32 is an exact double. */
const SHORT_DIVISOR = 2 ** 21;

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
  const xHigh = highOf(machine, i);
  const xLow = lowOf(machine, i);
  if (operator === WideOperator.Negate) {
    return store(machine, d, -xHigh, -xLow, ArithmeticFailure.Negate);
  }
  const yHigh = highOf(machine, j);
  const yLow = lowOf(machine, j);
  switch (operator) {
    case WideOperator.Add:
      return store(machine, d, xHigh + yHigh, xLow + yLow, ArithmeticFailure.Add);
    case WideOperator.Subtract:
      return store(machine, d, xHigh - yHigh, xLow - yLow, ArithmeticFailure.Subtract);
    case WideOperator.Multiply:
      return multiply(machine, d, xHigh, xLow, yHigh, yLow);
    case WideOperator.Divide:
      if (yHigh === 0 && yLow === 0) return ArithmeticFailure.DivideByZero;
      if (isMinOverMinusOne(xHigh, xLow, yHigh, yLow)) return ArithmeticFailure.Divide;
      divide(machine, d, xHigh, xLow, yHigh, yLow, false);
      return ArithmeticFailure.None;
    case WideOperator.Remainder:
      if (yHigh === 0 && yLow === 0) return ArithmeticFailure.RemainderByZero;
      if (isMinOverMinusOne(xHigh, xLow, yHigh, yLow)) return ArithmeticFailure.Remainder;
      divide(machine, d, xHigh, xLow, yHigh, yLow, true);
      return ArithmeticFailure.None;
    default:
      throw new Error("not arithmetic");
  }
}

function multiply(
  machine: Machine,
  d: number,
  xHigh: number,
  xLow: number,
  yHigh: number,
  yLow: number,
): ArithmeticFailure {
  const aHigh = magnitudeHigh(xHigh, xLow);
  const aLow = magnitudeLow(xHigh, xLow);
  const bHigh = magnitudeHigh(yHigh, yLow);
  const bLow = magnitudeLow(yHigh, yLow);
  // The estimate is off by less than one part in 2^51: what it calls too much is, and the rest has exact halves.
  if ((aHigh * TWO_32 + aLow) * (bHigh * TWO_32 + bLow) >= TWO_64) return ArithmeticFailure.Multiply;
  const high = productHigh(aHigh, aLow, bHigh, bLow);
  const low = productLow(aLow, bLow);
  if (xHigh < 0 === yHigh < 0) return store(machine, d, high, low, ArithmeticFailure.Multiply);
  return store(machine, d, -high, -low, ArithmeticFailure.Multiply);
}

/** Long division of the magnitudes. The quotient is an i64, the divisor is not 0. */
function divide(
  machine: Machine,
  d: number,
  xHigh: number,
  xLow: number,
  yHigh: number,
  yLow: number,
  wantsRemainder: boolean,
): void {
  const aHigh = magnitudeHigh(xHigh, xLow);
  const aLow = magnitudeLow(xHigh, xLow);
  const bHigh = magnitudeHigh(yHigh, yLow);
  const bLow = magnitudeLow(yHigh, yLow);
  let quotientHigh: number;
  let quotientLow: number;
  let high = 0;
  let low: number;
  if (bHigh === 0 && bLow < SHORT_DIVISOR) {
    quotientHigh = Math.floor(aHigh / bLow);
    const rest = (aHigh - quotientHigh * bLow) * TWO_32 + aLow;
    quotientLow = Math.floor(rest / bLow);
    low = rest - quotientLow * bLow;
  } else {
    // The quotient is below 2^42, so this estimate is off by one at most.
    let quotient = Math.floor((aHigh * TWO_32 + aLow) / (bHigh * TWO_32 + bLow));
    quotientHigh = Math.floor(quotient / TWO_32);
    quotientLow = quotient - quotientHigh * TWO_32;
    high = aHigh - productHigh(quotientHigh, quotientLow, bHigh, bLow);
    low = aLow - productLow(quotientLow, bLow);
    if (low < 0) {
      low += TWO_32;
      high--;
    }
    if (high < 0) {
      quotient--;
      high += bHigh;
      low += bLow;
    } else if (high > bHigh || (high === bHigh && low >= bLow)) {
      quotient++;
      high -= bHigh;
      low -= bLow;
    }
    quotientHigh = Math.floor(quotient / TWO_32);
    quotientLow = quotient - quotientHigh * TWO_32;
  }
  // The remainder has the sign of the dividend (X16).
  if (wantsRemainder) {
    if (xHigh < 0) store(machine, d, -high, -low, ArithmeticFailure.Remainder);
    else store(machine, d, high, low, ArithmeticFailure.Remainder);
  } else if (xHigh < 0 === yHigh < 0) {
    store(machine, d, quotientHigh, quotientLow, ArithmeticFailure.Divide);
  } else {
    store(machine, d, -quotientHigh, -quotientLow, ArithmeticFailure.Divide);
  }
}

/** The only quotient of two i64 that is none (X16). */
function isMinOverMinusOne(xHigh: number, xLow: number, yHigh: number, yLow: number): boolean {
  return xHigh === HIGH_MIN && xLow === 0 && yHigh === -1 && yLow === TWO_32 - 1;
}

/** The product of two magnitudes divided by 2^32, rounded down. Exact if the product is below 2^64. */
function productHigh(aHigh: number, aLow: number, bHigh: number, bLow: number): number {
  const a1 = aLow >>> 16;
  const a0 = aLow & 0xffff;
  const b1 = bLow >>> 16;
  const b0 = bLow & 0xffff;
  const middle = a1 * b0 + a0 * b1 + Math.floor((a0 * b0) / TWO_16);
  const carry = a1 * b1 + Math.floor(middle / TWO_16);
  return aHigh * bHigh * TWO_32 + aHigh * bLow + aLow * bHigh + carry;
}

function productLow(aLow: number, bLow: number): number {
  return Math.imul(aLow, bLow) >>> 0;
}

function magnitudeHigh(high: number, low: number): number {
  if (high >= 0) return high;
  return low === 0 ? -high : -high - 1;
}

function magnitudeLow(high: number, low: number): number {
  return high >= 0 || low === 0 ? low : TWO_32 - low;
}

function highOf(machine: Machine, cell: number): number {
  const value = machine.cells[cell]!;
  return Number.isNaN(value) ? machine.halves[2 * cell + 1]! : Math.floor(value / TWO_32);
}

function lowOf(machine: Machine, cell: number): number {
  const value = machine.cells[cell]!;
  return Number.isNaN(value) ? machine.halves[2 * cell]! >>> 0 : value - Math.floor(value / TWO_32) * TWO_32;
}

/** Stores `high * 2^32 + low`, or fails; `low` may be out of its range by once 2^32 in either direction. */
function store(
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
