/** Requests of the client at a server (R35-R37, R97-R102): initialization, the handler's call, and its answer. */

import { groupOfRequest, refusal, select } from "../capability.ts";
import { fail, type ProtocolError } from "../error.ts";
import type { RequestMessage } from "../message.ts";
import { SCHEMA_VERSION } from "../schema/connection.ts";
import { answer, errorResponse, identityOf, meet, type Open, openOf } from "./answer.ts";
import {
  call,
  isPending,
  isPromise,
  promised,
  refuse,
  type ServerFailure,
  type ServerMove,
  type ServerState,
} from "./server-state.ts";

export function receiveRequest<S>(state: ServerState<S>, request: RequestMessage): ServerMove<S> {
  switch (meet(state.deferred, request)) {
    case "same":
      return { ok: true, state, messages: [] };
    case "other":
      return refuse(fail("conflict", "a deferred request with this id has other content").error);
    case "new":
  }
  if (request.method === "connection/initialize") return initialize(state, request);
  if (state.phase !== "ready") return decline(request, notReady());
  const error = refusal(groupOfRequest(request.method), state.negotiated);
  if (error !== null) return decline(request, error);
  if (state.deferred.size >= state.limits.incoming) {
    return decline(request, fail("overflow", "too many requests wait for an answer").error);
  }
  return callHandler(state, request);
}

/** R35-R38. */
function initialize<S>(
  state: ServerState<S>,
  request: RequestMessage<"connection/initialize">,
): ServerMove<S> {
  if (state.phase === "ready") {
    return decline(request, fail("conflict", "the connection is already initialized").error);
  }
  const selection = select(request.params, state.capabilities);
  if (!selection.ok) return decline(request, selection.error);
  const { selected } = selection;
  const result = { version: SCHEMA_VERSION, capabilities: [...selected], connection_id: state.connectionId };
  const answered = answer(openOf(request), { result }, state.limits.messageBytes);
  if (!answered.ok) return decline(request, answered.error);
  return {
    ok: true,
    state: { ...state, phase: "ready", negotiated: selected },
    messages: [answered.message],
  };
}

/** An error answer that says that nothing was done (R98). */
function decline(request: RequestMessage, error: ProtocolError): ServerFailure {
  return refuse(error, [errorResponse(identityOf(request), error)]);
}

function callHandler<S>(state: ServerState<S>, request: RequestMessage): ServerMove<S> {
  const { handler, connectionId, outgoing } = state;
  const now = outgoing.now ?? Number.POSITIVE_INFINITY;
  // Taken before the call: the handler may do with its message as it likes.
  const open = openOf(request);
  const called = call(() => handler.handleRequest(request, state.host, { connectionId, now }));
  if (called.threw) return internal(state, open, called.fault);
  const split = call(() => splitOutcome<S>(called.value));
  if (split.threw) return internal(state, open, split.fault);
  const { outcome, host, fault } = split.value;
  const next = host === undefined ? state : { ...state, host };
  if (fault !== null) return internal(next, open, fault);
  if (outcome === "deferred") {
    const deferred = new Map(next.deferred).set(open.identity.id, open);
    return { ok: true, state: { ...next, deferred }, messages: [] };
  }
  return respond(next, open, outcome);
}

/** R100: whatever is wrong with an outcome is answered `internal`, and so leaves the mutation open (R67). */
export function respond<S>(state: ServerState<S>, open: Open, outcome: unknown): ServerMove<S> {
  const pending = call(() => isPending(outcome));
  if (pending.threw) return internal(state, open, pending.fault);
  if (pending.value) return internal(state, open, promised());
  const answered = answer(open, outcome, state.limits.messageBytes);
  return answered.ok
    ? { ok: true, state, messages: [answered.message] }
    : internal(state, open, answered.error);
}

/** R99: nothing of the fault is in the message; it is there for the eyes of the host's owner. */
function internal<S>(state: ServerState<S>, open: Open, fault: unknown): ServerMove<S> {
  const message = errorResponse(open.identity, fail("internal", "internal error").error);
  return { ok: true, state, messages: [message], fault };
}

interface Split<S> {
  /** What the answer is made of, without the state. */
  readonly outcome: "deferred" | object;
  readonly host: S | undefined;
  readonly fault: ProtocolError | null;
}

/** R101: exactly one of the three forms, with an optional state that is no promise. */
function splitOutcome<S>(given: object): Split<S> {
  if (typeof given !== "object" || given === null) return malformed<S>(undefined);
  const { state, ...outcome } = given as { state?: S; deferred?: unknown };
  if (isPromise(state)) return { outcome, host: undefined, fault: promised() };
  if (!("deferred" in outcome)) return { outcome, host: state, fault: null };
  if (isPending(outcome)) return { outcome: {}, host: state, fault: promised() };
  const isDeferred = outcome.deferred === true && Object.keys(outcome).length === 1;
  return isDeferred ? { outcome: "deferred", host: state, fault: null } : malformed(state);
}

function malformed<S>(host: S | undefined): Split<S> {
  const fault = fail(
    "invalid_argument",
    "the outcome is not exactly one of result, error and deferred",
  ).error;
  return { outcome: {}, host, fault };
}

export function notReady(): ProtocolError {
  return fail("not_initialized", "the connection is not ready").error;
}
