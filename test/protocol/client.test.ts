// The client beyond the recorded traces: order of checks, time, holds, incoming requests, and that it is a value (section 6).
import { describe, expect, test } from "bun:test";
import {
  type Capability,
  Client,
  type Effect,
  type JsonObject,
  type Limits,
  type NotificationMessage,
  type RequestMessage,
  type Step,
} from "../../src/protocol/index.ts";
import {
  ALL,
  APPROVAL,
  asRequest,
  codeOf,
  DEADLINE,
  decision,
  delta,
  initialize,
  must,
  NOW,
  readyClient,
  request,
  response,
  STATUS_RESULT,
  sequencedDelta,
  status,
} from "../support/protocol.ts";

const STATUS = { event_id: "ev-1" };
const TURN = { thread_id: "th-1", turn_id: "tu-1" };

function errors(step: Step<{ effects: Effect[] }>): string[] {
  return must(step).effects.map((effect) =>
    effect.type === "error" ? `${effect.id} ${effect.error.code}` : effect.type,
  );
}

const throwingTime = {
  get now(): number {
    throw new Error("words of an accessor");
  },
};

/** Expects a failure that returns the very same client. */
function refused(client: Client, step: Step<unknown>, code: string): void {
  expect(codeOf(step)).toBe(code);
  expect(step.client).toBe(client);
}

describe("creation (R39, R83, section 11)", () => {
  test.each<[string, object, string]>([
    ["no groups", { capabilities: [] }, "ok"],
    ["a group twice", { capabilities: ["sessions.v1", "sessions.v1"] }, "invalid_argument"],
    ["no list", { capabilities: "sessions.v1" }, "invalid_argument"],
    ["a hole in place of a group", { capabilities: new Array(1) }, "invalid_argument"],
    ["a bound of 0", { capabilities: [], limits: { outstanding: 0 } }, "invalid_argument"],
    ["a fraction as bound", { capabilities: [], limits: { buffer: 1.5 } }, "invalid_argument"],
    ["an unknown bound", { capabilities: [], limits: { depth: 3 } }, "invalid_argument"],
    ["an unset bound", { capabilities: [], limits: { buffer: undefined } }, "ok"],
    ["the longest wait", { capabilities: [], limits: { waitMs: 3_600_000 } }, "ok"],
    ["a longer wait", { capabilities: [], limits: { waitMs: 3_600_001 } }, "invalid_argument"],
    ["limits as a list", { capabilities: [], limits: [] }, "invalid_argument"],
    ["position 0", { capabilities: [], checkpoints: { s: 0 } }, "ok"],
    ["the last position", { capabilities: [], checkpoints: { s: Number.MAX_SAFE_INTEGER } }, "ok"],
    ["position -1", { capabilities: [], checkpoints: { s: -1 } }, "invalid_argument"],
    ["a fractional position", { capabilities: [], checkpoints: { s: 0.5 } }, "invalid_argument"],
    ["a stream that is no id", { capabilities: [], checkpoints: { "a b": 1 } }, "invalid_argument"],
    ["a map of checkpoints", { capabilities: [], checkpoints: new Map([["s", 1]]) }, "invalid_argument"],
    [
      "2 checkpoints for 1 stream",
      { capabilities: [], limits: { streams: 1 }, checkpoints: { s: 1, t: 1 } },
      "overflow",
    ],
  ])("%s", (_, options, code) => {
    expect(codeOf(Client.create(options as { capabilities: Capability[] }))).toBe(code);
  });

  test("no options at all", () => {
    expect(codeOf(Client.create(undefined as never))).toBe("invalid_argument");
  });
});

