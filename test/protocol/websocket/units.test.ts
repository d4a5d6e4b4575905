// The parts of the transport without sockets, at both sides of their bounds.
import { describe, expect, test } from "bun:test";
import { fail, ProtocolError } from "../../../src/protocol/error.ts";
import { isLoopback, urlOf } from "../../../src/protocol/websocket/address.ts";
import { Alarm } from "../../../src/protocol/websocket/alarm.ts";
import { ENDING, endingAfter } from "../../../src/protocol/websocket/ending.ts";
import { Work } from "../../../src/protocol/websocket/fake-agent-work.ts";
import {
  createFakeAgent,
  DEFAULT_TRANSPORT_LIMITS,
  hashToken,
  newToken,
} from "../../../src/protocol/websocket/index.ts";
import { transportLimitsOf } from "../../../src/protocol/websocket/limits.ts";
import { Outbox } from "../../../src/protocol/websocket/outbox.ts";
import {
  type ErrorCode,
  LOCAL_CODES,
  Server,
  type ServerStep,
  WIRE_CODES,
} from "../../../src/protocol/index.ts";
import { request } from "../../support/raw-websocket.ts";
import { until } from "../../support/websocket.ts";

describe("loopback is what is written out (RW11)", () => {
  test.each([
    ["localhost", true],
    ["::1", true],
    ["127.0.0.0", true],
    ["127.0.0.1", true],
    ["127.255.255.255", true],
    ["127.0.0.256", false],
    ["127.0.0.01", false],
    ["127.0.0", false],
    ["127.0.0.1.", false],
    ["127.0.0.1.example", false],
    ["126.0.0.1", false],
    ["128.0.0.1", false],
    ["0.0.0.0", false],
    ["::", false],
    ["::ffff:127.0.0.1", false],
    ["0:0:0:0:0:0:0:1", false],
    ["LOCALHOST", false],
    ["localhost.", false],
    ["", false],
  ])("%j: %p", (hostname, expected) => {
    expect(isLoopback(hostname)).toBe(expected);
  });

  test("an IPv6 address is bracketed in a URL", () => {
    expect(urlOf("::1", 80, false)).toBe("ws://[::1]:80/app-server");
    expect(urlOf("localhost", 443, true)).toBe("wss://localhost:443/app-server");
  });
});

describe("bounds", () => {
  test("the defaults are those of section 4", () => {
    expect(DEFAULT_TRANSPORT_LIMITS).toEqual({
      messageBytes: 1_048_576,
      handshakeMs: 10_000,
      pingMs: 30_000,
      pongMs: 10_000,
      idleMs: 120_000,
      queueMessages: 256,
      queueBytes: 4_194_304,
      connections: 64,
      handshakes: 16,
    });
    expect(Object.isFrozen(DEFAULT_TRANSPORT_LIMITS)).toBe(true);
  });

  test.each([
    [{ pingMs: 1 }, true],
    [{ pingMs: 2 ** 31 - 1 }, true],
    [{ pingMs: undefined }, true],
    [{ pingMs: 2 ** 31 }, false],
    [{ pingMs: 0 }, false],
    [{ pingMs: 1.5 }, false],
    [{ pingMs: "1" }, false],
    [{ ping: 1 }, false],
    [null, false],
  ])("%j: %p", (given, expected) => {
    const limits = transportLimitsOf(given as Parameters<typeof transportLimitsOf>[0]);
    expect(limits.ok).toBe(expected);
    if (!limits.ok) expect(limits.error.code).toBe("invalid_argument");
  });

  test("an outbox holds its bounds exactly, in messages and in bytes (RW27)", () => {
    const limits = { ...DEFAULT_TRANSPORT_LIMITS, queueMessages: 3, queueBytes: 10 };
    const outbox = new Outbox(limits);
    expect([outbox.push("12345"), outbox.push("äb"), outbox.push("xyz")]).toEqual([true, true, false]);
    expect(outbox.push("ü")).toBe(true);
    expect([outbox.size, outbox.push("")]).toEqual([3, false]);
    expect([outbox.take(), outbox.push("12345"), outbox.size]).toEqual(["12345", true, 3]);
    expect([outbox.take(), outbox.take(), outbox.take(), outbox.take()]).toEqual(["äb", "ü", "12345", null]);
    expect([outbox.push("1234567890"), outbox.push("1")]).toEqual([true, false]);
    outbox.clear();
    expect([outbox.size, outbox.take(), outbox.push("1234567890")]).toEqual([0, null, true]);
  });

  test("tokens are random, and hashed as they are written", () => {
    const tokens = Array.from({ length: 50 }, newToken);
    expect(new Set(tokens).size).toBe(50);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(hashToken("a".repeat(32))).toBe(
      "3ba3f5f43b92602683c19aee62a20342b084dd5971ddd33808d81a328879a547",
    );
  });
});

