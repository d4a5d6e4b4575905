/** Every operation of the protocol (section 5): its group, its direction, its definitions. */

import { z } from "zod";
import { PAGE_EVENTS_MAX } from "../limits.ts";
import { ApprovalParams, ApprovalResult } from "./approval.ts";
import { CancelParams, CancelResult, InitializeParams, InitializeResult } from "./connection.ts";
import { mutationRequest, notification, type RequestFacts, readRequest, sequenced } from "./envelope.ts";
import {
  ReceiveParams,
  ReceiveResult,
  ReportParams,
  ReportResult,
  StatusParams,
  StatusResult,
} from "./event.ts";
import { ItemCompleted, ItemDelta, ItemStarted } from "./item.ts";
import { Id, list, Position } from "./scalar.ts";
import {
  ThreadChanged,
  ThreadParams,
  ThreadReadParams,
  ThreadReadResult,
  ThreadResumeResult,
  ThreadStartParams,
  ThreadStartResult,
  TurnCompleted,
  TurnInterruptResult,
  TurnNotice,
  TurnParams,
  TurnStarted,
  TurnStartParams,
  TurnStartResult,
  TurnSteerParams,
  TurnSteerResult,
} from "./session.ts";

const SESSIONS = "sessions.v1";
const STREAMING = "streaming.v1";

/** A notification as it may arrive, and as it stands in a replay page. */
function notice<M extends string, G extends string, P extends z.ZodType>(method: M, group: G, params: P) {
  return { group, message: notification(method, params), sequenced: sequenced(method, params) } as const;
}

/** Notifications may go in both directions. */
export const NOTIFICATIONS = {
  "thread/started": notice("thread/started", SESSIONS, ThreadChanged),
  "thread/updated": notice("thread/updated", SESSIONS, ThreadChanged),
  "thread/closed": notice("thread/closed", SESSIONS, ThreadParams),
  "turn/started": notice("turn/started", SESSIONS, TurnStarted),
  "turn/completed": notice("turn/completed", SESSIONS, TurnCompleted),
  "turn/notice": notice("turn/notice", SESSIONS, TurnNotice),
  "item/started": notice("item/started", STREAMING, ItemStarted),
  "item/delta": notice("item/delta", STREAMING, ItemDelta),
  "item/completed": notice("item/completed", STREAMING, ItemCompleted),
} as const;

export const SequencedNotification = z.discriminatedUnion("method", [
  NOTIFICATIONS["thread/started"].sequenced,
  NOTIFICATIONS["thread/updated"].sequenced,
  NOTIFICATIONS["thread/closed"].sequenced,
  NOTIFICATIONS["turn/started"].sequenced,
  NOTIFICATIONS["turn/completed"].sequenced,
  NOTIFICATIONS["turn/notice"].sequenced,
  NOTIFICATIONS["item/started"].sequenced,
  NOTIFICATIONS["item/delta"].sequenced,
  NOTIFICATIONS["item/completed"].sequenced,
]);

const ResumeParams = z.strictObject({ stream_id: Id, cursor: Position });
const ResumeResult = z.strictObject({
  stream_id: Id,
  cursor: Position,
  events: list(SequencedNotification, 0, PAGE_EVENTS_MAX),
});

/** R43: where the envelope names a project or a task, it names those of the event. */
function isAboutEvent(request: RequestFacts<z.output<typeof ReceiveParams>>): boolean {
  const { project_ref, task_ref, params } = request;
  if (project_ref !== undefined && project_ref !== params.event.project_ref) return false;
  return task_ref === undefined || task_ref === params.event.task_ref;
}

/** R45: who asks for a transition names the project or task that is to move. */
function namesItsTarget(request: RequestFacts<z.output<typeof ReportParams>>): boolean {
  const target = request.params.management_request?.target;
  if (target === undefined) return true;
  return request.project_ref !== undefined && (target === "project" || request.task_ref !== undefined);
}

/** R53: nobody cancels the very request that says so. */
function cancelsAnother(request: RequestFacts<z.output<typeof CancelParams>>): boolean {
  return request.params.request_id !== request.id;
}

/** One request: its group and definitions. `both`: whether a host may send it too. */
function read<
  M extends string,
  G extends string | null,
  B extends boolean,
  P extends z.ZodType,
  R extends z.ZodType,
>(
  method: M,
  { group, both }: Place<G, B>,
  params: P,
  result: R,
  holds?: (request: RequestFacts<z.output<P>>) => boolean,
) {
  return {
    group,
    both,
    mutation: false,
    params,
    result,
    message: readRequest(method, params, holds),
  } as const;
}

/** As {@link read}, for a request that asks the host to change something (R21). */
function mutation<
  M extends string,
  G extends string,
  B extends boolean,
  P extends z.ZodType,
  R extends z.ZodType,
>(
  method: M,
  { group, both }: Place<G, B>,
  params: P,
  result: R,
  holds?: (request: RequestFacts<z.output<P>>) => boolean,
) {
  return {
    group,
    both,
    mutation: true,
    params,
    result,
    message: mutationRequest(method, params, holds),
  } as const;
}

interface Place<G, B> {
  readonly group: G;
  readonly both: B;
}

const NO_GROUP = { group: null, both: false } as const;
const EVENTS = { group: "project_events.v1", both: false } as const;
const SESSION = { group: SESSIONS, both: false } as const;
const STREAM = { group: STREAMING, both: false } as const;
const APPROVAL = { group: "approvals.v1", both: true } as const;
const CANCELLATION = { group: "cancellation.v1", both: true } as const;

export const REQUESTS = {
  "connection/initialize": read("connection/initialize", NO_GROUP, InitializeParams, InitializeResult),
  "project/event.receive": mutation(
    "project/event.receive",
    EVENTS,
    ReceiveParams,
    ReceiveResult,
    isAboutEvent,
  ),
  "project/event.status": read("project/event.status", EVENTS, StatusParams, StatusResult),
  "project/event.report": mutation(
    "project/event.report",
    EVENTS,
    ReportParams,
    ReportResult,
    namesItsTarget,
  ),
  "thread/start": mutation("thread/start", SESSION, ThreadStartParams, ThreadStartResult),
  "thread/read": read("thread/read", SESSION, ThreadReadParams, ThreadReadResult),
  "thread/resume": mutation("thread/resume", SESSION, ThreadParams, ThreadResumeResult),
  "turn/start": mutation("turn/start", SESSION, TurnStartParams, TurnStartResult),
  "turn/steer": mutation("turn/steer", SESSION, TurnSteerParams, TurnSteerResult),
  "turn/interrupt": mutation("turn/interrupt", SESSION, TurnParams, TurnInterruptResult),
  "stream/resume": read("stream/resume", STREAM, ResumeParams, ResumeResult),
  "approval/request": mutation("approval/request", APPROVAL, ApprovalParams, ApprovalResult),
  "request/cancel": read("request/cancel", CANCELLATION, CancelParams, CancelResult, cancelsAnother),
} as const;
