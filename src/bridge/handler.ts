/** The bridge's side of the protocol: it answers at once, and only from the inbox (R117, R118, R123). */
import type { Handler, ParamsOf } from "../protocol/index.ts";
import type { Inbox } from "./inbox.ts";
import { type Order, readOrder } from "./payload.ts";
import type { Job, JobQueue } from "./queue.ts";
import type { Runner } from "./runner.ts";
import { supersededBy, unsupported } from "./verdict.ts";
import type { TestLimits } from "../project/execution.ts";

/** Everything belongs to the bridge and nothing to a connection (R116). */
export type BridgeState = null;

type Answer = ReturnType<Handler<BridgeState>["handleRequest"]>;
type ErrorAnswer = Extract<Answer, { error: unknown }>;

export interface Desk {
  readonly inbox: Inbox;
  readonly queue: JobQueue;
  readonly runner: Runner;
  readonly projectRefs: ReadonlySet<string>;
  readonly caps: TestLimits;
  readonly closing: AbortSignal;
  /** Called after a job was queued. */
  readonly onQueued: () => void;
}

export function bridgeHandler(desk: Desk): Handler<BridgeState> {
  return {
    capabilities: ["project_events.v1"],
    methods: ["project/event.receive", "project/event.status", "project/event.report"],
    handleRequest(request) {
      switch (request.method) {
        case "project/event.receive":
          return receive(desk, request.params);
        case "project/event.status":
          return status(desk, request.params);
        case "project/event.report":
          return report(desk, request.params);
        default:
          return refuse("unsupported_method", "this host takes project events only");
      }
    },
  };
}

function receive(desk: Desk, { event }: ParamsOf<"project/event.receive">): Answer {
  const { inbox, runner } = desk;
  if (desk.closing.aborted) return closed();
  const known = inbox.find(event.event_id);
  if (known !== null) {
    return inbox.deliverAgain(known, event)
      ? received(event, true)
      : refuse("conflict", "the event is known with other content");
  }
  if (!desk.projectRefs.has(event.project_ref)) return refuse("not_found", "no project has this reference");
  const entry = inbox.take(event);
  if (entry === null) return refuse("overflow", "the inbox is full of unfinished events");
  const order = readOrder(event, desk.caps);
  if (typeof order === "string") runner.finish(entry, unsupported(event, order));
  else enqueue(desk, { entry, order });
  return received(event, false);
}

function enqueue({ queue, runner, onQueued }: Desk, job: Job): void {
  const older = queue.add(job);
  if (older !== null) runner.finish(older.entry, supersededBy(older.order, job.order.event));
  onQueued();
}

function received(
  { event_id, delivery_attempt_id }: Order["event"],
  deduplicated: boolean,
): { result: { [name: string]: string | boolean } } {
  // Never more than that: the inbox is in memory (R46).
  return { result: { event_id, delivery_attempt_id, acceptance: "received", deduplicated } };
}

function status({ inbox }: Desk, { event_id }: ParamsOf<"project/event.status">): Answer {
  const entry = inbox.find(event_id);
  return entry === null ? unknownEvent() : { result: { ...inbox.status(entry) } };
}

function report({ inbox, closing }: Desk, params: ParamsOf<"project/event.report">): Answer {
  if (closing.aborted) return closed();
  const entry = inbox.find(params.event_id);
  if (entry === null) return unknownEvent();
  switch (inbox.record(entry, params)) {
    case "conflict":
      return refuse("conflict", "the report is known with other content");
    case "overflow":
      return refuse("overflow", "too many reports about one event");
    case "recorded":
      return { result: recorded(params) };
  }
}

/** R47: a bridge has no authority to move anything. */
function recorded({ event_id, report_id, management_request }: ParamsOf<"project/event.report">) {
  const common = { event_id, report_id, report_status: "recorded" };
  return management_request === undefined
    ? { ...common, management_acceptance: "not_requested" }
    : { ...common, management_acceptance: "rejected", reason: "no management authority" };
}

function unknownEvent(): ErrorAnswer {
  return refuse("not_found", "no event with this id is known");
}

function closed(): ErrorAnswer {
  return refuse("unavailable", "the bridge is closed");
}

function refuse(code: ErrorAnswer["error"]["code"], message: string): ErrorAnswer {
  return { error: { code, message } };
}
