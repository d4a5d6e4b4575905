/** Why a run failed, read off the machine where the run left it: evaluation itself keeps nothing for this (L15). */
import type { Range } from "../kernel/failure.ts";
import type { CheckedProject, FunctionRef } from "./checked.ts";
import type { RunOutcome } from "./interpret.ts";
import { Word } from "./loop.ts";
import type { Program } from "./machine.ts";
import { BinaryOperator, NodeKind, type Tree } from "./syntax.ts";

/** From {@link BinaryOperator.Add} on. */
const OPERATORS = ["+", "-", "*", "/", "%"] as const;

export interface NamedValue {
  readonly name: string;
  readonly value: string;
}

export type Explanation = {
  /** The functions that were being evaluated, innermost first; the last is `main`. 1 to 256. */
  readonly functions: readonly FunctionRef[];
} & (
  | {
      readonly kind: "contract";
      readonly clause: "requires" | "ensures";
      /** The clause's expression in the file of the innermost function. */
      readonly range: Range;
      readonly arguments: readonly NamedValue[];
      /** The value of `result` in an `ensures` clause. */
      readonly result: string | null;
    }
  | {
      readonly kind: "arithmetic";
      /** The operation in the file of the innermost function. */
      readonly range: Range;
      readonly operator: string;
      /** One or two, in the order of the source. */
      readonly operands: readonly string[];
    }
  | { readonly kind: "limit" }
);

/** The last run of `program`, whose outcome is given. Null if it returned. */
export function explainRun(
  project: CheckedProject,
  program: Program,
  outcome: RunOutcome,
): Explanation | null {
  const open = openFunctions(program);
  const functions = open.map((number) => program.functions[number]!);
  switch (outcome.kind) {
    case "returned":
      return null;
    case "arithmetic_failure":
      return { functions, ...explainArithmetic(project.files[functions[0]!.file]!.tree, program) };
    case "contract_failure":
      return { functions, ...explainContract(project, program, open[0]!) };
    case "fuel_exhausted":
    case "call_depth_exceeded":
      return { functions, kind: "limit" };
  }
}

function explainArithmetic(tree: Tree, program: Program) {
  const { code, machine, nodeOf } = program;
  const { pc } = machine;
  const node = nodeOf[pc / Word.Stride]!;
  const left = valueText(program, code[pc + Word.A]!, "i64");
  const kind = "arithmetic" as const;
  const range = rangeOf(tree, node);
  if (tree.nodeKind[node] === NodeKind.Unary) return { kind, range, operator: "-", operands: [left] };
  const operator = OPERATORS[tree.nodeData[node]! - BinaryOperator.Add]!;
  return { kind, range, operator, operands: [left, valueText(program, code[pc + Word.B]!, "i64")] };
}

function explainContract(project: CheckedProject, program: Program, number: number) {
  const { machine, nodeOf, functions, resultOf } = program;
  const ref = functions[number]!;
  const file = project.files[ref.file]!;
  const { parameters, ensures, returnType } = file.functions[ref.function]!;
  const node = nodeOf[machine.pc / Word.Stride]!;
  const isEnsures = ensures.includes(node);
  return {
    kind: "contract" as const,
    clause: isEnsures ? ("ensures" as const) : ("requires" as const),
    range: rangeOf(file.tree, node),
    // The arguments are the first cells of the frame and stay there.
    arguments: parameters.map(({ name, type }, index) => ({
      name: name.text,
      value: valueText(program, index, type.name),
    })),
    result: isEnsures ? valueText(program, resultOf[number]!, returnType.name) : null,
  };
}

/** The numbers of the functions whose frames are open, innermost first. */
function openFunctions({ functionPc, machine }: Program): number[] {
  const numbers = [functionAt(functionPc, machine.pc)];
  for (let frame = machine.depth - 1; frame >= 0; frame--) {
    numbers.push(functionAt(functionPc, machine.returnPc[frame]!));
  }
  return numbers;
}

/** The function that an instruction belongs to: the last one that does not begin after it. */
function functionAt(functionPc: Uint32Array, pc: number): number {
  let low = 0;
  let high = functionPc.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (functionPc[middle]! <= pc) low = middle;
    else high = middle;
  }
  return low;
}

function rangeOf(tree: Tree, node: number): Range {
  return { start: tree.nodeStart[node]!, end: tree.nodeEnd[node]! };
}

/** The value of an operand of the innermost frame. */
function valueText({ machine }: Program, operand: number, type: string): string {
  const value = machine.valueAt(operand < 0 ? ~operand : machine.base + operand);
  return type === "bool" ? `${value === 1n}` : value.toString();
}
