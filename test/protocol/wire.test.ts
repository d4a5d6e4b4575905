// A client and a host over a wire that loses, repeats and reorders: whatever happens, in whatever order, positions do not
// jump, nothing is delivered twice, no command is sent twice, nothing grows beyond its bound (R55, R58, R61, R66, R79, R88).
import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  Client,
  type Effect,
  type Handler,
  type JsonObject,
  type Limits,
  type Message,
  type RequestMessage,
  Replay,
  Server,
  type ServerStep,
  type Step,
} from "../../src/protocol/index.ts";
import { fuzz } from "../support/fuzz.ts";
import {
  ALL,
  APPROVAL,
  DEADLINE,
  decision,
  delta,
  METHODS,
  must,
  NOW,
  STATUS_RESULT,
} from "../support/protocol.ts";

const LIMITS: Partial<Limits> = {
  outstanding: 4,
  incoming: 2,
  buffer: 5,
  completed: 3,
  streams: 2,
  hashes: 4,
  waitMs: 1000,
};
const STREAM = "st-1";
const TURN = { thread_id: "th-1", turn_id: "tu-1" };

/** One thing that may happen; the number chooses among what is there. */
type Action = readonly [kind: keyof typeof ACTIONS, choice: number];

/** Client, host and both wires, with what has to hold written down as it happens. */
class World {
  client = must(Client.create({ capabilities: ALL, limits: LIMITS })).client;
  server = this.connect();
  /** Text under way. Of an ended connection too: a wire may deliver late. */
  toHost: string[] = [];
  toClient: string[] = [];
  now = NOW;
  /** The host's log survives its connections. */
  log = must(Replay.create({ streamId: STREAM, capacity: 4 })).replay;
  /** Text of each event by its cursor. */
  readonly written = [""];
  /** Cursor of the event that must be drained next. */
  nextDrained = 1;
  processed = 0;
  /** Pages that were accepted and may be ingested. */
  readonly pages: JsonObject[] = [];
  readonly asked: RequestMessage[] = [];
  /** Requests that were handed out and have not ended, by id. */
  readonly open = new Map<string, RequestMessage>();
  /** Commands that were handed out and neither ended nor were resolved. */
  readonly held = new Set<string>();
  readonly sentIds = new Set<string>();
  commands = 0;
  constructor(readonly seen: Set<string>) {}

  readonly approvals: string[] = [];
  readonly deferred: string[] = [];

  connect(): Server<number> {
    const handler: Handler<number> = {
      capabilities: ALL,
      methods: METHODS,
      handleRequest: (request, state) => this.#answer(request, state),
      handleNotification: (_, state) => state + 1,
      handleResponse: (request, outcome, state) => {
        // R72, R106: only a bound approval in time is one, and each request ends once.
        this.approvals.push(request.id);
        if ("result" in outcome && outcome.result["decision"] === "approve")
          expect(this.now).toBeLessThanOrEqual(DEADLINE);
        return state + 1;
      },
    };
    return must(Server.create(handler, 0, { connectionId: "k-1", limits: LIMITS })).server;
  }

