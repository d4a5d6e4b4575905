// Approvals (section 6): who is asked, what an answer does, and that nothing but an approve is an accept.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ErrorCode } from "../../../src/protocol/index.ts";
import { fuzzAsync } from "../../support/fuzz.ts";
import {
  codexTurn,
  commandApproval,
  completed,
  inTurn,
  NativeConnection,
  NOW,
  readyWorld,
  settled,
  startThread,
  startTurn,
  type World,
  type WorldInTurn,
} from "./support.ts";

async function asked(options = {}): Promise<WorldInTurn> {
  const world = await inTurn(options);
  world.peer.say(commandApproval(world.threadId, world.turnId));
  await settled();
  return world;
}

describe("a command", () => {
  test("RC31: the request, its deadline and its wait", async () => {
    const { connection } = await asked({ approvalTimeoutMs: 60_000 });
    expect(connection.approvals.map(({ request }) => request)).toMatchObject([
      {
        command_id: "codex-g1-0",
        params: {
          approval_id: "codex-g1-0",
          thread_id: "0198-thread",
          turn_id: "turn-1",
          item_id: "call_a",
          action: { kind: "command", command: "/bin/bash -lc 'touch made.txt'" },
          deadline: new Date(NOW + 60_000).toISOString(),
        },
      },
    ]);
    expect(connection.server.nextDeadline).toBe(NOW + 60_000);
  });

  test.each([
    ["approve", "accept"],
    ["deny", "decline"],
  ] as const)("RC33: %s is %s, once", async (decision, sent) => {
    const { peer, connection, timers } = await asked();
    connection.reply(connection.approvals[0]!.request, decision);
    await settled();
    expect(peer.decisions(0)).toEqual([sent]);
    peer.say({ method: "serverRequest/resolved", params: { threadId: "0198-thread", requestId: 0 } });
    await settled();
    expect(connection.cancels).toEqual([]);
    expect(timers.waiting).toBe(0);
  });

  test("RC33: an error is a decline", async () => {
    const { peer, connection } = await asked();
    const { request } = connection.approvals[0]!;
    const error = { code: "unauthorized" as ErrorCode, message: "not by me" };
    const step = connection.client.reply(request, { error }, { now: NOW });
    if (!step.ok) throw step.error;
    connection.receive(step.message);
    await settled();
    expect(peer.decisions(0)).toEqual(["decline"]);
  });

  test("RC33: at its deadline an approve is in time, after it the transport's clock declines", async () => {
    const inTime = await asked();
    inTime.timers.now += 300_000;
    inTime.connection.reply(inTime.connection.approvals[0]!.request, "approve");
    expect(inTime.peer.decisions(0)).toEqual(["accept"]);

    const late = await asked();
    late.timers.now += 300_000;
    late.connection.expire();
    await settled();
    expect(late.peer.decisions(0)).toEqual(["decline"]);
    // What nobody answered does not fill the server for good (R58).
    expect(late.connection.server.counts).toMatchObject({ pending: 0, uncertain: 0 });
  });

  test("RC33: without anybody's clock but the host's own it is declined all the same, and the client told", async () => {
    const { peer, connection, timers } = await asked();
    timers.advance(300_000);
    expect(peer.decisions(0)).toEqual([]);
    timers.advance(1);
    await settled();
    expect(peer.decisions(0)).toEqual(["decline"]);
    expect(connection.cancels.map(({ params }) => params.request_id)).toEqual([
      connection.approvals[0]!.request.id,
    ]);
  });

  test("RC33: the connection ends while it is asked: decline, and nobody else is asked", async () => {
    const world = await asked();
    const other = new NativeConnection(world, "alice");
    other.ask("thread/resume", { thread_id: world.threadId });
    await settled();
    world.connection.end();
    await settled();
    expect(world.peer.decisions(0)).toEqual(["decline"]);
    expect(other.approvals).toEqual([]);
  });

  test("RC33: an approve for other content is none (the core refuses it), and the approval stays open", async () => {
    const { peer, connection } = await asked();
    const { request } = connection.approvals[0]!;
    const message = {
      schema_version: "1.0",
      type: "response",
      id: request.id,
      correlation_id: request.correlation_id,
      command_id: request.command_id,
      result: {
        approval_id: "codex-g1-0",
        decision: "approve",
        action_digest: `sha256:${"0".repeat(64)}`,
        decided_at: "2031-04-05T06:10:00Z",
      },
    } as const;
    connection.receive(message as never);
    await settled();
    expect(peer.decisions(0)).toEqual([]);
    connection.reply(request, "deny");
    expect(peer.decisions(0)).toEqual(["decline"]);
  });

  test("RC34, T16: a second answer of the client has no effect", async () => {
    const { peer, connection } = await asked();
    const { request } = connection.approvals[0]!;
    connection.reply(request, "deny");
    expect(() => connection.reply(request, "approve")).toThrow();
    expect(peer.decisions(0)).toEqual(["decline"]);
  });

  test("RC31: what cannot be shown whole is declined without asking, with a notice", async () => {
    const { peer, connection, threadId, turnId, log } = await inTurn();
    peer.say(commandApproval(threadId, turnId, 4, { command: "x".repeat(65_537) }));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect(peer.decisions(4)).toEqual(["decline"]);
    expect(connection.events.at(-1)).toMatchObject({
      method: "turn/notice",
      params: { turn_id: turnId, level: "warning", reason: "host.approval_refused" },
    });
    expect(log.at(-1)).toEqual({ type: "approval_declined", approvalId: "codex-g1-4", reason: "unfit" });
  });

  test("an approval that is not as defined is declined, also under an open id", async () => {
    const { peer, connection, threadId, turnId } = await asked();
    peer.say({
      method: "item/commandExecution/requestApproval",
      id: 9,
      params: { threadId, turnId, itemId: 7 },
    });
    peer.say({ method: "item/commandExecution/requestApproval", id: 0, params: null });
    await settled();
    expect([peer.decisions(9), peer.decisions(0)]).toEqual([["decline"], ["decline"]]);
    expect(connection.cancels).toHaveLength(1);
  });

  test("64 wait at most; one more is declined", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    for (let id = 0; id < 65; id++) peer.say(commandApproval(threadId, turnId, id, { itemId: `i${id}` }));
    await settled();
    // The client takes 64 at a time as well (R69).
    expect(connection.approvals).toHaveLength(64);
    expect(peer.decisions(63)).toEqual([]);
    expect(peer.decisions(64)).toEqual(["decline"]);
  });

  test("RC9: an id may be text; it is another id than the number", async () => {
    const { peer, connection, threadId, turnId } = await asked();
    peer.say(commandApproval(threadId, turnId, "0", { itemId: "b" }));
    peer.say(commandApproval(threadId, turnId, "not an id", { itemId: "c" }));
    await settled();
    const names = connection.approvals.map(({ request }) => request.params.approval_id);
    expect(names.slice(0, 2)).toEqual(["codex-g1-0", "codex-g1-t0"]);
    expect(names[2]).toMatch(/^codex-g1-x[0-9a-f]{32}$/);
    connection.reply(connection.approvals[1]!.request, "approve");
    expect([peer.decisions("0"), peer.decisions(0)]).toEqual([["accept"], []]);
  });
});

