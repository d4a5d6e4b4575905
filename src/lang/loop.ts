/**
 * The evaluator: flat code over one array of cells, with an explicit stack of frames (X30 to X41).
 *
 * A cell is a binary64. It holds a number of any type; a bool is 0 or 1, a char its scalar value. An i64 whose
 * magnitude exceeds 2^53 - 1 is NaN here and exact in the machine's second array, so that every fast path below
 * finds it by the comparison that it needs anyway: NaN fails every range check and every ordering. So the loop
 * never sees a BigInt, and what one program computed cannot slow down the compiled code for the next.
 */
import { type Machine, moveWide, type Program, reserveCells } from "./machine.ts";
import { compareWide, WideOperator, wideArithmetic } from "./wide.ts";

/** Call depth of `main` is 0; a call to depth 256 ends the run (X12, X13). */
export const CALL_DEPTH_MAX = 256;

/**
 * What an instruction does. D, A and B are its operands: an operand n ≥ 0 is cell `base + n` of the frame, n < 0 is
 * the constant `~n`. These enumerations stand beside the loop because Bun inlines a `const enum` only in the file
 * that declares it, and the switch is a jump table only over inlined labels.
 */
export const enum Op {
  /** Nothing but its cost. */
  Charge,
  /** Makes sure that the frame has D cells. */
  Reserve,
  /** D ← A */
  Move,
  /** To instruction D. */
  Jump,
  /** To D if A is true. */
  JumpIf,
  /** To D if A is false. */
  JumpUnless,
  /** To D if A < B; the comparisons without "Float" are of i64, bool and char. */
  JumpLess,
  JumpLessEqual,
  JumpEqual,
  JumpNotEqual,
  /** D ← A < B */
  Less,
  LessEqual,
  Equal,
  NotEqual,
  /** D ← !A */
  Not,
  /** D ← A + B, exact, or the end of the run; the operations without "F" are of i64. */
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  /** D ← -A */
  Negate,
  LessFloat,
  LessEqualFloat,
  EqualFloat,
  NotEqualFloat,
  AddF64,
  SubtractF64,
  MultiplyF64,
  DivideF64,
  AddF32,
  SubtractF32,
  MultiplyF32,
  DivideF32,
  NegateFloat,
  /** Calls the function at instruction A; its frame begins at cell D, where its arguments are and its result will be. */
  Call,
  /** Ends the function with the value A. */
  Return,
  /** Ends the run: the clause was false. D: contract failure code. */
  FailContract,
}

/** One instruction is {@link Word.Stride} words of code. */
export const enum Word {
  Op,
  /** Steps charged before anything else happens (X6, X34). */
  Cost,
  D,
  A,
  B,
  Stride,
}

/** Cells that every frame has without asking; a larger frame says {@link Op.Reserve}. */
export const FRAME_CELLS = 64;

/** How the loop ended. */
export const enum Stop {
  Returned,
  Arithmetic,
  Contract,
  Fuel,
  Depth,
}

/** Instead of a {@link WideOperator}. */
const NONE = -1;

/** 2^53 - 1: up to here an i64 is a number. */
const EXACT_MAX = Number.MAX_SAFE_INTEGER;

/**
 * The loop. One switch, numbers only. What a case cannot do with numbers it leaves to the code below the switch, by
 * naming the operation in `wide`: two calls for all, rather than one in every case, because the first calls from each
 * place throw optimized code away. An operation never writes its result before both operands were read, since the
 * three may be one cell.
 */
