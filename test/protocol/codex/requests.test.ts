// Native requests against a scripted Codex (section 3, section 7).
import { describe, expect, test } from "bun:test";
import {
  codexTurn,
  completed,
  GROUPS,
  NativeConnection,
  NOW,
  readyWorld,
  settled,
  startThread,
  startTurn,
  THREAD,
} from "./support.ts";

const TEXT = [{ type: "text" as const, text: "go" }];

async function opened(options = {}) {
  const world = await readyWorld(options);
  const connection = new NativeConnection(world);
  return { ...world, connection };
}

/** As {@link opened}, with a thread that the connection started. */
async function inThread(options = {}) {
  const world = await opened(options);
  return { ...world, threadId: await startThread(world, world.connection) };
}

async function inTurn(options = {}) {
  const world = await inThread(options);
  return { ...world, turnId: await startTurn(world, world.connection, world.threadId) };
}

describe("the handshake", () => {
  test("RC6, RC7: initialize, then initialized once", async () => {
    const { peer } = await opened();
    expect(peer.sent).toEqual([
      {
        id: 1,
        method: "initialize",
        params: {
          clientInfo: { name: "agent_protocol_bridge", title: null, version: "0.1.0" },
          capabilities: {
            experimentalApi: false,
            requestAttestation: false,
            optOutNotificationMethods: [
              "thread/tokenUsage/updated",
              "account/rateLimits/updated",
              "remoteControl/status/changed",
              "configWarning",
              "turn/diff/updated",
              "thread/goal/cleared",
              "deprecationNotice",
            ],
          },
        },
      },
      { method: "initialized" },
    ]);
  });
});

