// Whole sessions between the client and the listener, with the fake agent behind it (RW41).
import { afterEach, describe, expect, test } from "bun:test";
import type { Connection, TransportEvent } from "../../../src/protocol/websocket/index.ts";
import {
  Codec,
  type RequestMessage,
  type StreamHead,
  type Thread,
  type Turn,
} from "../../../src/protocol/index.ts";
import { ask, type FakeHost, result, Seen, startClient, startHost, until } from "../../support/websocket.ts";

const hosts: FakeHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.listener.close();
});

async function newHost(...given: Parameters<typeof startHost>): Promise<FakeHost> {
  const host = await startHost(...given);
  hosts.push(host);
  return host;
}

const EVENT = {
  event_id: "event-1",
  delivery_attempt_id: "attempt-1",
  event_type: "source.changed",
  created_at: "2030-01-01T00:00:00Z",
  correlation_id: "flow-1",
  project_ref: "project-1",
  payload: { path: "a.spx" },
};

function decide(decision: "approve" | "deny") {
  return (request: RequestMessage, connection: Connection) => {
    if (request.method !== "approval/request") throw new Error("an approval was expected");
    const { approval_id, action_digest } = request.params;
    const result = { approval_id, decision, action_digest, decided_at: "2030-01-01T00:00:00Z" };
    const step = connection.update((client) => client.reply(request, { result }, { now: Date.now() }));
    if (!step.ok) throw step.error;
  };
}

type Started = { thread: Thread; stream: StreamHead };
type Client = Awaited<ReturnType<typeof startClient>>;

function startThread(client: Client, commandId = "k-thread"): Promise<Started> {
  return result<Started>(client, (core) => core.request("thread/start", { title: "one" }, { commandId }));
}

function startTurn(
  client: Client,
  threadId: string,
  text: string,
  commandId = "k-turn",
): Promise<{ turn: Turn }> {
  const params = { thread_id: threadId, input: [{ type: "text" as const, text }] };
  return result<{ turn: Turn }>(client, (core) => core.request("turn/start", params, { commandId }));
}

/** Lets the agent do everything it can, until it waits for a client. */
async function finish(host: FakeHost, isDone: () => boolean): Promise<void> {
  await until("the end of the work", () => {
    host.agent.advance(1);
    return isDone();
  });
}