test("what a refused frame without an answer means, for every code (RW25)", () => {
  const disagreement: ErrorCode[] = [
    "cursor_gap",
    "conflict",
    "foreign_stream",
    "overflow",
    "unknown_response",
    "conflicting_response",
  ];
  for (const code of [...WIRE_CODES, ...LOCAL_CODES]) {
    const ours = code === "internal" || code === "invalid_argument" ? ENDING.fault : ENDING.unreadable;
    const expected = disagreement.includes(code) ? ENDING.disagreement : ours;
    expect([code, endingAfter(fail(code, "words").error)]).toEqual([code, expected]);
  }
  expect(endingAfter(new ProtocolError("conflicting_response", "late", { expired: true }))).toBeNull();
  expect(endingAfter(new ProtocolError("conflicting_response", "late", { expired: 1 }))).toEqual(
    ENDING.disagreement,
  );
});

describe("an alarm (RW22)", () => {
  test("rings when the clock says so, not when time has passed", async () => {
    let now = 1000;
    const rung: number[] = [];
    const alarm = new Alarm(
      () => now,
      (at) => rung.push(at),
    );
    alarm.set(1005);
    await Bun.sleep(30);
    expect(rung).toEqual([]);
    now = 2000;
    await until("the alarm", () => rung.length === 1);
    expect(rung).toEqual([2000]);
    alarm.set(null);
  });

  test("an earlier deadline replaces a later one, null stops it", async () => {
    const rung: number[] = [];
    const alarm = new Alarm(
      () => 1000,
      (at) => rung.push(at),
    );
    alarm.set(1_000_000);
    alarm.set(900);
    await until("the alarm", () => rung.length === 1);
    alarm.set(1001);
    alarm.set(null);
    await Bun.sleep(20);
    expect(rung).toEqual([1000]);
  });

  test("a clock that fails rings nothing", async () => {
    const alarm = new Alarm(
      () => null,
      () => {
        throw new Error("it rang");
      },
    );
    alarm.set(1);
    await Bun.sleep(5);
  });
});

