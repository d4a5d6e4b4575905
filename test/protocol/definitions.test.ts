// The definitions at both sides of every bound (sections 3 and 5), and the rules across fields.
import { describe, expect, test } from "bun:test";
import { Codec } from "../../src/protocol/index.ts";
import { REQUESTS } from "../../src/protocol/schema/methods.ts";
import {
  APPROVAL,
  codeOf,
  delta,
  EVENT,
  hello,
  request,
  response,
  status,
  THREAD,
} from "../support/protocol.ts";

function decode(message: object): string {
  return codeOf(Codec.decode(JSON.stringify(message)));
}

/** Each value in turn at one place of a message. */
function at(place: (value: unknown) => object, good: readonly unknown[], bad: readonly unknown[]): void {
  for (const value of good) expect<unknown>([value, decode(place(value))]).toEqual([value, "ok"]);
  for (const value of bad) expect<unknown>([value, decode(place(value))]).toEqual([value, "invalid_message"]);
}

const x = (count: number) => "x".repeat(count);
const NO_TEXT = [null, 1, true, [], {}];

const notify = (method: string, params: object) => ({ ...delta("x"), method, params });
const threadStart = (params: object) => request("thread/start", params, { command_id: "cmd-1" });
const turn = (value: object) =>
  notify("turn/started", { turn: { thread_id: "th-1", turn_id: "tu-1", ...value } });
const item = (value: object) =>
  notify("item/completed", {
    thread_id: "th-1",
    turn_id: "tu-1",
    item: { item_id: "it-1", status: "completed", ...value },
  });
const event = (value: object) =>
  request("project/event.receive", { event: { ...EVENT, ...value } }, { command_id: "c" });
const report = (value: object, more: object = {}) =>
  request(
    "project/event.report",
    {
      event_id: "ev-1",
      report_id: "r",
      outcome: "completed",
      decision: { kind: "a", summary: "s" },
      ...value,
    },
    { command_id: "c", ...more },
  );
const approval = (value: object) =>
  request("approval/request", { ...APPROVAL, ...value }, { command_id: "c" });
const action = (value: object) => approval({ action: value, action_digest: Codec.digest(value) });

describe("types of section 3", () => {
  test("Id: 1 to 128 characters U+0021 to U+007E", () => {
    const bad = ["", x(129), "a b", "a\n", "\u007f", "é", "a\u0000", ...NO_TEXT];
    at((id) => status("x", { id }), ["!", "~", "__proto__", x(128)], bad);
    at((correlation_id) => ({ ...delta("x"), correlation_id }), [x(128)], [x(129), ""]);
  });

  test("Ref: 1 to 256 bytes without control characters", () => {
    const bad = ["", x(257), "é".repeat(129), "a\tb", "\u001f", "\u007f", "\u0000", ...NO_TEXT];
    at((project_ref) => status("x", { project_ref }), [" ", "\u0080", x(256), "é".repeat(128)], bad);
  });

  test("Name: up to 8 dotted words of 64, at most 128 characters", () => {
    const words = (count: number) => Array(count).fill("a1_").join(".");
    const bad = [
      "",
      "A",
      "1a",
      "_a",
      ".a",
      "a.",
      "a..b",
      "a.B",
      words(9),
      x(65),
      `${x(64)}.${x(64)}`,
      "a\n",
      ...NO_TEXT,
    ];
    at((event_type) => event({ event_type }), ["a", x(64), words(8), `${x(64)}.${x(63)}`], bad);
  });

  test("Timestamp: UTC, up to 9 digits of fraction, a real calendar day", () => {
    const good = [
      "2031-04-05T06:07:08Z",
      "2031-04-05T23:59:59.1Z",
      "2031-04-05T00:00:00.123456789Z",
      "2032-02-29T00:00:00Z",
      "2000-02-29T00:00:00Z",
      "0000-02-29T00:00:00Z",
      "9999-12-31T00:00:00Z",
      "2031-04-30T00:00:00Z",
    ];
    const bad = [
      "2031-04-05T06:07:08",
      "2031-04-05T06:07:08z",
      "2031-04-05 06:07:08Z",
      "2031-04-05T06:07:08.Z",
      "2031-04-05T06:07:08.1234567890Z",
      "2031-04-05T24:00:00Z",
      "2031-04-05T06:60:00Z",
      "2031-04-05T06:07:60Z",
      "2031-13-01T00:00:00Z",
      "2031-00-01T00:00:00Z",
      "2031-01-00T00:00:00Z",
      "2031-01-32T00:00:00Z",
      "2031-04-31T00:00:00Z",
      "2031-02-29T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "12031-04-05T06:07:08Z",
      "2031-04-05T06:07:08Z\n",
      "٢٠٣١-04-05T06:07:08Z",
      ...NO_TEXT,
    ];
    at((created_at) => event({ created_at }), good, bad);
  });

  test("Cursor from 1, Position from 0, both to 2^53 - 1", () => {
    const max = Number.MAX_SAFE_INTEGER;
    const bad = [-1, 0.5, "1", null, max + 1];
    at((cursor) => ({ ...delta("x"), stream_id: "s", cursor }), [1, max], [0, ...bad]);
    at((cursor) => request("stream/resume", { stream_id: "s", cursor }), [0, max], bad);
  });

  test("Text: UTF-8 bytes, no U+0000", () => {
    at(
      (title) => threadStart({ title }),
      ["x", "\n", x(256), "é".repeat(128)],
      ["", x(257), "é".repeat(129), "a\0"],
    );
    at((instructions) => threadStart({ instructions }), [x(65_536)], ["", x(65_537), `${x(65_535)}é`]);
  });
});

