// Evaluation of compiled code beside a plain tree evaluator. Run by itself it prints the two programs of X38 in full
// size, which the rival would take minutes for: bun bench/interpret.ts
import { type RunResult, run } from "../src/lang/interpret.ts";
import { type TestProgram, testBody } from "../test/support/programs.ts";
import { evaluateTree } from "../test/support/tree-evaluator.ts";
import type { Case, HotPath } from "./harness.ts";

const FIBONACCI = "if a < 2 { a } else { f(a - 1) + f(a - 2) }";
const LETS = "if a < 2 { a } else { let x = f(a - 1); let y = f(a - 2); x + y }";
const f = (clauses: string, body: string): string => `@id("p.f") fn f(a: i64) -> i64 ${clauses} { ${body} }`;
const fibonacci = (n: number): TestProgram => testBody(`f(${n})`, f("", FIBONACCI));
const contracts = (n: number): TestProgram =>
  testBody(`f(${n})`, f("requires a >= 0 ensures result >= 0", LETS));
/** A linear congruence modulo 2^61 - 1 whose products leave the exact numbers nearly always. */
const wide = (n: number): TestProgram =>
  testBody(
    `f(${n})`,
    `${f("", "if a < 2 { a } else { mix(f(a - 1) + f(a - 2)) }")}
fn mix(x: i64) -> i64 { (x % 2147483647 * 3037000493 + 9007199254740993) % 2305843009213693951 }`,
  );

function beside(name: string, { project, program }: TestProgram, warmUps: number): Case {
  const maxSteps = 100_000_000;
  // A daemon lives long: what counts is the optimized loop, and a case has only a dozen samples.
  for (let count = 0; count < warmUps; count++) run(program, maxSteps);
  const contender = (name: string, run: () => RunResult) => ({ name, run, result: run });
  return {
    name,
    work: { amount: run(program, maxSteps).stepsUsed, unit: "steps" },
    ours: contender("compiled", () => run(program, maxSteps)),
    rivals: [contender("tree, BigInt, recursive", () => evaluateTree(project, project.test, maxSteps))],
  };
}

export default {
  name: "interpret",
  prepare({ short }) {
    const [n, warmUps] = short ? [8, 1] : [18, 100];
    return [
      beside("calls and additions", fibonacci(n), warmUps),
      beside("contracts and lets", contracts(n), warmUps),
      beside("integers beyond 2^53", wide(n), warmUps),
    ];
  },
} satisfies HotPath;

function report(name: string, { program }: TestProgram): void {
  for (let round = 0; round < 3; round++) {
    const start = Bun.nanoseconds();
    const { outcome, stepsUsed } = run(program, 100_000_000);
    const seconds = (Bun.nanoseconds() - start) / 1e9;
    const rate = (stepsUsed / seconds / 1e6).toFixed(0);
    console.log(`${name}: ${outcome.kind}, ${stepsUsed} steps, ${seconds.toFixed(3)} s, ${rate} M steps/s`);
  }
}

if (import.meta.main) {
  report("f(33)", fibonacci(33));
  report("f(28) with contracts", contracts(28));
  report("f(26), wide", wide(26));
}