describe("threads", () => {
  test("thread/start: the configuration, and nothing of it on the wire", async () => {
    const { peer, connection } = await opened({ model: "m", modelProvider: "p" });
    const id = connection.ask("thread/start", { instructions: "be brief", ephemeral: true });
    expect(peer.last("thread/start").params).toEqual({
      cwd: "/codex-test/work",
      sandbox: "workspace-write",
      approvalPolicy: "untrusted",
      model: "m",
      modelProvider: "p",
      developerInstructions: "be brief",
      ephemeral: true,
    });
    peer.answer("thread/start", { thread: { ...THREAD, ephemeral: true } });
    await settled();
    expect(connection.result(id)).toEqual({
      thread: {
        thread_id: THREAD.id,
        status: "idle",
        ephemeral: true,
        created_at: "2023-11-14T22:13:20Z",
        updated_at: "2023-11-14T22:13:20Z",
      },
      stream: { stream_id: "codex-g1-t1", cursor: 0 },
    });
  });

  test("thread/start: a title is refused, and nothing sent", async () => {
    const { peer, connection } = await opened();
    const id = connection.ask("thread/start", { title: "t" });
    await settled();
    expect(connection.code(id)).toBe("unavailable");
    expect(peer.sent).toHaveLength(2);
  });

  test("thread/start: what cannot be understood leaves the outcome open", async () => {
    const { peer, connection, log } = await opened();
    const id = connection.ask("thread/start", {}, "c-1");
    peer.answer("thread/start", { thread: { ...THREAD, status: { type: "asleep" } } });
    await settled();
    expect(connection.code(id)).toBe("internal");
    expect([...connection.client.uncertain.keys()]).toEqual(["c-1"]);
    expect(log.at(-1)).toEqual({ type: "adapter_fault", method: "thread/start" });
  });

  test("thread/resume: from memory where it is loaded; no request of Codex", async () => {
    const { peer, connection, threadId } = await inThread();
    const sent = peer.sent.length;
    const id = connection.ask("thread/resume", { thread_id: threadId });
    await settled();
    expect(connection.result(id)).toMatchObject({ thread: { status: "idle" }, stream: { cursor: 0 } });
    expect(peer.sent).toHaveLength(sent);
  });

  test("thread/resume: of Codex where it is not", async () => {
    const { peer, connection } = await opened();
    const id = connection.ask("thread/resume", { thread_id: "stored" });
    expect(peer.last("thread/resume").params).toEqual({
      threadId: "stored",
      excludeTurns: true,
      cwd: "/codex-test/work",
      sandbox: "workspace-write",
      approvalPolicy: "untrusted",
    });
    peer.answer("thread/resume", { thread: { ...THREAD, id: "stored", name: "a title" } });
    await settled();
    expect(connection.result(id)).toMatchObject({ thread: { thread_id: "stored", title: "a title" } });
  });

  test("thread/read: without turns; one that is only stored has no stream", async () => {
    const { peer, connection } = await opened();
    const id = connection.ask("thread/read", { thread_id: "stored" });
    expect(peer.last("thread/read").params).toEqual({ threadId: "stored", includeTurns: false });
    peer.answer("thread/read", { thread: { ...THREAD, id: "stored", status: { type: "notLoaded" } } });
    await settled();
    expect(connection.result(id)).toEqual({
      thread: {
        thread_id: "stored",
        status: "not_loaded",
        ephemeral: false,
        created_at: "2023-11-14T22:13:20Z",
        updated_at: "2023-11-14T22:13:20Z",
      },
    });
  });

  test("thread/read: the answer must be about that thread (R25)", async () => {
    const { peer, connection } = await opened();
    const id = connection.ask("thread/read", { thread_id: "stored" });
    peer.answer("thread/read", { thread: THREAD });
    await settled();
    expect(connection.code(id)).toBe("internal");
  });

  test("RC15: the running turn is shown while the thread is active, once it has started", async () => {
    const { peer, connection, threadId } = await inThread();
    const thread = () =>
      (connection.events.at(-1)!.params as { thread?: { status: string; active_turn_id?: string } }).thread;
    const say = async (type: string) => {
      peer.say({ method: "thread/status/changed", params: { threadId, status: { type, activeFlags: [] } } });
      await settled();
    };
    connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    peer.answer("turn/start", { turn: codexTurn("turn-1") });
    await say("active");
    expect(thread()).toMatchObject({ status: "active" });
    expect(thread()).not.toHaveProperty("active_turn_id");
    peer.say({ method: "turn/started", params: { threadId, turn: codexTurn("turn-1") } });
    await say("active");
    expect(thread()).toMatchObject({ status: "active", active_turn_id: "turn-1" });
    await say("idle");
    expect(thread()).not.toHaveProperty("active_turn_id");
    peer.say(completed(threadId, "turn-1"));
    await say("active");
    expect(thread()).not.toHaveProperty("active_turn_id");
  });

  test("section 4: a new name is the title", async () => {
    const { peer, connection, threadId } = await inThread();
    peer.say({ method: "thread/name/updated", params: { threadId, threadName: "named" } });
    peer.say({ method: "thread/name/updated", params: { threadId, threadName: null } });
    await settled();
    const titles = connection.events.map(({ method, params }) => [
      method,
      (params as { thread: { title?: string } }).thread.title,
    ]);
    expect(titles).toEqual([
      ["thread/updated", "named"],
      ["thread/updated", undefined],
    ]);
  });

  test("a closed thread runs no turns and is no longer followed, until it is resumed", async () => {
    const { peer, connection, threadId } = await inThread();
    peer.say({ method: "thread/closed", params: { threadId } });
    await settled();
    expect(connection.events.map(({ method }) => method)).toEqual(["thread/closed"]);
    const turn = connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    await settled();
    expect(connection.code(turn)).toBe("invalid_state");
    peer.say({ method: "thread/status/changed", params: { threadId, status: { type: "idle" } } });
    await settled();
    expect(connection.events).toHaveLength(1);
    const resumed = connection.ask("thread/resume", { thread_id: threadId });
    peer.answer("thread/resume", { thread: THREAD });
    await settled();
    expect(connection.result(resumed)).toMatchObject({ stream: { stream_id: "codex-g1-t1", cursor: 2 } });
  });
});

