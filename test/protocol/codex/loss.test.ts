// A process that ends, is no Codex, writes what is none, or says nothing (RC2, RC8, RC10, RC24, RC38).
import { describe, expect, test } from "bun:test";
import {
  bodies,
  NativeConnection,
  readyWorld,
  settled,
  startThread,
  startTurn,
  startWorld,
  THREAD,
  USER_AGENT,
} from "./support.ts";
import { play, transcripts } from "./transcripts.ts";

const INPUT = [{ type: "text" as const, text: "go" }];
const ALL = transcripts();
const named = (name: string) => ALL.find((one) => one.name === name)!;

describe.each(["10-exec-accept", "17-patch-accept", "20-interrupt"])(
  "RC38: killed at every point of %s",
  (name) => {
    const transcript = named(name);
    const points = transcript.lines.flatMap((line, at) =>
      line.dir === "s2c" || line.dir === "c2s" ? [at + 1] : [],
    );

    test.each(points)("after %d lines", async (until) => {
      const { world, connection } = await play(transcript, 0, until);
      const before = connection.events.length;
      const started = connection.events.some(({ method }) => method === "turn/started");
      const finished = connection.events.some(({ method }) => method === "turn/completed");
      const pending = connection.client.counts.pending;
      const mutations = [...connection.outcomes.keys()].length;
      const decisions = world.peer.decisions(0);
      world.peer.end(null, "SIGKILL");
      await settled();

      const events = bodies(connection.events.slice(before));
      const loaded = connection.client.checkpoints()["codex-g1-t1"] !== undefined;
      const methods = events.map(({ method }) => method);
      const wasRunning = started && !finished;
      if (loaded)
        expect(events[0]).toMatchObject({
          method: "thread/updated",
          params: { thread: { status: "not_loaded" } },
        });
      // A turn whose start was answered runs before it says so itself.
      expect(methods.slice(1)).toEqual(wasRunning || methods.length === 2 ? ["turn/notice"] : []);
      if (methods.length === 2)
        expect(events[1]).toMatchObject({
          params: { turn_id: expect.any(String), reason: "host.lost", will_retry: false },
        });
      expect(methods).not.toContain("turn/completed");

      expect(connection.client.counts.pending).toBe(0);
      expect(connection.outcomes.size).toBe(mutations + pending);
      expect(
        [...connection.client.uncertain.values()].every(({ cause }) => cause === "ambiguous_disconnect"),
      ).toBe(true);
      expect(world.peer.decisions(0)).toEqual(decisions);
      expect(connection.cancels).toHaveLength(
        connection.approvals.length > 0 && connection.client.counts.incoming > 0 ? 1 : 0,
      );
      expect(connection.refused).toEqual([]);
      expect(world.timers.waiting).toBe(0);
      expect(world.host.status().state).toBe("lost");
    });
  },
);

describe("RC38: after the loss", () => {
  test("nothing is asked of anybody; what was logged stays readable", async () => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    const threadId = await startThread(world, connection);
    await startTurn(world, connection, threadId);
    const read = connection.ask("thread/read", { thread_id: threadId });
    const steer = connection.ask("turn/steer", { thread_id: threadId, turn_id: "turn-1", input: INPUT });
    const interrupt = connection.ask("turn/interrupt", { thread_id: threadId, turn_id: "turn-1" });
    world.peer.end(101);
    await settled();
    expect([read, steer, interrupt].map((id) => connection.code(id))).toEqual([
      "unavailable",
      "ambiguous_disconnect",
      "ambiguous_disconnect",
    ]);
    expect(world.log.at(-1)).toEqual({ type: "lost", reason: "exited", code: 101, signal: null });
    const after = [
      connection.ask("thread/start", {}),
      connection.ask("thread/read", { thread_id: threadId }),
      connection.ask("turn/start", { thread_id: threadId, input: INPUT }),
      connection.ask("thread/resume", { thread_id: threadId }),
      connection.ask("stream/resume", { stream_id: "codex-g1-t1", cursor: 0 }),
      connection.ask("request/cancel", { request_id: read }),
    ];
    await settled();
    expect(after.map((id) => connection.code(id))).toEqual([
      ...Array(4).fill("unavailable"),
      "response",
      "response",
    ]);
    expect(await world.host.reconcile("c", threadId)).toEqual({ outcome: "unknown" });
  });

  test("a host that is closed says so, and asks nothing more meanwhile", async () => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    world.peer.stop = () => Promise.resolve();
    await world.host.close();
    const id = connection.ask("thread/start", {});
    await settled();
    expect(connection.code(id)).toBe("unavailable");
    world.peer.end(0);
    expect(world.log.at(-1)).toEqual({ type: "lost", reason: "closed", code: 0, signal: null });
  });
});