describe("envelopes", () => {
  test("R17: a response has exactly one of result and error", () => {
    const error = { code: "internal", message: "m" };
    at(
      (more) => response("x", more as object),
      [{ result: {} }, { error }],
      [{}, { result: {}, error }, { method: "a" }],
    );
    at(
      (value) => response("x", { error: { ...error, ...(value as object) } }),
      [{ message: x(1024) }, { details: {} }],
      [
        { message: "" },
        { message: x(1025) },
        { details: [] },
        { details: null },
        { code: "disconnected" },
        { code: "invalid_argument" },
        { extra: 1 },
      ],
    );
  });

  test("R19: a task needs a project, in each kind of message", () => {
    for (const message of [status("x"), response("x", { result: {} }), delta("x")]) {
      at(
        (more) => ({ ...message, ...(more as object) }),
        [{ project_ref: "p", task_ref: "t" }, { project_ref: "p" }],
        [{ task_ref: "t" }],
      );
    }
  });

  test("R33: stream_id and cursor together", () => {
    at(
      (more) => ({ ...delta("x"), ...(more as object) }),
      [{}, { stream_id: "s", cursor: 1 }],
      [{ stream_id: "s" }, { cursor: 1 }, { stream_id: null, cursor: null }],
    );
  });

  test("R18: a notification has neither id nor command_id", () => {
    at((more) => ({ ...delta("x"), ...(more as object) }), [], [{ id: "a" }, { command_id: "a" }]);
  });

  test("R21: command_id exactly on mutations", () => {
    const stream = { stream_id: "s", cursor: 0 };
    const thread = { thread_id: "t" };
    const turnOf = { ...thread, turn_id: "u" };
    const input = [{ type: "text", text: "a" }];
    const mutations: [string, object][] = [
      ["project/event.receive", { event: EVENT }],
      [
        "project/event.report",
        { event_id: "e", report_id: "r", outcome: "failed", decision: { kind: "a", summary: "s" } },
      ],
      ["thread/start", {}],
      ["thread/resume", thread],
      ["turn/start", { ...thread, input }],
      ["turn/steer", { ...turnOf, input }],
      ["turn/interrupt", turnOf],
      ["approval/request", APPROVAL],
    ];
    const reads: [string, object][] = [
      ["connection/initialize", { versions: ["1.0"], capabilities: [] }],
      ["project/event.status", { event_id: "e" }],
      ["thread/read", thread],
      ["stream/resume", stream],
      ["request/cancel", { request_id: "a" }],
    ];
    for (const [isMutation, methods] of [
      [true, mutations],
      [false, reads],
    ] as const) {
      for (const [method, params] of methods) {
        expect([method, decode(request(method, params, { command_id: "c" }))]).toEqual([
          method,
          isMutation ? "ok" : "invalid_message",
        ]);
        expect([method, decode(request(method, params))]).toEqual([
          method,
          isMutation ? "invalid_message" : "ok",
        ]);
      }
    }
  });
});