describe("turns", () => {
  test("RC14, RC19: input and the mark of the command", async () => {
    const { peer, connection, threadId } = await inThread();
    const id = connection.ask(
      "turn/start",
      { thread_id: threadId, input: [...TEXT, { type: "text", text: "on" }] },
      "c-7",
    );
    expect(peer.last("turn/start").params).toEqual({
      threadId,
      input: [
        { type: "text", text: "go", text_elements: [] },
        { type: "text", text: "on", text_elements: [] },
      ],
      clientUserMessageId: "c-7",
    });
    peer.answer("turn/start", { turn: codexTurn("turn-1", "inProgress", { startedAt: null }) });
    await settled();
    expect(connection.result(id)).toEqual({
      turn: { thread_id: threadId, turn_id: "turn-1", status: "in_progress", command_id: "c-7" },
    });
  });

  test("RC18: one at a time; a second start is not sent", async () => {
    const { peer, connection, threadId } = await inThread();
    const start = () => connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    const first = start();
    const whileStarting = start();
    await settled();
    expect(connection.code(whileStarting)).toBe("invalid_state");
    peer.answer("turn/start", { turn: codexTurn("turn-1") });
    await settled();
    expect(connection.code(first)).toBe("response");
    const whileRunning = start();
    await settled();
    expect(connection.code(whileRunning)).toBe("invalid_state");
    expect(peer.sent.filter(({ method }) => method === "turn/start")).toHaveLength(1);
    peer.say(completed(threadId, "turn-1"));
    start();
    expect(peer.sent.filter(({ method }) => method === "turn/start")).toHaveLength(2);
  });

  test("RC18: a start that Codex refused leaves room for another", async () => {
    const { peer, connection, threadId } = await inThread();
    const refused = connection.ask("turn/start", { thread_id: threadId, input: TEXT }, "c-1");
    peer.refuse("turn/start", "too large", -32602, { input_error_code: "input_too_large" });
    await settled();
    expect(connection.code(refused)).toBe("overflow");
    expect(connection.client.uncertain.size).toBe(0);
    await startTurn({ peer } as never, connection, threadId);
  });

  test("RC10, RC18: a start without an answer may still start a turn, until it is known that it did not", async () => {
    const { peer, connection, threadId, timers } = await inThread();
    const late = connection.ask("turn/start", { thread_id: threadId, input: TEXT }, "c-1");
    timers.advance(59_999);
    await settled();
    expect(connection.code(late)).toBeUndefined();
    timers.advance(1);
    await settled();
    expect(connection.code(late)).toBe("ambiguous_disconnect");
    const blocked = connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    await settled();
    expect(connection.code(blocked)).toBe("invalid_state");
    const read = connection.ask("thread/read", { thread_id: threadId });
    peer.answer("thread/read", { thread: THREAD });
    await settled();
    connection.result(read);
    connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    expect(peer.sent.filter(({ method }) => method === "turn/start")).toHaveLength(2);
  });

  test("T33: the turn may start before the answer; it has its command already", async () => {
    const { peer, connection, threadId } = await inThread();
    const id = connection.ask("turn/start", { thread_id: threadId, input: TEXT }, "c-1");
    peer.say({ method: "turn/started", params: { threadId, turn: codexTurn("turn-1") } });
    await settled();
    expect(connection.events.at(-1)).toMatchObject({
      method: "turn/started",
      params: { turn: { command_id: "c-1" } },
      correlation_id: id,
    });
    peer.say(completed(threadId, "turn-1"));
    peer.answer("turn/start", { turn: codexTurn("turn-1") });
    await settled();
    expect(connection.code(id)).toBe("response");
    connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    expect(peer.sent.filter(({ method }) => method === "turn/start")).toHaveLength(2);
  });

  test("RC20: a steer of the turn that runs, and of no other", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    const id = connection.ask("turn/steer", { thread_id: threadId, turn_id: turnId, input: TEXT }, "c-s");
    expect(peer.last("turn/steer").params).toEqual({
      threadId,
      expectedTurnId: turnId,
      input: [{ type: "text", text: "go", text_elements: [] }],
      clientUserMessageId: "c-s",
    });
    peer.answer("turn/steer", { turnId });
    const other = connection.ask("turn/steer", { thread_id: threadId, turn_id: "another", input: TEXT });
    await settled();
    expect(connection.result(id)).toEqual({ thread_id: threadId, turn_id: turnId });
    expect(connection.code(other)).toBe("invalid_state");
    peer.say(completed(threadId, turnId));
    const late = connection.ask("turn/steer", { thread_id: threadId, turn_id: turnId, input: TEXT });
    await settled();
    expect(connection.code(late)).toBe("invalid_state");
    expect(peer.sent.filter(({ method }) => method === "turn/steer")).toHaveLength(1);
  });

  test("RC21: an interrupt that Codex takes is requested", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    const id = connection.ask("turn/interrupt", { thread_id: threadId, turn_id: turnId });
    expect(peer.last("turn/interrupt").params).toEqual({ threadId, turnId });
    peer.answer("turn/interrupt", {});
    await settled();
    expect(connection.result(id)).toEqual({ thread_id: threadId, turn_id: turnId, status: "requested" });
  });

  test.each([
    ["interrupted", "interrupted"],
    ["completed", "already_finished"],
    ["failed", "already_finished"],
  ])(
    "RC21: a turn that ends first, %s, answers every interrupt; Codex's own answer is dropped",
    async (ended, status) => {
      const { peer, connection, threadId, turnId, host } = await inTurn();
      const ids = [1, 2].map(() =>
        connection.ask("turn/interrupt", { thread_id: threadId, turn_id: turnId }),
      );
      peer.say(completed(threadId, turnId, ended));
      await settled();
      for (const id of ids)
        expect(connection.result(id)).toEqual({ thread_id: threadId, turn_id: turnId, status });
      peer.answer("turn/interrupt", {});
      expect(host.status().unmatched).toBe(1);
      expect(connection.refused).toEqual([]);
    },
  );

  test("RC21, T38: an ended turn is not interrupted again, an unknown one not found", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say(completed(threadId, turnId));
    const ended = connection.ask("turn/interrupt", { thread_id: threadId, turn_id: turnId });
    const unknown = connection.ask("turn/interrupt", { thread_id: threadId, turn_id: "another" });
    await settled();
    expect(connection.result(ended)).toMatchObject({ status: "already_finished" });
    expect(connection.code(unknown)).toBe("not_found");
    expect(peer.sent.some(({ method }) => method === "turn/interrupt")).toBe(false);
  });

  test("RC22: a thread that is stored and not loaded is to be resumed; nothing but a read is sent", async () => {
    const { peer, connection } = await opened();
    const ids = [
      connection.ask("turn/start", { thread_id: "stored", input: TEXT }),
      connection.ask("turn/steer", { thread_id: "stored", turn_id: "t", input: TEXT }),
      connection.ask("turn/interrupt", { thread_id: "stored", turn_id: "t" }),
    ];
    for (const { id } of peer.sent.filter(({ method }) => method === "thread/read")) {
      peer.say({ id, result: { thread: { ...THREAD, id: "stored", status: { type: "notLoaded" } } } });
    }
    await settled();
    expect(ids.map((id) => connection.code(id))).toEqual(Array(3).fill("invalid_state"));
    const sent = peer.sent.length;
    const known = connection.ask("turn/start", { thread_id: "stored", input: TEXT });
    await settled();
    expect(connection.code(known)).toBe("invalid_state");
    expect(peer.sent).toHaveLength(sent);
    expect(connection.client.uncertain.size).toBe(0);
  });

  test("RC22: a thread that does not exist is not found, and Codex's silence did nothing", async () => {
    const { peer, connection, timers } = await opened();
    const unknown = connection.ask("turn/start", { thread_id: "x", input: TEXT });
    peer.refuse("thread/read", "invalid thread id: x");
    const silent = connection.ask("turn/start", { thread_id: "y", input: TEXT });
    timers.advance(20_000);
    await settled();
    expect([connection.code(unknown), connection.code(silent)]).toEqual(["not_found", "unavailable"]);
  });
});