describe("a file change", () => {
  const changes = [{ path: "/w/a", kind: { type: "add" }, diff: "a\n" }];
  const item = { type: "fileChange", id: "f", status: "inProgress", changes };

  function fileApproval(threadId: string, turnId: string, more: object = {}) {
    return {
      method: "item/fileChange/requestApproval",
      id: 0,
      params: { threadId, turnId, itemId: "f", reason: null, grantRoot: null, ...more },
    };
  }

  test("RC32: is asked with what its item said", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say({ method: "item/started", params: { threadId, turnId, item } });
    peer.say(fileApproval(threadId, turnId));
    await settled();
    expect(connection.approvals[0]?.request.params.action).toMatchObject({
      kind: "file_change",
      paths: ["/w/a"],
    });
    connection.reply(connection.approvals[0]!.request, "approve");
    expect(peer.decisions(0)).toEqual(["accept"]);
  });

  test.each([
    ["an item that is not known", { itemId: "other" }],
    ["a whole folder", { grantRoot: "/w" }],
  ])("RC32: %s is declined without asking", async (_, more) => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say({ method: "item/started", params: { threadId, turnId, item } });
    peer.say(fileApproval(threadId, turnId, more));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect(peer.decisions(0)).toEqual(["decline"]);
    expect(connection.events.at(-1)).toMatchObject({ params: { reason: "host.approval_refused" } });
  });

  test("RC36: the same id for a change of other content is declined", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say({ method: "item/started", params: { threadId, turnId, item } });
    peer.say(fileApproval(threadId, turnId));
    peer.say({
      method: "item/started",
      params: { threadId, turnId, item: { ...item, changes: [{ ...changes[0], diff: "b\n" }] } },
    });
    peer.say(fileApproval(threadId, turnId));
    await settled();
    // Once as the item changed, and once as Codex asked again under the id that is taken.
    expect(peer.decisions(0)).toEqual(["decline", "decline"]);
    connection.reply(connection.approvals[0]!.request, "approve");
    await settled();
    expect(peer.decisions(0)).toEqual(["decline", "decline"]);
  });
});