describe("initialization and cancellation", () => {
  test("R34: versions, groups and required groups", () => {
    const offer = (params: object) => ({
      ...hello(),
      params: { versions: ["1.0"], capabilities: ["sessions.v1"], ...params },
    });
    const versions = (count: number) => Array.from({ length: count }, (_, index) => `1.${index}`);
    at(
      (value) => offer({ versions: value }),
      [["0.0"], ["9999.9999"], versions(16)],
      [[], versions(17), ["1.0", "1.0"], ["1"], ["1.00"], ["1.0.0"], ["10000.0"], "1.0"],
    );
    const groups = (count: number) => Array.from({ length: count }, (_, index) => `g${index}.v1`);
    at(
      (value) => offer({ capabilities: value }),
      [[], groups(64), [`${x(63)}.v9999`]],
      [groups(65), ["a.v1", "a.v1"], [`${x(64)}.v1`], ["a.v0"], ["a.v10000"], ["A.v1"], ["a"]],
    );
    at(
      (value) => offer({ required_capabilities: value }),
      [[], ["sessions.v1"]],
      [["streaming.v1"], ["sessions.v1", "sessions.v1"], null],
    );
  });

  test("R53: another request, and a reason of 1024 bytes", () => {
    const cancel = (params: object) => request("request/cancel", { request_id: "c1-1", ...params });
    at((request_id) => cancel({ request_id }), ["c1-1"], ["c1-2", "", undefined]);
    at((reason) => cancel({ reason }), [x(1024)], ["", x(1025)]);
  });
});

describe("reports (R45)", () => {
  test("a management request needs its project, and its task", () => {
    const ask = (target: string, more: object) =>
      decode(report({ management_request: { target, transition: "a.b" } }, more));
    const [project, both] = [{ project_ref: "p" }, { project_ref: "p", task_ref: "t" }];
    expect([ask("project", {}), ask("project", project), ask("project", both)]).toEqual([
      "invalid_message",
      "ok",
      "ok",
    ]);
    expect([ask("task", {}), ask("task", project), ask("task", both)]).toEqual([
      "invalid_message",
      "invalid_message",
      "ok",
    ]);
    expect(ask("team", both)).toBe("invalid_message");
  });

  test("decisions", () => {
    const decision = { kind: "a.b", summary: "s" };
    at(
      (value) => report({ decision: { ...decision, ...(value as object) } }),
      [{}, { summary: x(4096), details: {} }],
      [{ summary: "" }, { summary: x(4097) }, { kind: "A" }, { details: [] }, { extra: 1 }],
    );
    at((outcome) => report({ outcome }), ["completed", "failed", "rejected"], ["accepted", "pending", null]);
  });
});

