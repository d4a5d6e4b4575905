/** What a context query asks for, and the ranges of its options (context.md 1). */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { utf8Length } from "../kernel/text.ts";
import {
  CONTEXT_BYTES_MAX,
  CONTEXT_BYTES_MIN,
  CONTEXT_NODES_MAX,
  CONTEXT_NODES_MIN,
  DEPTH_MAX,
  TARGET_BYTES_MAX,
} from "./limits.ts";

export const TARGET_KINDS = ["declaration", "capability"] as const;
export type TargetKind = (typeof TARGET_KINDS)[number];

export const DIRECTIONS = ["forward", "reverse", "both"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/**
 * A query whose types and words are right (C44); limits.ts has the defaults. The numbers are integers of any size from 0:
 * one beyond 2^53 may be given as any number above its bound, since it is refused before it is used.
 */
export interface ContextQuery {
  readonly targetKind: TargetKind;
  /** An id. */
  readonly target: string;
  readonly direction: Direction;
  readonly depth: number;
  readonly maxBytes: number;
  readonly maxNodes: number;
}

/** The ranges of the options in the order of D49: G176 below, G178 above (C45, C46). */
export function checkContextBounds(query: ContextQuery): Outcome<ContextQuery> {
  const { depth, maxBytes, maxNodes, target } = query;
  if (depth > DEPTH_MAX) return refuse("SPX-G178", `depth is above ${DEPTH_MAX}`);
  if (maxBytes < CONTEXT_BYTES_MIN) return refuse("SPX-G176", `max_bytes is below ${CONTEXT_BYTES_MIN}`);
  if (maxBytes > CONTEXT_BYTES_MAX) return refuse("SPX-G178", `max_bytes is above ${CONTEXT_BYTES_MAX}`);
  if (maxNodes < CONTEXT_NODES_MIN) return refuse("SPX-G176", `max_nodes is below ${CONTEXT_NODES_MIN}`);
  if (maxNodes > CONTEXT_NODES_MAX) return refuse("SPX-G178", `max_nodes is above ${CONTEXT_NODES_MAX}`);
  if (utf8Length(target) > TARGET_BYTES_MAX) {
    return refuse("SPX-G178", `target is over ${TARGET_BYTES_MAX} bytes`);
  }
  return success(query);
}
