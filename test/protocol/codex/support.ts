/** A host without a process: a scripted peer, timers that a test moves, and native connections in memory. */
import {
  Client,
  type Effect,
  type JsonObject,
  type Message,
  type NotificationMessage,
  type ParamsOf,
  type RequestMessage,
  type RequestMethod,
  Server,
  type ServerStep,
} from "../../../src/protocol/index.ts";
import type { CodexConnection, CodexState } from "../../../src/protocol/codex/connections.ts";
import type { CodexEvent } from "../../../src/protocol/codex/event.ts";
import { type CodexHost, Host } from "../../../src/protocol/codex/host.ts";
import { type CodexHostOptions, configOf } from "../../../src/protocol/codex/options.ts";
import type { Peer, PeerListener, Timers } from "../../../src/protocol/codex/peer.ts";
import { must } from "../../support/protocol.ts";

export const NOW = Date.UTC(2031, 3, 5, 6, 7, 8);
export const GROUPS = ["approvals.v1", "cancellation.v1", "sessions.v1", "streaming.v1"] as const;
export type Group = (typeof GROUPS)[number];

export interface CodexMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Time that moves only when a test says so. */
export class ManualTimers implements Timers {
  now = NOW;
  #timers: { at: number; callback: () => void }[] = [];

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now + ms, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  get waiting(): number {
    return this.#timers.length;
  }

  advance(ms: number): void {
    this.now += ms;
    const due = this.#timers.filter(({ at }) => at <= this.now);
    this.#timers = this.#timers.filter(({ at }) => at > this.now);
    for (const { callback } of due.sort((a, b) => a.at - b.at)) callback();
  }
}

const encoder = new TextEncoder();

/** Codex as a test plays it. */
export class FakePeer implements Peer {
  readonly sent: CodexMessage[] = [];
  isKilled = false;
  /** Whether it takes what is sent. */
  takes = true;
  readonly #listener: PeerListener;
  #hasEnded = false;

  constructor(listener: PeerListener) {
    this.#listener = listener;
  }

  send(line: string): boolean {
    if (this.takes) this.sent.push(JSON.parse(line));
    return this.takes;
  }

  /** A message of Codex. False if the host wants no more of them. */
  say(message: object): boolean {
    return this.sayRaw(JSON.stringify(message));
  }

  sayRaw(line: string | Uint8Array): boolean {
    if (this.#hasEnded) return false;
    return this.#listener.line(typeof line === "string" ? encoder.encode(line) : line);
  }

  overlong(): void {
    this.#listener.overlong();
  }

  end(code: number | null = 0, signal: string | null = null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#listener.ended({ code, signal });
  }

  async stop(): Promise<void> {
    this.end();
  }

  kill(): void {
    this.isKilled = true;
    this.end(null, "SIGKILL");
  }

  /** The last message that was sent with this method. */
  last(method: string): CodexMessage {
    const found = this.sent.findLast((message) => message.method === method);
    if (found === undefined) throw new Error(`${method} was not sent`);
    return found;
  }

  /** Answers the last request of this method. */
  answer(method: string, result: object): void {
    this.say({ id: this.last(method).id, result });
  }

  refuse(method: string, message: string, code = -32600, data?: unknown): void {
    const error = data === undefined ? { code, message } : { code, message, data };
    this.say({ id: this.last(method).id, error });
  }

  /** Decisions that were sent for a request of Codex. */
  decisions(id: number | string): unknown[] {
    return this.sent
      .filter((message) => message.id === id && message.method === undefined)
      .map(({ result, error }) => (result as { decision?: string } | undefined)?.decision ?? error?.code);
  }
}

export const OPTIONS: CodexHostOptions = {
  bin: "/nowhere/codex",
  codexHome: "/nowhere/home",
  workingDirectory: "/codex-test/work",
  sandbox: "workspace-write",
  approvalPolicy: "untrusted",
  newId: () => "g1",
  clock: () => NOW,
};

export const USER_AGENT = "agent_protocol_bridge/0.163.0 (Test OS; x86_64) unknown";

export interface World {
  readonly host: Host;
  readonly peer: FakePeer;
  readonly timers: ManualTimers;
  readonly log: CodexEvent[];
}

/** A host whose process has said hello. */
export async function readyWorld(options: Partial<CodexHostOptions> = {}): Promise<World> {
  const world = await startWorld(options);
  world.peer.answer("initialize", { userAgent: USER_AGENT });
  await world.started;
  return world;
}

/** A host whose process has said nothing yet. */
export async function startWorld(
  options: Partial<CodexHostOptions> = {},
): Promise<World & { started: Promise<void> }> {
  const timers = new ManualTimers();
  const log: CodexEvent[] = [];
  const given = {
    ...OPTIONS,
    clock: () => timers.now,
    log: (event: CodexEvent) => log.push(event),
    ...options,
  };
  const host = new Host(configOf(given as CodexHostOptions), timers);
  const peers: FakePeer[] = [];
  const started = host.start(async (listener) => {
    const peer = new FakePeer(listener);
    peers.push(peer);
    return { peer };
  });
  await settled();
  return { host, timers, log, started, peer: peers[0]! };
}

/** Lets everything that waits for the end of a step happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
}

export interface Approval {
  readonly request: RequestMessage<"approval/request">;
  /** Notifications that came before it. */
  readonly afterEvents: number;
}