describe("sessions (R48, R49)", () => {
  test("a thread has an active turn only while it is active", () => {
    const thread = (value: object) => notify("thread/updated", { thread: { ...THREAD, ...value } });
    at((status) => thread({ status }), ["idle", "active", "failed", "not_loaded", "closed"], ["busy", null]);
    at(
      (status) => thread({ status, active_turn_id: "tu-1" }),
      ["active"],
      ["idle", "failed", "not_loaded", "closed"],
    );
    at((title) => thread({ title }), [x(256)], ["", x(257)]);
  });

  test("a turn is finished or failed exactly as its status says", () => {
    const finished_at = THREAD.created_at;
    const failure = { reason: "a", message: "m" };
    at((status) => turn({ status }), ["in_progress", "completed", "interrupted"], ["failed", "started"]);
    at((status) => turn({ status, finished_at }), ["completed", "interrupted"], ["in_progress", "failed"]);
    at(
      (status) => turn({ status, failure, finished_at }),
      ["failed"],
      ["in_progress", "completed", "interrupted"],
    );
    const failed = (more: object) => turn({ status: "failed", failure: { ...failure, ...more } });
    at((http_status) => failed({ http_status }), [100, 599], [99, 600, 100.5, "100"]);
    at((message) => failed({ message }), [x(4096)], ["", x(4097)]);
    at((items_truncated) => turn({ status: "completed", items_truncated }), [true], [false, null]);
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ item_id: "i", kind: "plan", status: "declined" }));
    at((count) => turn({ status: "completed", items: items(count as number) }), [0, 128], [129]);
  });

  test("turn/completed has a final status", () => {
    const completed = (status: string) =>
      notify("turn/completed", {
        turn: {
          thread_id: "t",
          turn_id: "u",
          status,
          ...(status === "failed" && { failure: { reason: "a", message: "m" } }),
        },
      });
    at((status) => completed(status as string), ["completed", "failed", "interrupted"], ["in_progress"]);
  });

  test("a list that is too long is refused before any of its members is looked at", () => {
    const issues = (count: number) => {
      const parsed = REQUESTS["turn/start"].params.safeParse({ thread_id: "t", input: Array(count).fill(0) });
      return parsed.error?.issues.length;
    };
    expect([issues(64), issues(65), issues(100_000)]).toEqual([64, 1, 1]);
  });

  test("input: 1 to 64 texts", () => {
    const start = (input: unknown) => request("turn/start", { thread_id: "t", input }, { command_id: "c" });
    const texts = (count: number) => Array.from({ length: count }, () => ({ type: "text", text: "a" }));
    at(
      start,
      [texts(1), texts(64), [{ type: "text", text: x(262_144) }]],
      [
        texts(0),
        texts(65),
        [{ type: "text", text: x(262_145) }],
        [{ type: "text", text: "a", extra: 1 }],
        [{ text: "a" }],
        "a",
      ],
    );
  });

  test("turn/notice", () => {
    const notice = (value: object) =>
      notify("turn/notice", {
        thread_id: "t",
        level: "info",
        reason: "a.b",
        message: "m",
        will_retry: false,
        ...value,
      });
    at(
      (value) => notice(value as object),
      [{}, { turn_id: "u" }, { message: x(4096) }],
      [{ message: "" }, { message: x(4097) }, { level: "debug" }, { will_retry: 1 }, { reason: "A" }],
    );
  });
});