describe("making requests (R56-R59)", () => {
  const ask = (client: Client, method: string, params: unknown, options?: unknown) =>
    client.request(method as "project/event.status", params as never, options as object);

  test("R56: each check comes before the next", () => {
    const fresh = must(Client.create({ capabilities: ALL })).client;
    refused(fresh, ask(fresh, "no/method", 1, 1), "not_initialized");
    const ready = readyClient({ capabilities: ["project_events.v1"] });
    refused(ready, ask(ready, "no/method", 1, 1), "unsupported_method");
    refused(ready, ask(ready, "item/delta", 1, 1), "unsupported_method");
    refused(ready, ask(ready, "toString", 1, 1), "unsupported_method");
    refused(ready, ask(ready, "thread/read", 1, 1), "unsupported_capability");
    refused(ready, ask(ready, "project/event.status", 1, 1), "invalid_argument");
    refused(ready, ask(ready, "connection/initialize", 1, 1), "conflict");
    const gone = must(ready.disconnect()).client;
    refused(gone, ask(gone, "no/method", 1, 1), "disconnected");
    refused(gone, ask(gone, "connection/initialize", 1, 1), "disconnected");
  });

  test.each<[string, unknown]>([
    ["null", null],
    ["a text", "now"],
    ["a number", 1],
    ["a list", []],
    ["an accessor that throws", throwingTime],
    ["null as id", { id: null }],
    ["null as correlation", { correlationId: null }],
    ["an unknown name", { commandid: "c" }],
    ["a command on a read", { commandId: "c" }],
    ["an id that is none", { id: "a b" }],
    ["a correlation that is none", { correlationId: "" }],
    ["a project that is none", { projectRef: "" }],
    ["a task without its project", { taskRef: "t" }],
    ["a negative time", { now: -1 }],
    ["a fractional time", { now: 0.5 }],
    ["no time", { now: Number.NaN }],
    ["a time as text", { now: "1" }],
    ["a wait as text", { waitMs: "1" }],
  ])("options: %s", (_, options) => {
    const client = readyClient();
    refused(client, ask(client, "project/event.status", STATUS, options), "invalid_argument");
  });

  test("an unset option is as if it were not there", () => {
    const { message } = must(
      ask(readyClient(), "project/event.status", STATUS, { id: undefined, now: undefined }),
    );
    expect(message.id).toBe("c1-2");
  });

  test("a mutation without its command", () => {
    const client = readyClient();
    const params = { ...TURN };
    refused(client, ask(client, "turn/interrupt", params), "invalid_argument");
  });

  test("overflow for its size, and nothing is counted", () => {
    const client = readyClient({ limits: { messageBytes: 400 } });
    refused(client, ask(client, "project/event.status", STATUS, { projectRef: "x".repeat(256) }), "overflow");
    refused(
      client,
      ask(client, "project/event.status", { event_id: " " }, { projectRef: "x".repeat(256) }),
      "invalid_argument",
    );
    expect(must(ask(client, "project/event.status", STATUS)).message.id).toBe("c1-2");
  });

  test("R59: a conflict comes before the bound, the bound last", () => {
    const first = must(
      readyClient({ limits: { outstanding: 1 } }).request("turn/interrupt", TURN, { commandId: "cmd" }),
    );
    const { client } = first;
    refused(client, ask(client, "project/event.status", STATUS, { id: "c1-2" }), "conflict");
    refused(client, client.request("turn/interrupt", TURN, { commandId: "cmd" }), "conflict");
    refused(client, ask(client, "stream/resume", { stream_id: "s", cursor: 1 }), "cursor_gap");
    refused(client, ask(client, "request/cancel", { request_id: "other" }), "unknown_request");
    refused(client, ask(client, "project/event.status", STATUS), "overflow");
  });

  test("R53: what was made on this connection can be cancelled, answered or not; cancelling settles nothing", () => {
    let { client, message } = must(ask(readyClient(), "project/event.status", STATUS));
    client = must(client.request("request/cancel", { request_id: message.id })).client;
    expect(client.counts.pending).toBe(2);
    client = must(client.request("request/cancel", { request_id: "c1-1" })).client;
    refused(client, client.request("request/cancel", { request_id: "c1-5" }), "invalid_argument");
    refused(client, client.request("request/cancel", { request_id: "c1-6" }), "unknown_request");
    const result = { request_id: message.id, status: "requested" };
    client = must(client.receive(response("c1-3", { result }))).client;
    expect(client.counts.pending).toBe(2);
    expect(must(client.receive(response(message.id, { result: STATUS_RESULT }))).effects).toHaveLength(1);
  });

  test("R31, R66: a message handed out is the caller's to send; nothing else ever contains its command", () => {
    const made = must(readyClient().request("turn/interrupt", TURN, { commandId: "cmd" }));
    const cut = must(made.client.disconnect());
    expect(cut.effects).toEqual([
      { type: "error", id: "c1-2", error: expect.objectContaining({ code: "ambiguous_disconnect" }) },
    ]);
    const again = must(cut.client.reconnect());
    expect(Object.keys(again).sort()).toEqual(["client", "ok"]);
    expect([...initialize(again.client).uncertain.keys()]).toEqual(["cmd"]);
  });
});