describe("a session", () => {
  test("events, threads, a turn in three deltas, and its log (RW38-RW41)", async () => {
    const host = await newHost();
    const client = await startClient(host);
    const { connection, seen } = client;
    expect(connection.client.negotiated).toEqual([
      "approvals.v1",
      "cancellation.v1",
      "project_events.v1",
      "sessions.v1",
      "streaming.v1",
    ]);
    const receive = await result(client, (core) =>
      core.request("project/event.receive", { event: EVENT }, { commandId: "k-1" }),
    );
    expect(receive).toEqual({
      event_id: "event-1",
      delivery_attempt_id: "attempt-1",
      acceptance: "received",
      deduplicated: false,
    });
    const status = () =>
      result<{ processing_status: string }>(client, (core) =>
        core.request("project/event.status", { event_id: "event-1" }),
      );
    expect((await status()).processing_status).toBe("pending");
    expect(host.agent.advance()).toBe(1);
    expect((await status()).processing_status).toBe("completed");

    const { thread, stream } = await startThread(client);
    expect(thread.thread_id).toBe("fake-thread-1");
    expect(stream).toEqual({ stream_id: "fake-stream-1", cursor: 0 });
    const { turn } = await startTurn(client, thread.thread_id, "abcdefg");
    expect(turn.status).toBe("in_progress");
    await finish(host, () => seen.events.at(-1)?.method === "turn/completed");
    expect(seen.events.map(({ method, cursor }) => `${cursor} ${method}`)).toEqual([
      "1 thread/started",
      "2 turn/started",
      "3 item/completed",
      "4 item/started",
      "5 item/delta",
      "6 item/delta",
      "7 item/delta",
      "8 item/completed",
      "9 turn/completed",
    ]);
    const deltas = seen.events.flatMap((event) =>
      event.method === "item/delta" ? [event.params.delta] : [],
    );
    expect(deltas).toEqual(["abc", "def", "g"]);
    expect(connection.client.checkpoints()).toEqual({ "fake-stream-1": 9 });
    expect(host.log.map(({ type }) => type)).toEqual(["listening", "opened", "ready"]);
    await connection.close();
    expect(seen.ends.map(({ code, reason }) => ({ code, reason }))).toEqual([
      { code: 1000, reason: "closed" },
    ]);
    await until("the host's end", () => host.log.at(-1)?.type === "ended");
    expect(host.log.at(-1)).toMatchObject({ type: "ended", code: 1000, reason: "closed" });
  });

  test.each([
    ["approve", "completed", 0],
    ["deny", "declined", undefined],
  ] as const)("a command that is asked for: %s (RW39, R72)", async (decision, status, exitCode) => {
    const run = { line: "make", exit_code: 0, output: "ok" };
    const host = await newHost({}, { script: [{ run, ask: true }] });
    const client = await startClient(host);
    client.seen.onRequest = decide(decision);
    const { thread } = await startThread(client);
    await startTurn(client, thread.thread_id, "go");
    await finish(host, () => client.seen.events.at(-1)?.method === "turn/completed");
    const items = client.seen.events.flatMap((event) =>
      event.method === "item/completed" ? [event.params.item] : [],
    );
    const command = items.find(({ kind }) => kind === "command");
    expect(command).toMatchObject({ status, command: { line: "make" } });
    expect(command?.kind === "command" ? command.command.exit_code : null).toBe(exitCode);
  });

  test("an approval that nobody answers before the end of its connection is none (R107)", async () => {
    const run = { line: "make", exit_code: 0, output: "ok" };
    const host = await newHost({}, { script: [{ run, ask: true }] });
    const client = await startClient(host);
    const { thread } = await startThread(client);
    await startTurn(client, thread.thread_id, "go");
    await finish(host, () => client.seen.effects.some(({ type }) => type === "request"));
    await client.connection.close();
    await until("the host's end", () => host.listener.status().ended === 1);
    while (host.agent.advance(1) > 0);
    const next = await startClient(host);
    const read = await result<{ turns: Turn[] }>(next, (core) =>
      core.request("thread/read", { thread_id: thread.thread_id, include_turns: true }),
    );
    expect(read.turns[0]?.status).toBe("completed");
    expect(read.turns[0]?.items?.at(-1)).toMatchObject({ kind: "command", status: "declined" });
  });

  test("a disconnect in the middle of a mutation: hold, status query, resolve, redelivery (RW41)", async () => {
    const host = await newHost({}, { defer: ["project/event.receive"] });
    const first = await startClient(host);
    const step = first.connection.update((core) =>
      core.request("project/event.receive", { event: EVENT }, { commandId: "k-1" }),
    );
    if (!step.ok) throw step.error;
    await until("the request at the host", () => host.connections[0]?.status().incoming === 1);
    await first.connection.close();
    const end = first.seen.ends[0];
    expect(end?.effects).toMatchObject([{ type: "error", error: { code: "ambiguous_disconnect" } }]);
    expect([...(end?.client.uncertain.keys() ?? [])]).toEqual(["k-1"]);
    host.agent.advance(); // done, and the answer goes nowhere

    const again = end?.client.reconnect();
    if (!again?.ok) throw new Error("no reconnect");
    const second = await startClient(host, { client: again.client });
    expect(second.connection.client.generation).toBe(2);
    expect(second.connection.status().uncertain).toBe(1);
    const status = await result(second, (core) =>
      core.request("project/event.status", { event_id: "event-1" }),
    );
    expect(status).toMatchObject({ deliveries: 1 });
    const resolved = second.connection.update((core) =>
      core.resolveUncertain("k-1", { outcome: "applied", source: "host_query", evidence: "it has a status" }),
    );
    expect(resolved).toMatchObject({ ok: true, request: { command_id: "k-1" } });
    expect(second.connection.status().uncertain).toBe(0);
    const redelivered = second.connection.update((core) =>
      core.request(
        "project/event.receive",
        { event: { ...EVENT, delivery_attempt_id: "attempt-2" } },
        { commandId: "k-2" },
      ),
    );
    if (!redelivered.ok) throw redelivered.error;
    await finish(host, () => second.seen.outcome(redelivered.message.id) !== undefined);
    expect(second.seen.outcome(redelivered.message.id)).toMatchObject({
      result: { deduplicated: true, delivery_attempt_id: "attempt-2" },
    });
    expect(host.agent.counts().events).toBe(1);
  });

  test("a stream is resumed over a reconnect, with overlap (RW41, R88)", async () => {
    const host = await newHost();
    const seen = new Seen();
    const first = await startClient(host, {}, seen);
    const { thread, stream } = await startThread(first);
    await startTurn(first, thread.thread_id, "abcdefg");
    await finish(host, () => seen.events.length === 4);
    await first.connection.close();
    while (host.agent.advance(1) > 0);
    const again = seen.ends[0]?.client.reconnect();
    if (!again?.ok) throw new Error("no reconnect");
    const second = await startClient(host, { client: again.client }, seen);
    const resume = async (cursor: number) => {
      const page = await ask(second, (core) =>
        core.request("stream/resume", { stream_id: stream.stream_id, cursor }),
      );
      if (page.type !== "response") throw new Error("no page");
      const step = second.connection.update((core) => core.receiveReplay(page.result));
      if (!step.ok) throw step.error;
      seen.take([], second.connection);
      return page.result["events"];
    };
    expect(await resume(2)).toHaveLength(7); // two of them are known
    expect(await resume(9)).toEqual([]);
    expect(seen.events.map(({ cursor }) => cursor)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await startTurn(second, thread.thread_id, "x", "k-turn-2");
    await finish(host, () => seen.events.filter(({ method }) => method === "turn/completed").length === 2);
    expect(seen.events.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1));
  });

  test("outside retention a client adopts the head of a snapshot (R84, R92)", async () => {
    const host = await newHost({}, { retain: 2 });
    const first = await startClient(host);
    const { thread, stream } = await startThread(first);
    await startTurn(first, thread.thread_id, "abc");
    await finish(host, () => first.seen.events.at(-1)?.method === "turn/completed");
    const second = await startClient(host);
    const { stream_id } = stream;
    const gap = await ask(second, (core) => core.request("stream/resume", { stream_id, cursor: 0 }));
    expect(gap).toMatchObject({ type: "error", error: { code: "replay_gap" } });
    const read = await result<Started>(second, (core) =>
      core.request("thread/read", { thread_id: thread.thread_id }),
    );
    const adopted = second.connection.update((core) => core.adoptCheckpoint(stream_id, read.stream.cursor));
    expect(adopted.ok).toBe(true);
    await startTurn(second, thread.thread_id, "x", "k-turn-2");
    await finish(host, () => second.seen.events.at(-1)?.method === "turn/completed");
    expect(second.seen.events[0]?.cursor).toBe(read.stream.cursor + 1);
    expect(second.seen.ends).toEqual([]);
  });

  test("another agent does not know the streams of the last one (R94, RW40)", async () => {
    const host = await newHost({}, { label: "restarted" });
    const client = await startClient(host);
    const { stream } = await startThread(client);
    expect(stream.stream_id).toBe("restarted-stream-1");
    const unknown = await ask(client, (core) =>
      core.request("stream/resume", { stream_id: "fake-stream-1", cursor: 0 }),
    );
    expect(unknown).toMatchObject({ type: "error", error: { code: "not_found" } });
  });

  test("two clients on one listener share the inbox and follow one thread", async () => {
    const host = await newHost();
    const [a, b] = [await startClient(host), await startClient(host)];
    expect(host.listener.status()).toMatchObject({ connections: 2, handshakes: 0 });
    const { thread, stream } = await startThread(a);
    await result(b, (core) => core.request("thread/read", { thread_id: thread.thread_id }));
    const adopted = b.connection.update((core) => core.adoptCheckpoint(stream.stream_id, 0));
    expect(adopted.ok).toBe(true);
    await startTurn(a, thread.thread_id, "abc");
    const isOver = ({ seen }: Client) => seen.events.at(-1)?.method === "turn/completed";
    await finish(host, () => isOver(a) && isOver(b));
    expect(b.seen.events).toEqual(a.seen.events);
    const receive = (client: Client, attempt: string) =>
      result(client, (core) =>
        core.request(
          "project/event.receive",
          { event: { ...EVENT, delivery_attempt_id: attempt } },
          { commandId: attempt },
        ),
      );
    expect(await receive(a, "from-a")).toMatchObject({ deduplicated: false });
    expect(await receive(b, "from-b")).toMatchObject({ deduplicated: true });
    const changed = await ask(b, (core) =>
      core.request("project/event.receive", { event: { ...EVENT, payload: {} } }, { commandId: "k-9" }),
    );
    expect(changed).toMatchObject({ type: "error", error: { code: "conflict" } });
  });

  test("without streaming.v1 a turn is followed by unnumbered life-cycle notifications (R87)", async () => {
    const host = await newHost();
    const client = await startClient(host, { capabilities: ["sessions.v1"] });
    const started = await startThread(client);
    expect(Object.keys(started)).toEqual(["thread"]);
    await startTurn(client, started.thread.thread_id, "abc");
    await finish(host, () => client.seen.events.at(-1)?.method === "turn/completed");
    expect(client.seen.events.map(({ method }) => method)).toEqual([
      "thread/started",
      "turn/started",
      "turn/completed",
    ]);
    expect(client.seen.events.every((event) => !("cursor" in event) && !("stream_id" in event))).toBe(true);
  });

  test("a deferred request is cancelled before it began (RW40, R53)", async () => {
    const host = await newHost({}, { defer: ["turn/start"] });
    const client = await startClient(host);
    const { thread } = await startThread(client);
    const start = client.connection.update((core) =>
      core.request(
        "turn/start",
        { thread_id: thread.thread_id, input: [{ type: "text", text: "x" }] },
        { commandId: "k-turn" },
      ),
    );
    if (!start.ok) throw start.error;
    const { id } = start.message;
    const cancel = await result(client, (core) => core.request("request/cancel", { request_id: id }));
    expect(cancel).toEqual({ request_id: id, status: "requested" });
    await finish(host, () => client.seen.outcome(id) !== undefined);
    expect(client.seen.outcome(id)).toMatchObject({ type: "error", error: { code: "cancelled" } });
    expect(host.agent.counts().turns).toBe(0);
    expect(client.connection.client.uncertain.size).toBe(0);
    const late = await result(client, (core) => core.request("request/cancel", { request_id: id }));
    expect(late).toEqual({ request_id: id, status: "already_finished" });
  });

  test("a report is recorded and moves nothing (R47)", async () => {
    const host = await newHost();
    const client = await startClient(host);
    await result(client, (core) =>
      core.request("project/event.receive", { event: EVENT }, { commandId: "k-1" }),
    );
    const params = {
      event_id: "event-1",
      report_id: "report-1",
      outcome: "completed" as const,
      decision: { kind: "review", summary: "fine" },
    };
    const plain = await result(client, (core) =>
      core.request("project/event.report", params, { commandId: "k-2" }),
    );
    expect(plain).toMatchObject({ report_status: "recorded", management_acceptance: "not_requested" });
    const management_request = { target: "project" as const, transition: "done" };
    const asked = await result(client, (core) =>
      core.request(
        "project/event.report",
        { ...params, report_id: "report-2", management_request },
        { commandId: "k-3", projectRef: "project-1" },
      ),
    );
    expect(asked).toMatchObject({
      report_status: "recorded",
      management_acceptance: "rejected",
      reason: "no management authority",
    });
    const status = await result(client, (core) =>
      core.request("project/event.status", { event_id: "event-1" }),
    );
    expect(status).toMatchObject({ report_id: "report-2" });
  });

  test("either side sends notifications and asks for approvals (R52)", async () => {
    const host = await newHost();
    const client = await startClient(host);
    const notice = {
      schema_version: "1.0",
      type: "notification",
      method: "turn/notice",
      correlation_id: "n-1",
      params: { thread_id: "t", level: "info", reason: "fake", message: "hello", will_retry: false },
    } as const;
    expect(client.connection.update((core) => core.notify(notice)).ok).toBe(true);
    await until("the notification", () => host.agent.counts().notifications === 1);
    const action = { kind: "other", summary: "anything" } as const;
    const params = {
      approval_id: "a-1",
      action,
      action_digest: Codec.digest(action),
      deadline: "2100-01-01T00:00:00Z",
    };
    const answer = await result(client, (core) =>
      core.request("approval/request", params, { commandId: "k-1" }),
    );
    expect(answer).toMatchObject({ approval_id: "a-1", decision: "deny" });
  });
});

