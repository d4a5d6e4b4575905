/**
 * Requests that one end of a connection made (R56-R59): those that wait, the ids that were lately answered or expired,
 * and the mutations of which nobody knows whether they were applied. A value; each step returns the next one. How
 * requests end is in `settle.ts`.
 */

import { type ResultCheck, resultCheck } from "../binding.ts";
import { readObject } from "../codec.ts";
import { type ErrorCode, fail, type ProtocolError, type Result } from "../error.ts";
import type { Digest } from "../json/canonical.ts";
import { deepFreeze } from "../json/value.ts";
import type { Limits } from "../limits.ts";
import type { RequestMessage, RequestMethod } from "../message.ts";
import { SCHEMA_VERSION } from "../schema/connection.ts";
import { type RequestOptions, requestOptionsOf } from "./options.ts";

/** A mutation whose outcome is open, and why. */
export interface Held {
  readonly request: RequestMessage;
  readonly cause: "timeout" | "disconnected" | ErrorCode;
}

interface Waiting {
  /** Deeply frozen. */
  readonly request: RequestMessage;
  readonly check: ResultCheck;
  readonly waitMs: number;
  /** Null while no time is known: then the wait begins with the first `now`. */
  readonly deadline: number | null;
}

export interface Outgoing {
  /** `c<generation>-` or `s-` (R57, R104). */
  readonly prefix: string;
  /** Requests made so far under this prefix, also those with a given id. */
  readonly made: number;
  /** The largest `now` ever given; null if none was (R63, R71). */
  readonly now: number | null;
  /** By id, in the order in which they were made. */
  readonly waiting: ReadonlyMap<string, Waiting>;
  /** By id, oldest first: the digest of the response, or null for an expired id (R61). */
  readonly completed: ReadonlyMap<string, Digest | null>;
  /** By command id (R63, R64, R67). */
  readonly uncertain: ReadonlyMap<string, Held>;
}

export function noRequests(prefix: string): Outgoing {
  return { prefix, made: 0, now: null, waiting: new Map(), completed: new Map(), uncertain: new Map() };
}

/** Time never runs backwards (R63). */
export function advance(outgoing: Outgoing, now: number | null): Outgoing {
  if (now === null || (outgoing.now !== null && now <= outgoing.now)) return outgoing;
  return {
    ...outgoing,
    now,
    waiting: outgoing.now === null ? begin(outgoing.waiting, now) : outgoing.waiting,
  };
}

function begin(waiting: Outgoing["waiting"], now: number): Outgoing["waiting"] {
  return new Map([...waiting].map(([id, entry]) => [id, { ...entry, deadline: now + entry.waitMs }]));
}

/** The request as it will be sent; `invalid_argument` for bad params or options, `overflow` for its size (R56). */
export function draft(
  outgoing: Outgoing,
  method: RequestMethod,
  params: unknown,
  given: RequestOptions | undefined,
  messageBytes: number,
): Result<{ request: RequestMessage; options: RequestOptions }> {
  const checked = requestOptionsOf(given);
  if (!checked.ok) return checked;
  const { options } = checked;
  const { id = `${outgoing.prefix}${outgoing.made + 1}` } = options;
  const read = readObject({ ...envelopeOf(id, options), method, params }, messageBytes);
  if (read.ok && read.message.type === "request") {
    return { ok: true, request: deepFreeze(read.message), options };
  }
  if (!read.ok && read.error.code === "overflow") return read;
  return fail("invalid_argument", read.ok ? "not a request" : read.error.message);
}

function envelopeOf(id: string, { correlationId = id, commandId, projectRef, taskRef }: RequestOptions) {
  return {
    schema_version: SCHEMA_VERSION,
    type: "request",
    id,
    correlation_id: correlationId,
    ...(commandId !== undefined && { command_id: commandId }),
    ...(projectRef !== undefined && { project_ref: projectRef }),
    ...(taskRef !== undefined && { task_ref: taskRef }),
  };
}

/** R59: an id or a command is used once while anything remembers it. R53: only an own request can be cancelled. */
export function clash(outgoing: Outgoing, request: RequestMessage): ProtocolError | null {
  if (isKnown(outgoing, request.id)) {
    return fail("conflict", "the id is waiting for its answer or was lately used").error;
  }
  const command = commandOf(request);
  if (command !== null && (outgoing.uncertain.has(command) || isWaiting(outgoing, command))) {
    return fail("conflict", "the command is waiting for its answer or its outcome is uncertain").error;
  }
  if (request.method === "request/cancel" && !isKnown(outgoing, request.params.request_id)) {
    return fail("unknown_request", "no request of this connection has the id that is to be cancelled").error;
  }
  return null;
}

/** Takes a request among the waiting ones; `overflow` where they and the uncertain ones are at the bound (R58). */
export function add(
  outgoing: Outgoing,
  request: RequestMessage,
  options: RequestOptions,
  limits: Readonly<Limits>,
): Result<{ outgoing: Outgoing }> {
  if (outgoing.waiting.size + outgoing.uncertain.size >= limits.outstanding) {
    return fail("overflow", "too many requests wait for an answer or are uncertain");
  }
  const at = advance(outgoing, options.now ?? null);
  const waitMs = options.waitMs ?? limits.waitMs;
  const deadline = at.now === null ? null : at.now + waitMs;
  const entry: Waiting = { request, check: resultCheck(request), waitMs, deadline };
  const waiting = new Map(at.waiting).set(request.id, entry);
  return { ok: true, outgoing: { ...at, made: at.made + 1, waiting } };
}

/** The earliest deadline of the waiting requests; null where none has one. */
export function nextDeadline({ waiting }: Outgoing): number | null {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { deadline } of waiting.values()) earliest = Math.min(earliest, deadline ?? earliest);
  return earliest === Number.POSITIVE_INFINITY ? null : earliest;
}

export function commandOf(request: RequestMessage): string | null {
  return "command_id" in request ? request.command_id : null;
}

function isKnown({ waiting, completed }: Outgoing, id: string): boolean {
  return waiting.has(id) || completed.has(id);
}

function isWaiting({ waiting }: Outgoing, command: string): boolean {
  return waiting.values().some(({ request }) => commandOf(request) === command);
}
