// The server beyond the recorded traces: handlers that misbehave, deferral, requests of the host, its end (section 9).
import { describe, expect, test } from "bun:test";
import {
  type Handler,
  type HandlerContext,
  type JsonObject,
  type Message,
  type Outcome,
  ProtocolError,
  type RequestMessage,
  Server,
  type ServerStep,
} from "../../src/protocol/index.ts";
import {
  ALL,
  APPROVAL,
  codeOf,
  DEADLINE,
  decision,
  delta,
  hello,
  interrupt,
  METHODS,
  must,
  NOW,
  readyServer,
  request,
  response,
  STATUS_RESULT,
  sequencedDelta,
  status,
} from "../support/protocol.ts";

const SECRET = "words of an exception";
/** Not spelled out, since an object with this name is what the linter warns of. */
const THEN = "then";
const done = { thread_id: "th-1", turn_id: "tu-1", status: "requested" } as const;
const internal = { code: "internal", message: "internal error" };

/** Nobody may leave it unhandled: that would end the process of a host. */
const rejected = () => Promise.reject(new Error(SECRET));
const throwingOutcome = new Proxy(
  {},
  {
    has: () => {
      throw new Error(SECRET);
    },
  },
);

function sent(step: ServerStep<unknown>): Message[] {
  return step.messages;
}

function refused<S>(server: Server<S>, step: ServerStep<S>, code: string): void {
  expect(codeOf(step)).toBe(code);
  expect(step.server).toBe(server);
}

/** A server whose handler answers every request so. */
function answering(outcome: () => unknown, limits = {}): Server<string> {
  return readyServer<string>({ handleRequest: outcome as Handler<string>["handleRequest"] }, "before", {
    limits,
  });
}

