/** How a connection ends: close codes and the closed list of reasons (section 4). Nothing of any message is in them. */

import type { ProtocolError } from "../error.ts";

/** RW31. It is also the text of the close frame. */
export type EndReason =
  | "closed"
  | "shutdown"
  | "refused"
  | "timeout"
  | "unresponsive"
  | "congested"
  | "protocol"
  | "disagreement"
  | "authentication"
  | "internal";

export interface Ending {
  /** A close code; 1005 and 1006 mean that the peer agreed to nothing (RW32). */
  readonly code: number;
  readonly reason: EndReason;
}

/** A connection that ends without a close frame: the peer does not listen, or was never there. */
export const ABRUPT = 1006;

/** Endings that this side decides on. */
export const ENDING = Object.freeze({
  done: { code: 1000, reason: "closed" },
  shutdown: { code: 1001, reason: "shutdown" },
  binary: { code: 1003, reason: "protocol" },
  unreadable: { code: 4400, reason: "protocol" },
  expired: { code: 4401, reason: "authentication" },
  late: { code: 4408, reason: "timeout" },
  disagreement: { code: 4409, reason: "disagreement" },
  full: { code: 4413, reason: "congested" },
  fault: { code: 4500, reason: "internal" },
  silent: { code: ABRUPT, reason: "unresponsive" },
  dropped: { code: ABRUPT, reason: "congested" },
  refused: { code: ABRUPT, reason: "refused" },
} satisfies Record<string, Ending>);

/** What the close code of the peer, or of the runtime, says. */
export function endingOf(code: number): Ending {
  return { code, reason: reasonOf(code) };
}

function reasonOf(code: number): EndReason {
  switch (code) {
    case 1001:
      return "shutdown";
    case 1002:
    case 1003:
    case 1007:
    case 1009:
    case 4400:
      return "protocol";
    case 4401:
      return "authentication";
    case 4408:
      return "timeout";
    case 4409:
      return "disagreement";
    case 4413:
      return "congested";
    case 1011:
    case 4500:
      return "internal";
    default:
      return "closed";
  }
}

/**
 * RW25: what a frame that was refused without an answer means for the connection. The size of a message was judged
 * before, so an overflow is one of notifications. Null for a late response to an expired request, which is no contradiction.
 */
export function endingAfter(error: ProtocolError): Ending | null {
  switch (error.code) {
    case "conflicting_response":
      return error.details?.["expired"] === true ? null : ENDING.disagreement;
    case "cursor_gap":
    case "conflict":
    case "foreign_stream":
    case "overflow":
    case "unknown_response":
      return ENDING.disagreement;
    case "internal":
    case "invalid_argument":
      // Not the peer's doing: a callback threw, or the clock gave no time.
      return ENDING.fault;
    default:
      return ENDING.unreadable;
  }
}