describe("time", () => {
  test("a request expires by the connection's timer, and its late answer ends nothing (RW22, RW25)", async () => {
    const host = await newHost({}, { defer: ["thread/read"] });
    const client = await startClient(host);
    const outcome = await ask(client, (core) =>
      core.request("thread/read", { thread_id: "t" }, { waitMs: 1 }),
    );
    expect(outcome).toMatchObject({ type: "error", error: { code: "timeout" } });
    host.agent.advance();
    const isLate = ({ type }: TransportEvent) => type === "late_response";
    await until("the late answer", () => client.seen.log.some(isLate));
    expect(client.connection.status().state).toBe("open");
  });

  test("the wait of a request begins when it is made, not when the last frame came (RW13)", async () => {
    let now = 1_000_000;
    const host = await newHost();
    const client = await startClient(host, { clock: () => now });
    now += 600_000;
    const status = await ask(client, (core) => core.request("project/event.status", { event_id: "e" }));
    expect(status).toMatchObject({ type: "error", error: { code: "not_found" } });
  });

  test("an approval of the host expires through handleResponse (RW22, R107)", async () => {
    let now = 1_000_000;
    const run = { line: "make", exit_code: 0, output: "ok" };
    const host = await newHost({ clock: () => now }, { script: [{ run, ask: true }] });
    const client = await startClient(host);
    const { thread } = await startThread(client);
    await startTurn(client, thread.thread_id, "go");
    await finish(host, () => client.seen.effects.some(({ type }) => type === "request"));
    now += 30_000;
    await finish(host, () => client.seen.events.at(-1)?.method === "turn/completed");
    const completed = client.seen.events.flatMap((event) =>
      event.method === "item/completed" ? [event.params.item.status] : [],
    );
    expect(completed).toEqual(["completed", "declined"]);
    expect(host.connections[0]?.status()).toMatchObject({ pending: 0, uncertain: 1 });
  });
});

