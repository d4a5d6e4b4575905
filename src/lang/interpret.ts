/** Evaluation of a compiled program as its users see it (X1 to X18). The work is done in loop.ts. */
import { execute, Stop } from "./loop.ts";
import type { Machine, Program } from "./machine.ts";

export { CALL_DEPTH_MAX, Word } from "./loop.ts";

export type RunOutcome =
  | { readonly kind: "returned"; readonly value: bigint }
  | { readonly kind: "arithmetic_failure"; readonly code: number }
  | { readonly kind: "contract_failure"; readonly code: number }
  | { readonly kind: "fuel_exhausted" }
  | { readonly kind: "call_depth_exceeded" };

export interface RunResult {
  readonly outcome: RunOutcome;
  readonly stepsUsed: number;
}

/**
 * Evaluates `main`. `maxSteps` is a positive 31-bit integer. The machine keeps the place where the run ended until
 * the next run of the same program.
 */
export function run(program: Program, maxSteps: number): RunResult {
  const { machine } = program;
  machine.trim();
  const stop = execute(program, machine, maxSteps);
  return { outcome: outcomeOf(stop, machine), stepsUsed: machine.stepsUsed };
}

function outcomeOf(stop: Stop, machine: Machine): RunOutcome {
  switch (stop) {
    case Stop.Returned:
      return { kind: "returned", value: machine.valueAt(machine.detail) };
    case Stop.Arithmetic:
      return { kind: "arithmetic_failure", code: machine.detail };
    case Stop.Contract:
      return { kind: "contract_failure", code: machine.detail };
    case Stop.Fuel:
      return { kind: "fuel_exhausted" };
    case Stop.Depth:
      return { kind: "call_depth_exceeded" };
  }
}