describe("time (R63)", () => {
  test("a request that was made before any time was known waits from the first time on", () => {
    let { client } = must(readyClient().request("project/event.status", STATUS, { waitMs: 500 }));
    expect(client.nextDeadline).toBeNull();
    client = must(client.receive(delta("x"), { now: NOW })).client;
    expect(client.nextDeadline).toBe(NOW + 500);
    expect(errors(client.expire(NOW + 499))).toEqual([]);
    expect(errors(client.expire(NOW + 500))).toEqual(["c1-2 timeout"]);
  });

  test("nextDeadline is the earliest", () => {
    let client = readyClient({ now: NOW });
    expect(client.nextDeadline).toBeNull();
    client = must(client.request("project/event.status", STATUS, { waitMs: 700 })).client;
    client = must(client.request("project/event.status", STATUS, { waitMs: 500 })).client;
    expect(client.nextDeadline).toBe(NOW + 500);
  });

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", undefined])(
    "expire(%p) is a mistake",
    (now) => {
      const client = readyClient();
      refused(client, client.expire(now as number), "invalid_argument");
    },
  );

  test.each([{ now: -1 }, { now: 0.5 }, { at: 1 }, null, 5])("receive with %j is a mistake", (options) => {
    const client = readyClient();
    refused(client, client.receive(delta("x"), options as object), "invalid_argument");
  });

  test("a refused message does not move the time", () => {
    const client = readyClient({ now: NOW });
    expect(codeOf(client.receive("{", { now: DEADLINE + 1 }))).toBe("invalid_message");
    const asked = must(client.request("project/event.status", STATUS, { waitMs: 1 }));
    expect(asked.client.nextDeadline).toBe(NOW + 1);
  });

  test("R63: the time is that of the client and not of its connection", () => {
    const again = initialize(must(must(readyClient({ now: NOW }).disconnect()).client.reconnect()).client);
    const asked = must(again.request("project/event.status", STATUS, { now: 5, waitMs: 7 }));
    expect(asked.client.nextDeadline).toBe(NOW + 7);
  });

  test("R61, R63, R68: expired ids share the window; a late answer says that it is one, and only that", () => {
    let client = readyClient({ now: NOW, limits: { completed: 2 } });
    for (const id of ["a", "b", "c"]) {
      client = must(client.request("project/event.status", STATUS, { id, waitMs: 1 })).client;
    }
    client = must(client.expire(NOW + 1)).client;
    refused(client, client.receive(response("a", { result: STATUS_RESULT })), "unknown_response");
    const late = client.receive(response("b", { result: STATUS_RESULT }));
    refused(client, late, "conflicting_response");
    expect(late).toMatchObject({ error: { details: { expired: true } } });
    const asked = must(client.request("project/event.status", STATUS)).client;
    const contradiction = asked.receive(
      response("c1-5", { result: STATUS_RESULT }, { correlation_id: "other" }),
    );
    refused(asked, contradiction, "conflicting_response");
    expect(contradiction).not.toHaveProperty("error.details");
  });
});

