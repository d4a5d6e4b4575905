/** What an event asks for (R117). */
import { utf8Length } from "../kernel/text.ts";
import { TEST_BYTES_MIN, TEST_STEPS_MIN, type TestLimits } from "../project/execution.ts";
import type { JsonValue, ProjectEvent } from "../protocol/index.ts";
import { EXPECTED_REVISION_BYTES_MAX } from "./limits.ts";

export type Scope = "check" | "test";

/** A job as its event asked for it. */
export interface Order {
  readonly event: ProjectEvent;
  readonly scope: Scope;
  readonly expectedProject: string | null;
  readonly expectedWorkspace: string | null;
  readonly limits: TestLimits;
}

const MEMBERS = [
  "scope",
  "expected_project_revision",
  "expected_workspace_revision",
  "max_steps",
  "max_bytes",
];

/** The order, or words about why the event is not supported. `caps` bounds what a payload may choose. */
export function readOrder(event: ProjectEvent, caps: TestLimits): Order | string {
  if (event.event_type !== "source.changed" && event.event_type !== "verify.requested") {
    return "the event is neither source.changed nor verify.requested";
  }
  const { payload } = event;
  if (!Object.keys(payload).every((name) => MEMBERS.includes(name))) return "the payload has another member";
  // Not `??`: null is no way to leave a member out.
  const scope = payload["scope"] === undefined ? "test" : payload["scope"];
  if (scope !== "check" && scope !== "test") return "scope is neither check nor test";
  const project = payload["expected_project_revision"];
  if (!isRevisionText(project)) return "expected_project_revision is no text of 1 to 256 bytes";
  const workspace = payload["expected_workspace_revision"];
  if (!isRevisionText(workspace)) return "expected_workspace_revision is no text of 1 to 256 bytes";
  const maxSteps = payload["max_steps"];
  if (!isWithin(maxSteps, TEST_STEPS_MIN, caps.maxSteps)) return "max_steps is no integer within the limits";
  const maxBytes = payload["max_bytes"];
  if (!isWithin(maxBytes, TEST_BYTES_MIN, caps.maxBytes)) return "max_bytes is no integer within the limits";
  return {
    event,
    scope,
    expectedProject: project ?? null,
    expectedWorkspace: workspace ?? null,
    limits: { maxSteps: maxSteps ?? caps.maxSteps, maxBytes: maxBytes ?? caps.maxBytes },
  };
}

function isRevisionText(value: JsonValue | undefined): value is string | undefined {
  if (value === undefined) return true;
  if (typeof value !== "string" || value === "" || value.includes("\0")) return false;
  return utf8Length(value) <= EXPECTED_REVISION_BYTES_MAX;
}

function isWithin(value: JsonValue | undefined, min: number, max: number): value is number | undefined {
  if (value === undefined) return true;
  return typeof value === "number" && Number.isInteger(value) && value >= min && value <= max;
}
