/** `semaprax test`: evaluates the project's tests (L15). */
import { run } from "../lang/interpret.ts";
import {
  isSuccess,
  runTest,
  TEST_BYTES_DEFAULT,
  TEST_BYTES_MAX,
  TEST_BYTES_MIN,
  TEST_STEPS_DEFAULT,
  TEST_STEPS_MAX,
  TEST_STEPS_MIN,
} from "../project/execution.ts";
import { defineCommand, Exit, NO_OPERANDS, PROJECT_OPTIONS } from "./command.ts";
import { explainFailure, outcomeLine } from "./explain.ts";
import { loadSnapshot } from "./project.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";

export const STEPS_OPTION = {
  takes: "number",
  min: TEST_STEPS_MIN,
  max: TEST_STEPS_MAX,
  about: `steps until the run is ended (default ${TEST_STEPS_DEFAULT})`,
} as const;

export const test = defineCommand({
  name: "test",
  summary: "evaluate the tests",
  about: [
    "Evaluates main of the test module. It succeeds by returning 0; whatever else happens is explained.",
    "--json prints the execution envelope that the daemon answers, byte for byte.",
  ],
  operands: NO_OPERANDS,
  options: {
    "--max-steps": STEPS_OPTION,
    "--max-bytes": {
      takes: "number",
      min: TEST_BYTES_MIN,
      max: TEST_BYTES_MAX,
      about: `bytes rendered for the envelope (default ${TEST_BYTES_DEFAULT})`,
    },
    "--json": { takes: "nothing", about: "print the execution envelope" },
    ...PROJECT_OPTIONS,
  },
  run(options, _operands, surroundings) {
    const snapshot = loadSnapshot(options["--manifest-path"], surroundings);
    if (snapshot === null) return Exit.Refused;
    const { io, palette, errorPalette } = surroundings;
    const maxSteps = options["--max-steps"] ?? TEST_STEPS_DEFAULT;
    const maxBytes = options["--max-bytes"] ?? TEST_BYTES_DEFAULT;
    const report = runTest(snapshot, { maxSteps, maxBytes });
    if (!report.ok) {
      for (const diagnostic of report.failure) {
        io.err(renderDiagnostic(diagnostic, () => null, ["--max-bytes N raises the bound"], errorPalette));
      }
      return Exit.Refused;
    }
    const { succeeded, envelope } = report.value;
    if (options["--json"]) {
      io.out(envelope);
      io.out("\n");
      return succeeded ? Exit.Good : Exit.Refused;
    }
    // The run again, which is the same run (X4): the envelope says how it ended, the machine says why.
    const result = run(snapshot.testProgram, maxSteps);
    const line = `${snapshot.manifest.testModule}: ${outcomeLine(result)}`;
    const mark = isSuccess(result.outcome) ? palette.good : palette.error;
    io.out(`${mark(line)}\n`);
    if (result.outcome.kind === "returned" && !succeeded) io.err("  a passing test returns 0\n");
    io.err(explainFailure(snapshot.program, snapshot.testProgram, result.outcome, maxSteps, errorPalette));
    return succeeded ? Exit.Good : Exit.Refused;
  },
});
