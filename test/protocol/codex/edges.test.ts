// What Codex rarely does: events that cross, repeat, are missing or are too large; and what must hold all the same.
import { describe, expect, test } from "bun:test";
import { z } from "zod";
import { each } from "../../../src/protocol/codex/schema/each.ts";
import {
  bodies,
  codexTurn,
  commandApproval,
  completed,
  inTurn,
  NativeConnection,
  readyWorld,
  settled,
  startWorld,
  THREAD,
  USER_AGENT,
  type WorldInTurn,
} from "./support.ts";

const INPUT = [{ type: "text" as const, text: "go" }];

/** What a `turn/start` is answered; undefined while it waits for Codex. */
async function start({ connection, threadId }: WorldInTurn): Promise<string | undefined> {
  const id = connection.ask("turn/start", { thread_id: threadId, input: INPUT });
  await settled();
  return connection.code(id);
}

const retry = ({ threadId }: WorldInTurn, turnId = "turn-1") => ({
  method: "error",
  params: { threadId, turnId, error: { message: "waiting" }, willRetry: true },
});

const status = ({ threadId }: WorldInTurn, type: string) => ({
  method: "thread/status/changed",
  params: { threadId, status: { type } },
});

describe("approvals", () => {
  const change = (path: string, diff = "") => ({ path, kind: { type: "add" }, diff });
  const fileItem = ({ threadId, turnId }: WorldInTurn, changes: object[]) => ({
    method: "item/started",
    params: { threadId, turnId, item: { type: "fileChange", id: "f", status: "inProgress", changes } },
  });
  const fileApproval = ({ threadId, turnId }: WorldInTurn) => ({
    method: "item/fileChange/requestApproval",
    id: 0,
    params: { threadId, turnId, itemId: "f" },
  });

  test.each([
    ["an environment that is no text", { environmentId: "\ud800" }],
    ["an environment that is too long", { environmentId: "x".repeat(257) }],
    ["a host that is no text", { networkApprovalContext: { host: "\udc00", protocol: "http" } }],
    ["a host that is too long", { networkApprovalContext: { host: "x".repeat(257), protocol: "http" } }],
  ])("RC31: %s cannot be shown: declined with a notice", async (_, more) => {
    const { peer, connection, threadId, turnId, log } = await inTurn();
    peer.say(commandApproval(threadId, turnId, 0, more));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect(peer.decisions(0)).toEqual(["decline"]);
    expect(log.at(-1)).toMatchObject({ type: "approval_declined", reason: "unfit" });
    expect(bodies(connection.events).at(-1)?.params).toMatchObject({ reason: "host.approval_refused" });
  });

  test.each([
    [1700, 1],
    [2000, 0],
  ])("RC32: 256 paths of %d bytes, which a message holds twice: asked %d times", async (length, times) => {
    const world = await inTurn();
    const changes = Array.from({ length: 256 }, (_, n) => change(`/${n}`.padEnd(length, "p")));
    world.peer.say(fileItem(world, changes));
    world.peer.say(fileApproval(world));
    await settled();
    expect(world.connection.approvals).toHaveLength(times);
    expect(world.peer.decisions(0)).toEqual(times === 1 ? [] : ["decline"]);
    const last = bodies(world.connection.events).at(-1);
    expect(last?.method).toBe(times === 1 ? "item/started" : "turn/notice");
  });

  test("RC33: what a file change changes is not what was shown any more: declined", async () => {
    const world = await inTurn();
    world.peer.say(fileItem(world, [change("/w/a")]));
    world.peer.say(fileApproval(world));
    world.peer.say(fileItem(world, [change("/w/a")]));
    expect(world.peer.decisions(0)).toEqual([]);
    world.peer.say(fileItem(world, [change("/w/b")]));
    world.connection.reply(world.connection.approvals[0]!.request, "approve");
    await settled();
    expect(world.peer.decisions(0)).toEqual(["decline"]);
  });

  test("RC35: nothing is asked for a turn that has ended", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say(completed(threadId, turnId));
    peer.say(commandApproval(threadId, turnId));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect(peer.decisions(0)).toEqual(["decline"]);
  });

  test("RC33: a connection that breaks while it is asked has declined at once", async () => {
    const { peer, connection, threadId, turnId, timers } = await inTurn();
    peer.say(commandApproval(threadId, turnId));
    await settled();
    connection.update = () => {
      throw new Error("gone");
    };
    peer.say({ method: "thread/name/updated", params: { threadId, threadName: "n" } });
    expect(peer.decisions(0)).toEqual(["decline"]);
    expect(timers.waiting).toBe(0);
  });

  test("RC33: a list of stored turns does not end a turn that runs", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    const read = connection.ask("thread/read", { thread_id: threadId, include_turns: true });
    peer.answer("thread/read", { thread: { ...THREAD, status: { type: "active" } } });
    peer.answer("thread/turns/list", { data: [codexTurn(turnId, "interrupted")], nextCursor: null });
    await settled();
    connection.result(read);
    peer.say(commandApproval(threadId, turnId));
    await settled();
    connection.reply(connection.approvals[0]!.request, "approve");
    expect(peer.decisions(0)).toEqual(["accept"]);
  });
});

