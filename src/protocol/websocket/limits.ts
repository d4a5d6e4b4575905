/** Every bound of the transport. The first group is fixed, the second belongs to an instance (section 4). */

import { fail, type Result } from "../error.ts";
import { isPlainObject } from "../json/value.ts";
import { isCount, MESSAGE_BYTES_MAX } from "../limits.ts";

/** Longest wait for the owner's authenticator, in milliseconds (RW8). */
export const AUTHENTICATION_MS = 5000;
/** Longest closing handshake, in milliseconds; then the socket is terminated (RW15). */
export const CLOSING_MS = 2000;
/** Frames in a row that may be refused with an answer; one more ends the connection (RW25). */
export const REFUSALS_MAX = 32;
/** Longest sleep of the timer for deadlines: so much late at most, whatever the clock does (RW22). */
export const ALARM_MS_MAX = 1000;
/** A timer that is later than this, in milliseconds, tells of this process and not of its peer (RW29). */
export const STALL_MS = 100;
/** Random bytes of a new token and of a connection id (RW9, RW13). */
export const TOKEN_BYTES = 32;
export const CONNECTION_ID_BYTES = 16;
/** Delay before a reconnect, in milliseconds, and how far chance may move it (RW20). */
export const RECONNECT_MS_MIN = 250;
export const RECONNECT_MS_MAX = 30_000;
export const RECONNECT_SPREAD = 0.2;
/** What a timer of the runtime, and a bound of its sockets, can still hold. */
const LIMIT_MAX = 2 ** 31 - 1;

/** Bounds that a listener or a client may be given; each is a positive integer below 2^31. */
export interface TransportLimits {
  /** Bytes of one message in either direction; both ends of a connection must agree on it (R6). */
  messageBytes: number;
  /** Milliseconds from open to ready (RW30); of a client, for the whole attempt (RW19). */
  handshakeMs: number;
  /** Milliseconds between pings, and until a pong must have come (RW29). */
  pingMs: number;
  pongMs: number;
  /** Milliseconds without any frame of the peer (RW29). */
  idleMs: number;
  /** Outgoing messages that wait for a slow peer (RW27). */
  queueMessages: number;
  queueBytes: number;
  /** Connections of a listener, and how many of them may be on their way to ready (RW6). */
  connections: number;
  handshakes: number;
}

export const DEFAULT_TRANSPORT_LIMITS: Readonly<TransportLimits> = Object.freeze({
  messageBytes: MESSAGE_BYTES_MAX,
  handshakeMs: 10_000,
  pingMs: 30_000,
  pongMs: 10_000,
  idleMs: 120_000,
  queueMessages: 256,
  queueBytes: 4_194_304,
  connections: 64,
  handshakes: 16,
});

/** The defaults with what an instance sets; an unknown name or a bad value is `invalid_argument`. */
export function transportLimitsOf(
  given: Partial<TransportLimits> = {},
): Result<{ limits: Readonly<TransportLimits> }> {
  if (!isPlainObject(given)) return fail("invalid_argument", "limits must be a plain object");
  const limits = { ...DEFAULT_TRANSPORT_LIMITS };
  for (const [name, value] of Object.entries(given)) {
    if (!isLimitName(name)) return fail("invalid_argument", "limits name a bound that does not exist");
    if (value === undefined) continue;
    if (!isCount(value) || value > LIMIT_MAX) {
      return fail("invalid_argument", `limits.${name} must be a positive integer below 2^31`);
    }
    limits[name] = value;
  }
  return { ok: true, limits: Object.freeze(limits) };
}

function isLimitName(name: string): name is keyof TransportLimits {
  return Object.hasOwn(DEFAULT_TRANSPORT_LIMITS, name);
}