  #answer(request: RequestMessage, state: number): ReturnType<Handler<number>["handleRequest"]> {
    switch (request.method) {
      case "project/event.status":
        return { result: { ...STATUS_RESULT, event_id: request.params.event_id } };
      case "turn/interrupt":
        this.deferred.push(request.id);
        return { deferred: true, state: state + 1 };
      case "stream/resume": {
        const page = this.log.since(request.params.cursor);
        return page.ok
          ? { result: page.result as unknown as JsonObject }
          : { error: { code: "replay_gap", message: "outside retention" } };
      }
      case "request/cancel":
        return { result: { request_id: request.params.request_id, status: "already_finished" } };
      default:
        throw new Error("not in this world");
    }
  }

  /** Takes over a step of the client. A refused one must have returned the very same client. */
  take<T extends object>(step: Step<T>): step is Extract<Step<T>, { ok: true }> {
    if (!step.ok) {
      expect(step.client).toBe(this.client);
      if (step.rejection !== undefined) this.toHost.push(JSON.stringify(step.rejection));
      return false;
    }
    this.client = step.client;
    return true;
  }

  handle(effects: readonly Effect[]): void {
    for (const effect of effects) {
      if (effect.type === "response" || effect.type === "error") this.#ended(effect);
      if (effect.type === "request") this.asked.push(effect.request);
      if (effect.type === "notification") this.#drained(effect.message.cursor, effect.message.params);
    }
  }

  /** A request ends exactly once, and only one that was made. */
  #ended(effect: Extract<Effect, { type: "response" | "error" }>): void {
    const request = this.open.get(effect.id);
    expect(request).toBeDefined();
    this.open.delete(effect.id);
    const isOpen =
      effect.type === "error" && ["internal", "timeout", "ambiguous_disconnect"].includes(effect.error.code);
    if (request !== undefined && "command_id" in request && !isOpen) this.held.delete(request.command_id);
    if (effect.type === "response" && request?.method === "stream/resume") this.pages.push(effect.result);
  }

  /** Events come in order, each once, each as it was written. */
  #drained(cursor: number | undefined, params: object): void {
    if (cursor === undefined) return;
    expect(cursor).toBe(this.nextDrained);
    expect(params).toEqual(delta(this.written[cursor] ?? "").params);
    this.nextDrained++;
  }

  /** A message handed out by the client: its id is new on this connection, its command is not held. */
  send(message: RequestMessage): void {
    expect(this.sentIds.has(message.id)).toBe(false);
    this.sentIds.add(message.id);
    this.open.set(message.id, message);
    if ("command_id" in message) {
      expect(this.held.has(message.command_id)).toBe(false);
      this.held.add(message.command_id);
    }
    this.toHost.push(JSON.stringify(message));
  }

  host(step: ServerStep<number>): void {
    if (!step.ok) expect(step.server).toBe(this.server);
    this.server = step.server;
    this.transmit(step.messages);
  }

  transmit(messages: readonly Message[]): void {
    this.toClient.push(...messages.map((message) => JSON.stringify(message)));
  }

  check(): void {
    const { pending, uncertain, incoming, buffered, streams } = this.client.counts;
    expect(pending + uncertain).toBeLessThanOrEqual(4);
    expect(Math.max(incoming - 2, buffered - 5, streams - 2)).toBeLessThanOrEqual(0);
    if (buffered === 5) this.seen.add("the buffer was full");
    expect(pending).toBe(this.open.size);
    // A command is held exactly while its request waits or its outcome is uncertain.
    const waiting = [...this.open.values()].flatMap((request) =>
      "command_id" in request ? [request.command_id] : [],
    );
    expect(new Set([...this.client.uncertain.keys(), ...waiting])).toEqual(this.held);
    expect(this.client.checkpoints()[STREAM] ?? 0).toBe(this.processed);
    expect(this.processed).toBeLessThan(this.nextDrained);
    expect(this.server.counts.deferred).toBeLessThanOrEqual(2);
    expect(this.server.counts.pending + this.server.counts.uncertain).toBeLessThanOrEqual(4);
  }
}

function pick<T>(from: readonly T[], choice: number): T | undefined {
  return from[choice % Math.max(1, from.length)];
}

function remove<T>(from: T[], choice: number): T | undefined {
  return from.splice(choice % Math.max(1, from.length), 1)[0];
}

/** Mostly the oldest: a wire that only shuffled would let nothing through. */
function removeNext<T>(from: T[], choice: number): T | undefined {
  return remove(from, choice % 5 === 0 ? choice : 0);
}