describe("an owner's mistakes", () => {
  test("a step inside a step is refused, one after the end is not made (RW14, RW21)", async () => {
    const host = await newHost();
    const client = await startClient(host);
    const { connection } = client;
    const inner: string[] = [];
    const outer = connection.update((core) => {
      const nested = connection.update((other) => other.drain(1));
      if (!nested.ok) inner.push(nested.error.code);
      return core.drain(1);
    });
    expect(outer.ok).toBe(true);
    expect(inner).toEqual(["conflict"]);
    const hosts = host.connections[0];
    await connection.close();
    await until("the host's end", () => hosts?.status().state === "ended");
    let calls = 0;
    const late = connection.update((core) => {
      calls++;
      return core.request("project/event.status", { event_id: "e" });
    });
    expect(late.ok ? null : late.error.code).toBe("disconnected");
    const lateHost = hosts?.update((server) => {
      calls++;
      return server.expire(0);
    });
    expect(lateHost?.ok === false && lateHost.error.code).toBe("disconnected");
    expect(calls).toBe(0);
    expect(connection.client.phase).toBe("disconnected");
    expect(hosts?.server.phase).toBe("closed");
  });

  test("a continued client must be new, of the same groups, and bring its own checkpoints (RW20)", async () => {
    const host = await newHost();
    const { connection, seen } = await startClient(host, { capabilities: ["sessions.v1"] });
    await connection.close();
    const client = seen.ends[0]?.client;
    if (client === undefined) throw new Error("no end");
    const refused = { code: "invalid_argument" };
    await expect(startClient(host, { client, capabilities: ["sessions.v1"] })).rejects.toMatchObject(refused);
    const again = client.reconnect();
    if (!again.ok) throw again.error;
    const options = { client: again.client, capabilities: ["sessions.v1" as const] };
    await expect(startClient(host, { ...options, capabilities: [] })).rejects.toMatchObject(refused);
    await expect(startClient(host, { ...options, checkpoints: {} })).rejects.toMatchObject(refused);
    const second = await startClient(host, options);
    expect(second.connection.status().state).toBe("open");
  });

  test("two listeners with different tokens do not know of each other (RW2)", async () => {
    const [a, b] = [await newHost(), await newHost()];
    await expect(startClient({ listener: a.listener, token: b.token })).rejects.toMatchObject({
      status: 401,
    });
    await startClient(a);
    expect(b.listener.status()).toMatchObject({ connections: 0, refused: 0 });
  });
});