describe("streaming (R51)", () => {
  const command = { line: "ls" };
  const changes = [{ path: "a", change: "add" }];
  const kinds: [string, object][] = [
    ["user_message", {}],
    ["agent_message", {}],
    ["reasoning", {}],
    ["plan", {}],
    ["command", { command }],
    ["file_change", { changes }],
    ["tool_call", { tool: { name: "a" } }],
    ["other", { label: "a" }],
  ];

  test.each(kinds)("%s has exactly the members of its kind", (kind, members) => {
    at(
      (more) => item({ kind, ...members, ...(more as object) }),
      [{}, { text: "" }, { truncated: true }],
      [{ truncated: false }, { extra: 1 }, { kind: "answer" }],
    );
    for (const [other, foreign] of kinds) {
      if (other === kind || Object.keys(foreign).length === 0) continue;
      expect([other, decode(item({ kind, ...members, ...foreign }))]).toEqual([other, "invalid_message"]);
    }
    if (Object.keys(members).length > 0) expect(decode(item({ kind }))).toBe("invalid_message");
    const withCommand = decode(item({ kind, ...members, command_id: "c" }));
    expect(withCommand).toBe(kind === "user_message" ? "ok" : "invalid_message");
  });

  test("bounds inside items", () => {
    const withCommand = (value: object) => item({ kind: "command", command: { ...command, ...value } });
    at((line) => withCommand({ line }), [x(65_536)], ["", x(65_537)]);
    at((exit_code) => withCommand({ exit_code }), [-(2 ** 31), 2 ** 32 - 1], [-(2 ** 31) - 1, 2 ** 32, 0.5]);
    at((output) => withCommand({ output }), ["", x(262_144)], [x(262_145)]);
    at((working_directory) => withCommand({ working_directory }), [x(4096)], ["", x(4097)]);
    const withChanges = (count: number, value: object = {}) =>
      item({
        kind: "file_change",
        changes: Array.from({ length: count }, () => ({ ...changes[0], ...value })),
      });
    at((count) => withChanges(count as number), [0, 256], [257]);
    at((diff) => withChanges(1, { diff }), ["", x(131_072)], [x(131_073)]);
    at((path) => withChanges(1, { path }), [x(4096)], ["", x(4097)]);
    at((change) => withChanges(1, { change }), ["add", "update", "delete"], ["move"]);
    at((label) => item({ kind: "other", label }), [x(256)], ["", x(257)]);
    at((server) => item({ kind: "tool_call", tool: { name: "a", server } }), [x(256)], ["", x(257)]);
    at((text) => item({ kind: "plan", text }), [x(262_144)], [x(262_145), "\0"]);
  });

  test("item/started is in progress, item/completed is anything else", () => {
    const of = (method: string, status: unknown) =>
      notify(method, { thread_id: "t", turn_id: "u", item: { item_id: "i", kind: "plan", status } });
    const final = ["completed", "failed", "declined"];
    at((status) => of("item/started", status), ["in_progress"], final);
    at((status) => of("item/completed", status), final, ["in_progress"]);
  });

  test("item/delta", () => {
    const part = (value: object) => ({ ...delta("x"), params: { ...delta("x").params, ...value } });
    at(
      (value) => part(value as object),
      [{ part: 0 }, { part: 65_535 }, { delta: x(262_144) }, { channel: "plan" }],
      [{ part: -1 }, { part: 65_536 }, { delta: "" }, { delta: x(262_145) }, { channel: "audio" }],
    );
  });
});

describe("approvals (R52)", () => {
  test("the digest is that of the action", () => {
    expect(decode(approval({}))).toBe("ok");
    expect(decode(approval({ action: { ...APPROVAL.action, summary: "run other tests" } }))).toBe(
      "invalid_message",
    );
    at(
      (action_digest) => approval({ action_digest }),
      [APPROVAL.action_digest],
      [APPROVAL.action_digest.toUpperCase(), APPROVAL.action_digest.slice(7), `${APPROVAL.action_digest}0`],
    );
  });

  test("an item needs its turn, a turn its thread", () => {
    at(
      (value) => approval(value as object),
      [{ thread_id: "t" }, { thread_id: "t", turn_id: "u" }, { thread_id: "t", turn_id: "u", item_id: "i" }],
      [{ turn_id: "u" }, { item_id: "i" }, { thread_id: "t", item_id: "i" }, { turn_id: "u", item_id: "i" }],
    );
  });

  test("what each kind of action must have", () => {
    const paths = (count: number) => Array.from({ length: count }, () => "a");
    at(
      (value) => action(value as object),
      [
        { kind: "command", summary: "s", command: "ls", paths: ["a"], details: { a: [1] } },
        { kind: "file_change", summary: "s", paths: paths(256), working_directory: x(4096) },
        { kind: "permission", summary: x(4096) },
        { kind: "other", summary: "s", command: x(65_536), paths: ["a"] },
      ],
      [
        { kind: "command", summary: "s" },
        { kind: "file_change", summary: "s", command: "ls" },
        { kind: "file_change", summary: "s", paths: [] },
        { kind: "file_change", summary: "s", paths: paths(257) },
        { kind: "other", summary: "" },
        { kind: "other", summary: x(4097) },
        { kind: "other", summary: "s", command: x(65_537) },
        { kind: "other", summary: "s", session: true },
        { kind: "session", summary: "s" },
      ],
    );
  });
});