const ACTIONS = {
  initialize(world: World) {
    const step = world.client.request(
      "connection/initialize",
      { versions: ["1.0"], capabilities: ALL },
      { now: world.now },
    );
    if (world.take(step)) world.send(step.message);
  },
  read(world: World) {
    const step = world.client.request("project/event.status", { event_id: "ev-1" }, { now: world.now });
    if (world.take(step)) world.send(step.message);
  },
  mutate(world: World) {
    const commandId = `cmd-${++world.commands}`;
    const step = world.client.request("turn/interrupt", TURN, { commandId, now: world.now });
    if (world.take(step)) world.send(step.message);
  },
  /** R59, R66: a command that is waiting or uncertain cannot be used again, however often one tries. */
  repeat(world: World, choice: number) {
    const commandId = pick([...world.held], choice);
    if (commandId === undefined) return;
    const step = world.client.request("turn/interrupt", TURN, { commandId, now: world.now });
    expect(step.ok).toBe(false);
    world.take(step);
  },
  cancel(world: World, choice: number) {
    const request_id = pick([...world.open.keys()], choice) ?? "nothing";
    const step = world.client.request("request/cancel", { request_id }, { now: world.now });
    if (world.take(step)) world.send(step.message);
  },
  resume(world: World, choice: number) {
    const cursor = pick([world.processed, world.nextDrained - 1, 0], choice) ?? 0;
    const step = world.client.request("stream/resume", { stream_id: STREAM, cursor }, { now: world.now });
    if (world.take(step)) world.send(step.message);
  },
  ingest(world: World, choice: number) {
    const page = pick(world.pages, choice);
    if (page !== undefined) world.take(world.client.receiveReplay(page));
  },
  deliverToHost(world: World, choice: number) {
    const text = removeNext(world.toHost, choice);
    if (text !== undefined) world.host(world.server.receive(text, { now: world.now }));
  },
  deliverToClient(world: World, choice: number) {
    const text = removeNext(world.toClient, choice);
    if (text === undefined) return;
    const step = world.client.receive(text, { now: world.now });
    if (world.take(step)) world.handle(step.effects);
  },
  lose(world: World, choice: number) {
    remove(choice % 2 === 0 ? world.toHost : world.toClient, choice >> 1);
  },
  duplicate(world: World, choice: number) {
    const wire = choice % 2 === 0 ? world.toHost : world.toClient;
    const text = pick(wire, choice >> 1);
    if (text !== undefined) wire.push(text);
  },
  write(world: World) {
    const text = `event ${world.written.length}`;
    const appended = must(world.log.append(delta(text) as Parameters<Replay["append"]>[0]));
    world.log = appended.replay;
    world.written.push(text);
    const step = world.server.notify(appended.message);
    if (step.ok) world.transmit(step.messages);
  },
  chat(world: World) {
    const step = world.server.notify(delta("ephemeral"));
    if (step.ok) world.transmit(step.messages);
  },
  drain(world: World, choice: number) {
    const step = world.client.drain(1 + (choice % 3));
    if (world.take(step)) world.handle(step.effects);
  },
  acknowledge(world: World, choice: number) {
    const cursor = world.processed + (choice % 4);
    const step = world.client.ackCursor(STREAM, cursor);
    // Exactly what was drained can be acknowledged.
    const isKnown = STREAM in world.client.checkpoints();
    expect(step.ok).toBe(isKnown && cursor < world.nextDrained);
    if (world.take(step)) world.processed = Math.max(world.processed, cursor);
  },
  complete(world: World, choice: number) {
    const id = remove(world.deferred, choice);
    if (id === undefined) return;
    const step = world.server.complete(id, {
      result: { ...TURN, status: choice % 3 === 0 ? "nonsense" : "requested" },
    });
    world.host(step);
  },
  ask(world: World) {
    const options = { commandId: `ask-${++world.commands}`, now: world.now };
    world.host(world.server.request("approval/request", { ...APPROVAL }, options));
  },
  reply(world: World, choice: number) {
    const request = pick(world.asked, choice);
    if (request === undefined) return;
    const step = world.client.reply(request, decision(choice % 2 === 0 ? "approve" : "deny"), {
      now: world.now,
    });
    if (world.take(step)) world.toHost.push(JSON.stringify(step.message));
  },
  pass(world: World, choice: number) {
    world.now += [1, 400, 1000, 200_000][choice % 4] ?? 1;
    const step = world.client.expire(world.now);
    if (world.take(step)) world.handle(step.effects);
    world.host(world.server.expire(world.now));
  },
  disconnect(world: World) {
    const step = world.client.disconnect();
    if (world.take(step)) world.handle(step.effects);
    // Whatever was under way has ended, one way or the other.
    expect([...world.open.keys()]).toEqual([]);
    world.host(world.server.close());
  },
  reconnect(world: World) {
    if (!world.take(world.client.reconnect())) return;
    world.sentIds.clear();
    world.pages.length = 0;
    world.asked.length = 0;
    world.deferred.length = 0;
    world.server = world.connect();
  },
  resolve(world: World, choice: number) {
    const command = pick([...world.client.uncertain.keys()], choice);
    if (command === undefined) return;
    const resolution = { outcome: "applied", source: "host_query", evidence: "the host showed it" } as const;
    const step = world.client.resolveUncertain(command, resolution);
    expect(step.ok).toBe(true);
    if (world.take(step)) world.held.delete(command);
  },
} as const satisfies Record<string, (world: World, choice: number) => void>;