describe("waiting for Codex", () => {
  test("RC10: 20 s for everything but a turn/start; a late answer is dropped", async () => {
    const { peer, connection, timers, host } = await inTurn();
    const read = connection.ask("thread/read", { thread_id: THREAD.id });
    const steer = connection.ask(
      "turn/steer",
      { thread_id: THREAD.id, turn_id: "turn-1", input: TEXT },
      "c-s",
    );
    timers.advance(19_999);
    await settled();
    expect(connection.code(read)).toBeUndefined();
    timers.advance(1);
    await settled();
    expect(connection.code(read)).toBe("timeout");
    expect(connection.code(steer)).toBe("ambiguous_disconnect");
    expect([...connection.client.uncertain.keys()]).toEqual(["c-s"]);
    peer.answer("thread/read", { thread: THREAD });
    expect(host.status().unmatched).toBe(1);
    expect(timers.waiting).toBe(0);
  });

  test("R58: Codex is asked 256 things at once, and not one more; nothing of it was sent", async () => {
    const world = await readyWorld();
    const connections = Array.from({ length: 5 }, () => new NativeConnection(world));
    const ids = connections.flatMap((connection, at) =>
      Array.from(
        { length: at === 4 ? 1 : 64 },
        (_, n) => [connection, connection.ask("thread/read", { thread_id: `t${n}` })] as const,
      ),
    );
    await settled();
    const codes = ids.map(([connection, id]) => connection.code(id));
    expect(codes.filter((code) => code !== undefined)).toEqual(["overflow"]);
    expect(codes.at(-1)).toBe("overflow");
    expect(world.peer.sent.filter(({ method }) => method === "thread/read")).toHaveLength(256);
  });

  test("a pipe that takes nothing: nothing was sent", async () => {
    const { peer, connection, threadId, timers } = await inThread();
    peer.takes = false;
    const id = connection.ask("turn/start", { thread_id: threadId, input: TEXT });
    await settled();
    expect(connection.code(id)).toBe("overflow");
    expect(timers.waiting).toBe(0);
    peer.takes = true;
    await startTurn({ peer } as never, connection, threadId);
  });

  test("request/cancel: says whether the request waits, and sends nothing (R53)", async () => {
    const { peer, connection } = await opened();
    const target = connection.ask("thread/read", { thread_id: "x" });
    const sent = peer.sent.length;
    const waiting = connection.ask("request/cancel", { request_id: target });
    await settled();
    expect(connection.result(waiting)).toEqual({ request_id: target, status: "requested" });
    peer.answer("thread/read", { thread: { ...THREAD, id: "x" } });
    await settled();
    const over = connection.ask("request/cancel", { request_id: target });
    await settled();
    expect(connection.result(over)).toEqual({ request_id: target, status: "already_finished" });
    expect(peer.sent).toHaveLength(sent);
  });

  test("an approval of the client is not for this host", async () => {
    const { connection } = await opened();
    const action = { kind: "permission", summary: "s" } as const;
    const { Codec } = await import("../../../src/protocol/index.ts");
    const id = connection.ask("approval/request", {
      approval_id: "a",
      action,
      action_digest: Codec.digest(action),
      deadline: new Date(NOW).toISOString(),
    });
    await settled();
    expect(connection.code(id)).toBe("unavailable");
  });
});

