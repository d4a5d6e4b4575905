/** What the evaluator works on: the compiled program and the machine with its cells and frames. */
import type { FunctionRef } from "./checked.ts";

/** A closure as flat code. See `Op` and `Word` in loop.ts for the meaning of the code. */
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

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER);
/** No i64 that is a number has a larger high half, or a smaller one than its opposite. */
const EXACT_HIGH_MAX = 2 ** 21;

export class Machine {
  /** The constants, then the frames. An i64 beyond 2^53 - 1 is NaN here and stands in `wide`. */
  cells: Float64Array;
  /** As long as `cells` once there is a wide value, empty before. */
  wide = new BigInt64Array(0);
  /** `wide` in halves, the low one first: every platform of ours is little-endian. */
  halves = new Int32Array(0);
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
    this.setWide(new BigInt64Array(0));
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
    } else {
      this.needWide();
      this.cells[cell] = Number.NaN;
      this.wide[cell] = value;
    }
  }

  /** Writes the i64 `high * 2^32 + low` in its one form; `high` is a signed and `low` an unsigned 32-bit integer. */
  storeHalves(cell: number, high: number, low: number): void {
    if (high <= EXACT_HIGH_MAX && high >= -EXACT_HIGH_MAX) {
      const value = high * 2 ** 32 + low;
      if (value <= Number.MAX_SAFE_INTEGER && value >= -Number.MAX_SAFE_INTEGER) {
        this.cells[cell] = value;
        return;
      }
    }
    this.needWide();
    this.cells[cell] = Number.NaN;
    this.halves[2 * cell] = low;
    this.halves[2 * cell + 1] = high;
  }

  /** More cells; those that were keep their values. */
  grow(length: number): void {
    const cells = new Float64Array(length);
    cells.set(this.cells);
    this.cells = cells;
    if (this.wide.length === 0) return;
    const wide = new BigInt64Array(length);
    wide.set(this.wide);
    this.setWide(wide);
  }

  private needWide(): void {
    if (this.wide.length === 0) this.setWide(new BigInt64Array(this.cells.length));
  }

  private setWide(wide: BigInt64Array<ArrayBuffer>): void {
    this.wide = wide;
    this.halves = new Int32Array(wide.buffer);
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
  machine.grow(Math.max(count, machine.cells.length + (machine.cells.length >> 1)));
  return machine.cells;
}

/** After NaN was moved from one cell to another: moves what it stands for. (The NaN of a float stands for itself.) */
export function moveWide(machine: Machine, to: number, from: number): void {
  const { halves } = machine;
  if (halves.length === 0) return;
  halves[2 * to] = halves[2 * from]!;
  halves[2 * to + 1] = halves[2 * from + 1]!;
}