const names = Object.keys(ACTIONS) as (keyof typeof ACTIONS)[];
/** What makes progress happens more often than what destroys it. */
const weights: Partial<Record<keyof typeof ACTIONS, number>> = {
  deliverToHost: 8,
  deliverToClient: 12,
  initialize: 3,
  write: 5,
  chat: 3,
  drain: 4,
  acknowledge: 3,
  resume: 3,
  ingest: 3,
};

/** Everything that waits is handed out and acknowledged. */
function consume(world: World): void {
  while (world.client.counts.buffered > 0) ACTIONS.drain(world, 2);
  world.processed = world.nextDrained - 1;
  if (STREAM in world.client.checkpoints())
    expect(world.take(world.client.ackCursor(STREAM, world.processed))).toBe(true);
}

/** Delivers what is under way, in order. */
function deliver(world: World): void {
  while (world.toHost.length > 0) ACTIONS.deliverToHost(world, 0);
  while (world.toClient.length > 0) ACTIONS.deliverToClient(world, 0);
}

/** After any history a new connection on a good wire brings the client to the head of the log (R65, R84, R88). */
function catchUp(world: World): void {
  ACTIONS.disconnect(world);
  consume(world);
  ACTIONS.reconnect(world);
  world.toHost = [];
  world.toClient = [];
  for (const command of [...world.client.uncertain.keys()])
    ACTIONS.resolve(world, [...world.client.uncertain.keys()].indexOf(command));
  ACTIONS.initialize(world);
  deliver(world);
  expect(world.client.phase).toBe("ready");
  ACTIONS.resume(world, 0);
  deliver(world);
  if (world.pages.length === 0) {
    // The log begins after our position: its head is taken over as that of a snapshot would be.
    expect(world.log.first - 1).toBeGreaterThan(world.processed);
    expect(world.take(world.client.adoptCheckpoint(STREAM, world.log.head))).toBe(true);
    world.processed = world.log.head;
    world.nextDrained = world.log.head + 1;
  } else {
    ACTIONS.ingest(world, 0);
    consume(world);
  }
  ACTIONS.write(world);
  deliver(world);
  consume(world);
  expect(world.processed).toBe(world.log.head);
  expect([world.client.counts.pending, world.client.counts.uncertain, world.client.counts.buffered]).toEqual([
    0, 0, 0,
  ]);
  world.check();
}

test("any interleaving over a lossy wire keeps the invariants", () => {
  const seen = new Set<string>();
  const action: fc.Arbitrary<Action> = fc.oneof(
    ...names.map((name) => ({
      arbitrary: fc.tuple(fc.constant(name), fc.nat(1000)),
      weight: weights[name] ?? 1,
    })),
  );
  fuzz(
    fc.property(fc.array(action, { minLength: 20, maxLength: 100 }), (actions) => {
      const world = new World(seen);
      ACTIONS.initialize(world);
      ACTIONS.deliverToHost(world, 0);
      ACTIONS.deliverToClient(world, 0);
      for (const [kind, choice] of actions) {
        ACTIONS[kind](world, choice);
        world.check();
      }
      catchUp(world);
      if (world.nextDrained > 3) seen.add("events were drained");
      if (world.processed > 2) seen.add("events were processed");
      if (world.client.generation > 2) seen.add("a connection was renewed");
      if (world.commands > 0) seen.add("commands were made");
      if (world.approvals.length > 0) seen.add("requests of the host ended");
    }),
    150,
  );
  // The property is worth nothing if nothing happens in it.
  expect(seen.size).toBe(6);
}, 60_000);
