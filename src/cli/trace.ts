/** What the machine's last run left behind, read as functions, arguments and operands; for explanations only (L15). */
import type { CheckedProject, FunctionRef } from "../lang/checked.ts";
import { Word } from "../lang/interpret.ts";
import type { Program } from "../lang/machine.ts";
import type { FunctionSyntax, SyntaxFile } from "../lang/syntax.ts";

/** A call that was open when the run ended. */
export interface TraceFrame {
  readonly file: SyntaxFile;
  readonly declared: FunctionSyntax;
  /** The node that was being evaluated: in all but the innermost frame a call. */
  readonly node: number;
  /** Shown values of the parameters, in their order. */
  readonly values: readonly string[];
}

/** The open calls, innermost first, at most `framesMax`. */
export function openFrames(project: CheckedProject, program: Program, framesMax: number): TraceFrame[] {
  const { machine } = program;
  const frames: TraceFrame[] = [];
  for (let depth = machine.depth; depth >= 0 && frames.length < framesMax; depth--) {
    const isInnermost = depth === machine.depth;
    const pc = isInnermost ? machine.pc : machine.returnPc[depth]!;
    const base = isInnermost ? machine.base : machine.returnBase[depth]!;
    const ref = program.functions[functionNumber(program, pc)]!;
    frames.push(frameAt(project, program, ref, pc, base));
  }
  return frames;
}

/** The operands of the integer operation that ended the run: one of a negation, two of any other. */
export function failedOperands({ code, machine }: Program, count: 1 | 2): readonly string[] {
  const { pc, base } = machine;
  const value = (operand: number) => String(machine.valueAt(operand < 0 ? ~operand : base + operand));
  const left = value(code[pc + Word.A]!);
  return count === 1 ? [left] : [left, value(code[pc + Word.B]!)];
}

/** The value of `result` in the function whose `ensures` clause ended the run. */
export function failedResult(program: Program, declared: FunctionSyntax): string {
  const { machine, resultOf } = program;
  const operand = resultOf[functionNumber(program, machine.pc)]!;
  return shownValue(program, operand < 0 ? ~operand : machine.base + operand, declared.returnType.name);
}

function frameAt(
  project: CheckedProject,
  program: Program,
  ref: FunctionRef,
  pc: number,
  base: number,
): TraceFrame {
  const file = project.files[ref.file]!;
  const declared = file.functions[ref.function]!;
  // The parameters are the first cells of a frame, and nothing overwrites them while it is open.
  const values = declared.parameters.map(({ type }, index) => shownValue(program, base + index, type.name));
  return { file, declared, node: program.nodeOf[pc / Word.Stride]!, values };
}

function functionNumber({ functionPc }: Program, pc: number): number {
  let number = 0;
  while (number + 1 < functionPc.length && functionPc[number + 1]! <= pc) number++;
  return number;
}

/** Signatures have `i64` and `bool` only (language.md 6.1). */
function shownValue({ machine }: Program, cell: number, type: string): string {
  if (type === "bool") return machine.cells[cell] === 0 ? "false" : "true";
  return String(machine.valueAt(cell));
}