describe("uncertain commands (R58, R64-R67)", () => {
  const held = must(readyClient({ now: NOW }).request("turn/interrupt", TURN, { commandId: "cmd" }));
  const fine = { outcome: "applied", source: "audit", evidence: "e" } as const;

  test("they name the request and the cause", () => {
    const identity = { command_id: "cmd" };
    const causes = (["timeout", "ambiguous_disconnect", "internal"] as const).map((code) => {
      const error = { code, message: "m" };
      return must(held.client.receive(response("c1-2", { error }, identity))).client.uncertain.get("cmd")
        ?.cause;
    });
    expect(causes).toEqual(["timeout", "ambiguous_disconnect", "internal"]);
    expect(must(held.client.expire(NOW + 30_000)).client.uncertain.get("cmd")).toEqual({
      request: held.message,
      cause: "timeout",
    });
    expect(must(held.client.disconnect()).client.uncertain.get("cmd")?.cause).toBe("disconnected");
  });

  test.each([
    "not_found",
    "conflict",
    "invalid_state",
    "unavailable",
    "cancelled",
    "overflow",
    "unauthorized",
  ])("R67: %s says that nothing was done", (code) => {
    const error = { code, message: "m" };
    const { client } = must(held.client.receive(response("c1-2", { error }, { command_id: "cmd" })));
    expect(client.uncertain.size).toBe(0);
  });

  test("R67: a read is never held", () => {
    const { client } = must(readyClient().request("project/event.status", STATUS));
    const error = { code: "internal", message: "m" };
    expect(must(client.receive(response("c1-2", { error }))).client.uncertain.size).toBe(0);
  });

  test("R66: a resolution has exactly its three members", () => {
    const { client } = must(held.client.disconnect());
    for (const change of [
      { outcome: "yes" },
      { source: "user" },
      { evidence: "" },
      { evidence: "x".repeat(1025) },
      { a: 1 },
    ]) {
      refused(
        client,
        client.resolveUncertain("cmd", { ...fine, ...change } as typeof fine),
        "invalid_argument",
      );
    }
    refused(client, client.resolveUncertain("cmd", undefined as never), "invalid_argument");
    refused(client, client.resolveUncertain("other", fine), "unknown_request");
    const resolved = must(client.resolveUncertain("cmd", { ...fine, evidence: "é".repeat(512) }));
    expect(resolved.request).toEqual(held.message);
    refused(resolved.client, resolved.client.resolveUncertain("cmd", fine), "unknown_request");
  });
});