/** A native client and its server, with every message encoded between them. */
export class NativeConnection implements CodexConnection {
  readonly connectionId: string;
  server: Server<CodexState>;
  client: Client;
  readonly events: NotificationMessage[] = [];
  readonly approvals: Approval[] = [];
  readonly cancels: RequestMessage<"request/cancel">[] = [];
  readonly outcomes = new Map<string, Effect>();
  /** What the client refused to take: a mistake of the host. */
  readonly refused: string[] = [];
  hasEnded = false;
  readonly #timers: { readonly now: number };
  #commands = 0;

  constructor(
    { host, timers }: { readonly host: CodexHost; readonly timers: { readonly now: number } },
    principal = "alice",
    groups: readonly Group[] = GROUPS,
  ) {
    this.connectionId = `k-${crypto.randomUUID()}`;
    this.#timers = timers;
    const state = host.initialState({ id: principal });
    this.server = must(Server.create(host.handler, state, { connectionId: this.connectionId })).server;
    this.client = must(Client.create({ capabilities: [...groups] })).client;
    host.attach(this);
    const offer = { versions: ["1.0"], capabilities: [...groups] };
    const step = must(this.client.request("connection/initialize", offer, { now: timers.now }));
    this.client = step.client;
    this.receive(step.message);
  }

  update<T>(step: (server: Server<CodexState>) => ServerStep<CodexState, T>): ServerStep<CodexState, T> {
    const taken = step(this.server);
    this.server = taken.server;
    for (const message of taken.messages) this.#deliver(message);
    return taken;
  }

