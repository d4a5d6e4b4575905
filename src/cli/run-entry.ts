/** `semaprax run`: evaluates the entry program (L16). The daemon never does (P29). */
import { quote } from "../kernel/json-write.ts";
import { compileClosure } from "../lang/compile.ts";
import { type RunOutcome, type RunResult, run } from "../lang/interpret.ts";
import { TEST_STEPS_DEFAULT } from "../project/execution.ts";
import type { Snapshot } from "../project/snapshot.ts";
import { defineCommand, Exit, NO_OPERANDS, PROJECT_OPTIONS } from "./command.ts";
import { explainFailure, outcomeLine } from "./explain.ts";
import { loadSnapshot } from "./project.ts";
import { STEPS_OPTION } from "./test.ts";

export const runEntry = defineCommand({
  name: "run",
  summary: "evaluate the entry program",
  about: [
    "Evaluates main of the entry module and prints its value. --json prints one document,",
    "semaprax.run.v1; it is no execution envelope, since those speak of tests only.",
  ],
  operands: NO_OPERANDS,
  options: {
    "--max-steps": STEPS_OPTION,
    "--json": { takes: "nothing", about: "print one document, semaprax.run.v1" },
    ...PROJECT_OPTIONS,
  },
  run(options, _operands, surroundings) {
    const snapshot = loadSnapshot(options["--manifest-path"], surroundings);
    if (snapshot === null) return Exit.Refused;
    const { io, errorPalette } = surroundings;
    const maxSteps = options["--max-steps"] ?? TEST_STEPS_DEFAULT;
    const program = compileClosure(snapshot.program, snapshot.program.entry);
    const result = run(program, maxSteps);
    const { outcome } = result;
    const status = outcome.kind === "returned" ? Exit.Good : Exit.Refused;
    if (options["--json"]) {
      io.out(`${runDocument(snapshot, result, maxSteps)}\n`);
    } else if (outcome.kind === "returned") {
      io.out(`${outcome.value}\n`);
    } else {
      io.err(`${errorPalette.error(`${snapshot.manifest.entry}: ${outcomeLine(result)}`)}\n`);
      io.err(explainFailure(snapshot.program, program, outcome, maxSteps, errorPalette));
    }
    return status;
  },
});

function runDocument(snapshot: Snapshot, { outcome, stepsUsed }: RunResult, maxSteps: number): string {
  const { manifest, program, projectRevision, workspaceRevision } = snapshot;
  const { main } = program.entry;
  const id = program.functionIds[main.file]![main.function]!;
  return (
    `{"schema":"semaprax.run.v1","project":"${manifest.name}","project_revision":"${projectRevision}",` +
    `"workspace_revision":"${workspaceRevision}","module":"${manifest.entry}","stable_id":${quote(id)},` +
    `"fuel":{"steps_used":${stepsUsed},"max_steps":${maxSteps}},"outcome":${outcomeObject(outcome)}}`
  );
}

/** The outcomes of X20. */
function outcomeObject(outcome: RunOutcome): string {
  switch (outcome.kind) {
    case "returned":
      return `{"kind":"returned","type":"i64","value":"${outcome.value}"}`;
    case "arithmetic_failure":
      return failureObject("arithmetic", outcome.code);
    case "contract_failure":
      return failureObject("contract", outcome.code);
    case "fuel_exhausted":
    case "call_depth_exceeded":
      return `{"kind":"${outcome.kind}"}`;
  }
}

function failureObject(className: "arithmetic" | "contract", code: number): string {
  return (
    `{"kind":"language_failure","status":{"schema":"semaprax.status.v1","domain_id":"semaprax.${className}.v1",` +
    `"code":${code},"class":"${className}","retryable":false}}`
  );
}
