// The Codex host behind a real listener: two clients, one of which comes back (RC13, RC42).
import { expect, test } from "bun:test";
import type { StreamHead, Thread, Turn } from "../../../src/protocol/index.ts";
import { decideAll, join, listen } from "../../support/codex-websocket.ts";
import { ask, result, until } from "../../support/websocket.ts";
import { codexTurn, commandApproval, completed, readyWorld, THREAD } from "./support.ts";

const delta = (text: string) => ({
  method: "item/agentMessage/delta",
  params: { threadId: THREAD.id, turnId: "turn-1", itemId: "m", delta: text },
});

test("RC42: two clients follow a turn; one reconnects, resumes the stream, and decides", async () => {
  const { host, peer } = await readyWorld({ clock: Date.now });
  const behind = await listen(host);
  try {
    const alice = await join(behind, "alice");
    const bob = await join(behind, "bob");
    const sent = (method: string) => peer.sent.some((message) => message.method === method);

    const starting = result<{ thread: Thread; stream: StreamHead }>(alice, (core) =>
      core.request("thread/start", {}, { commandId: "k-1" }),
    );
    await until("thread/start", () => sent("thread/start"));
    peer.answer("thread/start", { thread: THREAD });
    const { stream } = await starting;
    await result(bob, (core) =>
      core.request("thread/resume", { thread_id: THREAD.id }, { commandId: "k-1" }),
    );

    const input = [{ type: "text" as const, text: "go" }];
    const turning = result<{ turn: Turn }>(alice, (core) =>
      core.request("turn/start", { thread_id: THREAD.id, input }, { commandId: "k-2" }),
    );
    await until("turn/start", () => sent("turn/start"));
    peer.answer("turn/start", { turn: codexTurn("turn-1") });
    peer.say({ method: "turn/started", params: { threadId: THREAD.id, turn: codexTurn("turn-1") } });
    peer.say(delta("one"));
    expect((await turning).turn.command_id).toBe("k-2");
    await until("the first delta", () => alice.seen.events.length === 2 && bob.seen.events.length === 2);

    await alice.connection.close();
    peer.say(delta("two"));
    await until("the second delta", () => bob.seen.events.length === 3);
    const reconnected = alice.seen.ends[0]!.client.reconnect();
    if (!reconnected.ok) throw reconnected.error;
    const back = await join(behind, "alice", { client: reconnected.client, seen: alice.seen });
    const resume = {
      stream_id: stream.stream_id,
      cursor: back.connection.client.checkpoints()[stream.stream_id]!,
    };
    expect(resume.cursor).toBe(2);
    await ask(back, (core) => core.request("stream/resume", resume));
    const asked = decideAll(alice.seen, "approve");
    const askedBob = decideAll(bob.seen, "approve");

    peer.say(commandApproval(THREAD.id, "turn-1"));
    await until("the decision", () => peer.decisions(0).length === 1);
    expect([asked.length, askedBob.length, peer.decisions(0)]).toEqual([1, 0, ["accept"]]);
    peer.say(completed(THREAD.id, "turn-1"));
    await until("the end of the turn", () =>
      [alice, bob].every(({ seen }) => seen.events.at(-1)?.method === "turn/completed"),
    );
    expect(alice.seen.events).toEqual(bob.seen.events);
    expect(alice.seen.events.map(({ cursor }) => cursor)).toEqual([1, 2, 3, 4]);
  } finally {
    await behind.listener.close();
  }
});

test("RC33: a listener that closes while an approval is open declines it", async () => {
  const { host, peer } = await readyWorld({ clock: Date.now });
  const behind = await listen(host);
  const alice = await join(behind, "alice");
  const starting = result(alice, (core) => core.request("thread/start", {}, { commandId: "k-1" }));
  await until("thread/start", () => peer.sent.length === 3);
  peer.answer("thread/start", { thread: THREAD });
  await starting;
  const input = [{ type: "text" as const, text: "go" }];
  const turning = result(alice, (core) =>
    core.request("turn/start", { thread_id: THREAD.id, input }, { commandId: "k-2" }),
  );
  await until("turn/start", () => peer.sent.length === 4);
  peer.answer("turn/start", { turn: codexTurn("turn-1") });
  await turning;
  peer.say(commandApproval(THREAD.id, "turn-1"));
  await until("the approval", () => alice.connection.client.counts.incoming === 1);
  await behind.listener.close();
  await until("the decision", () => peer.decisions(0).length === 1);
  expect(peer.decisions(0)).toEqual(["decline"]);
});