describe("who is asked (RC33)", () => {
  test("the connection that started the turn, and no other that watches", async () => {
    const world = await inTurn();
    const other = new NativeConnection(world, "alice");
    other.ask("thread/resume", { thread_id: world.threadId });
    await settled();
    world.peer.say(commandApproval(world.threadId, world.turnId));
    await settled();
    expect([world.connection.approvals.length, other.approvals.length]).toEqual([1, 0]);
  });

  test("if it has ended: the one of the same principal that attached last", async () => {
    const world = await inTurn();
    const [first, last, bob] = ["alice", "alice", "bob"].map((name) => new NativeConnection(world, name));
    for (const one of [first!, last!, bob!]) one.ask("thread/resume", { thread_id: world.threadId });
    await settled();
    world.connection.end();
    world.peer.say(commandApproval(world.threadId, world.turnId));
    await settled();
    expect([first, last, bob].map((one) => one?.approvals.length)).toEqual([0, 1, 0]);
    last!.reply(last!.approvals[0]!.request, "approve");
    expect(world.peer.decisions(0)).toEqual(["accept"]);
  });

  test("a principal never decides for another's turn", async () => {
    const world = await inTurn();
    const bob = new NativeConnection(world, "bob");
    bob.ask("thread/resume", { thread_id: world.threadId });
    await settled();
    world.connection.end();
    world.peer.say(commandApproval(world.threadId, world.turnId));
    await settled();
    expect(bob.approvals).toEqual([]);
    expect(world.peer.decisions(0)).toEqual(["decline"]);
  });

  test("nobody for a turn that no native request started", async () => {
    const { peer, connection, threadId, turnId } = await inTurn();
    peer.say(completed(threadId, turnId));
    peer.say({ method: "turn/started", params: { threadId, turn: codexTurn("by-itself") } });
    peer.say(commandApproval(threadId, "by-itself"));
    peer.say(commandApproval(threadId, "unknown", 1));
    peer.say(commandApproval("unknown", "unknown", 2));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect([0, 1, 2].map((id) => peer.decisions(id))).toEqual([["decline"], ["decline"], ["decline"]]);
  });

  test("nobody without approvals.v1", async () => {
    const { peer, connection, threadId, turnId } = await inTurn({}, ["sessions.v1", "streaming.v1"]);
    peer.say(commandApproval(threadId, turnId));
    await settled();
    expect(connection.approvals).toEqual([]);
    expect(peer.decisions(0)).toEqual(["decline"]);
  });

  test("not one that started the turn without watching the thread", async () => {
    const world = await readyWorld();
    const watcher = new NativeConnection(world, "alice");
    const starter = new NativeConnection(world, "alice");
    const threadId = await startThread(world, watcher);
    const turnId = await startTurn(world, starter, threadId);
    world.peer.say(commandApproval(threadId, turnId));
    await settled();
    expect([watcher.approvals, starter.approvals]).toEqual([[], []]);
    expect(world.peer.decisions(0)).toEqual(["decline"]);
  });
});

