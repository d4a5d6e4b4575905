// Stored turns: reading them (RC17) and looking for a mutation among them (RC37).
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../../../src/protocol/index.ts";
import { codexTurn, NativeConnection, readyWorld, settled, THREAD, type World } from "./support.ts";
import { transcripts } from "./transcripts.ts";

const message = (clientId: string | null, text = "go", id = "u") => ({
  type: "userMessage",
  id,
  clientId,
  content: [{ type: "text", text, text_elements: [] }],
});
const say = (text: string, id = "m") => ({ type: "agentMessage", id, text });
const stored = (id: string, items: object[], status = "completed") =>
  codexTurn(id, status, { items, completedAt: 1_700_000_001 });

async function opened() {
  const world = await readyWorld();
  return { ...world, connection: new NativeConnection(world) };
}

/** Reads a thread with its turns, which Codex gives in these pages. */
async function read(world: World & { connection: NativeConnection }, pages: readonly (readonly object[])[]) {
  const { connection, peer } = world;
  const id = connection.ask("thread/read", { thread_id: THREAD.id, include_turns: true });
  peer.answer("thread/read", { thread: THREAD });
  for (const [at, data] of pages.entries()) {
    peer.answer("thread/turns/list", { data, nextCursor: at + 1 < pages.length ? `page ${at + 1}` : null });
  }
  await settled();
  return connection.result(id) as { thread: JsonObject; turns: JsonObject[]; turns_truncated?: true };
}

describe("thread/read with turns (RC17)", () => {
  test("pages of 32, oldest first, with all items", async () => {
    const world = await opened();
    const result = await read(world, [
      [stored("t1", [message("c-1"), say("a")])],
      [stored("t2", [message(null)], "interrupted")],
    ]);
    const asked = world.peer.sent
      .filter(({ method }) => method === "thread/turns/list")
      .map(({ params }) => params);
    const page = { threadId: THREAD.id, sortDirection: "asc", itemsView: "full", limit: 32 };
    expect(asked).toEqual([page, { ...page, cursor: "page 1" }]);
    const times = { started_at: "2023-11-14T22:13:20Z", finished_at: "2023-11-14T22:13:21Z" };
    expect(result.turns).toEqual([
      {
        thread_id: THREAD.id,
        turn_id: "t1",
        status: "completed",
        command_id: "c-1",
        ...times,
        items: [
          { item_id: "u", kind: "user_message", status: "completed", text: "go", command_id: "c-1" },
          { item_id: "m", kind: "agent_message", status: "completed", text: "a" },
        ],
      },
      {
        thread_id: THREAD.id,
        turn_id: "t2",
        status: "interrupted",
        ...times,
        items: [{ item_id: "u", kind: "user_message", status: "completed", text: "go" }],
      },
    ]);
    expect(result).not.toHaveProperty("turns_truncated");
  });

  test("the newest 128 turns, and of a turn the newest 128 items", async () => {
    const exact = await read(await opened(), [Array.from({ length: 128 }, (_, n) => stored(`t${n}`, []))]);
    expect(exact.turns).toHaveLength(128);
    expect(exact).not.toHaveProperty("turns_truncated");
    const items = Array.from({ length: 129 }, (_, n) => say(`${n}`, `m${n}`));
    const pages = Array.from({ length: 5 }, (_, page) =>
      Array.from({ length: 26 }, (_, n) => stored(`t${page * 26 + n}`, n === 0 ? items : [])),
    );
    const more = await read(await opened(), pages);
    expect([more.turns.length, more.turns_truncated, more.turns[0]?.["turn_id"]]).toEqual([128, true, "t2"]);
    const full = more.turns.find((turn) => turn["turn_id"] === "t26") as {
      items: { item_id: string }[];
      items_truncated: boolean;
    };
    expect([full.items.length, full.items[0]?.item_id, full.items_truncated]).toEqual([128, "m1", true]);
    expect(more.turns[1]).not.toHaveProperty("items_truncated");
  });

  test("over 768 KiB the items of the oldest turns are left out", async () => {
    const turns = Array.from({ length: 6 }, (_, n) => stored(`t${n}`, [say("x".repeat(200_000), `m${n}`)]));
    const { turns: shown } = await read(await opened(), [turns.slice(0, 3), turns.slice(3)]);
    expect(shown.map((turn) => [(turn["items"] as unknown[]).length, turn["items_truncated"]])).toEqual([
      [0, true],
      [0, true],
      [0, true],
      [1, undefined],
      [1, undefined],
      [1, undefined],
    ]);
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(768 * 1024);
  });

  test("of a turn that is too large by itself the oldest items are left out, and it yields to a newer one", async () => {
    const large = stored(
      "t0",
      Array.from({ length: 8 }, (_, n) => say("x".repeat(200_000), `m${n}`)),
    );
    const alone = await read(await opened(), [[large]]);
    expect((alone.turns[0]!["items"] as { item_id: string }[]).map(({ item_id }) => item_id)).toEqual([
      "m5",
      "m6",
      "m7",
    ]);
    const newer = await read(await opened(), [[large], [stored("t1", [say("x".repeat(250_000))])]]);
    expect(newer.turns.map((turn) => (turn["items"] as unknown[]).length)).toEqual([0, 1]);
  });

  test("turns that are too large without any items: the oldest leave", async () => {
    const failed = (id: string) =>
      codexTurn(id, "failed", { error: { message: "\u0001".repeat(4096), codexErrorInfo: null } });
    const result = await read(await opened(), [Array.from({ length: 128 }, (_, n) => failed(`t${n}`))]);
    expect(result.turns_truncated).toBe(true);
    expect(result.turns.at(-1)?.["turn_id"]).toBe("t127");
    expect(JSON.stringify(result.turns).length).toBeLessThanOrEqual(768 * 1024);
    expect(JSON.stringify(result.turns).length).toBeGreaterThan(700 * 1024);
  });

  test("an item that is not as defined is left out and shown as a truncation", async () => {
    const result = await read(await opened(), [[stored("t", [{ type: "plan" }, say("a")])]]);
    expect(result.turns[0]).toMatchObject({ items: [{ text: "a" }], items_truncated: true });
  });

  test("T35: a thread without turns; T33: an ephemeral one", async () => {
    const { peer, connection } = await opened();
    const none = connection.ask("thread/read", { thread_id: THREAD.id, include_turns: true });
    peer.answer("thread/read", { thread: THREAD });
    peer.refuse("thread/turns/list", "list_turns is not supported yet", -32601);
    const ephemeral = connection.ask("thread/read", { thread_id: THREAD.id, include_turns: true });
    peer.answer("thread/read", { thread: { ...THREAD, ephemeral: true } });
    await settled();
    expect(connection.result(none)).toMatchObject({ turns: [] });
    expect(connection.code(ephemeral)).toBe("unavailable");
    expect(peer.sent.filter(({ method }) => method === "thread/turns/list")).toHaveLength(1);
  });

  test("a page that fails fails the read; a cursor without end does not go on for ever", async () => {
    const { peer, connection } = await opened();
    const failing = connection.ask("thread/read", { thread_id: THREAD.id, include_turns: true });
    peer.answer("thread/read", { thread: THREAD });
    peer.answer("thread/turns/list", { data: [stored("t", [])], nextCursor: "more" });
    peer.refuse("thread/turns/list", "thread not loaded: x");
    const endless = connection.ask("thread/read", { thread_id: THREAD.id, include_turns: true });
    peer.answer("thread/read", { thread: THREAD });
    for (let page = 0; page < 4096; page++)
      peer.answer("thread/turns/list", { data: [], nextCursor: "more" });
    await settled();
    expect([failing, endless].map((id) => connection.code(id))).toEqual(["not_found", "overflow"]);
  });

  test("RC21: a turn that was read as ended is known to be finished", async () => {
    const world = await opened();
    const start = world.connection.ask("thread/start", {});
    world.peer.answer("thread/start", { thread: THREAD });
    await settled();
    world.connection.result(start);
    await read(world, [[stored("old", [], "completed")]]);
    const id = world.connection.ask("turn/interrupt", { thread_id: THREAD.id, turn_id: "old" });
    await settled();
    expect(world.connection.result(id)).toMatchObject({ status: "already_finished" });
  });

  test("T36: the recorded pages of three turns", async () => {
    const { lines } = transcripts().find(({ name }) => name === "36-turns-full")!;
    const pages = lines.flatMap(({ dir, msg }) =>
      dir === "s2c" && Array.isArray((msg.result as { data?: unknown[] } | undefined)?.data)
        ? [(msg.result as { data: object[] }).data]
        : [],
    );
    const { turns } = await read(await opened(), pages);
    const kinds = turns.map((turn) => (turn["items"] as { kind: string }[]).map(({ kind }) => kind));
    expect(turns.map((turn) => turn["command_id"])).toEqual(["cmd-a", "cmd-b", "cmd-c"]);
    expect(kinds.at(-1)).toEqual(["user_message", "command", "agent_message"]);
  });
});