describe("the fake agent's work (RW39)", () => {
  test("each activity in its turn, and none that waits", () => {
    const done: string[] = [];
    const work = new Work();
    const steps = (name: string, count: number) => () => {
      done.push(name);
      count--;
      return count === 0 ? ("finished" as const) : ("more" as const);
    };
    work.add(steps("a", 3));
    work.add(() => "waiting");
    work.add(steps("b", 2));
    expect(work.advance(3)).toBe(3);
    expect(done.join("")).toBe("aba");
    expect(work.advance(100)).toBe(2);
    expect(done.join("")).toBe("ababa");
    expect([work.advance(1), work.size]).toEqual([0, 1]);
  });

  test("two runs are the same, byte by byte (RW37)", () => {
    expect(transcript()).toEqual(transcript());
  });

  test("the same command twice is done once, with other content it is a conflict (R102)", () => {
    const peer = memoryPeer();
    const start = request("r-1", "thread/start", { title: "one" }, "k-1");
    const first = peer.send(start);
    expect(peer.send({ ...start, id: "r-2", correlation_id: "r-2" })).toMatchObject([
      { result: (first[0] as { result: object }).result },
    ]);
    expect(peer.send({ ...request("r-3", "thread/start", {}, "k-1") })).toMatchObject([
      { error: { code: "conflict" } },
    ]);
    expect(peer.agent.counts().threads).toBe(1);
  });

  test("what is not legal or not known (R49, R50)", () => {
    const peer = memoryPeer();
    const input = [{ type: "text", text: "x" }];
    const codes = (id: string, method: string, params: object, commandId?: string) =>
      peer.send(request(id, method, params, commandId)).map((message) => JSON.stringify(message));
    peer.send(request("r-1", "thread/start", {}, "k-1"));
    peer.send(request("r-2", "turn/start", { thread_id: "fake-thread-1", input }, "k-2"));
    const place = { thread_id: "fake-thread-1", turn_id: "fake-turn-1" };
    const cases: [object[] | string[], string][] = [
      [codes("r-3", "turn/start", { thread_id: "fake-thread-1", input }, "k-3"), "invalid_state"],
      [codes("r-4", "turn/start", { thread_id: "other", input }, "k-4"), "not_found"],
      [codes("r-5", "turn/steer", { ...place, turn_id: "other", input }, "k-5"), "not_found"],
      [codes("r-6", "turn/steer", { ...place, input }, "k-6"), '"turn_id":"fake-turn-1"'],
      [codes("r-7", "turn/interrupt", place, "k-7"), '"requested"'],
      [codes("r-8", "thread/resume", { thread_id: "other" }, "k-8"), "not_found"],
      [codes("r-9", "stream/resume", { stream_id: "other", cursor: 0 }), "not_found"],
    ];
    for (const [messages, expected] of cases) expect(String(messages[0])).toContain(expected);
    while (peer.agent.advance(1) > 0);
    expect(codes("r-10", "turn/interrupt", place, "k-10")[0]).toContain('"already_finished"');
    expect(codes("r-11", "turn/steer", { ...place, input }, "k-11")[0]).toContain("invalid_state");
    expect(codes("r-12", "thread/read", { thread_id: "fake-thread-1", include_turns: true })[0]).toContain(
      '"status":"interrupted"',
    );
  });

  test("a connection follows a log only from its head (R87)", () => {
    const say = Array.from({ length: 200 }, (_, at) => `${at} `);
    const first = memoryPeer(createFakeAgent({ script: [{ say }] }));
    first.send(request("r-1", "thread/start", {}, "k-1"));
    const input = [{ type: "text", text: "x" }];
    first.send(request("r-2", "turn/start", { thread_id: "fake-thread-1", input }, "k-2"));
    first.agent.advance(150);
    const second = memoryPeer(first.agent, "k-2");
    const resume = (id: string, cursor: number) =>
      second.send(request(id, "stream/resume", { stream_id: "fake-stream-1", cursor }));
    expect(resume("r-1", 0)).toMatchObject([{ result: { cursor: 128 } }]);
    const before = second.sent.length;
    first.agent.advance(1);
    expect(second.sent).toHaveLength(before);
    expect(resume("r-2", 128)).toMatchObject([{ result: { cursor: 151 } }]);
    first.agent.advance(1);
    expect(second.sent.at(-1)).toMatchObject({ method: "item/delta", cursor: 152 });
    expect(first.sent.at(-1)).toEqual(second.sent.at(-1) ?? {});
  });

  test("the largest input, all of it escaped, still fits its events (R93)", () => {
    const peer = memoryPeer();
    peer.send(request("r-1", "thread/start", {}, "k-1"));
    const input = [{ type: "text", text: "\u0001".repeat(170_000) }];
    peer.send(request("r-2", "turn/start", { thread_id: "fake-thread-1", input }, "k-2"));
    while (peer.agent.advance(1) > 0);
    expect(peer.sent.at(-1)).toMatchObject({
      method: "turn/completed",
      params: { turn: { status: "completed" } },
    });
    const read = peer.send(
      request("r-3", "thread/read", { thread_id: "fake-thread-1", include_turns: true }),
    );
    expect(read).toMatchObject([{ result: { turns: [{ items_truncated: true }] } }]);
  });
});

/** A server around the agent, without any transport. */
function memoryPeer(agent = createFakeAgent(), connectionId = "k-1") {
  const created = Server.create(agent.handler, null, { connectionId });
  if (!created.ok) throw created.error;
  const sent: object[] = [];
  const peer = {
    connectionId,
    server: created.server,
    update<T>(step: (server: Server<null>) => ServerStep<null, T>): ServerStep<null, T> {
      const made = step(peer.server);
      peer.server = made.server;
      sent.push(...made.messages);
      return made;
    },
    send(message: object): object[] {
      return peer.update((server) => server.receive(message, { now: 1 })).messages;
    },
    sent,
    agent,
  };
  agent.attach(peer);
  const capabilities = [...agent.handler.capabilities];
  peer.send(request("i-1", "connection/initialize", { versions: ["1.0"], capabilities }));
  return peer;
}

function transcript(): object[] {
  const peer = memoryPeer();
  peer.send(request("r-1", "thread/start", {}, "k-1"));
  const input = [{ type: "text", text: "abc" }];
  peer.send(request("r-2", "turn/start", { thread_id: "fake-thread-1", input }, "k-2"));
  while (peer.agent.advance(1) > 0);
  expect(peer.sent.length).toBeGreaterThan(10);
  return peer.sent;
}