describe("requests of the host (R69-R73)", () => {
  const asking = request("approval/request", APPROVAL, { id: "s-1", command_id: "cmd-a" });
  const asked = must(readyClient({ now: NOW }).receive(asking)).client;
  const message = asRequest(asking);

  test("R73: no answer under an id that waits for its own, whatever is wrong", () => {
    for (const wrong of [
      { ...asking, extra: 1 },
      { ...asking, schema_version: "2.0" },
      { ...asking, method: "turn/rewind" },
      request("turn/interrupt", TURN, { id: "s-1", command_id: "c" }),
      { ...asking, correlation_id: "flow-9" },
    ]) {
      const step = asked.receive(wrong);
      expect(step.ok).toBe(false);
      expect(step.client).toBe(asked);
      expect(step).not.toHaveProperty("rejection");
    }
    const other = asked.receive({ ...asking, id: "s-2", extra: 1 });
    expect(other).toMatchObject({ rejection: { id: "s-2", error: { code: "invalid_message" } } });
  });

  test("R73: only what is a request with a readable identity is answered", () => {
    const wrong = { ...asking, id: "s-2", extra: 1 };
    for (const change of [
      { type: "question" },
      { correlation_id: "" },
      { command_id: 1 },
      { project_ref: "" },
      { task_ref: "t" },
    ]) {
      expect(asked.receive({ ...wrong, ...change })).not.toHaveProperty("rejection");
    }
    expect(asked.receive(`${JSON.stringify(wrong)}{}`)).not.toHaveProperty("rejection");
    expect(
      asked.receive(JSON.stringify({ ...wrong, a: 1 }).replace('"a":1', '"extra":1')),
    ).not.toHaveProperty("rejection");
  });

  test("R73: of a message over the bound nothing is told, in any form", () => {
    const client = readyClient({ limits: { messageBytes: 500 } });
    const large = { ...asking, id: "s-2", project_ref: "x".repeat(200) };
    for (const input of [large, JSON.stringify(large)]) {
      const step = client.receive(input);
      refused(client, step, "overflow");
      expect(step).not.toHaveProperty("rejection");
    }
  });

  test("R70: exactly that request, and exactly one valid outcome", () => {
    const deny = decision("deny");
    const error = { code: "unauthorized", message: "no" } as const;
    refused(asked, asked.reply({ ...message, id: "s-9" }, deny), "unknown_request");
    refused(asked, asked.reply({ ...message, command_id: "other" } as RequestMessage, deny), "conflict");
    refused(asked, asked.reply(undefined as never, deny), "invalid_argument");
    refused(asked, asked.reply(message, deny, { now: -1 }), "invalid_argument");
    for (const outcome of [
      {},
      null,
      { ...deny, error },
      { ...deny, state: 1 },
      { result: undefined },
      { result: [] },
      { result: { ...deny.result, approval_id: "ap-2" } },
      { result: { ...deny.result, extra: 1 } },
      { error: { ...error, code: "disconnected" } },
      { error: { code: "unauthorized" } },
      { error: { ...error, message: "x".repeat(1025) } },
      { error: undefined },
      Promise.resolve(deny),
    ]) {
      refused(asked, asked.reply(message, outcome as typeof deny), "invalid_argument");
    }
    const replied = must(asked.reply(message, { error }));
    expect(replied.message).toEqual(
      response("s-1", { error }, { correlation_id: "flow-1", command_id: "cmd-a" }) as never,
    );
    expect(replied.client.counts.incoming).toBe(0);
  });

  test("R70: an answer that no message holds", () => {
    const details = { a: "x".repeat(1000) };
    const client = must(readyClient({ limits: { messageBytes: 1200 }, now: NOW }).receive(asking)).client;
    const error = { code: "unavailable", message: "m", details } as const;
    refused(
      client,
      client.reply(message, { error: { ...error, details: { a: "x".repeat(1100) } } }),
      "overflow",
    );
    expect(codeOf(client.reply(message, { error }))).toBe("ok");
  });

  test("R71: at the deadline in time, a millisecond later not, and the library remembers the time", () => {
    const approve = decision("approve");
    expect(codeOf(asked.reply(message, approve, { now: DEADLINE }))).toBe("ok");
    refused(asked, asked.reply(message, approve, { now: DEADLINE + 1 }), "deadline_expired");
    const later = must(asked.expire(DEADLINE + 1)).client;
    refused(later, later.reply(message, approve, { now: NOW }), "deadline_expired");
    expect(codeOf(later.reply(message, decision("deny")))).toBe("ok");
  });

  test("R71: a fraction of a deadline counts", () => {
    for (const [deadline, now, code] of [
      ["2031-04-05T06:12:08.999Z", DEADLINE + 999, "ok"],
      ["2031-04-05T06:12:08.999Z", DEADLINE + 1000, "deadline_expired"],
      ["2031-04-05T06:12:08.0009Z", DEADLINE, "ok"],
      ["2031-04-05T06:12:08.0009Z", DEADLINE + 1, "deadline_expired"],
      ["2031-04-05T06:12:08.001000001Z", DEADLINE + 1, "ok"],
      ["0001-01-01T00:00:00Z", NOW, "deadline_expired"],
    ] as const) {
      const dated = request(
        "approval/request",
        { ...APPROVAL, deadline },
        { id: "s-1", command_id: "cmd-a" },
      );
      const client = must(readyClient().receive(dated)).client;
      expect<unknown>([
        deadline,
        codeOf(client.reply(asRequest(dated), decision("approve"), { now })),
      ]).toEqual([deadline, code]);
    }
  });

  test("a request that came as object may be changed afterwards: what waits is what came", () => {
    const given = structuredClone(asking);
    const step = must(readyClient({ now: NOW }).receive(given));
    given["id"] = "s-5";
    const [effect] = step.effects;
    if (effect?.type !== "request") throw new Error("no request");
    effect.request.id = "s-6";
    expect(codeOf(step.client.reply(message, decision("deny")))).toBe("ok");
  });
});

