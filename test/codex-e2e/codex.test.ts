// The whole adapter with the real program and a scripted model (RC42). Only native messages are looked at.
import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, StreamHead, Thread } from "../../src/protocol/index.ts";
import type { CodexHost } from "../../src/protocol/codex/index.ts";
import type { NativeConnection } from "../protocol/codex/support.ts";
import { addFile, run, say } from "./model-server.ts";
import { HOW_TO_INSTALL, PROGRAM } from "./program.ts";
import { answer, Stage, until } from "./stage.ts";
import { decideAll, join as joinListener, listen } from "../support/codex-websocket.ts";
import { ask, result } from "../support/websocket.ts";

setDefaultTimeout(60_000);

const INPUT = [{ type: "text" as const, text: "go" }];
const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

interface Scene {
  readonly stage: Stage;
  readonly host: CodexHost;
  readonly connection: NativeConnection;
  readonly threadId: string;
}

async function scene(options = {}, stageOptions = {}): Promise<Scene> {
  const stage = new Stage(PROGRAM!, stageOptions);
  stages.push(stage);
  const host = await stage.host(options);
  const connection = stage.connect(host);
  return { stage, host, connection, threadId: await startThread(connection) };
}

async function startThread(connection: NativeConnection): Promise<string> {
  const started = await answer(connection, "thread/start", {});
  return String((started.result()["thread"] as JsonObject)["thread_id"]);
}

async function startTurn(
  connection: NativeConnection,
  threadId: string,
  commandId?: string,
): Promise<string> {
  const started = await answer(connection, "turn/start", { thread_id: threadId, input: INPUT }, commandId);
  return String((started.result()["turn"] as JsonObject)["turn_id"]);
}

/** The native turn, when it has ended. */
async function ended(connection: NativeConnection, turnId: string): Promise<JsonObject> {
  const find = () =>
    connection.events.find(
      ({ method, params }) =>
        method === "turn/completed" && (params as { turn: { turn_id: string } }).turn.turn_id === turnId,
    );
  await until(`the end of ${turnId}`, () => find() !== undefined);
  expect(connection.refused).toEqual([]);
  return (find()!.params as unknown as { turn: JsonObject }).turn;
}

async function approval(connection: NativeConnection, nth = 0) {
  await until("an approval", () => connection.approvals.length > nth);
  return connection.approvals[nth]!.request;
}

function deltas(connection: NativeConnection): string {
  return connection.events
    .flatMap(({ method, params }) => (method === "item/delta" ? [(params as { delta: string }).delta] : []))
    .join("");
}

function items(connection: NativeConnection): JsonObject[] {
  return connection.events.flatMap(({ method, params }) =>
    method === "item/completed" ? [(params as unknown as { item: JsonObject }).item] : [],
  );
}

if (PROGRAM === null) {
  test.skip(`the program is not installed: ${HOW_TO_INSTALL}`, () => undefined);
}