describe("RC18: whether a turn is running or starting", () => {
  test("a start that is never answered ends with its turn", async () => {
    const world = await inTurn();
    const { peer, timers, threadId, turnId } = world;
    peer.say(completed(threadId, turnId));
    expect(await start(world)).toBeUndefined();
    peer.say({ method: "turn/started", params: { threadId, turn: codexTurn("turn-2") } });
    peer.say(status(world, "idle"));
    peer.say(completed(threadId, "turn-2"));
    timers.advance(60_000);
    await settled();
    expect(await start(world)).toBeUndefined();
    expect(peer.sent.filter(({ method }) => method === "turn/start")).toHaveLength(3);
  });

  test.each([
    ["closed", ({ threadId }: WorldInTurn) => ({ method: "thread/closed", params: { threadId } })],
    ["not loaded", (world: WorldInTurn) => status(world, "notLoaded")],
  ])("a start that is never answered does not outlive a thread that is %s", async (_, event) => {
    const world = await inTurn();
    const { peer, connection, timers, threadId, turnId } = world;
    peer.say(completed(threadId, turnId));
    await start(world);
    timers.advance(60_000);
    expect(await start(world)).toBe("invalid_state");
    peer.say(event(world));
    connection.ask("thread/resume", { thread_id: threadId });
    peer.answer("thread/resume", { thread: THREAD });
    await settled();
    expect(await start(world)).toBeUndefined();
  });

  test("a thread that is read as not loaded runs nothing", async () => {
    const world = await inTurn();
    const { peer, connection, threadId } = world;
    connection.ask("thread/read", { thread_id: threadId });
    peer.answer("thread/read", { thread: { ...THREAD, status: { type: "notLoaded" } } });
    connection.ask("thread/resume", { thread_id: threadId });
    peer.answer("thread/resume", { thread: THREAD });
    await settled();
    expect(await start(world)).toBeUndefined();
  });
});

describe("RC24: the retry limit", () => {
  test.each([
    "item/reasoning/summaryPartAdded",
    "item/fileChange/patchUpdated",
    "item/mcpToolCall/progress",
    "item/commandExecution/terminalInteraction",
  ])("%s is not shown, but stops it", async (method) => {
    const world = await inTurn();
    const { peer, timers, threadId, turnId } = world;
    peer.say(retry(world));
    for (const params of [undefined, {}, { threadId: "other", turnId }, { threadId, turnId: "other" }])
      peer.say({ method, params });
    peer.say({ method: "hook/started", params: { threadId, turnId } });
    expect(timers.waiting).toBe(1);
    peer.say({ method, params: { threadId, turnId } });
    expect(timers.waiting).toBe(0);
  });

  test("does not outlive a thread that is not loaded any more", async () => {
    const world = await inTurn();
    world.peer.say(retry(world));
    world.peer.say(status(world, "notLoaded"));
    expect(world.timers.waiting).toBe(0);
  });

  test("of turns that are no longer remembered, none is left when the process is gone", async () => {
    const world = await inTurn();
    const { peer, timers, threadId } = world;
    for (let n = 2; n < 300; n++) {
      peer.say({ method: "turn/started", params: { threadId, turn: codexTurn(`turn-${n}`) } });
      peer.say(retry(world, `turn-${n}`));
    }
    expect(timers.waiting).toBe(256);
    peer.end(0);
    expect(timers.waiting).toBe(0);
  });
});

