/**
 * Errors of Codex as native ones (section 7). Codex has one code for nearly every refusal, so its texts are matched by
 * prefix, which the pinned release allows. They list internals and are not passed on: the words are ours.
 */

import type { WireErrorObject } from "../../message.ts";

export interface CodexError {
  code: number;
  message: string;
  data?: unknown;
}

/** How a request ended without a result: Codex's refusal, or nothing that can be used. */
export type Failed =
  | { readonly kind: "refused"; readonly error: CodexError }
  /** The result is not as the definitions say. */
  | { readonly kind: "malformed" }
  /** No answer in time. */
  | { readonly kind: "timeout" }
  /** The process is gone. */
  | { readonly kind: "lost" }
  /** Not sent: too much waits for Codex already. */
  | { readonly kind: "full" };

/** Whether the request asked Codex to change something: then a missing answer leaves the outcome open. */
export type Purpose = "read" | "mutation";

const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

interface Rule {
  readonly prefixes: readonly string[];
  readonly error: WireErrorObject;
}

const RULES: readonly Rule[] = [
  {
    prefixes: ["thread not found", "thread not loaded", "no rollout found", "invalid thread id"],
    error: { code: "not_found", message: "no such thread" },
  },
  {
    prefixes: ["no active turn", "expected active turn id"],
    error: { code: "invalid_state", message: "that turn is not running" },
  },
  {
    prefixes: ["ephemeral threads do not support"],
    error: { code: "unavailable", message: "an ephemeral thread has no stored turns" },
  },
];

/** Refusals that say that we broke the rules of Codex. */
const FAULTS = ["Invalid request:", "Not initialized", "Already initialized"];

/** Whether Codex refused something that we should not have sent; to be logged. */
export function isFault(failed: Failed): boolean {
  return (
    failed.kind === "malformed" ||
    (failed.kind === "refused" &&
      failed.error.code === INVALID_REQUEST &&
      FAULTS.some((prefix) => failed.error.message.startsWith(prefix)))
  );
}

/** A thread without turns has no list of them either (T35). */
export function hasNoTurns(failed: Failed): boolean {
  if (failed.kind !== "refused" || failed.error.code !== METHOD_NOT_FOUND) return false;
  return failed.error.message.startsWith("list_turns is not supported yet");
}

export function toError(failed: Failed, purpose: Purpose): WireErrorObject {
  switch (failed.kind) {
    case "refused":
      return toRefusal(failed);
    case "malformed":
      return { code: "internal", message: "Codex answered in a way that is not understood" };
    case "timeout":
      return purpose === "mutation"
        ? { code: "ambiguous_disconnect", message: "Codex did not answer in time: the outcome is unknown" }
        : { code: "timeout", message: "Codex did not answer in time" };
    case "lost":
      return purpose === "mutation"
        ? { code: "ambiguous_disconnect", message: "Codex is gone: the outcome is unknown" }
        : { code: "unavailable", message: "Codex is gone" };
    case "full":
      return { code: "overflow", message: "too much waits for Codex; nothing was sent" };
  }
}

function toRefusal(failed: Extract<Failed, { kind: "refused" }>): WireErrorObject {
  const { code, message, data } = failed.error;
  if (code === INVALID_REQUEST) {
    const rule = RULES.find(({ prefixes }) => prefixes.some((prefix) => message.startsWith(prefix)));
    if (rule !== undefined) return rule.error;
    if (isFault(failed)) return { code: "unavailable", message: "Codex refused the request" };
  }
  if (code === INVALID_PARAMS && isTooLarge(data)) {
    return { code: "overflow", message: "the input is too large for Codex" };
  }
  return { code: "internal", message: "Codex failed" };
}

function isTooLarge(data: unknown): boolean {
  return (
    typeof data === "object" &&
    data !== null &&
    "input_error_code" in data &&
    data.input_error_code === "input_too_large"
  );
}
