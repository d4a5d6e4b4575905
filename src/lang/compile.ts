/**
 * A closure to flat code (X31). Registers: a frame's cells are its parameters, then whatever is alive, innermost last.
 * A node that begins when `height` cells are taken leaves its value in cell `height`, or is an *alias* of something
 * that exists already (a local, a constant) and needs no code at all.
 */
import {
  type CheckedModule,
  type CheckedProject,
  type Closure,
  type FunctionRef,
  NO_TARGET,
  RESULT_SLOT,
} from "./checked.ts";
import { Emitter } from "./emit.ts";
import { ExpressionCompiler, type Scope } from "./compile-expression.ts";
import { Op } from "./loop.ts";
import { Machine, type Program } from "./machine.ts";

/** Failure codes of `semaprax.contract.v1` (X16). */
const enum ContractFailure {
  Requires = 1,
  Ensures = 2,
}

/** The code of every function of the closure, ready to run from its `main`. */
export function compileClosure(project: CheckedProject, closure: Closure): Program {
  const numbers = new FunctionNumbers(project, closure.functions);
  const constants = new Constants();
  const emitter = new Emitter();
  const functionPc = new Uint32Array(closure.functions.length);
  const resultOf = new Int32Array(closure.functions.length);
  let fileOfExpressions = -1;
  let expressions: ExpressionCompiler | null = null;
  for (const [number, ref] of closure.functions.entries()) {
    if (expressions === null || ref.file !== fileOfExpressions) {
      expressions = new ExpressionCompiler(scopeOf(project, ref.file, numbers), emitter, constants);
      fileOfExpressions = ref.file;
    }
    functionPc[number] = emitter.pc;
    resultOf[number] = compileFunction(project, ref, emitter, expressions);
  }
  emitter.link(functionPc);
  return {
    ...emitter.finish(),
    mainPc: functionPc[numbers.of(closure.main)]!,
    constantCount: constants.values.length,
    functions: closure.functions,
    functionPc,
    resultOf,
    machine: new Machine(constants.values),
  };
}

/** X12: the `requires` clauses, the body, the `ensures` clauses. Returns the operand of `result`. */
function compileFunction(
  project: CheckedProject,
  ref: FunctionRef,
  emitter: Emitter,
  expressions: ExpressionCompiler,
): number {
  const declaration = project.files[ref.file]!.functions[ref.function]!;
  emitter.beginFunction();
  expressions.beginFunction(declaration.parameters.length);
  for (const clause of declaration.requires) {
    compileClause(clause, ContractFailure.Requires, emitter, expressions);
  }
  if (declaration.ensures.length === 0) {
    expressions.compileReturn(declaration.body);
    return 0;
  }
  const result = expressions.compileResult(declaration.body);
  for (const clause of declaration.ensures) {
    compileClause(clause, ContractFailure.Ensures, emitter, expressions);
  }
  emitter.act(declaration.body, Op.Return, 0, result);
  return result;
}

/** X8: a clause is charged before its expression. */
function compileClause(
  clause: number,
  failure: ContractFailure,
  emitter: Emitter,
  expressions: ExpressionCompiler,
): void {
  const kept = emitter.label();
  const { reserved } = emitter;
  emitter.charge();
  expressions.compileJump(clause, kept, true);
  emitter.act(clause, Op.FailContract, failure, 0);
  emitter.place(kept, reserved);
}

function scopeOf(project: CheckedProject, file: number, numbers: FunctionNumbers): Scope {
  const { tree, functions } = project.files[file]!;
  const module: CheckedModule = project.modules[file]!;
  const imports = project.imports[file]!;
  return {
    tree,
    module,
    callee(node) {
      const target = module.target[node]!;
      if (target === NO_TARGET || target === RESULT_SLOT) throw new Error("call without a target");
      if (target < functions.length) return numbers.of({ file, function: target });
      return numbers.of(imports[target - functions.length]!);
    },
  };
}

/** The number of each function in the closure's order. */
class FunctionNumbers {
  private readonly byFile: Int32Array[] = [];

  constructor(project: CheckedProject, functions: readonly FunctionRef[]) {
    for (const file of project.files) this.byFile.push(new Int32Array(file.functions.length).fill(-1));
    for (const [number, ref] of functions.entries()) this.byFile[ref.file]![ref.function] = number;
  }

  of(ref: FunctionRef): number {
    const number = this.byFile[ref.file]![ref.function]!;
    if (number < 0) throw new Error("call out of the closure");
    return number;
  }
}

/** The pool of distinct constants. Numbers of all types share it: a cell does not know its type. */
export class Constants {
  readonly values: (number | bigint)[] = [];
  private readonly numbers = new Map<number | bigint, number>();

  /** The operand that stands for the value. */
  operand(value: number | bigint): number {
    let number = this.numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.numbers.set(value, number);
    }
    return ~number;
  }
}