describe("streams", () => {
  const delta = (threadId: string, text: string, itemId = "m") => ({
    method: "item/agentMessage/delta",
    params: { threadId, turnId: "turn-1", itemId, delta: text },
  });

  test("R87: two connections follow one thread; each from the head that it was told", async () => {
    const world = await inTurn();
    const { peer, connection, threadId } = world;
    const other = new NativeConnection(world, "bob");
    peer.say(delta(threadId, "one"));
    await settled();
    const resumed = other.ask("thread/resume", { thread_id: threadId });
    await settled();
    const { stream } = other.result(resumed) as { stream: { stream_id: string; cursor: number } };
    expect(stream.cursor).toBe(2);
    other.catchUp(stream.stream_id);
    peer.say(delta(threadId, "two"));
    await settled();
    expect(other.events).toEqual(connection.events);
    expect(other.events.map(({ cursor }) => cursor)).toEqual([1, 2, 3]);
    expect([connection.refused, other.refused]).toEqual([[], []]);
  });

  test("R87: who did not negotiate both groups gets its own without numbers", async () => {
    const world = await inTurn();
    const { peer, threadId } = world;
    const sessions = new NativeConnection(world, "bob", ["sessions.v1"]);
    const streaming = new NativeConnection(world, "bob", ["sessions.v1", "streaming.v1"]);
    const resumed = sessions.ask("thread/resume", { thread_id: threadId });
    streaming.ask("thread/resume", { thread_id: threadId });
    await settled();
    streaming.catchUp("codex-g1-t1");
    expect(sessions.result(resumed)).not.toHaveProperty("stream");
    peer.say(delta(threadId, "one"));
    peer.say(completed(threadId, "turn-1"));
    await settled();
    expect(sessions.events.map(({ method, cursor }) => [method, cursor])).toEqual([
      ["turn/completed", undefined],
    ]);
    expect(streaming.events.map(({ method, cursor }) => [method, cursor])).toEqual([
      ["turn/started", 1],
      ["item/delta", 2],
      ["turn/completed", 3],
    ]);
  });

  test("stream/resume: pages, the end of the log, another stream", async () => {
    const world = await inTurn();
    const { peer, threadId } = world;
    for (let n = 0; n < 129; n++) peer.say(delta(threadId, `d${n}`));
    const other = new NativeConnection(world, "bob");
    const ask = (cursor: number, stream_id = "codex-g1-t1") =>
      other.ask("stream/resume", { stream_id, cursor });
    const first = ask(0);
    await settled();
    expect(other.result(first)).toMatchObject({ cursor: 128 });
    // Not at the head yet, so nothing is sent live.
    peer.say(delta(threadId, "more"));
    await settled();
    expect(other.events).toEqual([]);
    other.catchUp("codex-g1-t1");
    other.catchUp("codex-g1-t1");
    peer.say(delta(threadId, "last"));
    await settled();
    expect(other.events.at(-1)).toMatchObject({ cursor: 132, params: { delta: "last" } });
    const foreign = ask(0, "codex-g1-t2");
    await settled();
    expect(other.code(foreign)).toBe("not_found");
  });

  test("stream/resume: what left the log is a gap", async () => {
    const world = await inTurn();
    const { peer, connection, threadId } = world;
    for (let n = 0; n < 1024; n++) {
      peer.say(delta(threadId, "x"));
    }
    await settled();
    expect(connection.events).toHaveLength(1025);
    const other = new NativeConnection(world, "bob");
    const gap = other.ask("stream/resume", { stream_id: "codex-g1-t1", cursor: 0 });
    await settled();
    expect(other.code(gap)).toBe("replay_gap");
  });

  test("RC27: a delta over the bound is split, an empty one dropped; parts are numbered", async () => {
    const { peer, connection, threadId } = await inTurn();
    const before = connection.events.length;
    peer.say(delta(threadId, "x".repeat(262_145)));
    peer.say(delta(threadId, ""));
    const params = { threadId, turnId: "turn-1", itemId: "r", delta: "d" };
    peer.say({ method: "item/reasoning/textDelta", params: { ...params, contentIndex: 2 } });
    peer.say({ method: "item/reasoning/summaryTextDelta", params: { ...params, summaryIndex: 65_536 } });
    peer.say({ method: "item/plan/delta", params });
    await settled();
    const shown = connection.events
      .slice(before)
      .map(({ params: p }) => p as { delta: string; channel: string; part?: number });
    expect(shown.map(({ delta: d, channel, part }) => [d.length, channel, part])).toEqual([
      [262_144, "text", undefined],
      [1, "text", undefined],
      [1, "reasoning", 2],
      [1, "summary", undefined],
      [1, "plan", undefined],
    ]);
  });

  test("RC23: what belongs to nothing that is known is dropped and counted; unknown names are logged once", async () => {
    const { peer, connection, threadId, host, log } = await inTurn();
    const before = connection.events.length;
    peer.say({
      method: "item/agentMessage/delta",
      params: { threadId, turnId: "other", itemId: "m", delta: "d" },
    });
    peer.say({ method: "thread/status/changed", params: { threadId: "other", status: { type: "idle" } } });
    peer.say({ method: "thread/tokenUsage/updated", params: {} });
    peer.say({ method: "warning", params: { threadId: null, message: "m" } });
    peer.say({ method: "turn/started", params: { threadId, turn: { id: 1 } } });
    for (let n = 0; n < 3; n++) peer.say({ method: "thread/dreamed", params: {} });
    await settled();
    expect(connection.events).toHaveLength(before);
    expect(host.status()).toMatchObject({ dropped: 5, unknown: 3 });
    expect(log.slice(-2)).toEqual([
      { type: "malformed", method: "turn/started" },
      { type: "unknown_notification", method: "thread/dreamed" },
    ]);
  });

  test("RC30: an item that is too large for an event is made smaller until it fits", async () => {
    const { peer, connection, threadId } = await inTurn();
    const changes = Array.from({ length: 256 }, (_, n) => ({
      path: `${n}${"p".repeat(4090)}`,
      kind: { type: "add" },
      diff: "d".repeat(5000),
    }));
    const item = { type: "fileChange", id: "f", status: "completed", changes };
    peer.say({ method: "item/completed", params: { threadId, turnId: "turn-1", item } });
    await settled();
    const shown = connection.events.at(-1)?.params as {
      item: { changes: { diff?: string }[]; truncated: boolean };
    };
    expect(shown.item.truncated).toBe(true);
    expect(shown.item.changes).toHaveLength(128);
    expect(shown.item.changes.every(({ diff }) => diff === undefined)).toBe(true);
  });
});

