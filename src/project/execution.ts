/** The method `test`: evaluates `main` of the test module and reports the outcome in an envelope (X1 to X29). */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import type { AdmittedProject } from "../lang/checked.ts";
import { type RunOutcome, run } from "../lang/interpret.ts";
import type { Program } from "../lang/machine.ts";
import { accountEnvelope, type EnvelopeFacts, renderEnvelope } from "./envelope.ts";
import type { ProjectSubject } from "./snapshot.ts";

/** The two parameters of a run (X1). */
export interface TestLimits {
  readonly maxSteps: number;
  readonly maxBytes: number;
}

/** Steps of a run (X1, X6). */
export const TEST_STEPS_MIN = 1;
export const TEST_STEPS_DEFAULT = 1_000_000;
export const TEST_STEPS_MAX = 100_000_000;
/** Bytes rendered on the way to the envelope (X1, X24). */
export const TEST_BYTES_MIN = 1024;
export const TEST_BYTES_DEFAULT = 65_536;
export const TEST_BYTES_MAX = 16_777_216;

/** What of a snapshot a test needs. */
export interface TestSubject extends ProjectSubject {
  readonly program: AdmittedProject;
  /** The test closure, compiled once when the project was loaded (X31). */
  readonly testProgram: Program;
}

export interface TestReport {
  /** Whether the test returned 0 (X3). */
  readonly succeeded: boolean;
  /** The envelope's exact bytes. */
  readonly envelope: Uint8Array;
}

/** The ranges of X1, in the order of D49. Refuses with F101. */
export function checkTestLimits(limits: TestLimits): Outcome<TestLimits> {
  const { maxSteps, maxBytes } = limits;
  if (maxBytes < TEST_BYTES_MIN || maxBytes > TEST_BYTES_MAX) {
    return refuse("SPX-F101", "max_bytes is out of range");
  }
  if (maxSteps < TEST_STEPS_MIN || maxSteps > TEST_STEPS_MAX) {
    return refuse("SPX-F101", "max_steps is out of range");
  }
  return success(limits);
}

/** Runs the test. Every end of the program is a result; only an account over `maxBytes` refuses, with F104 (X27). */
export function runTest(subject: TestSubject, limits: TestLimits): Outcome<TestReport> {
  const { outcome, stepsUsed } = run(subject.testProgram, limits.maxSteps);
  const facts = envelopeFacts(subject, limits, outcome, stepsUsed);
  if (accountEnvelope(facts) > limits.maxBytes) {
    return refuse("SPX-F104", "result exceeds max_bytes");
  }
  return success({ succeeded: isSuccess(outcome), envelope: renderEnvelope(facts) });
}

/** X3. */
export function isSuccess(outcome: RunOutcome): boolean {
  return outcome.kind === "returned" && outcome.value === 0n;
}

function envelopeFacts(
  subject: TestSubject,
  limits: TestLimits,
  outcome: RunOutcome,
  stepsUsed: number,
): EnvelopeFacts {
  const { main } = subject.program.test;
  return {
    project: subject.manifest.name,
    projectRevision: subject.projectRevision,
    workspaceRevision: subject.workspaceRevision,
    module: subject.manifest.testModule,
    stableId: subject.program.functionIds[main.file]![main.function]!,
    maxBytes: limits.maxBytes,
    maxSteps: limits.maxSteps,
    stepsUsed,
    outcome,
  };
}
