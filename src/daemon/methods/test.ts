import { utf8 } from "../../kernel/bytes.ts";
import { type Outcome, success } from "../../kernel/failure.ts";
import {
  checkTestLimits,
  runTest,
  TEST_BYTES_DEFAULT,
  TEST_STEPS_DEFAULT,
  type TestLimits,
} from "../../project/execution.ts";
import { questionMethod } from "../method.ts";
import type { BoundParameters } from "../parameters.ts";
import { rendered } from "../response.ts";

const NAMES = ["max_steps", "max_bytes"] as const;

/** Evaluates the test module and reports in an envelope that anybody can verify (execution.md). */
export const test = questionMethod({
  name: "test",
  parameters: NAMES,
  compute({ snapshot }, parameters) {
    const limits = readLimits(parameters);
    if (!limits.ok) return limits;
    const report = runTest(snapshot, limits.value);
    if (!report.ok) return report;
    const { succeeded, envelope } = report.value;
    return success(rendered(utf8(`{"command_succeeded":${succeeded},"execution":`), envelope, utf8("}")));
  },
});

/** In the order of D49. */
function readLimits(parameters: BoundParameters<(typeof NAMES)[number]>): Outcome<TestLimits> {
  const maxSteps = parameters.integer("max_steps", TEST_STEPS_DEFAULT);
  if (!maxSteps.ok) return maxSteps;
  const maxBytes = parameters.integer("max_bytes", TEST_BYTES_DEFAULT);
  if (!maxBytes.ok) return maxBytes;
  const known = parameters.refuseUnknown();
  if (!known.ok) return known;
  return checkTestLimits({ maxSteps: maxSteps.value, maxBytes: maxBytes.value });
}