describe("RC8: what is no message ends the process", () => {
  const encoder = new TextEncoder();

  test.each([
    ["broken JSON", "{bad json"],
    ["an empty line", ""],
    ["an array", "[]"],
    ["null", "null"],
    ["a number", "1"],
    ["two objects", "{}{}"],
    ["words", "thread panicked at src/main.rs"],
    ["a byte order mark", "\uFEFF{}"],
    ["nesting without end", "[".repeat(100_000)],
    ["bytes that are no UTF-8", Uint8Array.of(123, 34, 0xff, 34, 58, 49, 125)],
    ["an encoded surrogate", Uint8Array.of(34, 0xed, 0xa0, 0x80, 34)],
  ])("%s", async (_, line) => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    const id = connection.ask("thread/start", {}, "c-1");
    expect(world.peer.sayRaw(typeof line === "string" ? encoder.encode(line) : line)).toBe(false);
    await settled();
    expect(world.peer.isKilled).toBe(true);
    expect(connection.code(id)).toBe("ambiguous_disconnect");
    expect(world.log.at(-1)).toEqual({ type: "lost", reason: "unreadable", code: null, signal: "SIGKILL" });
  });

  test("a line over the bound", async () => {
    const world = await readyWorld();
    world.peer.overlong();
    expect(world.peer.isKilled).toBe(true);
    expect(world.host.status().state).toBe("lost");
  });

  test.each([
    ["an object that is nothing", {}],
    ["an answer to nothing", { id: 77, result: {} }],
    ["an answer under a name", { id: "1", result: {} }],
    ["a request without an id that can be answered", { id: null, method: "item/tool/call", params: {} }],
    ["a request with a fraction for an id", { id: 1.5, method: "item/tool/call", params: {} }],
    ["a notification without parameters", { method: "turn/started" }],
    ["names that objects have anyway", { method: "constructor", params: { threadId: "__proto__" } }],
  ])("%s does not", async (_, message) => {
    const world = await readyWorld();
    const sent = world.peer.sent.length;
    expect(world.peer.say(message)).toBe(true);
    expect(world.peer.isKilled).toBe(false);
    expect(world.peer.sent).toHaveLength(sent);
  });

  test.each([
    ["no object", 1],
    ["no code", { message: "m" }],
    ["no text", { code: 1 }],
    ["null", null],
  ])("an error that is none (%s) leaves a mutation open", async (_, error) => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    const id = connection.ask("thread/start", {}, "c-1");
    world.peer.say({ id: world.peer.last("thread/start").id, error });
    await settled();
    expect(connection.code(id)).toBe("internal");
    expect([...connection.client.uncertain.keys()]).toEqual(["c-1"]);
  });
});

describe("RC2: only the pinned release", () => {
  test.each([
    "agent_protocol_bridge/0.163.1 (Test OS)",
    "agent_protocol_bridge/0.163.0",
    "other/0.163.0 (Test OS)",
    "agent_protocol_bridge/0x163y0 (Test OS)",
  ])("%s: no session, every request is unavailable", async (userAgent) => {
    const world = await startWorld();
    world.peer.answer("initialize", { userAgent });
    await world.started;
    expect(world.host.status().state).toBe("unusable");
    expect(world.log).toEqual([{ type: "unusable", reason: "no_handshake" }]);
    expect(world.peer.sent.map(({ method }) => method)).toEqual(["initialize"]);
    await refusesEverything(world);
  });

  test.each([
    [
      "refuses",
      (world: Awaited<ReturnType<typeof startWorld>>) =>
        world.peer.refuse("initialize", "Invalid request: x"),
    ],
    ["says nothing", (world) => world.timers.advance(20_000)],
    ["ends", (world) => world.peer.end(1)],
    ["writes garbage", (world) => void world.peer.sayRaw("garbage")],
  ] as [string, (world: Awaited<ReturnType<typeof startWorld>>) => void][])(
    "a program that %s",
    async (_, act) => {
      const world = await startWorld();
      act(world);
      await world.started;
      expect(world.host.status().state).toBe("unusable");
      await refusesEverything(world);
      expect(world.timers.waiting).toBe(0);
    },
  );

  async function refusesEverything(world: Awaited<ReturnType<typeof startWorld>>): Promise<void> {
    const connection = new NativeConnection(world);
    const ids = [
      connection.ask("thread/start", {}),
      connection.ask("thread/read", { thread_id: "t" }),
      connection.ask("stream/resume", { stream_id: "s", cursor: 0 }),
      connection.ask("turn/interrupt", { thread_id: "t", turn_id: "t" }),
    ];
    await settled();
    expect(ids.map((id) => connection.code(id))).toEqual(Array(4).fill("unavailable"));
  }
});

describe("RC48: a model that never answers", () => {
  test("the turn runs until it is interrupted; nothing else waits for it", async () => {
    const world = await readyWorld();
    const connection = new NativeConnection(world);
    const threadId = await startThread(world, connection);
    await startTurn(world, connection, threadId);
    world.timers.advance(3_600_000);
    await settled();
    expect(world.timers.waiting).toBe(0);
    expect(bodies(connection.events).map(({ method }) => method)).toEqual(["turn/started"]);
    const read = connection.ask("thread/read", { thread_id: threadId });
    world.peer.answer("thread/read", { thread: { ...THREAD, status: { type: "active", activeFlags: [] } } });
    await settled();
    expect(connection.result(read)).toMatchObject({ thread: { status: "active", active_turn_id: "turn-1" } });
  });

  test("a log that throws is no reason to fail", async () => {
    const world = await startWorld({
      log: () => {
        throw new Error("full disk");
      },
    });
    world.peer.answer("initialize", { userAgent: USER_AGENT });
    await world.started;
    expect(world.host.status().state).toBe("ready");
  });
});
