/** What a message of the host makes of a client (R55, R60-R62, R69, R74-R79, R84). */

import { groupOfNotification, groupOfRequest, refusal, sorted } from "../capability.ts";
import { type ErrorObject, fail } from "../error.ts";
import { digestOf } from "../json/canonical.ts";
import { deepFreeze, type JsonObject } from "../json/value.ts";
import type { Message, NotificationMessage, RequestMessage, ResponseMessage, ResultOf } from "../message.ts";
import { REQUESTS } from "../schema/methods.ts";
import { meet, openOf } from "./answer.ts";
import type { ClientState, Move } from "./client-state.ts";
import { push } from "./queue.ts";
import { settle } from "./settle.ts";
import { placeOf, receiveEvent } from "./streams.ts";

/** What a step asks its caller to handle. */
export type Effect =
  | { type: "response"; id: string; result: JsonObject }
  | { type: "error"; id: string; error: ErrorObject }
  | { type: "request"; request: RequestMessage }
  | { type: "notification"; message: NotificationMessage };

export function receiveMessage(state: ClientState, message: Message): Move<{ effects: Effect[] }> {
  switch (message.type) {
    case "request":
      return receiveRequest(state, message);
    case "response":
      return receiveResponse(state, message);
    case "notification": {
      const received = receiveNotification(state, message);
      return received.ok ? { ...received, effects: [] } : received;
    }
  }
}

/** R69: kept until it is answered. */
function receiveRequest(state: ClientState, request: RequestMessage): Move<{ effects: Effect[] }> {
  if (state.phase !== "ready") return fail("not_initialized", "the connection is not ready");
  switch (meet(state.incoming, request)) {
    case "same":
      return { ok: true, state, effects: [] };
    case "other":
      return fail("conflict", "an unanswered request with this id has other content");
    case "new":
  }
  if (!REQUESTS[request.method].both) return fail("unsupported_method", "a host does not send this request");
  const error = refusal(groupOfRequest(request.method), state.negotiated);
  if (error !== null) return { ok: false, error };
  if (state.incoming.size >= state.limits.incoming) return fail("overflow", "too many unanswered requests");
  const incoming = new Map(state.incoming).set(request.id, openOf(request));
  return { ok: true, state: { ...state, incoming }, effects: [{ type: "request", request }] };
}

function receiveResponse(state: ClientState, response: ResponseMessage): Move<{ effects: Effect[] }> {
  const taken = settle(state.outgoing, response, state.limits);
  if (!taken.ok) return taken;
  const { outgoing, settled } = taken;
  if (settled.duplicate) return { ok: true, state, effects: [] };
  const { request, outcome } = settled;
  const { id } = request;
  if ("error" in outcome) {
    const phase = request.method === "connection/initialize" ? "new" : state.phase;
    return {
      ok: true,
      state: { ...state, outgoing, phase },
      effects: [{ type: "error", id, error: outcome.error }],
    };
  }
  const { result } = outcome;
  const next = learn({ ...state, outgoing }, request, result);
  return { ok: true, state: next, effects: [{ type: "response", id, result }] };
}

/** What a good result tells the client itself. Its definition was checked with its request. */
function learn(state: ClientState, request: RequestMessage, result: JsonObject): ClientState {
  if (request.method === "connection/initialize") {
    const { capabilities, connection_id } = result as ResultOf<"connection/initialize">;
    return { ...state, phase: "ready", negotiated: sorted(capabilities), connectionId: connection_id };
  }
  if (request.method === "stream/resume") {
    return { ...state, pages: [...state.pages, digestOf(result)].slice(-state.limits.streams) };
  }
  return state;
}

/** Buffers one notification, or ignores one that is known; nothing moves where a bound is reached (R79). */
export function receiveNotification(state: ClientState, message: NotificationMessage): Move<object> {
  if (state.phase !== "ready") return fail("not_initialized", "the connection is not ready");
  const error = refusal(groupOfNotification(message.method), state.negotiated);
  if (error !== null) return { ok: false, error };
  const place = placeOf(message);
  if (place === null) return buffer(state, message);
  const received = receiveEvent(state.streams, message, place, state.limits);
  if (!received.ok) return received;
  return received.streams === null
    ? { ok: true, state }
    : buffer({ ...state, streams: received.streams }, message);
}

function buffer(state: ClientState, message: NotificationMessage): Move<object> {
  if (state.buffer.size >= state.limits.buffer)
    return fail("overflow", "too many notifications wait to be drained");
  return { ok: true, state: { ...state, buffer: push(state.buffer, deepFreeze(message)) } };
}