  /** A frame from the client. */
  receive(message: Message): void {
    const step = this.server.receive(JSON.stringify(message), { now: this.#timers.now });
    this.server = step.server;
    if (step.fault !== undefined) throw step.fault;
    for (const answer of step.messages) this.#deliver(answer);
  }

  /** Asks the host; returns the id. */
  ask<M extends RequestMethod>(method: M, params: ParamsOf<M>, commandId?: string): string {
    const needsCommand = !["thread/read", "stream/resume", "request/cancel"].includes(method);
    this.#commands += 1;
    const command = needsCommand ? { commandId: commandId ?? `made-up-${this.#commands}` } : {};
    const request = this.client.request as (
      method: M,
      params: ParamsOf<M>,
      options: object,
    ) => ReturnType<Client["request"]>;
    const step = must(request.call(this.client, method, params, { now: this.#timers.now, ...command }));
    this.client = step.client;
    this.receive(step.message);
    return step.message.id;
  }

  result(id: string): JsonObject {
    const effect = this.outcomes.get(id);
    if (effect?.type !== "response") throw new Error(`${id}: ${JSON.stringify(effect)}`);
    return effect.result;
  }

  code(id: string): string | undefined {
    const effect = this.outcomes.get(id);
    return effect?.type === "error" ? effect.error.code : effect?.type;
  }

  reply(request: RequestMessage<"approval/request">, decision: "approve" | "deny", digest?: string): void {
    const { approval_id, action_digest } = request.params;
    const decided_at = new Date(this.#timers.now).toISOString();
    const result = { approval_id, decision, action_digest: digest ?? action_digest, decided_at };
    const step = this.client.reply(request, { result }, { now: this.#timers.now });
    if (!step.ok) throw step.error;
    this.client = step.client;
    this.receive(step.message);
  }

  /** As the transport's timer does. */
  expire(): void {
    this.update((server) => server.expire(this.#timers.now));
  }

  /** Ends the connection, as a transport does. */
  end(): void {
    this.hasEnded = true;
    this.server = this.server.close().server;
  }

  /** Fetches what the log of a stream has and the client has not. */
  catchUp(streamId: string): void {
    const cursor = this.client.checkpoints()[streamId] ?? 0;
    const page = this.result(this.ask("stream/resume", { stream_id: streamId, cursor }));
    this.client = must(this.client.receiveReplay(page)).client;
    this.#drain();
  }

  #deliver(message: Message): void {
    const step = this.client.receive(JSON.stringify(message), { now: this.#timers.now });
    if (!step.ok) {
      this.refused.push(`${step.error.code}: ${step.error.message} ${JSON.stringify(message)}`);
      return;
    }
    this.client = step.client;
    this.#drain();
    for (const effect of step.effects) this.#note(effect);
  }

  #note(effect: Effect): void {
    if (effect.type === "response" || effect.type === "error") this.outcomes.set(effect.id, effect);
    if (effect.type !== "request") return;
    const { request } = effect;
    if (request.method === "approval/request") {
      this.approvals.push({ request, afterEvents: this.events.length });
    } else if (request.method === "request/cancel") {
      this.cancels.push(request);
      const result = { request_id: request.params.request_id, status: "requested" as const };
      const step = must(this.client.reply(request, { result }, { now: this.#timers.now }));
      this.client = step.client;
      queueMicrotask(() => this.hasEnded || this.receive(step.message));
    }
  }

  #drain(): void {
    const step = must(this.client.drain(128));
    this.client = step.client;
    for (const effect of step.effects) {
      if (effect.type !== "notification") continue;
      const { message } = effect;
      this.events.push(message);
      const { stream_id, cursor } = message;
      if (stream_id !== undefined && cursor !== undefined) {
        this.client = must(this.client.ackCursor(stream_id, cursor)).client;
      }
    }
  }
}

/** Events without their envelope. */
export function bodies(events: readonly NotificationMessage[]) {
  return events.map(({ method, params }) => ({ method, params }));
}

export const THREAD = {
  id: "0198-thread",
  name: null,
  ephemeral: false,
  createdAt: 1_700_000_000,
  updatedAt: 1_700_000_000,
  status: { type: "idle" },
};

export function codexTurn(id: string, status = "inProgress", more: object = {}) {
  return { id, items: [], status, error: null, startedAt: 1_700_000_000, completedAt: null, ...more };
}

/** A thread that the connection started; the thread's id. */
export async function startThread(
  { peer }: World,
  connection: NativeConnection,
  thread: Partial<typeof THREAD> = {},
): Promise<string> {
  const whole = { ...THREAD, ...thread };
  const id = connection.ask("thread/start", {});
  await settled();
  peer.answer("thread/start", { thread: whole });
  await settled();
  connection.result(id);
  return whole.id;
}

/** A turn that runs; its id. */
export async function startTurn(
  { peer }: World,
  connection: NativeConnection,
  threadId: string,
  turnId = "turn-1",
): Promise<string> {
  const id = connection.ask("turn/start", { thread_id: threadId, input: [{ type: "text", text: "go" }] });
  await settled();
  peer.answer("turn/start", { turn: codexTurn(turnId) });
  peer.say({ method: "turn/started", params: { threadId, turn: codexTurn(turnId) } });
  await settled();
  connection.result(id);
  return turnId;
}

/** A world in which a turn runs on a connection of alice. */
export interface WorldInTurn extends World {
  readonly connection: NativeConnection;
  readonly threadId: string;
  readonly turnId: string;
}

export async function inTurn(options = {}, groups: readonly Group[] = GROUPS): Promise<WorldInTurn> {
  const world = await readyWorld(options);
  const connection = new NativeConnection(world, "alice", groups);
  const threadId = await startThread(world, connection);
  return { ...world, connection, threadId, turnId: await startTurn(world, connection, threadId) };
}

/** A command that Codex wants to run. */
export function commandApproval(
  threadId: string,
  turnId: string,
  id: number | string = 0,
  more: object = {},
) {
  return {
    method: "item/commandExecution/requestApproval",
    id,
    params: {
      kind: "command",
      threadId,
      turnId,
      itemId: "call_a",
      environmentId: "local",
      command: "/bin/bash -lc 'touch made.txt'",
      cwd: "/codex-test/work",
      ...more,
    },
  };
}

export function completed(threadId: string, turnId: string, status = "completed", more: object = {}) {
  return {
    method: "turn/completed",
    params: { threadId, turn: codexTurn(turnId, status, { completedAt: 1_700_000_001, ...more }) },
  };
}