describe("approvals that lose their meaning", () => {
  test("RC35, T21: the turn ends: cancel to Codex, request/cancel to the client, a late answer is dropped", async () => {
    const { peer, connection, threadId, turnId, log } = await asked();
    peer.say(completed(threadId, turnId, "interrupted"));
    await settled();
    expect(peer.decisions(0)).toEqual(["cancel"]);
    const { request } = connection.approvals[0]!;
    expect(connection.cancels.map(({ params }) => params)).toEqual([{ request_id: request.id }]);
    connection.reply(request, "approve");
    peer.say({ method: "serverRequest/resolved", params: { threadId, requestId: 0 } });
    await settled();
    expect(peer.decisions(0)).toEqual(["cancel"]);
    expect(log.at(-1)).toEqual({ type: "late_approval", approvalId: "codex-g1-0" });
  });

  test("section 4: Codex has resolved it: nothing is answered, the client is told", async () => {
    const { peer, connection, threadId } = await asked();
    peer.say({ method: "serverRequest/resolved", params: { threadId, requestId: 0 } });
    await settled();
    expect(peer.decisions(0)).toEqual([]);
    expect(connection.cancels).toHaveLength(1);
  });

  test("RC36, T31: a repeated request is the same approval and not asked twice", async () => {
    const { peer, connection, threadId, turnId } = await asked();
    peer.say(commandApproval(threadId, turnId, 0, { startedAtMs: 7 }));
    await settled();
    expect(connection.approvals).toHaveLength(1);
    connection.reply(connection.approvals[0]!.request, "approve");
    expect(peer.decisions(0)).toEqual(["accept"]);
  });

  test.each([{ itemId: "other" }, { turnId: "other" }, { command: "rm -r /" }, { cwd: "/" }])(
    "RC36: other content under an open id is declined: %j",
    async (more) => {
      const { peer, connection, threadId, turnId } = await asked();
      peer.say(commandApproval(threadId, turnId, 0, more));
      await settled();
      expect(peer.decisions(0)).toEqual(["decline"]);
      expect(connection.approvals).toHaveLength(1);
      expect(connection.cancels).toHaveLength(1);
      connection.reply(connection.approvals[0]!.request, "approve");
      expect(peer.decisions(0)).toEqual(["decline"]);
    },
  );

  test("the thread is closed", async () => {
    const { peer, threadId } = await asked();
    peer.say({ method: "thread/closed", params: { threadId } });
    expect(peer.decisions(0)).toEqual(["cancel"]);
  });
});

describe("what is refused", () => {
  test.each([
    "item/tool/requestUserInput",
    "mcpServer/elicitation/request",
    "item/permissions/requestApproval",
    "item/tool/call",
    "account/chatgptAuthTokens/refresh",
    "attestation/generate",
    "applyPatchApproval",
    "execCommandApproval",
    "something/new",
  ])("section 6: %s: an error at once, and a notice", async (method) => {
    const { peer, connection, threadId, turnId, log } = await inTurn();
    peer.say({ method, id: 5, params: { threadId, turnId } });
    await settled();
    expect(peer.sent.at(-1)).toEqual({
      id: 5,
      error: { code: -32601, message: "not supported by this client" },
    });
    expect(connection.events.at(-1)).toMatchObject({
      method: "turn/notice",
      params: {
        thread_id: threadId,
        turn_id: turnId,
        level: "warning",
        reason: "host.request_refused",
        will_retry: false,
      },
    });
    expect(log.at(-1)).toEqual({ type: "request_refused", method });
  });

  test("section 6: without a thread that is known there is nobody to tell", async () => {
    const { peer, connection } = await inTurn();
    const before = connection.events.length;
    for (const params of [undefined, { conversationId: "c" }, { threadId: "other" }])
      peer.say({ method: "applyPatchApproval", id: 5, params });
    await settled();
    expect(connection.events).toHaveLength(before);
    expect(peer.sent.slice(-3).every(({ error }) => error?.code === -32601)).toBe(true);
  });
});

