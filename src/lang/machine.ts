/**
 * What the evaluator works on: the compiled program, the machine's cells, and everything that concerns the i64 beyond
 * 2^53 - 1, which the loop in interpret.ts leaves to the functions here.
 */
import type { FunctionRef } from "./checked.ts";

/** A closure as flat code. See `Op` and `Word` in interpret.ts for the meaning of the code. */
export interface Program {
  readonly code: Int32Array;
  /** Where the code of `main` begins. */
  readonly mainPc: number;
  /** The constants are the cells below this index. */
  readonly constantCount: number;
  /** Per instruction the node that it evaluates, of the tree of its function's file; for explanations. */
  readonly nodeOf: Uint32Array;
  /** The functions of the closure, sorted by id, and where the code of each begins (ascending). */
  readonly functions: readonly FunctionRef[];
  readonly functionPc: Uint32Array;
  /** Per function with `ensures` clauses the operand of `result`. */
  readonly resultOf: Int32Array;
  /** Reused by every run of the program. */
  readonly machine: Machine;
}

/** Return addresses and frame bases: one for each call that can be open at once. */
const FRAMES = 256;
/** Cells of a fresh machine beyond its constants. */
const INITIAL_CELLS = 4096;
/** A machine that grew further than this gives its memory back when the next run begins. */
const KEPT_CELLS = 1 << 20;

const I64_MAX = 0x7fff_ffff_ffff_ffffn;
const I64_MIN = -0x8000_0000_0000_0000n;
const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);

export class Machine {
  /** The constants, then the frames. An i64 beyond 2^53 - 1 is NaN here and stands in `wide`. */
  cells: Float64Array;
  /** As long as `cells` once there is a wide value, empty before. */
  wide = new BigInt64Array(0);
  readonly returnPc = new Int32Array(FRAMES);
  readonly returnBase = new Int32Array(FRAMES);

  /** Where the last run ended: instruction, frame, number of frames below it. */
  pc = 0;
  base = 0;
  depth = 0;
  stepsUsed = 0;
  /** The failure's code, or the cell of the returned value. */
  detail = 0;

  constructor(private readonly constants: readonly (number | bigint)[]) {
    this.cells = new Float64Array(constants.length + INITIAL_CELLS);
    this.loadConstants();
  }

  /** Before a run: gives back what an extraordinary run had needed. */
  trim(): void {
    if (this.cells.length <= this.constants.length + KEPT_CELLS) return;
    this.cells = new Float64Array(this.constants.length + INITIAL_CELLS);
    this.wide = new BigInt64Array(0);
    this.loadConstants();
  }

  halt(pc: number, base: number, depth: number, stepsUsed: number, detail: number): void {
    this.pc = pc;
    this.base = base;
    this.depth = depth;
    this.stepsUsed = stepsUsed;
    this.detail = detail;
  }

  /** The i64 in a cell. */
  valueAt(cell: number): bigint {
    const value = this.cells[cell]!;
    return Number.isNaN(value) ? this.wide[cell]! : BigInt(value);
  }

  /** Writes an i64 in its one form (X35). */
  store(cell: number, value: bigint): void {
    if (value <= EXACT_MAX && value >= -EXACT_MAX) {
      this.cells[cell] = Number(value);
      return;
    }
    if (this.wide.length === 0) this.wide = new BigInt64Array(this.cells.length);
    this.cells[cell] = Number.NaN;
    this.wide[cell] = value;
  }

  private loadConstants(): void {
    for (const [cell, value] of this.constants.entries()) {
      if (typeof value === "bigint") this.store(cell, value);
      else this.cells[cell] = value;
    }
  }
}

/** At least `count` cells, and the new array. Grows by half, so that growing costs no more than the run itself. */
export function reserveCells(machine: Machine, count: number): Float64Array {
  const length = Math.max(count, machine.cells.length + (machine.cells.length >> 1));
  const cells = new Float64Array(length);
  cells.set(machine.cells);
  machine.cells = cells;
  if (machine.wide.length > 0) {
    const wide = new BigInt64Array(length);
    wide.set(machine.wide);
    machine.wide = wide;
  }
  return cells;
}

/** After NaN was moved from one cell to another: moves what it stands for. (The NaN of a float stands for itself.) */
export function moveWide(machine: Machine, to: number, from: number): void {
  const { wide } = machine;
  if (wide.length > 0) wide[to] = wide[from]!;
}

export const enum WideComparison {
  Less,
  LessEqual,
  Equal,
}

/** A comparison of two i64 of which at least one is wide. */
export function compareWide(machine: Machine, comparison: WideComparison, i: number, j: number): boolean {
  const x = machine.valueAt(i);
  const y = machine.valueAt(j);
  switch (comparison) {
    case WideComparison.Less:
      return x < y;
    case WideComparison.LessEqual:
      return x <= y;
    case WideComparison.Equal:
      return x === y;
  }
}

export const enum WideOperator {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Negate,
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

/** An exact operation on two i64 with the failures of X16: cell `d` receives the value, or the code is not 0. */
export function wideArithmetic(
  machine: Machine,
  operator: WideOperator,
  d: number,
  i: number,
  j: number,
): ArithmeticFailure {
  const x = machine.valueAt(i);
  const y = machine.valueAt(j);
  switch (operator) {
    case WideOperator.Add:
      return storeOrFail(machine, d, x + y, ArithmeticFailure.Add);
    case WideOperator.Subtract:
      return storeOrFail(machine, d, x - y, ArithmeticFailure.Subtract);
    case WideOperator.Multiply:
      return storeOrFail(machine, d, x * y, ArithmeticFailure.Multiply);
    case WideOperator.Divide:
      if (y === 0n) return ArithmeticFailure.DivideByZero;
      return storeOrFail(machine, d, x / y, ArithmeticFailure.Divide);
    case WideOperator.Remainder:
      if (y === 0n) return ArithmeticFailure.RemainderByZero;
      if (x === I64_MIN && y === -1n) return ArithmeticFailure.Remainder;
      return storeOrFail(machine, d, x % y, ArithmeticFailure.Remainder);
    case WideOperator.Negate:
      return storeOrFail(machine, d, -x, ArithmeticFailure.Negate);
  }
}

function storeOrFail(
  machine: Machine,
  d: number,
  value: bigint,
  failure: ArithmeticFailure,
): ArithmeticFailure {
  if (value > I64_MAX || value < I64_MIN) return failure;
  machine.store(d, value);
  return ArithmeticFailure.None;
}
