// R25: a result repeats each identity of its request; one that names another is refused, whatever else it says.
import { describe, expect, test } from "bun:test";
import { Codec, type JsonObject, type RequestMessage } from "../../src/protocol/index.ts";
import {
  APPROVAL,
  asRequest,
  codeOf,
  decision,
  EVENT,
  request,
  STATUS_RESULT,
  THREAD,
} from "../support/protocol.ts";

const TURN = { thread_id: "th-1", turn_id: "tu-1" };
const command = { command_id: "cmd-1" };
const running = { ...TURN, status: "in_progress" };
const input = [{ type: "text", text: "a" }];
const report = {
  event_id: "ev-1",
  report_id: "r-1",
  outcome: "failed",
  decision: { kind: "a", summary: "s" },
};
const recorded = {
  event_id: "ev-1",
  report_id: "r-1",
  report_status: "recorded",
  management_acceptance: "not_requested",
};

interface Row {
  readonly asked: JsonObject;
  readonly result: object;
  /** Changes of the result, each of which makes it another's. */
  readonly others: readonly object[];
}

const ROWS: Readonly<Record<string, Row>> = {
  "project/event.receive": {
    asked: request("project/event.receive", { event: EVENT }, command),
    result: { event_id: "ev-1", delivery_attempt_id: "att-1", acceptance: "received", deduplicated: true },
    others: [{ event_id: "ev-2" }, { delivery_attempt_id: "att-2" }],
  },
  "project/event.status": {
    asked: request("project/event.status", { event_id: "ev-1" }),
    result: STATUS_RESULT,
    others: [{ event_id: "ev-2" }],
  },
  "project/event.report": {
    asked: request("project/event.report", report, command),
    result: recorded,
    others: [
      { event_id: "ev-2" },
      { report_id: "r-2" },
      { management_acceptance: "rejected" },
      { management_acceptance: "accepted" },
    ],
  },
  "project/event.report with a transition": {
    asked: request(
      "project/event.report",
      { ...report, management_request: { target: "project", transition: "a" } },
      { ...command, project_ref: "p" },
    ),
    result: { ...recorded, management_acceptance: "rejected", reason: "no" },
    others: [{ management_acceptance: "not_requested" }, { report_id: "r-2" }],
  },
  "thread/read": {
    asked: request("thread/read", { thread_id: "th-1", include_turns: true }),
    result: {
      thread: THREAD,
      turns: [running],
      turns_truncated: true,
      stream: { stream_id: "s", cursor: 0 },
    },
    others: [
      { thread: { ...THREAD, thread_id: "th-2" } },
      { turns: [running, { ...running, thread_id: "th-2" }] },
    ],
  },
  "thread/read without turns": {
    asked: request("thread/read", { thread_id: "th-1", include_turns: false }),
    result: { thread: THREAD },
    others: [{ turns: [] }, { turns_truncated: true }],
  },
  "thread/resume": {
    asked: request("thread/resume", { thread_id: "th-1" }, command),
    result: { thread: THREAD },
    others: [{ thread: { ...THREAD, thread_id: "th-2" } }],
  },
  "turn/start": {
    asked: request("turn/start", { thread_id: "th-1", input }, command),
    result: { turn: running },
    others: [{ turn: { ...running, thread_id: "th-2" } }],
  },
  "turn/steer": {
    asked: request("turn/steer", { ...TURN, input }, command),
    result: TURN,
    others: [{ thread_id: "th-2" }, { turn_id: "tu-2" }],
  },
  "turn/interrupt": {
    asked: request("turn/interrupt", TURN, command),
    result: { ...TURN, status: "already_finished" },
    others: [{ thread_id: "th-2" }, { turn_id: "tu-2" }],
  },
  "approval/request": {
    asked: request("approval/request", APPROVAL, command),
    result: decision("approve").result,
    others: [{ approval_id: "ap-2" }, { action_digest: Codec.digest({}) }],
  },
  "request/cancel": {
    asked: request("request/cancel", { request_id: "c1-1" }),
    result: { request_id: "c1-1", status: "already_finished" },
    others: [{ request_id: "c1-2" }],
  },
};

describe.each(Object.entries(ROWS))("%s", (_, { asked, result, others }) => {
  const check = (given: object) => codeOf(Codec.checkResult(asRequest(asked), given));

  test("its own result", () => {
    expect(check(result)).toBe("ok");
    expect(check({ ...result, extra: 1 })).toBe("invalid_message");
  });

  test.each(others)("another's: %j", (change) => {
    expect(check({ ...result, ...change })).toBe("invalid_message");
  });
});

test("thread/start names its thread itself", () => {
  const asked = asRequest(request("thread/start", {}, command)) as RequestMessage;
  expect(codeOf(Codec.checkResult(asked, { thread: { ...THREAD, thread_id: "any" } }))).toBe("ok");
  expect(codeOf(Codec.checkResult(asked, { thread: THREAD, turns: [] }))).toBe("invalid_message");
});