describe("creation (R39, R41, R96)", () => {
  const good = { capabilities: ["approvals.v1"], methods: ["approval/request"], handleRequest: () => ({}) };
  const options = { connectionId: "k-1" };
  test.each<[string, unknown, unknown, string]>([
    ["one group", good, options, "ok"],
    [
      "methods twice, in any order",
      { ...good, methods: ["approval/request", "approval/request"] },
      options,
      "ok",
    ],
    ["no groups at all", { ...good, capabilities: [], methods: [] }, options, "ok"],
    [
      "a method too many",
      { ...good, methods: [...good.methods, "thread/read"] },
      options,
      "invalid_argument",
    ],
    [
      "initialize named as method",
      { ...good, methods: [...good.methods, "connection/initialize"] },
      options,
      "invalid_argument",
    ],
    ["a method too few", { ...good, methods: [] }, options, "invalid_argument"],
    ["no methods", { ...good, methods: undefined }, options, "invalid_argument"],
    ["an unknown group", { ...good, capabilities: ["telepathy.v1"] }, options, "invalid_argument"],
    [
      "a group twice",
      { ...good, capabilities: ["approvals.v1", "approvals.v1"] },
      options,
      "invalid_argument",
    ],
    ["no callback", { ...good, handleRequest: undefined }, options, "invalid_argument"],
    ["a callback that is none", { ...good, handleResponse: 1 }, options, "invalid_argument"],
    ["no handler", null, options, "invalid_argument"],
    ["no options", good, undefined, "invalid_argument"],
    ["a connection that is no id", good, { connectionId: "a b" }, "invalid_argument"],
    ["a bad bound", good, { ...options, limits: { incoming: 0 } }, "invalid_argument"],
    ["a bad checkpoint", good, { ...options, checkpoints: { s: -1 } }, "invalid_argument"],
    [
      "too many checkpoints",
      good,
      { ...options, limits: { streams: 1 }, checkpoints: { a: 1, b: 1 } },
      "overflow",
    ],
  ])("%s", (_, handler, given, code) => {
    expect(codeOf(Server.create(handler as Handler<null>, null, given as { connectionId: string }))).toBe(
      code,
    );
  });

  test("a handler may be an instance: callbacks are called on it", () => {
    class Host implements Handler<number> {
      readonly capabilities = ALL;
      readonly methods = METHODS;
      readonly #result = STATUS_RESULT;
      handleRequest(_: RequestMessage, state: number) {
        return { result: { ...this.#result }, state: state + 1 };
      }
    }
    const { server } = must(Server.create(new Host(), 1, { connectionId: "k-1" }));
    const step = must(must(server.receive(hello())).server.receive(status("c1-2")));
    expect([step.server.state, sent(step)]).toEqual([
      2,
      [response("c1-2", { result: STATUS_RESULT }, { correlation_id: "flow-1" })] as never,
    ]);
  });
});

describe("initialization (R35-R38, R97)", () => {
  const handler: Handler<null> = {
    capabilities: ALL,
    methods: METHODS,
    handleRequest: () => ({ error: internal as never }),
  };
  const { server } = must(Server.create(handler, null, { connectionId: "k-1" }));

  test("everything else comes too early", () => {
    expect(sent(server.receive(status("c1-2")))).toMatchObject([
      { id: "c1-2", error: { code: "not_initialized" } },
    ]);
    refused(server, server.receive(status("c1-2")), "not_initialized");
    refused(server, server.receive(delta("x")), "not_initialized");
    refused(server, server.notify(delta("x")), "not_initialized");
    refused(server, server.request("request/cancel", { request_id: "s-1" }), "not_initialized");
    refused(server, server.receive(response("s-1", { result: {} })), "unknown_response");
  });

  test("a second one is a conflict, and answered so", () => {
    const ready = must(server.receive(hello())).server;
    const step = ready.receive({ ...hello(), id: "c1-2" });
    refused(ready, step, "conflict");
    expect(sent(step)).toMatchObject([{ id: "c1-2", error: { code: "conflict" } }]);
  });

  test("groups outside the selection stay outside", () => {
    const ready = must(server.receive(hello(["streaming.v1", "future.v7"]))).server;
    expect(ready.negotiated).toEqual(["streaming.v1"]);
    const step = ready.receive(status("c1-2"));
    refused(ready, step, "unsupported_capability");
    expect(sent(step)).toMatchObject([{ error: { code: "unsupported_capability" } }]);
  });
});

describe("a handler that misbehaves (R99, R100)", () => {
  const large = { error: { code: "unavailable", message: "m", details: { a: "x".repeat(2000) } } };
  const boxed = new (class {
    result = STATUS_RESULT;
  })();
  test.each<[string, () => unknown, boolean]>([
    [
      "throws",
      () => {
        throw new Error(SECRET);
      },
      false,
    ],
    [
      "throws a text",
      () => {
        throw SECRET;
      },
      false,
    ],
    [
      "throws nothing",
      () => {
        throw undefined;
      },
      false,
    ],
    ["returns nothing", () => undefined, false],
    ["returns a promise", async () => ({ result: STATUS_RESULT, state: "after" }), false],
    [
      "returns a promise that is rejected",
      async () => {
        throw new Error(SECRET);
      },
      false,
    ],
    [
      "returns something that can be awaited",
      () => Object.assign(Object.create({ [THEN]: () => 1 }), { result: STATUS_RESULT }),
      false,
    ],
    ["returns no form, with a state", () => ({ state: "after" }), true],
    ["returns two forms", () => ({ result: STATUS_RESULT, error: internal, state: "after" }), true],
    ["defers and answers", () => ({ deferred: true, result: STATUS_RESULT, state: "after" }), true],
    ["defers, but not really", () => ({ deferred: 1, state: "after" }), true],
    ["returns an unknown member", () => ({ result: STATUS_RESULT, extra: 1, state: "after" }), true],
    [
      "returns a result of another request",
      () => ({ result: { ...STATUS_RESULT, event_id: "ev-2" }, state: "after" }),
      true,
    ],
    [
      "returns a result that is not JSON",
      () => ({ result: { ...STATUS_RESULT, details: { a: new Date() } }, state: "after" }),
      true,
    ],
    [
      "returns a result whose accessor throws",
      () => ({
        result: {
          get a() {
            throw new Error(SECRET);
          },
        },
        state: "after",
      }),
      true,
    ],
    ["returns a list", () => ({ result: [], state: "after" }), true],
    [
      "returns an error that may not travel",
      () => ({ error: { code: "disconnected", message: "m" }, state: "after" }),
      true,
    ],
    [
      "returns an error without words",
      () => ({ error: { code: "not_found", message: "" }, state: "after" }),
      true,
    ],
    ["returns more than a message holds", () => ({ ...large, state: "after" }), true],
    [
      "returns a promise as state",
      () => ({ result: STATUS_RESULT, state: Promise.reject(new Error(SECRET)) }),
      false,
    ],
    ["defers with a promise as state", () => ({ deferred: true, state: Promise.resolve("after") }), false],
    ["returns a promise as result", () => ({ result: rejected(), state: "after" }), true],
    ["returns a promise as error", () => ({ error: rejected(), state: "after" }), true],
    ["defers by a promise", () => ({ deferred: rejected(), state: "after" }), true],
    [
      "returns an outcome whose accessor throws",
      () => ({
        get result() {
          throw new Error(SECRET);
        },
      }),
      false,
    ],
  ])("%s: answered internal, and nothing of it shows", (_, outcome, keepsState) => {
    const server = answering(outcome, { messageBytes: 1000 });
    const step = must(server.receive(status("c1-2")));
    expect(sent(step)).toEqual([
      response("c1-2", { error: internal }, { correlation_id: "flow-1" }) as never,
    ]);
    expect(JSON.stringify(step.messages)).not.toContain(SECRET);
    expect("fault" in step).toBe(true);
    expect(step.server.state).toBe(keepsState ? "after" : "before");
    expect(step.server.counts.deferred).toBe(0);
  });

  test("an instance with the right members is an outcome", () => {
    expect(sent(must(answering(() => boxed).receive(status("c1-2"))))).toMatchObject([
      { result: STATUS_RESULT },
    ]);
  });

  test("the fault is the thrown value itself, or says what is wrong with the outcome", () => {
    const thrown = new Error(SECRET);
    const step = must(
      answering(() => {
        throw thrown;
      }).receive(status("c1-2")),
    );
    expect(step.fault).toBe(thrown);
    const malformed = must(answering(() => ({})).receive(status("c1-2")));
    expect(malformed.fault).toBeInstanceOf(ProtocolError);
    expect("fault" in must(answering(() => ({ result: STATUS_RESULT })).receive(status("c1-2")))).toBe(false);
  });

  test("no state, or an undefined one, keeps the state", () => {
    for (const outcome of [{ result: STATUS_RESULT }, { result: STATUS_RESULT, state: undefined }]) {
      expect(must(answering(() => outcome).receive(status("c1-2"))).server.state).toBe("before");
    }
  });

  test("what the handler does with its request changes neither the answer's identity nor its check", () => {
    const server = readyServer<null>(
      {
        handleRequest(given) {
          given.id = "other";
          if (given.method === "project/event.status") given.params.event_id = "ev-2";
          return { result: { ...STATUS_RESULT } };
        },
      },
      null,
    );
    expect(sent(must(server.receive(status("c1-2"))))).toMatchObject([{ id: "c1-2", result: STATUS_RESULT }]);
  });

  test("the context: its connection, and the time if one is known", () => {
    const seen: HandlerContext[] = [];
    const handleRequest: Handler<null>["handleRequest"] = (_, __, context) => {
      seen.push(context);
      return { result: { ...STATUS_RESULT } };
    };
    const server = must(readyServer({ handleRequest }, null).receive(status("c1-2"))).server;
    must(must(server.receive(status("c1-3"), { now: NOW })).server.receive(status("c1-4"), { now: NOW - 5 }));
    expect(seen).toEqual([
      { connectionId: "k-1", now: Number.POSITIVE_INFINITY },
      { connectionId: "k-1", now: NOW },
      { connectionId: "k-1", now: NOW },
    ]);
  });
});

describe("input that no handler sees (R73, R98)", () => {
  const server = answering(() => {
    throw new Error("the handler was called");
  });
  test.each<[string, unknown, string, number]>([
    ["no JSON", "{", "invalid_message", 0],
    ["no object", "[]", "invalid_message", 0],
    ["a malformed request", { ...status("c1-2"), extra: 1 }, "invalid_message", 1],
    ["a malformed response", { ...response("s-1", { result: {} }), extra: 1 }, "invalid_message", 0],
    ["a malformed notification", { ...delta("x"), extra: 1 }, "invalid_message", 0],
    ["an unknown method", { ...status("c1-2"), method: "a/b" }, "unsupported_method", 1],
    ["another version", { ...status("c1-2"), schema_version: "3.0" }, "unsupported_version", 1],
    ["an unreadable identity", { ...status("c1 2"), extra: 1 }, "invalid_message", 0],
    [
      "a duplicate key",
      JSON.stringify(status("c1-2")).replace('"id"', '"id":"c1-2","id"'),
      "invalid_message",
      0,
    ],
    ["a notification without a callback for it", delta("x"), "unsupported_method", 0],
    ["an unknown response", response("s-1", { result: {} }), "unknown_response", 0],
    ["nothing", undefined, "invalid_message", 0],
  ])("%s", (_, input, code, answers) => {
    const step = server.receive(input as object);
    refused(server, step, code);
    expect(sent(step)).toHaveLength(answers);
    if (answers > 0) expect(sent(step)).toMatchObject([{ id: "c1-2", error: { code } }]);
    expect("fault" in step).toBe(false);
  });

  test.each([{ now: -1 }, { at: 1 }, null])("options %j", (options) => {
    refused(server, server.receive(status("c1-2"), options as object), "invalid_argument");
  });
});

describe("deferred requests (R101, R102)", () => {
  const defer = () => ({ deferred: true, state: "after" });

  test("under an open id nothing but the real answer is ever sent", () => {
    const { server } = must(answering(defer).receive(interrupt("c1-2", "cmd-1")));
    expect(server.state).toBe("after");
    for (const [input, code] of [
      [{ ...interrupt("c1-2", "cmd-1"), extra: 1 }, "invalid_message"],
      [{ ...interrupt("c1-2", "cmd-1"), schema_version: "2.0" }, "unsupported_version"],
      [interrupt("c1-2", "cmd-2"), "conflict"],
      [{ ...hello(), id: "c1-2" }, "conflict"],
      [status("c1-2"), "conflict"],
    ] as const) {
      const step = server.receive(input);
      refused(server, step, code);
      expect(sent(step)).toEqual([]);
    }
    const same = must(server.receive(interrupt("c1-2", "cmd-1")));
    expect([same.server, sent(same)]).toEqual([server, []]);
  });

  test("R101: at the bound a further request is refused before any callback, also a read", () => {
    let calls = 0;
    const server = answering(() => {
      calls++;
      return defer();
    });
    let current = server;
    for (let id = 1; id <= 64; id++)
      current = must(current.receive(interrupt(`d-${id}`, `cmd-${id}`))).server;
    expect(current.counts.deferred).toBe(64);
    for (const further of [interrupt("c1-2", "cmd"), status("c1-2")]) {
      const step = current.receive(further);
      refused(current, step, "overflow");
      expect(sent(step)).toMatchObject([{ id: "c1-2", error: { code: "overflow" } }]);
    }
    expect(calls).toBe(64);
    current = must(current.complete("d-1", { result: { ...done } })).server;
    expect(codeOf(current.receive(interrupt("c1-2", "cmd")))).toBe("ok");
  });

  test.each<[string, unknown, unknown]>([
    ["a result", { result: done }, { result: done }],
    [
      "an error",
      { error: { code: "cancelled", message: "m" } },
      { error: { code: "cancelled", message: "m" } },
    ],
    ["a result of another turn", { result: { ...done, turn_id: "x" } }, { error: internal }],
    ["both", { result: done, error: internal }, { error: internal }],
    ["neither", {}, { error: internal }],
    ["deferring again", { deferred: true }, { error: internal }],
    ["a promise", Promise.resolve({ result: done }), { error: internal }],
    ["a promise as result", { result: Promise.resolve(done) }, { error: internal }],
    ["what throws when it is asked", throwingOutcome, { error: internal }],
    ["nothing", undefined, { error: internal }],
  ])("completed with %s", (_, outcome, body) => {
    const { server } = must(answering(defer).receive(interrupt("c1-2", "cmd-1")));
    const step = must(server.complete("c1-2", outcome as Outcome));
    const identity = { correlation_id: "flow-1", command_id: "cmd-1" };
    expect(sent(step)).toEqual([response("c1-2", body as object, identity) as never]);
    refused(step.server, step.server.complete("c1-2", outcome as Outcome), "unknown_request");
  });
});

describe("notifications of the client (R103)", () => {
  function counting(limits = {}) {
    const seen: string[] = [];
    const handleNotification: NonNullable<Handler<string>["handleNotification"]> = (message, state) => {
      if (message.method !== "item/delta") return undefined;
      seen.push(message.params.delta);
      if (message.params.delta === "throw") throw new Error(SECRET);
      if (message.params.delta === "promise") return Promise.reject(new Error(SECRET)) as never;
      return message.params.delta === "nothing" ? undefined : `${state}+`;
    };
    return { seen, server: readyServer({ handleNotification }, "s", { limits }) };
  }

  test("the position and the state move after the callback returned", () => {
    const { seen, server } = counting();
    for (const text of ["throw", "promise"]) {
      const step = server.receive(sequencedDelta(1, text));
      refused(server, step, "internal");
      expect("fault" in step).toBe(true);
      expect(sent(step)).toEqual([]);
    }
    const once = must(server.receive(sequencedDelta(1, "a"))).server;
    expect([once.state, once.checkpoints()]).toEqual(["s+", { "st-1": 1 }]);
    expect(must(once.receive(sequencedDelta(1, "b"))).server).toBe(once);
    const twice = must(once.receive(sequencedDelta(2, "nothing"))).server;
    expect([twice.state, twice.checkpoints()]).toEqual(["s+", { "st-1": 2 }]);
    refused(twice, twice.receive(sequencedDelta(4, "c")), "cursor_gap");
    expect(must(twice.receive(delta("d"))).server.state).toBe("s++");
    expect(seen).toEqual(["throw", "promise", "a", "nothing", "d"]);
  });

  test("the bound on streams", () => {
    const { server } = counting({ streams: 1 });
    const one = must(server.receive(sequencedDelta(1))).server;
    refused(one, one.receive(sequencedDelta(2, "x", "st-2")), "cursor_gap");
    refused(one, one.receive(sequencedDelta(1, "x", "st-2")), "overflow");
    expect(one.counts.streams).toBe(1);
  });
});

interface Ending {
  id: string;
  code: string;
}

/** A server that writes down how its requests end; its state counts them. */
function asking(throwing: readonly string[] = []) {
  const ended: Ending[] = [];
  const handleResponse: NonNullable<Handler<number>["handleResponse"]> = ({ id }, outcome, state) => {
    ended.push({
      id,
      code: "error" in outcome ? outcome.error.code : String(outcome.result["decision"] ?? "ok"),
    });
    if (throwing.includes(id)) throw new Error(SECRET);
    return state + 1;
  };
  return { ended, handleResponse, server: readyServer<number>({ handleResponse }, 0) };
}

function ask(server: Server<number>, commandId: string, options: object = {}): Server<number> {
  return must(server.request("approval/request", { ...APPROVAL }, { commandId, ...options })).server;
}

const approve = (id: string, commandId: string): JsonObject =>
  response(id, decision("approve"), { correlation_id: id, command_id: commandId });

/** A call that does not compile. */
function askAny<S>(server: Server<S>, ...args: unknown[]): ServerStep<S> {
  const request = server.request as (...args: unknown[]) => ServerStep<S>;
  return request.apply(server, args);
}

describe("requests of the host (R104-R106)", () => {
  test("R104: order of checks", () => {
    const server = readyServer<null>({ handleResponse: () => undefined }, null);
    refused(server, askAny(server, "thread/read", 1, 1), "unsupported_method");
    refused(server, askAny(server, "toString", 1, 1), "unsupported_method");
    refused(server, server.request("request/cancel", { request_id: "s-9" }), "unknown_request");
    refused(server, server.request("request/cancel", { request_id: "s-1" }), "invalid_argument");
    refused(server, askAny(server, "approval/request", APPROVAL, {}), "invalid_argument");
    const silent = readyServer<null>({}, null);
    refused(silent, silent.request("request/cancel", { request_id: "s-9" }), "invalid_argument");
    const few = { capabilities: ["streaming.v1" as const], methods: ["stream/resume" as const] };
    const narrow = readyServer<null>(few, null);
    refused(narrow, narrow.request("request/cancel", { request_id: "s-9" }), "unsupported_capability");
  });

  test("ids are s-1, s-2 …, and the bound and the window are those of a client", () => {
    const { handleResponse } = asking();
    let server = readyServer<number>({ handleResponse }, 0, { limits: { outstanding: 2, completed: 1 } });
    const first = must(
      server.request("approval/request", { ...APPROVAL }, { commandId: "a", projectRef: "p" }),
    );
    expect(first.messages).toMatchObject([
      { id: "s-1", correlation_id: "s-1", command_id: "a", project_ref: "p" },
    ]);
    server = ask(first.server, "b");
    refused(server, server.request("approval/request", { ...APPROVAL }, { commandId: "b" }), "conflict");
    refused(server, server.request("approval/request", { ...APPROVAL }, { commandId: "c" }), "overflow");
    server = must(server.receive(response("s-2", decision("deny"), { command_id: "b" }))).server;
    server = must(
      server.receive(response("s-1", decision("deny"), { command_id: "a", project_ref: "p" })),
    ).server;
    refused(
      server,
      server.receive(response("s-2", decision("deny"), { command_id: "b" })),
      "unknown_response",
    );
  });

  test.each([
    [NOW, DEADLINE, "approve"],
    [NOW, DEADLINE + 1, "deadline_expired"],
    [undefined, undefined, "deadline_expired"],
    [DEADLINE + 1, NOW, "deadline_expired"],
    [undefined, DEADLINE, "approve"],
  ])("R106: asked at %p, approved at %p: %s", (askedAt, answeredAt, code) => {
    const { ended, server } = asking();
    const asked = ask(server, "cmd", askedAt === undefined ? {} : { now: askedAt });
    must(asked.receive(approve("s-1", "cmd"), answeredAt === undefined ? {} : { now: answeredAt }));
    expect(ended).toEqual([{ id: "s-1", code }]);
  });

  test("R105: handed over once; a callback that throws leaves the request waiting", () => {
    const { ended, server } = asking();
    let hostile = true;
    const handler = {
      handleResponse: (_: RequestMessage, __: Outcome, state: number) => {
        if (hostile) throw new Error(SECRET);
        return state + 1;
      },
    };
    const asked = ask(readyServer<number>(handler, 0), "cmd");
    const thrown = asked.receive(approve("s-1", "cmd"), { now: NOW });
    refused(asked, thrown, "internal");
    expect([thrown.messages, (thrown.fault as Error).message]).toEqual([[], SECRET]);
    hostile = false;
    const taken = must(asked.receive(approve("s-1", "cmd"), { now: NOW }));
    expect([taken.server.state, taken.server.counts.pending]).toEqual([1, 0]);
    expect(must(taken.server.receive(approve("s-1", "cmd"), { now: NOW })).server.state).toBe(1);
    must(ask(server, "cmd").receive(approve("s-1", "cmd"), { now: NOW }));
    expect(ended).toEqual([{ id: "s-1", code: "approve" }]);
  });

  test("R72: silence, an error and a refusal are no approval", () => {
    const { ended, server } = asking();
    let current = ask(ask(ask(server, "a", { now: NOW }), "b"), "c");
    current = must(current.receive(response("s-1", decision("deny"), { command_id: "a" }))).server;
    current = must(
      current.receive(response("s-2", { error: { code: "unavailable", message: "m" } }, { command_id: "b" })),
    ).server;
    must(current.expire(NOW + 30_000));
    expect(ended.map(({ code }) => code)).toEqual(["deny", "unavailable", "ambiguous_disconnect"]);
  });
});

describe("the end (R107)", () => {
  test("a callback that throws stops nothing, and its state is as before that call", () => {
    for (const end of [
      (server: Server<number>) => server.close(),
      (server: Server<number>) => server.expire(NOW + 30_000),
    ]) {
      const { ended, server } = asking(["s-2"]);
      const asked = ask(ask(ask(server, "a", { now: NOW }), "b"), "c");
      const step = must(end(asked));
      expect(ended.map(({ id }) => id)).toEqual(["s-1", "s-2", "s-3"]);
      expect([step.server.state, step.server.counts.pending, step.server.counts.uncertain]).toEqual([
        2, 0, 3,
      ]);
      expect((step.fault as Error).message).toBe(SECRET);
      expect(step.messages).toEqual([]);
    }
  });

  test("after it, what needs a connection is disconnected; the rest still works", () => {
    const { server } = asking();
    const closed = must(ask(server, "cmd", { now: NOW }).close()).server;
    refused(closed, closed.receive("{"), "disconnected");
    refused(closed, closed.complete("c1-2", { result: {} }), "disconnected");
    refused(closed, closed.request("request/cancel", { request_id: "s-1" }), "disconnected");
    refused(closed, closed.notify(undefined as never), "disconnected");
    expect(must(closed.close()).server).toBe(closed);
    expect(must(closed.expire(-1)).server).toBe(closed);
    expect(closed.nextDeadline).toBeNull();
    const resolution = { outcome: "not_applied", source: "audit", evidence: "e" } as const;
    const resolved = must(closed.resolveUncertain("cmd", resolution));
    expect([resolved.request.id, resolved.messages, resolved.server.uncertain.size]).toEqual(["s-1", [], 0]);
  });

  test("expire takes a time", () => {
    const { server } = asking();
    for (const now of [-1, 0.5, "1"]) refused(server, server.expire(now as number), "invalid_argument");
    expect(ask(server, "cmd", { now: NOW, waitMs: 5 }).nextDeadline).toBe(NOW + 5);
  });

  test("withState is the same connection", () => {
    const { server } = asking();
    const other = ask(server, "cmd").withState(7);
    expect([other.state, other.counts.pending, other.phase]).toEqual([7, 1, "ready"]);
  });
});

test("R110: a notification over the bound is not let out", () => {
  const server = answering(() => ({}), { messageBytes: 500 });
  refused(server, server.notify(delta("x".repeat(500))), "overflow");
  expect(sent(must(server.notify(delta("x"))))).toEqual([delta("x")]);
  refused(server, server.notify({ ...delta("x"), method: "a/b" } as never), "unsupported_method");
  refused(server, server.notify(request("a/b", {}) as never), "invalid_argument");
});
