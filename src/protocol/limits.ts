/** Every bound of the agent protocol. The first group is part of the wire format, the second belongs to an instance. */

import { fail, type Result } from "./error.ts";
import { isPlainObject } from "./json/value.ts";

/** Default bound of one encoded message, in bytes: 1 MiB (R6). */
export const MESSAGE_BYTES_MAX = 1_048_576;
/**
 * An object of a program that would be longer than this in bytes, whatever the bound of its message, is not read on
 * (R6): parts that occur in many places make one that is small in memory and larger than any memory when written out.
 */
export const OBJECT_BYTES_MAX = 2 ** 26;
/** Deepest nesting; the message object itself is level 1 (R8). */
export const DEPTH_MAX = 32;
/** A result stands at level 2 of its response, so it may nest one level less (R8). */
export const RESULT_DEPTH_MAX = DEPTH_MAX - 1;
/** Canonical form of an event's payload, in bytes (R43). */
export const PAYLOAD_BYTES_MAX = 262_144;
/** Events of one replay page (R86, R91). */
export const PAGE_EVENTS_MAX = 128;
/** Encoded events of one replay page, in bytes: what is left of a message beside its envelope (R91, R93). */
export const PAGE_BYTES_MAX = MESSAGE_BYTES_MAX - 4096;
/** Longest wait for an answer, in milliseconds (R63). */
export const WAIT_MS_MAX = 3_600_000;
/** Evidence of a resolved hold, in bytes (R66). */
export const EVIDENCE_BYTES_MAX = 1024;
/** Bounds of a replay log: events, and encoded bytes (R89). */
export const REPLAY_CAPACITY = { default: 1024, min: 1, max: 65_536 } as const;
export const REPLAY_BYTES = { default: 16_777_216, min: 2 ** 20, max: 2 ** 30 } as const;

/** Bounds that a client or server may be given; each is a positive integer (section 11). */
export interface Limits {
  /** Pending requests and uncertain commands together (R58). */
  outstanding: number;
  /** Requests of the peer that wait for an answer (R69, R101). */
  incoming: number;
  /** Notifications received and not drained (R79). */
  buffer: number;
  /** Answered or expired ids that are remembered (R61). */
  completed: number;
  /** Streams with a position (R79). */
  streams: number;
  /** Unprocessed events of one stream (R79). */
  hashes: number;
  /** Bytes of one encoded message (R6); both ends of a connection must agree on it. */
  messageBytes: number;
  /** Milliseconds until a request without a wait of its own expires, at most {@link WAIT_MS_MAX} (R63). */
  waitMs: number;
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  outstanding: 64,
  incoming: 64,
  buffer: 128,
  completed: 128,
  streams: 64,
  hashes: 128,
  messageBytes: MESSAGE_BYTES_MAX,
  waitMs: 30_000,
});

/** The defaults with what an instance sets; an unknown name or a bad value is `invalid_argument`. */
export function limitsOf(given: Partial<Limits> = {}): Result<{ limits: Readonly<Limits> }> {
  if (!isPlainObject(given)) return fail("invalid_argument", "limits must be a plain object");
  const limits = { ...DEFAULT_LIMITS };
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) return fail("invalid_argument", "limits name a bound that does not exist");
    if (value === undefined) continue;
    if (!isCount(value)) return fail("invalid_argument", `limits.${name} must be a positive integer`);
    limits[name] = value;
  }
  if (limits.waitMs > WAIT_MS_MAX) return fail("invalid_argument", `limits.waitMs is at most ${WAIT_MS_MAX}`);
  return { ok: true, limits: Object.freeze(limits) };
}

function isLimitName(name: string): name is keyof Limits {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

/** A whole number from 1. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** A Position (section 3), and what `now` arguments are: a whole number from 0. */
export function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