describe("initialization (R35, R40)", () => {
  const offer = {
    versions: ["1.0", "2.0"],
    capabilities: ["sessions.v1", "streaming.v1"],
    required_capabilities: ["sessions.v1"],
  };
  const { client: fresh } = must(Client.create({ capabilities: ALL }));
  const { client: asking } = must(fresh.request("connection/initialize", offer));
  const answer = (result: object) =>
    asking.receive(response("c1-1", { result: { version: "1.0", connection_id: "k", ...result } }));

  test.each<[object, string]>([
    [{ capabilities: ["streaming.v1", "sessions.v1"] }, "ok"],
    [{ capabilities: ["sessions.v1"] }, "ok"],
    [{ capabilities: ["streaming.v1"] }, "unsupported_capability"],
    [{ capabilities: ["sessions.v1", "approvals.v1"] }, "unsupported_capability"],
    [{ capabilities: ["sessions.v1", "sessions.v1"] }, "invalid_message"],
    [{ capabilities: ["sessions.v1"], version: "2.0" }, "unsupported_version"],
    [{ capabilities: 1, version: "2.0", extra: 1 }, "unsupported_version"],
    [{ capabilities: ["sessions.v1"], version: 1 }, "invalid_message"],
    [{ capabilities: ["sessions.v1"], extra: 1 }, "invalid_message"],
  ])("an answer of %j", (result, code) => {
    const step = answer(result);
    expect(codeOf(step)).toBe(code);
    expect(step.client.phase).toBe(code === "ok" ? "ready" : "initializing");
  });

  test("negotiated groups are sorted and frozen; both are gone with the connection", () => {
    const { client } = must(answer({ capabilities: ["streaming.v1", "sessions.v1"] }));
    expect([client.negotiated, client.connectionId]).toEqual([["sessions.v1", "streaming.v1"], "k"]);
    expect(Object.isFrozen(client.negotiated)).toBe(true);
    const gone = must(client.disconnect()).client;
    expect([gone.negotiated, gone.connectionId, gone.generation, gone.phase]).toEqual([
      [],
      null,
      1,
      "disconnected",
    ]);
    const next = must(gone.reconnect()).client;
    expect([next.generation, next.phase]).toEqual([2, "new"]);
  });

  test("only version 1.0 is spoken, even if the client did not offer it", () => {
    const other = must(
      fresh.request("connection/initialize", { versions: ["2.0"], capabilities: [] }),
    ).client;
    const result = { version: "1.0", capabilities: [], connection_id: "k" };
    expect(codeOf(other.receive(response("c1-1", { result })))).toBe("unsupported_version");
  });
});

