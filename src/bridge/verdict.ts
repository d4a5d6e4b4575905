/** From findings to what is said about an event (R121 to R123). Pure. */
import { clip } from "../kernel/text.ts";
import { Codec, type JsonObject, type ParamsOf, type ProjectEvent } from "../protocol/index.ts";
import type { Revisions } from "./answers.ts";
import type { Finding, Phase } from "./attempt.ts";
import { SUMMARY_BYTES_MAX } from "./limits.ts";
import type { Order, Scope } from "./payload.ts";

export type Kind =
  | "verification.passed"
  | "verification.failed"
  | "verification.superseded"
  | "verification.unstable"
  | "verification.unavailable"
  | "event.unsupported";

/** The outcome of an event: a bad verdict is completed all the same, only a missing one has failed. */
export type Verdict = Pick<ParamsOf<"project/event.report">, "outcome" | "decision">;

/** What jobs are run with (R122). */
const PROTOCOL = "semaprax.agent-transport.v2";

/** The decision of a job whose last session came to `finding`; `attempts` counts its sessions. */
export function verdictOf(order: Order, finding: Finding, attempts: number): Verdict {
  const { event, scope } = order;
  const facts: Facts = { event, scope, attempts, phase: finding.phase, revisions: finding.revisions };
  switch (finding.kind) {
    case "checked":
      return verdict("completed", "verification.passed", "The project is valid.", facts);
    case "tested": {
      const { reason, words, executionDigest } = finding.report;
      const test = { command_succeeded: reason === null, ...(reason !== null && { reason }) };
      const kind = reason === null ? "verification.passed" : "verification.failed";
      const summary = `The project is valid${reason === null ? " and" : ", but"} ${words}.`;
      return verdict("completed", kind, summary, facts, { execution_digest: executionDigest, test });
    }
    case "refused":
      return verdict("completed", "verification.failed", `The project is not valid: ${finding.words}`, facts);
    case "unexpected": {
      const summary = "The project is not at the revision that the event expects.";
      return verdict("rejected", "verification.superseded", summary, facts);
    }
    case "invalidated": {
      const summary = "The project's files changed again and again while it was verified.";
      return verdict("failed", "verification.unstable", summary, facts);
    }
    case "unavailable":
      return verdict("failed", "verification.unavailable", `There is no verdict: ${finding.words}.`, facts);
  }
}

/** R119: a newer change of the same project arrived before the job had started. */
export function supersededBy(order: Order, newer: ProjectEvent): Verdict {
  const facts: Facts = { ...order, phase: "inbox", revisions: null, attempts: 0 };
  const summary = "A newer change of the same project is verified in its place.";
  return verdict("rejected", "verification.superseded", summary, facts, { superseded_by: newer.event_id });
}

/** R117. */
export function unsupported(event: ProjectEvent, words: string): Verdict {
  const facts: Facts = { event, scope: null, phase: "inbox", revisions: null, attempts: 0 };
  return verdict("rejected", "event.unsupported", `The event is not supported: ${words}.`, facts);
}

/** The bridge was closed before the job had started. */
export function abandoned(order: Order): Verdict {
  const facts: Facts = { ...order, phase: "inbox", revisions: null, attempts: 0 };
  const summary = "There is no verdict: the bridge was closed.";
  return verdict("failed", "verification.unavailable", summary, facts);
}

/** 32 hex digits that name what was decided: the same event with the same outcome has the same ones (R123). */
export function verdictDigits(event: ProjectEvent, { decision: { kind, details } }: Verdict): string {
  const project = details?.["project_revision"] ?? "";
  const workspace = details?.["workspace_revision"] ?? "";
  const digest = Codec.digest([event.event_id, kind, project, workspace]);
  return digest.slice("sha256:".length, "sha256:".length + 32);
}

interface Facts {
  readonly event: ProjectEvent;
  /** Null where the event does not say. */
  readonly scope: Scope | null;
  readonly phase: Phase | "inbox";
  readonly revisions: Revisions | null;
  readonly attempts: number;
}

function verdict(
  outcome: Verdict["outcome"],
  kind: Kind,
  summary: string,
  { event, scope, phase, revisions, attempts }: Facts,
  more: JsonObject = {},
): Verdict {
  const details: JsonObject = {
    project_ref: event.project_ref,
    ...(revisions !== null && {
      project_revision: revisions.project,
      workspace_revision: revisions.workspace,
    }),
    phase,
    ...(scope !== null && { scope }),
    protocol: PROTOCOL,
    attempts,
    ...more,
  };
  return { outcome, decision: { kind, summary: clip(asText(summary), SUMMARY_BYTES_MAX), details } };
}

/** A daemon's words as a text of the protocol, which has neither U+0000 nor half a surrogate pair (R7, R11). */
function asText(words: string): string {
  return words.toWellFormed().replaceAll("\0", "\ufffd");
}