describe("retries", () => {
  const retry = (threadId: string) => ({
    method: "error",
    params: {
      threadId,
      turnId: "turn-1",
      willRetry: true,
      error: { message: "waiting", codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } } },
    },
  });

  test("RC24: the first retry starts the limit; at its end the turn is interrupted", async () => {
    const { peer, connection, threadId, timers } = await inTurn({ retryLimitMs: 1000 });
    peer.say(retry(threadId));
    timers.advance(600);
    peer.say(retry(threadId));
    timers.advance(399);
    expect(peer.sent.some(({ method }) => method === "turn/interrupt")).toBe(false);
    timers.advance(1);
    await settled();
    expect(peer.last("turn/interrupt").params).toEqual({ threadId, turnId: "turn-1" });
    expect(connection.events.at(-1)).toMatchObject({
      method: "turn/notice",
      params: { turn_id: "turn-1", level: "error", reason: "provider.retry_limit", will_retry: false },
    });
    peer.answer("turn/interrupt", {});
    peer.say(completed(threadId, "turn-1", "interrupted"));
    expect(timers.waiting).toBe(0);
  });

  test("RC24: anything of an item stops the limit, and the end of the turn", async () => {
    const { peer, threadId, timers } = await inTurn({ retryLimitMs: 1000 });
    peer.say(retry(threadId));
    peer.say({
      method: "item/agentMessage/delta",
      params: { threadId, turnId: "turn-1", itemId: "m", delta: "d" },
    });
    expect(timers.waiting).toBe(0);
    peer.say(retry(threadId));
    peer.say(completed(threadId, "turn-1"));
    peer.say(retry(threadId));
    expect(timers.waiting).toBe(0);
    timers.advance(10_000);
    expect(peer.sent.some(({ method }) => method === "turn/interrupt")).toBe(false);
  });
});

