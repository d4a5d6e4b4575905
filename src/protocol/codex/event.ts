/** What a host tells its owner about the adapter. Names, ids and numbers only: nothing of any message. */

export type CodexEvent =
  /** Codex runs and is the pinned release. */
  | { type: "ready"; generation: string }
  /** There is no session: every request is answered `unavailable` (RC2). */
  | { type: "unusable"; reason: "not_started" | "wrong_version" | "no_handshake" }
  /** The process is gone (RC38). */
  | { type: "lost"; reason: LossReason; code: number | null; signal: string | null }
  /** A notification of a name that release 0.163.0 does not have; logged once for each name. */
  | { type: "unknown_notification"; method: string }
  /** A message of a known name that is not as defined. */
  | { type: "malformed"; method: string }
  /** Codex refused what the adapter should not have sent (section 7). */
  | { type: "adapter_fault"; method: string }
  /** A request of Codex that is not supported, by name. */
  | { type: "request_refused"; method: string }
  /** An approval that was declined without asking, or with nobody to ask. */
  | { type: "approval_declined"; approvalId: string; reason: DeclineReason }
  /** An answer to an approval that was over; it had no effect (RC35). */
  | { type: "late_approval"; approvalId: string }
  /** A callback of the owner threw; its connection is no longer used. */
  | { type: "callback_failed"; connectionId: string };

/** By itself, by `close()`, for what it wrote (RC8), or for a mistake of the adapter. */
export type LossReason = "exited" | "closed" | "unreadable" | "fault";

export type DeclineReason = "unfit" | "nobody_to_ask" | "too_many" | "not_sent" | "changed" | "malformed";

export interface CodexCounts {
  /** Known notifications that are not translated, and events of threads and turns that are not known. */
  dropped: number;
  /** Notifications of unknown names. */
  unknown: number;
  /** Answers to nothing that waits, also those that came too late. */
  unmatched: number;
  /** Bytes of the process's standard error, which is read and thrown away (RC11). */
  errorOutputBytes: number;
}

export function noCounts(): CodexCounts {
  return { dropped: 0, unknown: 0, unmatched: 0, errorOutputBytes: 0 };
}