type Act =
  | { act: "ask"; id: number; item: number; command: string }
  /** An answer to the newest approval of the connection, or one or two before it. */
  | { act: "reply"; connection: number; nth: number; decision: "approve" | "deny" }
  | { act: "time"; ms: number }
  | { act: "expire"; connection: number }
  | { act: "end"; connection: number }
  | { act: "attach"; connection: number }
  | { act: "resolve"; id: number }
  | { act: "turn" }
  | { act: "close" }
  | { act: "lose" };

const small = fc.integer({ min: 0, max: 2 });
/** Mostly the one that starts the turns. */
const who = fc.constantFrom(0, 0, 0, 0, 1, 2);
const acts: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 80,
    arbitrary: fc.record({
      act: fc.constant("ask" as const),
      id: small,
      item: small,
      command: fc.constantFrom("a", "b"),
    }),
  },
  {
    weight: 80,
    arbitrary: fc.record({
      act: fc.constant("reply" as const),
      connection: who,
      nth: small,
      decision: fc.constantFrom("approve" as const, "approve" as const, "deny" as const),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ act: fc.constant("time" as const), ms: fc.constantFrom(1, 1, 500, 1000, 1001) }),
  },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("expire" as const), connection: who }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("end" as const), connection: small }) },
  { weight: 8, arbitrary: fc.record({ act: fc.constant("attach" as const), connection: who }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("resolve" as const), id: small }) },
  { weight: 4, arbitrary: fc.constant({ act: "turn" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "close" as const }) },
  { weight: 1, arbitrary: fc.constant({ act: "lose" as const }) },
);

/** An approval that a connection was asked for and that is not over, as far as the test can tell. */
interface Open {
  readonly connection: NativeConnection;
  readonly request: NativeConnection["approvals"][number]["request"];
  readonly content: string;
  readonly deadline: number;
}

/** A thread, three connections (two of alice, one of bob), and which accepts there ought to be. */
class Model {
  readonly world: World;
  readonly connections: NativeConnection[];
  readonly threadId: string;
  readonly expected: number[] = [];
  readonly #open = new Map<number, Open>();
  #turns = 1;

  private constructor(world: World, connections: NativeConnection[], threadId: string) {
    this.world = world;
    this.connections = connections;
    this.threadId = threadId;
  }

  static async create(): Promise<Model> {
    const world = await readyWorld({ approvalTimeoutMs: 1000 });
    const connections = ["alice", "alice", "bob"].map((name) => new NativeConnection(world, name));
    const threadId = await startThread(world, connections[0]!);
    await startTurn(world, connections[0]!, threadId, "turn-1");
    return new Model(world, connections, threadId);
  }

  get accepted(): number[] {
    return this.world.peer.sent.flatMap(({ id, method, result }) =>
      method === undefined && (result as { decision?: string })?.decision === "accept" ? [Number(id)] : [],
    );
  }

  async act(one: Act): Promise<void> {
    const { peer, timers } = this.world;
    const { threadId } = this;
    switch (one.act) {
      case "ask":
        return this.#ask(one);
      case "reply":
        return this.#reply(this.connections[one.connection]!, one.nth, one.decision);
      case "time":
        timers.advance(one.ms);
        return this.#forget(({ deadline }) => timers.now > deadline);
      case "expire": {
        const connection = this.connections[one.connection]!;
        if (!connection.hasEnded) connection.expire();
        return this.#forget((open) => open.connection === connection && open.deadline <= timers.now);
      }
      case "end":
        this.connections[one.connection]!.end();
        return this.#forget(({ connection }) => connection.hasEnded);
      case "attach":
        return this.#attach(this.connections[one.connection]!);
      case "resolve":
        peer.say({ method: "serverRequest/resolved", params: { threadId, requestId: one.id } });
        this.#open.delete(one.id);
        return;
      case "turn":
        return this.#nextTurn();
      case "close":
        peer.say({ method: "thread/closed", params: { threadId } });
        return this.#forget(() => true);
      case "lose":
        peer.end(1);
        return this.#forget(() => true);
    }
  }

