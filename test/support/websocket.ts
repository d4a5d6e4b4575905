/** Hosts and clients over real sockets on 127.0.0.1, for tests. */
import { setDefaultTimeout } from "bun:test";
import {
  CAPABILITIES,
  type Capability,
  type Effect,
  type NotificationMessage,
  type RequestMessage,
  type Step,
} from "../../src/protocol/index.ts";
import {
  bearerTokens,
  type Connection,
  type ConnectionEnd,
  type ConnectOptions,
  connect,
  createFakeAgent,
  createListener,
  type FakeAgent,
  type FakeAgentOptions,
  type HostConnection,
  hashToken,
  type Listener,
  type ListenerOptions,
  newToken,
  type TransportEvent,
} from "../../src/protocol/websocket/index.ts";

// A test waits for what happens; only what never happens takes so long.
setDefaultTimeout(30_000);

/** Much longer than anything takes, so that only what never happens fails. */
const PATIENCE_MS = 20_000;

/** Waits until a condition holds. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`this never happened: ${what}`);
    await Bun.sleep(2);
  }
}

export interface FakeHost {
  readonly agent: FakeAgent;
  readonly listener: Listener;
  readonly token: string;
  readonly log: TransportEvent[];
  readonly connections: HostConnection<null>[];
}

/** A listener in front of a fake agent, with one token for the principal `tester`. */
export async function startHost(
  options: Partial<ListenerOptions<null>> = {},
  fake: FakeAgentOptions = {},
): Promise<FakeHost> {
  const agent = createFakeAgent(fake);
  const token = newToken();
  const log: TransportEvent[] = [];
  const connections: HostConnection<null>[] = [];
  const listener = await createListener<null>({
    handler: agent.handler,
    initialState: agent.initialState,
    authenticate: bearerTokens([{ id: "tester", sha256: hashToken(token) }]),
    log: (event) => log.push(event),
    onConnection: (connection) => {
      connections.push(connection);
      agent.attach(connection);
    },
    ...options,
  });
  return { agent, listener, token, log, connections };
}

/** What a client saw, in order. */
export class Seen {
  readonly effects: Effect[] = [];
  readonly events: NotificationMessage[] = [];
  readonly log: TransportEvent[] = [];
  readonly ends: ConnectionEnd[] = [];
  /** Called for each request of the host, at once. */
  onRequest: ((request: RequestMessage, connection: Connection) => void) | null = null;

  outcome(id: string): Effect | undefined {
    return this.effects.find(
      (effect) => (effect.type === "response" || effect.type === "error") && effect.id === id,
    );
  }

  /** Takes what a client was told, drains it and acknowledges every event. */
  take(effects: readonly Effect[], connection: Connection): void {
    for (const effect of effects) {
      this.effects.push(effect);
      if (effect.type === "request") this.onRequest?.(effect.request, connection);
    }
    this.drain((step) => connection.update(step));
  }

  drain(
    update: (
      step: (client: Connection["client"]) => Step<{ effects: Effect[] }>,
    ) => Step<{ effects: Effect[] }>,
  ): void {
    for (;;) {
      const drained = update((client) => client.drain(128));
      if (!drained.ok || drained.effects.length === 0) return;
      for (const effect of drained.effects) {
        if (effect.type !== "notification") continue;
        const { message } = effect;
        this.events.push(message);
        const { stream_id, cursor } = message;
        if (stream_id === undefined || cursor === undefined) continue;
        update((client) => {
          const step = client.ackCursor(stream_id, cursor);
          return step.ok ? { ...step, effects: [] } : step;
        });
      }
    }
  }
}

export interface FakeClient {
  readonly connection: Connection;
  readonly seen: Seen;
}

export async function startClient(
  host: Pick<FakeHost, "listener" | "token">,
  options: Partial<ConnectOptions> = {},
  seen = new Seen(),
): Promise<FakeClient> {
  const connection = await connect({
    url: host.listener.url,
    token: () => host.token,
    capabilities: [...CAPABILITIES],
    log: (event) => seen.log.push(event),
    onEffects: (effects, from) => seen.take(effects, from),
    onEnd: (end) => seen.ends.push(end),
    ...options,
  });
  return { connection, seen };
}

/** Sends a request and waits for its outcome. */
export async function ask(
  { connection, seen }: FakeClient,
  step: (client: Connection["client"]) => Step<{ message: RequestMessage }>,
): Promise<Effect> {
  const made = connection.update(step);
  if (!made.ok) throw made.error;
  const { id, method } = made.message;
  await until(
    `an answer to ${method}`,
    () => seen.outcome(id) !== undefined || connection.status().state === "ended",
  );
  const outcome = seen.outcome(id);
  if (outcome === undefined) throw new Error(`the connection ended before ${method} was answered`);
  return outcome;
}

/** The result of a request that must succeed. */
export async function result<T>(
  client: FakeClient,
  step: (client: Connection["client"]) => Step<{ message: RequestMessage }>,
): Promise<T> {
  const outcome = await ask(client, step);
  if (outcome.type !== "response") throw new Error(`no result but ${JSON.stringify(outcome)}`);
  // The client checked the result against its method.
  return outcome.result as T;
}

export const ALL: readonly Capability[] = CAPABILITIES;