export function execute(program: Program, machine: Machine, maxSteps: number): Stop {
  const { code } = program;
  const { returnPc, returnBase } = machine;
  let cells = machine.cells;
  let base = program.constantCount;
  let depth = 0;
  let pc = program.mainPc;
  let fuel = maxSteps;
  let detail = 0;
  let stop: Stop;

  loop: for (;;) {
    fuel -= code[pc + Word.Cost]!;
    if (fuel < 0) {
      fuel = 0;
      stop = Stop.Fuel;
      break;
    }
    const op: Op = code[pc]!;
    const d = code[pc + Word.D]!;
    const a = code[pc + Word.A]!;
    const b = code[pc + Word.B]!;
    const i = a < 0 ? ~a : base + a;
    const j = b < 0 ? ~b : base + b;
    let wide: WideOperator | typeof NONE = NONE;
    switch (op) {
      case Op.Charge:
        break;
      case Op.Reserve:
        if (base + d > cells.length) cells = reserveCells(machine, base + d);
        break;
      case Op.Move: {
        const x = cells[i]!;
        cells[base + d] = x;
        if (Number.isNaN(x)) moveWide(machine, base + d, i);
        break;
      }

      case Op.Jump:
        pc = d;
        continue;
      case Op.JumpIf:
        if (cells[i]! === 0) break;
        pc = d;
        continue;
      case Op.JumpUnless:
        if (cells[i]! !== 0) break;
        pc = d;
        continue;
      case Op.JumpLess: {
        const x = cells[i]!;
        const y = cells[j]!;
        if (x >= y) break;
        if (x < y) {
          pc = d;
          continue;
        }
        wide = WideOperator.Less;
        break;
      }
      case Op.JumpLessEqual: {
        const x = cells[i]!;
        const y = cells[j]!;
        if (x > y) break;
        if (x <= y) {
          pc = d;
          continue;
        }
        wide = WideOperator.LessEqual;
        break;
      }
      case Op.JumpEqual: {
        const x = cells[i]!;
        if (x === cells[j]!) {
          pc = d;
          continue;
        }
        // A wide value and a number are not equal: each value has one form.
        if (!Number.isNaN(x)) break;
        wide = WideOperator.Equal;
        break;
      }
      case Op.JumpNotEqual: {
        const x = cells[i]!;
        if (x === cells[j]!) break;
        if (!Number.isNaN(x)) {
          pc = d;
          continue;
        }
        wide = WideOperator.NotEqual;
        break;
      }

      case Op.Less: {
        const x = cells[i]!;
        const y = cells[j]!;
        if (x < y || x >= y) {
          cells[base + d] = x < y ? 1 : 0;
          break;
        }
        wide = WideOperator.Less;
        break;
      }
      case Op.LessEqual: {
        const x = cells[i]!;
        const y = cells[j]!;
        if (x <= y || x > y) {
          cells[base + d] = x <= y ? 1 : 0;
          break;
        }
        wide = WideOperator.LessEqual;
        break;
      }
      case Op.Equal: {
        const x = cells[i]!;
        if (!Number.isNaN(x)) {
          cells[base + d] = x === cells[j]! ? 1 : 0;
          break;
        }
        wide = WideOperator.Equal;
        break;
      }
      case Op.NotEqual: {
        const x = cells[i]!;
        if (!Number.isNaN(x)) {
          cells[base + d] = x === cells[j]! ? 0 : 1;
          break;
        }
        wide = WideOperator.NotEqual;
        break;
      }
      case Op.Not:
        cells[base + d] = 1 - cells[i]!;
        break;

      case Op.Add: {
        const r = cells[i]! + cells[j]!;
        if (r <= EXACT_MAX && r >= -EXACT_MAX) {
          cells[base + d] = r;
          break;
        }
        wide = WideOperator.Add;
        break;
      }
      case Op.Subtract: {
        const r = cells[i]! - cells[j]!;
        if (r <= EXACT_MAX && r >= -EXACT_MAX) {
          cells[base + d] = r;
          break;
        }
        wide = WideOperator.Subtract;
        break;
      }
      // Adding 0 turns the -0 that these three may give into 0 (X36) and changes nothing else.
      case Op.Multiply: {
        const r = cells[i]! * cells[j]!;
        if (r <= EXACT_MAX && r >= -EXACT_MAX) {
          cells[base + d] = r + 0;
          break;
        }
        wide = WideOperator.Multiply;
        break;
      }
      case Op.Divide: {
        // Never rounded up to an integer (X35); a zero divisor gives an infinity or NaN.
        const r = Math.trunc(cells[i]! / cells[j]!);
        if (r <= EXACT_MAX && r >= -EXACT_MAX) {
          cells[base + d] = r + 0;
          break;
        }
        wide = WideOperator.Divide;
        break;
      }
      case Op.Remainder: {
        const r = cells[i]! % cells[j]!;
        if (!Number.isNaN(r)) {
          cells[base + d] = r + 0;
          break;
        }
        wide = WideOperator.Remainder;
        break;
      }
      case Op.Negate: {
        const r = 0 - cells[i]!;
        if (!Number.isNaN(r)) {
          cells[base + d] = r;
          break;
        }
        wide = WideOperator.Negate;
        break;
      }

      case Op.LessFloat:
        cells[base + d] = cells[i]! < cells[j]! ? 1 : 0;
        break;
      case Op.LessEqualFloat:
        cells[base + d] = cells[i]! <= cells[j]! ? 1 : 0;
        break;
      case Op.EqualFloat:
        cells[base + d] = cells[i]! === cells[j]! ? 1 : 0;
        break;
      case Op.NotEqualFloat:
        cells[base + d] = cells[i]! !== cells[j]! ? 1 : 0;
        break;
      case Op.AddF64:
        cells[base + d] = cells[i]! + cells[j]!;
        break;
      case Op.SubtractF64:
        cells[base + d] = cells[i]! - cells[j]!;
        break;
      case Op.MultiplyF64:
        cells[base + d] = cells[i]! * cells[j]!;
        break;
      case Op.DivideF64:
        cells[base + d] = cells[i]! / cells[j]!;
        break;
      case Op.AddF32:
        cells[base + d] = Math.fround(cells[i]! + cells[j]!);
        break;
      case Op.SubtractF32:
        cells[base + d] = Math.fround(cells[i]! - cells[j]!);
        break;
      case Op.MultiplyF32:
        cells[base + d] = Math.fround(cells[i]! * cells[j]!);
        break;
      case Op.DivideF32:
        cells[base + d] = Math.fround(cells[i]! / cells[j]!);
        break;
      case Op.NegateFloat:
        cells[base + d] = -cells[i]!;
        break;

      case Op.Call:
        if (depth === CALL_DEPTH_MAX - 1) {
          stop = Stop.Depth;
          break loop;
        }
        returnPc[depth] = pc;
        returnBase[depth] = base;
        depth++;
        base += d;
        if (base + FRAME_CELLS > cells.length) cells = reserveCells(machine, base + FRAME_CELLS);
        pc = a;
        continue;
      case Op.Return: {
        const x = cells[i]!;
        cells[base] = x;
        if (Number.isNaN(x)) moveWide(machine, base, i);
        if (depth === 0) {
          detail = base;
          stop = Stop.Returned;
          break loop;
        }
        depth--;
        pc = returnPc[depth]!;
        base = returnBase[depth]!;
        break;
      }
      case Op.FailContract:
        detail = d;
        stop = Stop.Contract;
        break loop;
    }
    if (wide === NONE) {
      pc += Word.Stride;
      continue;
    }
    if (wide >= WideOperator.Less) {
      const holds = compareWide(machine, wide, i, j);
      if (op <= Op.JumpNotEqual) {
        pc = holds ? d : pc + Word.Stride;
        continue;
      }
      cells[base + d] = holds ? 1 : 0;
    } else {
      detail = wideArithmetic(machine, wide, base + d, i, j);
      if (detail !== 0) {
        stop = Stop.Arithmetic;
        break;
      }
    }
    pc += Word.Stride;
  }
  machine.halt(pc, base, depth, maxSteps - fuel, detail);
  return stop;
}