describe("RC16: the mark of a turn", () => {
  const user = (id: string, clientId: unknown, content: object[] = []) => ({
    type: "userMessage",
    id,
    clientId,
    content,
  });

  test("is that of its first message, and never that of a steer", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say(completed(threadId, turnId));
    for (const [at, marks] of [
      [null, "steer-1"],
      ["start-1", "steer-1"],
    ].entries()) {
      const turn = `made-elsewhere-${at}`;
      peer.say({ method: "turn/started", params: { threadId, turn: codexTurn(turn) } });
      for (const [n, mark] of marks.entries()) {
        const params = { threadId, turnId: turn, item: user(`u${n}`, mark) };
        peer.say({ method: "item/started", params });
        peer.say({ method: "item/completed", params });
      }
      peer.say(completed(threadId, turn));
    }
    await settled();
    const turns = bodies(connection.events).flatMap(({ method, params }) =>
      method === "turn/completed" ? [(params as { turn: { command_id?: string } }).turn.command_id] : [],
    );
    expect(turns).toEqual(["made-up-2", undefined, "start-1"]);
  });

  test("is that of its first message also where the rest of it cannot be read", async () => {
    const { peer, connection, threadId } = await inTurn();
    const id = connection.ask("thread/read", { thread_id: threadId, include_turns: true });
    peer.answer("thread/read", { thread: THREAD });
    const items = [user("u1", "c-1", [{ text: "no type" }]), user("u2", "c-2")];
    const unreadable = [user("u1", 1), user("u2", "c-2")];
    peer.answer("thread/turns/list", {
      data: [codexTurn("t1", "completed", { items }), codexTurn("t2", "completed", { items: unreadable })],
    });
    await settled();
    const { turns } = connection.result(id) as { turns: { command_id?: string }[] };
    expect(turns.map(({ command_id }) => command_id)).toEqual(["c-1", undefined]);
  });

  test.each([
    [
      "applied",
      user("u", "c-1", [{ text: "no type" }]),
      { outcome: "applied", turn_id: "t", status: "completed" },
    ],
    ["not known", user("u", 1), { outcome: "unknown" }],
    ["not known", { id: "u" }, { outcome: "unknown" }],
    ["not applied", { type: "plan" }, { outcome: "not_applied" }],
  ])("RC37: an item that cannot be read: %s", async (_, item, found) => {
    const { host, peer } = await readyWorld();
    const reconciled = host.reconcile("c-1", "stored");
    peer.answer("thread/turns/list", { data: [codexTurn("t", "completed", { items: [item] })] });
    expect(await reconciled).toEqual(found as Awaited<typeof reconciled>);
  });
});

test("RC17: a turn that has no items has none left out", async () => {
  const { peer, connection, threadId } = await inTurn();
  const id = connection.ask("thread/read", { thread_id: threadId, include_turns: true });
  peer.answer("thread/read", { thread: THREAD });
  const item = { type: "agentMessage", id: "m", text: "x".repeat(250_000) };
  const data = [[], [item, item], [item, item]].map((items, n) => codexTurn(`t${n}`, "completed", { items }));
  peer.answer("thread/turns/list", { data });
  await settled();
  const { turns } = connection.result(id) as { turns: { items: object[]; items_truncated?: true }[] };
  expect(turns.map(({ items, items_truncated }) => [items.length, items_truncated])).toEqual([
    [0, undefined],
    [0, true],
    [2, undefined],
  ]);
});

test("RC27: a delta of characters that a message has to escape is split further, and nothing of it lost", async () => {
  const { peer, connection, threadId, turnId } = await inTurn();
  const delta = "\u0001".repeat(300_000);
  peer.say({ method: "item/agentMessage/delta", params: { threadId, turnId, itemId: "a", delta } });
  await settled();
  const shown = bodies(connection.events).flatMap(({ method, params }) =>
    method === "item/delta" ? [(params as { delta: string }).delta] : [],
  );
  expect(shown.join("")).toBe(delta);
  expect(connection.refused).toEqual([]);
});

test("RC38: a process that ends right after its hello gave no session", async () => {
  const world = await startWorld();
  world.peer.answer("initialize", { userAgent: USER_AGENT });
  world.peer.end(1);
  await world.started;
  expect(world.host.status().state).toBe("unusable");
  expect(world.log).toEqual([{ type: "unusable", reason: "no_handshake" }]);
});

test("RC13: threads that Codex was asked to open take room before they are there", async () => {
  const world = await readyWorld();
  const [one, two, three] = ["a", "b", "c"].map((name) => new NativeConnection(world, name));
  for (let n = 0; n < 64; n++) for (const connection of [one!, two!]) connection.ask("thread/start", {});
  const full = [three!.ask("thread/start", {}), three!.ask("thread/resume", { thread_id: "stored" })];
  await settled();
  expect(full.map((id) => three!.code(id))).toEqual(["overflow", "overflow"]);
  world.peer.refuse("thread/start", "broken", -32603);
  const last = three!.ask("thread/start", {});
  await settled();
  expect(three!.code(last)).toBeUndefined();
});

test("RC3: a list is read up to the first member that is not as defined", () => {
  let read = 0;
  const member = z.string().refine(() => {
    read += 1;
    return true;
  });
  expect(each(member).safeParse(["a", "b"]).data).toEqual(["a", "b"]);
  expect(read).toBe(2);
  expect(each(member).safeParse(["a", 1, ...Array(1000).fill("b")]).success).toBe(false);
  expect(read).toBe(3);
  expect(each(member).safeParse({}).success).toBe(false);
});