  #forget(isOver: (open: Open) => boolean): void {
    for (const [id, open] of this.#open) if (isOver(open)) this.#open.delete(id);
  }

  async #ask({ id, item, command }: Extract<Act, { act: "ask" }>): Promise<void> {
    const content = `${this.#turns} ${item} ${command}`;
    const before = this.connections.map(({ approvals }) => approvals.length);
    const turnId = `turn-${this.#turns}`;
    this.world.peer.say(commandApproval(this.threadId, turnId, id, { itemId: `i${item}`, command }));
    await settled();
    const known = this.#open.get(id);
    if (known !== undefined && known.content !== content) this.#open.delete(id);
    this.connections.forEach((connection, at) => {
      for (const { request } of connection.approvals.slice(before[at])) {
        expect(known).toBeUndefined();
        this.#open.set(id, { connection, request, content, deadline: this.world.timers.now + 1000 });
      }
    });
  }

  #reply(connection: NativeConnection, nth: number, decision: "approve" | "deny"): void {
    const { request } = connection.approvals.at(-1 - nth) ?? {};
    if (request === undefined || connection.hasEnded) return;
    const id = Number(request.params.approval_id.split("-").at(-1));
    const open = this.#open.get(id);
    try {
      connection.reply(request, decision);
    } catch {
      // The client itself refuses what is late or was answered before.
      return;
    }
    if (open?.request !== request) return;
    if (decision === "approve" && this.world.timers.now <= open.deadline) this.expected.push(id);
    this.#open.delete(id);
  }

  async #attach(connection: NativeConnection): Promise<void> {
    if (connection.hasEnded || this.world.host.status().state !== "ready") return;
    const id = connection.ask("thread/resume", { thread_id: this.threadId });
    await settled();
    if (connection.code(id) !== "response") return;
    connection.catchUp("codex-g1-t1");
  }

  #nextTurn(): void {
    const { peer, host } = this.world;
    peer.say(completed(this.threadId, `turn-${this.#turns}`));
    this.#turns += 1;
    this.#forget(() => true);
    const [starter] = this.connections;
    if (host.status().state !== "ready" || starter?.hasEnded !== false) return;
    starter.ask("turn/start", { thread_id: this.threadId, input: [{ type: "text", text: "go" }] });
    peer.say({
      method: "turn/started",
      params: { threadId: this.threadId, turn: codexTurn(`turn-${this.#turns}`) },
    });
    peer.answer("turn/start", { turn: codexTurn(`turn-${this.#turns}`) });
  }
}

describe("RC33: no accept without a bound, timely approve of the connection that was asked", () => {
  test("whatever happens in whatever order, the accepts are those that were given", async () => {
    let accepts = 0;
    const property = fc.asyncProperty(
      fc.array(acts, { minLength: 8, maxLength: 24, size: "max" }),
      async (script) => {
        const model = await Model.create();
        for (const one of script) {
          await model.act(one);
          await settled();
          expect(model.accepted).toEqual(model.expected);
        }
        const refused = model.connections.flatMap((connection) => connection.refused);
        expect(refused).toEqual([]);
        accepts += model.accepted.length;
      },
    );
    await fuzzAsync(property, 40);
    // The property says nothing if nothing is ever accepted.
    expect(accepts).toBeGreaterThan(5);
  });
});

describe("a clock that fails", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("no clock");
      },
    ],
    ["is no number", () => Number.NaN],
    ["is before 1970", () => -1],
  ] as [string, () => number][])(
    "RC33: one that %s: nothing is approved, and nothing breaks",
    async (_, clock) => {
      const { peer, connection } = await asked({ clock });
      expect(connection.approvals[0]?.request.params.deadline).toBe(new Date(300_000).toISOString());
      expect(() => connection.reply(connection.approvals[0]!.request, "approve")).toThrow();
      connection.reply(connection.approvals[0]!.request, "deny");
      expect(peer.decisions(0)).toEqual(["decline"]);
    },
  );
});
