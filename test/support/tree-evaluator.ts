/**
 * The plainest evaluator there is: over the tree, by recursion, every i64 a bigint, names looked up in maps. It charges
 * each node when it is reached (X7). For small trees only; the second opinion on compiled code, and its rival in speed.
 */
import type { CheckedProject, Closure, FunctionRef } from "../../src/lang/checked.ts";
import type { RunOutcome, RunResult } from "../../src/lang/interpret.ts";
import { BinaryOperator, NodeKind, type SyntaxFile, UnaryOperator } from "../../src/lang/syntax.ts";

interface Tagged {
  readonly type: "f32" | "f64" | "char";
  readonly number: number;
}

export type Value = bigint | boolean | Tagged;

type Scope = Map<string, Value>;

/** Thrown to end the run. */
class End extends Error {
  constructor(readonly outcome: RunOutcome) {
    super(outcome.kind);
  }
}

export function evaluateTree(project: CheckedProject, closure: Closure, maxSteps: number): RunResult {
  const evaluator = new Evaluator(project, maxSteps);
  try {
    const value = evaluator.call(closure.main, [], 0);
    if (typeof value !== "bigint") throw new Error("main returns an i64");
    return { outcome: { kind: "returned", value }, stepsUsed: evaluator.stepsUsed };
  } catch (end) {
    if (!(end instanceof End)) throw end;
    return { outcome: end.outcome, stepsUsed: evaluator.stepsUsed };
  }
}

class Evaluator {
  stepsUsed = 0;

  constructor(
    private readonly project: CheckedProject,
    private readonly maxSteps: number,
  ) {}

  call(ref: FunctionRef, values: readonly Value[], depth: number): Value {
    if (depth === 256) throw new End({ kind: "call_depth_exceeded" });
    const file = this.project.files[ref.file]!;
    const declared = file.functions[ref.function]!;
    const scope: Scope = new Map(declared.parameters.map(({ name }, index) => [name.text, values[index]!]));
    for (const clause of declared.requires) this.clause(ref.file, clause, scope, depth, 1);
    const result = this.node(ref.file, declared.body, scope, depth);
    scope.set("result", result);
    for (const clause of declared.ensures) this.clause(ref.file, clause, scope, depth, 2);
    return result;
  }

  private clause(file: number, clause: number, scope: Scope, depth: number, code: number): void {
    this.charge();
    if (!this.node(file, clause, scope, depth)) throw new End({ kind: "contract_failure", code });
  }

  private charge(): void {
    if (this.stepsUsed === this.maxSteps) throw new End({ kind: "fuel_exhausted" });
    this.stepsUsed++;
  }

  private node(fileNumber: number, node: number, scope: Scope, depth: number): Value {
    this.charge();
    const file = this.project.files[fileNumber]!;
    const { tree } = file;
    const data = tree.nodeData[node]!;
    const children = tree.child.subarray(tree.childStart[node]!, tree.childStart[node + 1]!);
    const child = (index: number, inner = scope): Value =>
      this.node(fileNumber, children[index]!, inner, depth);
    switch (tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Integer:
        return BigInt(tree.integers[data]!);
      case NodeKind.Float64:
        return { type: "f64", number: tree.floats[data]! };
      case NodeKind.Float32:
        return { type: "f32", number: tree.floats[data]! };
      case NodeKind.Char:
        return { type: "char", number: data };
      case NodeKind.Bool:
        return data === 1;
      case NodeKind.Variable:
        return scope.get(tree.names[data]!)!;
      case NodeKind.Unary:
        return data === UnaryOperator.Not ? !child(0) : negate(child(0));
      case NodeKind.Binary: {
        const operator = data as BinaryOperator;
        if (operator === BinaryOperator.And) return child(0) && child(1);
        if (operator === BinaryOperator.Or) return child(0) || child(1);
        return binary(operator, child(0), child(1));
      }
      case NodeKind.If:
        return child(0) ? child(1) : child(2);
      case NodeKind.Block: {
        const inner = new Map(scope);
        const last = children.length - 1;
        for (let at = 0; at < last; at++) {
          inner.set(tree.names[tree.letName[data + at]!]!, child(at, inner));
        }
        return child(last, inner);
      }
      case NodeKind.Call: {
        const values = Array.from(children, (_, index) => child(index));
        return this.call(this.callee(file, fileNumber, tree.names[data]!), values, depth + 1);
      }
      default:
        throw new Error("not in a closure");
    }
  }

  private callee(file: SyntaxFile, fileNumber: number, name: string): FunctionRef {
    const own = file.functions.findIndex((declared) => declared.name.text === name);
    if (own >= 0) return { file: fileNumber, function: own };
    const use = file.uses.findIndex(({ alias }) => alias.text === name);
    return this.project.imports[fileNumber]![use]!;
  }
}

function isTagged(value: Value): value is Tagged {
  return typeof value === "object";
}

function negate(value: Value): Value {
  if (isTagged(value)) return { type: value.type, number: -value.number };
  const negated = -(value as bigint);
  return inRange(negated, 8);
}

function inRange(value: bigint, code: number): bigint {
  if (BigInt.asIntN(64, value) !== value) throw new End({ kind: "arithmetic_failure", code });
  return value;
}

function binary(operator: BinaryOperator, left: Value, right: Value): Value {
  if (isTagged(left) && isTagged(right)) return float(operator, left, right);
  switch (operator) {
    case BinaryOperator.Equal:
      return left === right;
    case BinaryOperator.NotEqual:
      return left !== right;
    default:
      return integer(operator, left as bigint, right as bigint);
  }
}

function integer(operator: BinaryOperator, x: bigint, y: bigint): Value {
  switch (operator) {
    case BinaryOperator.Less:
      return x < y;
    case BinaryOperator.LessEqual:
      return x <= y;
    case BinaryOperator.Greater:
      return x > y;
    case BinaryOperator.GreaterEqual:
      return x >= y;
    case BinaryOperator.Add:
      return inRange(x + y, 1);
    case BinaryOperator.Subtract:
      return inRange(x - y, 2);
    case BinaryOperator.Multiply:
      return inRange(x * y, 3);
    case BinaryOperator.Divide:
      if (y === 0n) throw new End({ kind: "arithmetic_failure", code: 4 });
      return inRange(x / y, 5);
    case BinaryOperator.Remainder:
      if (y === 0n) throw new End({ kind: "arithmetic_failure", code: 6 });
      // The remainder is 0, but it belongs to a quotient that is no i64.
      inRange(x / y, 7);
      return x % y;
    default:
      throw new Error("not of integers");
  }
}

function float(operator: BinaryOperator, { type, number: x }: Tagged, { number: y }: Tagged): Value {
  const round = (number: number): Tagged => ({ type, number: type === "f32" ? Math.fround(number) : number });
  switch (operator) {
    case BinaryOperator.Equal:
      return x === y;
    case BinaryOperator.NotEqual:
      return x !== y;
    case BinaryOperator.Less:
      return x < y;
    case BinaryOperator.LessEqual:
      return x <= y;
    case BinaryOperator.Greater:
      return x > y;
    case BinaryOperator.GreaterEqual:
      return x >= y;
    case BinaryOperator.Add:
      return round(x + y);
    case BinaryOperator.Subtract:
      return round(x - y);
    case BinaryOperator.Multiply:
      return round(x * y);
    case BinaryOperator.Divide:
      return round(x / y);
    default:
      throw new Error("not of floats");
  }
}