describe("connections", () => {
  test("a connection that was not attached is not served", async () => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    connection.server = connection.server.withState(world.host.initialState({ id: "alice" }));
    const id = connection.ask("thread/start", {});
    await settled();
    expect(connection.code(id)).toBe("unavailable");
  });

  test("one that ended is let go, wherever it was attached; its answers go nowhere", async () => {
    const { peer, connection, threadId, log } = await inTurn();
    connection.ask("thread/read", { thread_id: threadId });
    connection.end();
    peer.answer("thread/read", { thread: THREAD });
    peer.say(completed(threadId, "turn-1"));
    await settled();
    expect(connection.events.map(({ method }) => method)).toEqual(["turn/started"]);
    expect(log.filter(({ type }) => type !== "ready")).toEqual([]);
  });

  test("one whose transport throws is used no more; the others go on", async () => {
    const world = await inTurn();
    const { peer, connection, threadId, log } = world;
    const broken = new NativeConnection(world, "bob");
    broken.ask("thread/resume", { thread_id: threadId });
    await settled();
    broken.update = () => {
      throw new Error("secret");
    };
    peer.say(completed(threadId, "turn-1"));
    peer.say({ method: "thread/closed", params: { threadId } });
    await settled();
    expect(connection.events.map(({ method }) => method)).toEqual([
      "turn/started",
      "turn/completed",
      "thread/closed",
    ]);
    expect(log.filter(({ type }) => type === "callback_failed")).toEqual([
      { type: "callback_failed", connectionId: broken.connectionId },
    ]);
  });

  test("RC13: the groups that are offered", async () => {
    const { host } = await readyWorld();
    expect(host.handler.capabilities).toEqual([...GROUPS]);
  });

  test("threads that are loaded fill the memory; others give way", async () => {
    const { peer, connection } = await opened();
    for (let n = 0; n < 128; n++) {
      connection.ask("thread/start", {});
      peer.answer("thread/start", { thread: { ...THREAD, id: `t${n}` } });
      await settled();
      if (n === 63)
        for (let m = 0; m < 64; m++)
          connection.client = connection.client.forgetStream(`codex-g1-t${m + 1}`).client;
    }
    const full = connection.ask("thread/start", {});
    await settled();
    expect(connection.code(full)).toBe("overflow");
    peer.say({ method: "thread/closed", params: { threadId: "t100" } });
    connection.ask("thread/start", {});
    expect(peer.last("thread/start").id).toBe(130);
  });
});