describe("a client is a value (R55, section 11)", () => {
  test("nothing that is handed out can change it", () => {
    const capabilities: Capability[] = [...ALL];
    const checkpoints: Record<string, number> = { s: 1 };
    const limits: Partial<Limits> = { outstanding: 2 };
    const created = must(Client.create({ capabilities, checkpoints, limits })).client;
    capabilities.length = 0;
    checkpoints["s"] = 9;
    limits.outstanding = 99;
    const client = initialize(created);
    const counts = client.counts;
    counts.pending = 99;
    (client.uncertain as Map<string, unknown>).set("a", {});
    client.checkpoints()["s"] = 5;
    expect([client.counts.pending, client.uncertain.size, client.checkpoints()]).toEqual([0, 0, { s: 1 }]);
    const made = must(client.request("turn/interrupt", TURN, { commandId: "cmd" }));
    expect(Object.isFrozen(made.message) && Object.isFrozen(made.message.params)).toBe(true);
    expect(Object.isFrozen(must(made.client.disconnect()).client.uncertain.get("cmd"))).toBe(true);
  });

  test("a drained notification is frozen; the one that came as object stays the caller's", () => {
    const given = structuredClone(sequencedDelta(1)) as NotificationMessage<"item/delta">;
    const { client } = must(readyClient().receive(given));
    given.params.delta = "changed";
    const [effect] = must(client.drain(1)).effects;
    if (effect?.type !== "notification") throw new Error("no notification");
    expect(effect.message).toEqual(sequencedDelta(1));
    expect(Object.isFrozen(effect.message) && Object.isFrozen(effect.message.params)).toBe(true);
  });

  test("a result belongs to the caller, and its change does not undo the window", () => {
    const { client } = must(readyClient().request("project/event.status", STATUS));
    const step = must(client.receive(response("c1-2", { result: STATUS_RESULT })));
    const [effect] = step.effects;
    if (effect?.type !== "response") throw new Error("no response");
    (effect.result as JsonObject)["deliveries"] = 7;
    expect(must(step.client.receive(response("c1-2", { result: STATUS_RESULT }))).effects).toEqual([]);
  });

  test("a step that changes nothing returns the same client", () => {
    const client = readyClient();
    expect(must(client.drain(5)).client).toBe(client);
    const gone = must(client.disconnect()).client;
    expect(must(gone.disconnect()).client).toBe(gone);
  });

  test("any misuse of any method is a failure with the same client", () => {
    const client = readyClient();
    const junk = [undefined, null, 0, "", "x", [], {}, () => 1, Symbol("x"), new Map(), 1n];
    const methods = [
      "request",
      "receive",
      "reply",
      "receiveReplay",
      "adoptCheckpoint",
      "forgetStream",
      "notify",
      "drain",
      "ackCursor",
      "expire",
      "reconnect",
      "resolveUncertain",
    ] as const;
    for (const method of methods) {
      for (const value of junk) {
        const call = client[method] as (...args: unknown[]) => Step<object>;
        const step = call.call(client, value, value, value);
        if (method === "expire" && value === 0) continue;
        expect<unknown>([method, String(value), step.ok, step.client === client]).toEqual([
          method,
          String(value),
          false,
          true,
        ]);
      }
    }
  });

  test("R11: an object or options that throw when they are asked what they are", () => {
    const client = readyClient();
    const throwing = new Proxy({}, { getPrototypeOf: () => throwingTime.now as never });
    refused(client, client.receive(throwing), "invalid_message");
    refused(client, client.receive("{}", throwing), "invalid_argument");
    refused(client, client.receive("{}", throwingTime), "invalid_argument");
  });

  test("R64: what works after the end, and what does not", () => {
    const client = must(must(readyClient().receive(sequencedDelta(1))).client.disconnect()).client;
    refused(client, client.receive(status("s-1")), "disconnected");
    refused(client, client.receive("{"), "disconnected");
    refused(client, client.reply(asRequest(status("s-1")), { result: {} }), "disconnected");
    refused(client, client.notify(delta("x")), "not_initialized");
    refused(client, client.receiveReplay({ stream_id: "st-1", cursor: 0, events: [] }), "foreign_stream");
    const drained = must(client.drain(1)).client;
    const acknowledged = must(drained.ackCursor("st-1", 1)).client;
    expect(acknowledged.checkpoints()).toEqual({ "st-1": 1 });
    expect(
      must(must(acknowledged.adoptCheckpoint("st-1", 5)).client.forgetStream("st-1")).client.checkpoints(),
    ).toEqual({});
  });
});