describe.skipIf(PROGRAM === null)("Codex 0.163.0", () => {
  test("a text turn with deltas, and the thread read afterwards", async () => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push(say("1", "Hel", "lo ", "world"));
    const turnId = await startTurn(connection, threadId, "c-1");
    expect(await ended(connection, turnId)).toMatchObject({ status: "completed", command_id: "c-1" });
    expect(deltas(connection)).toBe("Hello world");
    const shown = items(connection).map(({ kind, text, command_id }) => [kind, text, command_id]);
    expect(shown).toEqual([
      ["user_message", "go", "c-1"],
      ["agent_message", "Hello world", undefined],
    ]);
    const read = (
      await answer(connection, "thread/read", { thread_id: threadId, include_turns: true })
    ).result();
    expect(read["turns"]).toMatchObject([
      {
        turn_id: turnId,
        command_id: "c-1",
        status: "completed",
        items: [{ kind: "user_message" }, { kind: "agent_message", text: "Hello world" }],
      },
    ]);
  });

  test.each([
    ["approve", true, "completed"],
    ["deny", false, "declined"],
  ] as const)("a command: %s", async (decision, isMade, status) => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push(run("a", "touch made.txt && echo made"), say("1", "done"));
    const turnId = await startTurn(connection, threadId);
    const request = await approval(connection);
    expect(request.params).toMatchObject({ thread_id: threadId, turn_id: turnId, item_id: "call_a" });
    expect(request.params.action).toMatchObject({ kind: "command", working_directory: stage.work });
    expect(existsSync(join(stage.work, "made.txt"))).toBe(false);
    connection.reply(request, decision);
    expect(await ended(connection, turnId)).toMatchObject({ status: "completed" });
    expect(existsSync(join(stage.work, "made.txt"))).toBe(isMade);
    const command = items(connection).find(({ kind }) => kind === "command");
    expect(command).toMatchObject({ status, ...(isMade && { command: { exit_code: 0, output: "made\n" } }) });
  });

  test.each([
    ["approve", true, "completed"],
    ["deny", false, "declined"],
  ] as const)("a file change: %s", async (decision, isMade, status) => {
    const { stage, connection, threadId } = await scene({ sandbox: "read-only", allowFullAccess: undefined });
    stage.model.queue.push(addFile("p", "hello.txt", "hello"), say("1", "done"));
    const turnId = await startTurn(connection, threadId);
    const request = await approval(connection);
    const path = join(stage.work, "hello.txt");
    expect(request.params.action).toMatchObject({ kind: "file_change", paths: [path] });
    connection.reply(request, decision);
    expect(await ended(connection, turnId)).toMatchObject({ status: "completed" });
    expect(existsSync(path) && readFileSync(path, "utf8")).toBe(isMade && "hello\n");
    expect(items(connection).find(({ kind }) => kind === "file_change")).toMatchObject({ status });
  });

  test("a steer of the running turn", async () => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push({ events: say("1", "slow", "ly ", "done"), delay: 300 }, say("2", "steered"));
    const turnId = await startTurn(connection, threadId);
    await until("the first delta", () => deltas(connection) !== "");
    const steered = await answer(
      connection,
      "turn/steer",
      { thread_id: threadId, turn_id: turnId, input: [{ type: "text", text: "also" }] },
      "c-s",
    );
    expect(steered.result()).toEqual({ thread_id: threadId, turn_id: turnId });
    expect(await ended(connection, turnId)).toMatchObject({ status: "completed" });
    expect(items(connection)).toContainEqual(
      expect.objectContaining({ kind: "user_message", text: "also", command_id: "c-s" }),
    );
  });

  test("an interrupt while text streams", async () => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push({ events: say("1", "slow", "ly ", "do", "ne"), delay: 400 });
    const turnId = await startTurn(connection, threadId);
    await until("the first delta", () => deltas(connection) !== "");
    const interrupt = () => answer(connection, "turn/interrupt", { thread_id: threadId, turn_id: turnId });
    expect(["requested", "interrupted"]).toContain(String((await interrupt()).result()["status"]));
    expect(await ended(connection, turnId)).toMatchObject({ status: "interrupted" });
    expect((await interrupt()).result()["status"]).toBe("already_finished");
  });

  test("an interrupt while an approval is open", async () => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push(run("a", "touch made.txt"));
    const turnId = await startTurn(connection, threadId);
    const request = await approval(connection);
    await answer(connection, "turn/interrupt", { thread_id: threadId, turn_id: turnId });
    expect(await ended(connection, turnId)).toMatchObject({ status: "interrupted" });
    await until("the cancellation", () => connection.cancels.length === 1);
    connection.reply(request, "approve");
    await until("the late answer", () => stage.log.some(({ type }) => type === "late_approval"));
    expect(existsSync(join(stage.work, "made.txt"))).toBe(false);
  });

  test("an approval that nobody answers in time", async () => {
    const { stage, connection, threadId } = await scene({ approvalTimeoutMs: 300 });
    stage.model.queue.push(run("a", "touch made.txt"), say("1", "done"));
    const turnId = await startTurn(connection, threadId);
    await approval(connection);
    expect(await ended(connection, turnId)).toMatchObject({ status: "completed" });
    expect(items(connection).find(({ kind }) => kind === "command")).toMatchObject({ status: "declined" });
    expect(existsSync(join(stage.work, "made.txt"))).toBe(false);
  });

  test("a restart: the thread is stored, is resumed, and goes on", async () => {
    const { stage, host, connection, threadId } = await scene();
    stage.model.queue.push(say("1", "kept"), say("2", "after"));
    await ended(connection, await startTurn(connection, threadId, "c-1"));
    await host.close();
    const again = await stage.host();
    const next = stage.connect(again);
    const refused = await answer(next, "turn/start", { thread_id: threadId, input: INPUT });
    expect(refused.code).toBe("invalid_state");
    expect((await answer(next, "turn/start", { thread_id: crypto.randomUUID(), input: INPUT })).code).toBe(
      "not_found",
    );
    const resumed = (await answer(next, "thread/resume", { thread_id: threadId })).result();
    expect(resumed["thread"]).toMatchObject({ thread_id: threadId, status: "idle" });
    next.catchUp(String((resumed["stream"] as JsonObject)["stream_id"]));
    const turnId = await startTurn(next, threadId, "c-2");
    expect(await ended(next, turnId)).toMatchObject({ status: "completed" });
    const read = (await answer(next, "thread/read", { thread_id: threadId, include_turns: true })).result();
    expect((read["turns"] as JsonObject[]).map(({ command_id }) => command_id)).toEqual(["c-1", "c-2"]);
    expect(await again.reconcile("c-1", threadId)).toMatchObject({ outcome: "applied", status: "completed" });
  });

  test("killed during an approval; the next process knows what became of the mutation", async () => {
    const { stage, host, connection, threadId } = await scene();
    stage.model.queue.push(run("a", "touch made.txt"));
    const turnId = await startTurn(connection, threadId, "c-1");
    await approval(connection);
    killChild();
    await until("the loss", () => host.status().state === "lost");
    expect(connection.events.at(-1)).toMatchObject({
      method: "turn/notice",
      params: { reason: "host.lost", turn_id: turnId },
    });
    await until("the cancellation", () => connection.cancels.length === 1);
    const again = await stage.host();
    expect(await again.reconcile("c-1", threadId)).toEqual({
      outcome: "applied",
      turn_id: turnId,
      status: "interrupted",
    });
    expect(await again.reconcile("c-2", threadId)).toEqual({ outcome: "not_applied" });
    expect(await again.reconcile("c-1", crypto.randomUUID())).toEqual({ outcome: "not_applied" });
    expect(existsSync(join(stage.work, "made.txt"))).toBe(false);
  });

  test.each([
    [
      401,
      { error: { message: "bad key", code: "invalid_api_key" } },
      { reason: "provider.http", http_status: 401 },
    ],
    [500, { error: { message: "scripted" } }, { reason: "provider.internal" }],
  ])("a model that answers %d", async (status, body, failure) => {
    const { stage, connection, threadId } = await scene();
    stage.model.queue.push({ status, body }, say("1", "better"));
    const turn = await ended(connection, await startTurn(connection, threadId));
    expect(turn).toMatchObject({ status: "failed", failure });
    expect(JSON.stringify(connection.events)).not.toContain("127.0.0.1");
    // A thread that failed takes further turns (RC25).
    expect(await ended(connection, await startTurn(connection, threadId))).toMatchObject({
      status: "completed",
    });
  });

  test("a model that cannot be reached: the turn ends by the retry limit", async () => {
    const { connection, threadId } = await scene({ retryLimitMs: 500 }, { port: 1 });
    const turnId = await startTurn(connection, threadId);
    expect(await ended(connection, turnId)).toMatchObject({ status: "interrupted" });
    const reasons = connection.events.flatMap(({ method, params }) =>
      method === "turn/notice" ? [(params as { reason: string }).reason] : [],
    );
    expect(reasons).toContain("provider.retry_limit");
    expect(reasons.filter((reason) => reason === "provider.stream_lost").length).toBeGreaterThan(0);
  });

  test("two threads at once", async () => {
    const { stage, connection, threadId } = await scene();
    const other = await startThread(connection);
    stage.model.queue.push(
      { events: say("1", "a", "b"), delay: 50 },
      { events: say("2", "a", "b"), delay: 50 },
    );
    const turns = [await startTurn(connection, threadId), await startTurn(connection, other)];
    for (const turnId of turns)
      expect(await ended(connection, turnId)).toMatchObject({ status: "completed" });
    const streams = new Set(connection.events.map(({ stream_id }) => stream_id));
    expect(streams.size).toBe(2);
  });

  test("two clients over WebSocket; one reconnects and resumes the stream", async () => {
    const stage = new Stage(PROGRAM!);
    stages.push(stage);
    const behind = await listen(await stage.host());
    try {
      stage.model.queue.push(run("a", "echo made"), { events: say("1", "a", "b", "c", "d"), delay: 100 });
      const [alice, bob] = [await joinListener(behind, "alice"), await joinListener(behind, "bob")];
      const asked = decideAll(alice.seen, "approve");
      const { thread, stream } = await result<{ thread: Thread; stream: StreamHead }>(alice, (core) =>
        core.request("thread/start", {}, { commandId: "k-1" }),
      );
      const { thread_id } = thread;
      await result(bob, (core) => core.request("thread/resume", { thread_id }, { commandId: "k-1" }));
      await result(alice, (core) =>
        core.request("turn/start", { thread_id, input: INPUT }, { commandId: "k-2" }),
      );
      const count = (method: string) => alice.seen.events.filter((event) => event.method === method).length;
      await until("a delta of the message", () =>
        alice.seen.events.some(({ params }) => "channel" in params && params.channel === "text"),
      );
      await alice.connection.close();
      const reconnected = alice.seen.ends[0]!.client.reconnect();
      if (!reconnected.ok) throw reconnected.error;
      const back = await joinListener(behind, "alice", { client: reconnected.client, seen: alice.seen });
      const cursor = back.connection.client.checkpoints()[stream.stream_id]!;
      await ask(back, (core) => core.request("stream/resume", { stream_id: stream.stream_id, cursor }));
      await until("the end of the turn", () =>
        [alice, bob].every(({ seen }) => seen.events.at(-1)?.method === "turn/completed"),
      );
      expect(alice.seen.events).toEqual(bob.seen.events);
      expect([asked.length, count("turn/completed")]).toEqual([1, 1]);
    } finally {
      await behind.listener.close();
    }
  });

  test("no request of the program and no message of it was a surprise", async () => {
    const { stage, connection, threadId } = await scene({
      sandbox: "workspace-write",
      allowFullAccess: undefined,
      approvalPolicy: "on-request",
    });
    stage.model.queue.push(
      run("a", "touch ../outside.txt", {
        sandbox_permissions: "require_escalated",
        justification: "needs it",
      }),
      say("1", "done"),
    );
    const turnId = await startTurn(connection, threadId);
    const request = await approval(connection);
    expect(request.params).toMatchObject({ reason: "needs it", action: { summary: "needs it" } });
    connection.reply(request, "deny");
    await ended(connection, turnId);
    expect(existsSync(join(stage.root, "outside.txt"))).toBe(false);
    expect(stage.log.filter(({ type }) => type !== "ready")).toEqual([]);
  });
});

/** Kills the only child of this test that is a program of the adapter. */
function killChild(): void {
  for (const entry of new Bun.Glob("*/status").scanSync({ cwd: "/proc" })) {
    const pid = Number(entry.split("/", 1)[0]);
    try {
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const isOurs = new RegExp(`^PPid:\\s+${process.pid}$`, "m").test(status);
      if (isOurs && readFileSync(`/proc/${pid}/cmdline`, "utf8").startsWith(PROGRAM!))
        process.kill(pid, "SIGKILL");
    } catch {
      // It is gone.
    }
  }
}
