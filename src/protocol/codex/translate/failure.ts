/** Why a turn failed or is retried, as a native reason (RC28). */

import type { Turn } from "../../message.ts";
import type { CodexTurnError } from "../schema/thread.ts";
import { words } from "../text.ts";

const REASONS: ReadonlyMap<string, string> = new Map([
  ["contextWindowExceeded", "provider.context_window"],
  ["sessionBudgetExceeded", "provider.budget"],
  ["usageLimitExceeded", "provider.usage_limit"],
  ["rateLimitExceeded", "provider.rate_limit"],
  ["flexUnavailable", "provider.overloaded"],
  ["serverOverloaded", "provider.overloaded"],
  ["cyberPolicy", "provider.policy"],
  ["misalignmentPolicyViolation", "provider.policy"],
  ["tooManyDenials", "provider.policy"],
  ["internalServerError", "provider.internal"],
  ["unauthorized", "provider.unauthorized"],
  ["badRequest", "provider.bad_request"],
  ["sandboxError", "host.sandbox"],
  ["threadRollbackFailed", "host.rollback"],
  ["httpConnectionFailed", "provider.http"],
  ["responseStreamConnectionFailed", "provider.stream_connect"],
  ["responseStreamDisconnected", "provider.stream_lost"],
  ["responseTooManyFailedAttempts", "provider.retries"],
  ["activeTurnNotSteerable", "host.not_steerable"],
]);

export type TurnFailure = Extract<Turn, { status: "failed" }>["failure"];

/** Codex's words without addresses, its name for the cause, and the provider's status where one is told. */
export function toFailure(error: CodexTurnError | null | undefined): TurnFailure {
  const info = error?.codexErrorInfo ?? null;
  const [name, facts] =
    info === null || typeof info === "string" ? [info ?? "other", null] : only(Object.entries(info));
  const failure: TurnFailure = {
    reason: REASONS.get(name) ?? "provider.other",
    message: words(error?.message ?? "", "the turn failed without a message"),
  };
  const status = statusOf(facts);
  if (status !== null) failure.http_status = status;
  return failure;
}

/** The object form has one key, the name; what has more is nothing we know. */
function only(entries: [string, unknown][]): [string, unknown] {
  const [first, second] = entries;
  return first === undefined || second !== undefined ? ["other", null] : first;
}

function statusOf(facts: unknown): number | null {
  if (typeof facts !== "object" || facts === null || !("httpStatusCode" in facts)) return null;
  const status = facts.httpStatusCode;
  return Number.isSafeInteger(status) && Number(status) >= 100 && Number(status) <= 599
    ? Number(status)
    : null;
}
