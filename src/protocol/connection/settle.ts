/** How a request ends (R60-R68): by its response, by time, with its connection, or by what was found out about it. */

import { z } from "zod";
import type { ResultCheck } from "../binding.ts";
import { type ErrorCode, type ErrorObject, fail, type Result } from "../error.ts";
import { type Digest, digestOf } from "../json/canonical.ts";
import { snapshotObject } from "../json/snapshot.ts";
import { EVIDENCE_BYTES_MAX, type Limits } from "../limits.ts";
import type { RequestMessage, ResponseMessage } from "../message.ts";
import { text } from "../schema/scalar.ts";
import { type Identity, identityOf, type Outcome } from "./answer.ts";
import { advance, commandOf, type Held, type Outgoing } from "./outgoing.ts";

/** What a response means: the end of a request, or nothing new. */
export type Settled =
  | { readonly duplicate: true }
  | { readonly duplicate: false; readonly request: RequestMessage; readonly outcome: Outcome };

/** R60-R62, R67, R68. */
export function settle(
  outgoing: Outgoing,
  response: ResponseMessage,
  limits: Readonly<Limits>,
): Result<{ outgoing: Outgoing; settled: Settled }> {
  const entry = outgoing.waiting.get(response.id);
  if (entry === undefined) return settledBefore(outgoing, response);
  if (!isSameIdentity(identityOf(entry.request), identityOf(response))) {
    return fail("conflicting_response", "the response names another identity than its request");
  }
  const outcome = outcomeOf(response, entry.check);
  if (!outcome.ok) return outcome;
  const waiting = new Map(outgoing.waiting);
  waiting.delete(response.id);
  const completed = remember(outgoing.completed, [[response.id, digestOf(response)]], limits.completed);
  const cause = "error" in response && leavesOpen(response.error.code) ? response.error.code : null;
  const uncertain = cause === null ? outgoing.uncertain : hold(outgoing.uncertain, [entry.request], cause);
  const settled: Settled = { duplicate: false, request: entry.request, outcome: outcome.outcome };
  return { ok: true, outgoing: { ...outgoing, waiting, completed, uncertain }, settled };
}

function settledBefore(
  outgoing: Outgoing,
  response: ResponseMessage,
): Result<{ outgoing: Outgoing; settled: Settled }> {
  const known = outgoing.completed.get(response.id);
  if (known === undefined) return fail("unknown_response", "no request of this connection has this id");
  if (known === null) {
    return fail("conflicting_response", "the request expired before this response", { expired: true });
  }
  if (known === digestOf(response)) return { ok: true, outgoing, settled: { duplicate: true } };
  return fail("conflicting_response", "the request was answered before with other content");
}

function isSameIdentity(request: Identity, response: Identity): boolean {
  return (
    request.correlation_id === response.correlation_id &&
    request.command_id === response.command_id &&
    request.project_ref === response.project_ref &&
    request.task_ref === response.task_ref
  );
}

function outcomeOf(response: ResponseMessage, check: ResultCheck): Result<{ outcome: Outcome }> {
  if ("error" in response) return { ok: true, outcome: { error: response.error } };
  const checked = check(response.result);
  return checked.ok ? { ok: true, outcome: { result: checked.result } } : checked;
}

/** R67: after these codes nobody knows whether a mutation was applied. */
function leavesOpen(code: ErrorCode): boolean {
  return code === "internal" || code === "ambiguous_disconnect" || code === "timeout";
}

/** First in, first out (R61). */
function remember(
  completed: Outgoing["completed"],
  entries: readonly (readonly [string, Digest | null])[],
  max: number,
): Outgoing["completed"] {
  const window = new Map([...completed, ...entries]);
  for (const id of window.keys()) {
    if (window.size <= max) break;
    window.delete(id);
  }
  return window;
}

/** Only mutations are held; a read is simply over. */
function hold(
  uncertain: Outgoing["uncertain"],
  requests: readonly RequestMessage[],
  cause: Held["cause"],
): Outgoing["uncertain"] {
  const held = new Map(uncertain);
  for (const request of requests) {
    const command = commandOf(request);
    if (command !== null) held.set(command, Object.freeze({ request, cause }));
  }
  return held;
}

/** A request that ended without a response, and the error that its maker is told. */
export interface Ended {
  readonly request: RequestMessage;
  readonly error: ErrorObject;
}

/** R63: ends every request whose deadline is not after `now`; their ids are remembered as expired. */
export function expire(
  outgoing: Outgoing,
  now: number,
  limits: Readonly<Limits>,
): { outgoing: Outgoing; ended: readonly Ended[] } {
  const at = advance(outgoing, now);
  const time = at.now ?? now;
  const late = [...at.waiting.values()].filter(({ deadline }) => deadline !== null && deadline <= time);
  if (late.length === 0) return { outgoing: at, ended: [] };
  const requests = late.map(({ request }) => request);
  const waiting = new Map(at.waiting);
  for (const { id } of requests) waiting.delete(id);
  const completed = remember(
    at.completed,
    requests.map(({ id }) => [id, null] as const),
    limits.completed,
  );
  const uncertain = hold(at.uncertain, requests, "timeout");
  return { outgoing: { ...at, waiting, completed, uncertain }, ended: requests.map(timedOut) };
}

/** R64: ends every request, because its connection ended. */
export function abandon(outgoing: Outgoing): { outgoing: Outgoing; ended: readonly Ended[] } {
  const requests = [...outgoing.waiting.values()].map(({ request }) => request);
  const uncertain = hold(outgoing.uncertain, requests, "disconnected");
  return { outgoing: { ...outgoing, waiting: new Map(), uncertain }, ended: requests.map(cutOff) };
}

function timedOut(request: RequestMessage): Ended {
  return commandOf(request) === null ? ended(request, "timeout", "no answer in time") : ambiguous(request);
}

function cutOff(request: RequestMessage): Ended {
  return commandOf(request) === null
    ? ended(request, "disconnected", "the connection ended")
    : ambiguous(request);
}

function ambiguous(request: RequestMessage): Ended {
  return ended(request, "ambiguous_disconnect", "no answer: whether the mutation was applied is unknown");
}

function ended(request: RequestMessage, code: ErrorCode, message: string): Ended {
  return { request, error: { code, message } };
}

/** What was found out about a held command, and how (R66). */
export interface Resolution {
  outcome: "applied" | "not_applied";
  source: "host_query" | "audit";
  /** 1 to 1024 bytes. */
  evidence: string;
}

const ResolutionSchema = z.strictObject({
  outcome: z.enum(["applied", "not_applied"]),
  source: z.enum(["host_query", "audit"]),
  evidence: text(1, EVIDENCE_BYTES_MAX),
});

/** R66: ends a hold and gives the original request back. */
export function resolve(
  outgoing: Outgoing,
  commandId: string,
  resolution: Resolution,
): Result<{ outgoing: Outgoing; request: RequestMessage }> {
  if (!ResolutionSchema.safeParse(snapshotObject(resolution)?.value).success) {
    return fail("invalid_argument", "a resolution needs an outcome, a source and evidence");
  }
  const held = outgoing.uncertain.get(commandId);
  if (held === undefined) return fail("unknown_request", "no command with this id is uncertain");
  const uncertain = new Map(outgoing.uncertain);
  uncertain.delete(commandId);
  return { ok: true, outgoing: { ...outgoing, uncertain }, request: held.request };
}