describe("reconciliation (RC37)", () => {
  async function reconcile(pages: readonly (readonly object[])[], commandId = "c-1") {
    const { host, peer } = await opened();
    const found = host.reconcile(commandId, "stored");
    for (const [at, data] of pages.entries()) {
      peer.answer("thread/turns/list", { data, nextCursor: at + 1 < pages.length ? `${at}` : null });
      if (peer.last("thread/turns/list").params?.["cursor"] !== `${at}`) break;
    }
    return found;
  }

  test("T24: applied, where the turn is stored with the mark", async () => {
    const pages = [
      [stored("t0", [message("c-0")])],
      [stored("t1", [message(null), message("c-1")], "interrupted")],
      [stored("t2", [])],
    ];
    expect(await reconcile(pages)).toEqual({ outcome: "applied", turn_id: "t1", status: "interrupted" });
  });

  test("not applied, where all turns were read and none has it", async () => {
    expect(await reconcile([[stored("t0", [message("c-0")])], [stored("t1", [say("c-1")])]])).toEqual({
      outcome: "not_applied",
    });
    expect(await reconcile([[]])).toEqual({ outcome: "not_applied" });
  });

  test("T25: not applied, where the thread itself is not stored, or has no turns", async () => {
    for (const [text, code] of [
      ["thread not loaded: stored", -32600],
      ["no rollout found for thread id stored", -32600],
      ["list_turns is not supported yet", -32601],
    ] as const) {
      const { host, peer } = await opened();
      const found = host.reconcile("c-1", "stored");
      peer.refuse("thread/turns/list", text, code);
      expect(await found).toEqual({ outcome: "not_applied" });
    }
  });

  test("unknown, where the read failed in any other way", async () => {
    const ways: ((world: World) => void)[] = [
      ({ peer }) => peer.refuse("thread/turns/list", "broken", -32603),
      ({ peer }) => peer.refuse("thread/turns/list", "ephemeral threads do not support thread/turns/list"),
      ({ timers }) => timers.advance(20_000),
      ({ peer }) => peer.end(1),
      ({ peer }) => peer.answer("thread/turns/list", { data: [{}] }),
    ];
    for (const act of ways) {
      const world = await opened();
      const found = world.host.reconcile("c-1", "stored");
      act(world);
      expect(await found).toEqual({ outcome: "unknown" });
    }
  });
});
