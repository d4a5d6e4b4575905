/** Notifications and responses of the client at a server (R103, R105-R107). */

import { groupOfNotification, refusal } from "../capability.ts";
import { fail } from "../error.ts";
import type { NotificationMessage, RequestMessage, ResponseMessage } from "../message.ts";
import { millisecondsOf } from "../schema/time.ts";
import type { Outcome } from "./answer.ts";
import { approves, lateness } from "./approval.ts";
import { notReady } from "./server-request.ts";
import { type Called, call, refuse, type ServerMove, type ServerState } from "./server-state.ts";
import { type Ended, settle } from "./settle.ts";
import { placeOf, processEvent } from "./streams.ts";

/** R103: the position moves only after the callback returned. */
export function receiveNotification<S>(state: ServerState<S>, message: NotificationMessage): ServerMove<S> {
  const { handler } = state;
  if (state.phase !== "ready") return refuse(notReady());
  const error = refusal(groupOfNotification(message.method), state.negotiated);
  if (error !== null) return refuse(error);
  if (handler.handleNotification === undefined) {
    return refuse(fail("unsupported_method", "the handler takes no notifications").error);
  }
  const place = placeOf(message);
  const moved = place === null ? null : processEvent(state.streams, place, state.limits);
  if (moved !== null && !moved.ok) return refuse(moved.error);
  if (moved?.streams === null) return { ok: true, state, messages: [] };
  const called = call(() => handler.handleNotification?.(message, state.host));
  if (called.threw) return { ...refuse(fail("internal", "internal error").error), fault: called.fault };
  const host = called.value === undefined ? state.host : called.value;
  return { ok: true, state: { ...state, host, streams: moved?.streams ?? state.streams }, messages: [] };
}

/** R105: handed over once; where the callback throws, the request is still waiting. */
export function receiveResponse<S>(state: ServerState<S>, response: ResponseMessage): ServerMove<S> {
  const taken = settle(state.outgoing, response, state.limits);
  if (!taken.ok) return refuse(taken.error);
  const { outgoing, settled } = taken;
  if (settled.duplicate) return { ok: true, state, messages: [] };
  const outcome = inTime(settled.request, settled.outcome, outgoing.now);
  const called = callHandleResponse(state, settled.request, outcome);
  if (called.threw) return { ...refuse(fail("internal", "internal error").error), fault: called.fault };
  return { ok: true, state: { ...called.value, outgoing }, messages: [] };
}

/** R106: an approval that is late, or that arrives where no time is known, is none. */
function inTime(request: RequestMessage, outcome: Outcome, now: number | null): Outcome {
  if (request.method !== "approval/request" || "error" in outcome || !approves(outcome.result))
    return outcome;
  const late = lateness(millisecondsOf(request.params.deadline), now);
  return late === null
    ? outcome
    : { error: { code: "deadline_expired", message: "the approval came too late" } };
}

/** R107: tells the handler of requests that ended without a response. A callback that throws stops nothing. */
export function endRequests<S>(state: ServerState<S>, ended: readonly Ended[]): ServerMove<S> {
  let next = state;
  const faults: unknown[] = [];
  for (const { request, error } of ended) {
    const called = callHandleResponse(next, request, { error });
    if (called.threw) faults.push(called.fault);
    else next = called.value;
  }
  return { ok: true, state: next, messages: [], ...(faults.length > 0 && { fault: faults[0] }) };
}

function callHandleResponse<S>(
  state: ServerState<S>,
  request: RequestMessage,
  outcome: Outcome,
): Called<ServerState<S>> {
  const called = call(() => state.handler.handleResponse?.(request, outcome, state.host));
  if (called.threw) return called;
  return { threw: false, value: called.value === undefined ? state : { ...state, host: called.value } };
}
