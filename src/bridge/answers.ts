/** The results that a job reads, taken only in exactly the form that the transport gives them (section 7 of daemon.md). */
import { utf8 } from "../kernel/bytes.ts";
import { sha256Hex } from "../kernel/digest.ts";
import type { TestLimits } from "../project/execution.ts";
import { verifyEnvelope } from "../project/verify.ts";
import type { Envelope } from "../project/verify-text.ts";

/** The exact strings of `workspace/open` (R122). */
export interface Revisions {
  readonly project: string;
  readonly workspace: string;
}

export type TestReason = "returned_nonzero" | "language_failure" | "fuel_exhausted" | "call_depth_exceeded";

export interface TestReport {
  /** Null exactly if the test returned 0. */
  readonly reason: TestReason | null;
  /** For people: how the run ended. */
  readonly words: string;
  /** `sha256:` and the SHA-256 of the embedded execution document's bytes (R122). */
  readonly executionDigest: string;
}

const OPENED =
  /^\{"opened":true,"project_revision":"(sha256:[0-9a-f]{64})","workspace_revision":"(sha256:[0-9a-f]{64})"\}$/;
const OPENED_BYTES_MAX = 256;
const OK = '{"ok":true}';
const CLOSE = 0x7d;

export function readOpened(bytes: Uint8Array): Revisions | null {
  if (bytes.length > OPENED_BYTES_MAX) return null;
  const [, project, workspace] = OPENED.exec(new TextDecoder().decode(bytes)) ?? [];
  return project === undefined || workspace === undefined ? null : { project, workspace };
}

/** The RESULT of `check` and of `shutdown`. */
export function isOk(bytes: Uint8Array): boolean {
  return bytes.length === OK.length && new TextDecoder().decode(bytes) === OK;
}

/** The RESULT of `test`: an envelope that verifies, of these revisions and limits, and agrees with `command_succeeded`. */
export function readTested(bytes: Uint8Array, revisions: Revisions, limits: TestLimits): TestReport | null {
  for (const succeeded of [true, false]) {
    const head = utf8(`{"command_succeeded":${succeeded},"execution":`);
    if (!head.every((byte, at) => bytes[at] === byte) || bytes.at(-1) !== CLOSE) continue;
    const document = bytes.subarray(head.length, -1);
    const verdict = verifyEnvelope(document, {
      projectRevision: revisions.project,
      workspaceRevision: revisions.workspace,
    });
    if (!verdict.accepted || !isWithin(verdict.envelope, limits)) return null;
    const { reason, words } = describe(verdict.envelope);
    const report = { reason, words, executionDigest: `sha256:${sha256Hex(document)}` };
    return succeeded === (reason === null) ? report : null;
  }
  return null;
}

function isWithin({ limits }: Envelope, { maxSteps, maxBytes }: TestLimits): boolean {
  return limits.max_steps === maxSteps && limits.max_bytes === maxBytes;
}

function describe({ outcome, fuel }: Envelope): { reason: TestReason | null; words: string } {
  if ("value" in outcome) {
    const words = `the test returned ${outcome.value}`;
    return { reason: outcome.value === "0" ? null : "returned_nonzero", words };
  }
  if ("status" in outcome) {
    const { class: className, code } = outcome.status;
    return { reason: "language_failure", words: `the test ended with ${className} failure ${code}` };
  }
  return outcome.kind === "fuel_exhausted"
    ? { reason: "fuel_exhausted", words: `the test did not end within ${fuel.max_steps} steps` }
    : { reason: "call_depth_exceeded", words: "the test called too deep" };
}
