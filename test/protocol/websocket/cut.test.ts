// A session that is cut at every one of its messages, each time reconnected and reconciled: every event is delivered
// once and in order, and no mutation is done twice (RW41, R63-R66, R84-R88).
import { expect, test } from "bun:test";
import {
  CAPABILITIES,
  type Client,
  type JsonObject,
  type NotificationMessage,
  type RequestMessage,
  type Step,
  type StreamHead,
  type Turn,
} from "../../../src/protocol/index.ts";
import { type Connection, ConnectError, connect } from "../../../src/protocol/websocket/index.ts";
import { type CuttingProxy, cuttingProxy } from "../../support/cutting-proxy.ts";
import { type FakeClient, type FakeHost, result, Seen, startHost, until } from "../../support/websocket.ts";

const STREAM = "fake-stream-1";
const THREAD = "fake-thread-1";
const EVENT = {
  event_id: "event-1",
  event_type: "source.changed",
  created_at: "2030-01-01T00:00:00Z",
  correlation_id: "flow-1",
  project_ref: "project-1",
  payload: {},
};

/** A mutation as its owner journals it: done once, asked about whenever its outcome is unknown. */
interface Command {
  readonly name: string;
  isDone: boolean;
  attempt: number;
  make(client: Client, commandId: string, attempt: number): Step<{ message: RequestMessage }>;
  /** What the host knows of it, by a query or an audit. */
  isApplied(client: FakeClient, commandId: string): Promise<boolean>;
}

const commands = (host: FakeHost): Command[] => [
  {
    ...fresh("receive"),
    make: (client, commandId, attempt) =>
      client.request(
        "project/event.receive",
        { event: { ...EVENT, delivery_attempt_id: `attempt-${attempt}` } },
        { commandId },
      ),
    isApplied: async (client) => (await eventStatus(client)) !== null,
  },
  {
    ...fresh("thread"),
    make: (client, commandId) => client.request("thread/start", {}, { commandId }),
    isApplied: async () => host.agent.counts().threads > 0,
  },
  {
    ...fresh("turn"),
    make: (client, commandId) =>
      client.request(
        "turn/start",
        { thread_id: THREAD, input: [{ type: "text", text: "go" }] },
        { commandId },
      ),
    isApplied: async (client, commandId) => {
      const read = await result<{ turns: Turn[] }>(client, (core) =>
        core.request("thread/read", { thread_id: THREAD, include_turns: true }),
      );
      return read.turns.some((turn) => turn.command_id === commandId);
    },
  },
  {
    ...fresh("report"),
    make: (client, commandId) =>
      client.request(
        "project/event.report",
        {
          event_id: EVENT.event_id,
          report_id: "report-1",
          outcome: "completed",
          decision: { kind: "done", summary: "fine" },
        },
        { commandId },
      ),
    isApplied: async (client) => (await eventStatus(client))?.report_id === "report-1",
  },
];

function fresh(name: string): { name: string; isDone: boolean; attempt: number } {
  return { name, isDone: false, attempt: 1 };
}

/** Null where the host does not know the event. */
async function eventStatus({ connection, seen }: FakeClient): Promise<{ report_id?: string } | null> {
  const step = connection.update((core) =>
    core.request("project/event.status", { event_id: EVENT.event_id }),
  );
  if (!step.ok) throw new Cut();
  const { id } = step.message;
  await until("a status", () => seen.outcome(id) !== undefined || connection.status().state === "ended");
  const outcome = seen.outcome(id);
  if (outcome?.type === "response") return outcome.result;
  if (outcome?.type === "error" && outcome.error.code === "not_found") return null;
  throw new Cut();
}

class Cut extends Error {}

/** The owner of one client: it never repeats a command whose outcome it does not know. */
class Owner {
  readonly seen = new Seen();
  readonly events: NotificationMessage[] = this.seen.events;
  #current: FakeClient | null = null;
  #client: Client | null = null;
  connections = 0;

  constructor(
    readonly host: FakeHost,
    readonly proxy: CuttingProxy,
    readonly commands: readonly Command[],
  ) {
    this.seen.onRequest = approve;
  }

  /** The connection, reconciled and caught up; a new one where the last one ended. */
  async connection(): Promise<FakeClient> {
    for (;;) {
      if (this.#current !== null && this.#current.connection.status().state === "open") return this.#current;
      try {
        this.#current = await this.#connect();
        await this.#reconcile(this.#current);
        await this.#catchUp(this.#current);
      } catch (error) {
        const isEnded = this.#current?.connection.status().state === "ended";
        if (this.connections > 3 || !(error instanceof ConnectError || isEnded)) throw error;
      }
    }
  }

  async #connect(): Promise<FakeClient> {
    this.connections++;
    const ended = this.#client ?? undefined;
    const again = ended?.reconnect();
    const connection = await connect({
      url: this.proxy.url,
      token: () => this.host.token,
      capabilities: [...CAPABILITIES],
      ...(again?.ok && { client: again.client }),
      onEffects: (effects, from) => this.seen.take(effects, from),
      onEnd: ({ client }) => {
        this.#client = client;
      },
    }).catch((error) => {
      this.#client = error.client;
      throw error;
    });
    return { connection, seen: this.seen };
  }

  async #reconcile(client: FakeClient): Promise<void> {
    for (const [commandId] of client.connection.client.uncertain) {
      const command = this.commands.find(({ name, attempt }) => commandId === `${name}-${attempt}`);
      if (command === undefined) throw new Error(`nobody made ${commandId}`);
      const isApplied = await command.isApplied(client, commandId);
      const outcome = isApplied ? "applied" : "not_applied";
      const step = client.connection.update((core) =>
        core.resolveUncertain(commandId, { outcome, source: "host_query", evidence: "asked the host" }),
      );
      if (!step.ok) throw new Cut();
      if (isApplied) command.isDone = true;
      else command.attempt++;
    }
  }

  /** Everything of the stream that was missed. */
  async #catchUp(client: FakeClient): Promise<void> {
    if (this.host.agent.counts().threads === 0) return;
    const head = this.events.at(-1)?.cursor ?? 0;
    for (let cursor = head; ; ) {
      const page = await result<StreamHead & { events: JsonObject[] }>(client, (core) =>
        core.request("stream/resume", { stream_id: STREAM, cursor }),
      );
      // The frame was taken; the page is ingested before anything else is sent.
      const step = client.connection.update((core) => core.receiveReplay({ ...page }));
      if (!step.ok) throw step.error;
      this.seen.take([], client.connection);
      cursor = page.cursor;
      if (page.events.length === 0) return;
    }
  }

  async run(command: Command): Promise<void> {
    while (!command.isDone) {
      const { connection, seen } = await this.connection();
      if (command.isDone) return;
      const commandId = `${command.name}-${command.attempt}`;
      const step = connection.update((core) => command.make(core, commandId, command.attempt));
      if (!step.ok) continue;
      const { id } = step.message;
      await until(
        "an outcome",
        () => seen.outcome(id) !== undefined || connection.status().state === "ended",
      );
      const outcome = seen.outcome(id);
      if (outcome?.type === "response") command.isDone = true;
      else if (outcome !== undefined) throw new Error(`refused: ${JSON.stringify(outcome)}`);
    }
  }

  /** Lets the agent work until the turn is over, one step at a time. */
  async follow(): Promise<void> {
    const isOver = () => this.events.at(-1)?.method === "turn/completed";
    while (!isOver()) {
      const { connection } = await this.connection();
      if (isOver()) return;
      const before = this.events.length;
      const requests = this.#requests();
      if (this.host.agent.advance(1) === 0) {
        // It waits for an answer that is on its way.
        await Bun.sleep(1);
        continue;
      }
      const isSeen = () =>
        this.events.length > before || this.#requests() > requests || connection.status().state === "ended";
      // A step that only moved the inbox shows nothing: then the next one does.
      await until("the step", () => isSeen() || this.host.agent.advance(1) > 0);
    }
  }

  #requests(): number {
    return this.seen.effects.filter(({ type }) => type === "request").length;
  }
}

function approve(request: RequestMessage, connection: Connection): void {
  if (request.method !== "approval/request") return;
  const { approval_id, action_digest } = request.params;
  const decided = { approval_id, decision: "approve", action_digest, decided_at: "2030-01-01T00:00:00Z" };
  connection.update((core) => core.reply(request, { result: decided }, { now: Date.now() }));
}

async function session(
  cutAt: number,
): Promise<{ hasCut: boolean; passed: number; status: string | undefined }> {
  const run = { line: "make", exit_code: 0, output: "ok" };
  const host = await startHost(
    {},
    { script: [{ say: ["one", "two"] }, { run, ask: true }, { say: ["three"] }] },
  );
  const proxy = cuttingProxy(host.listener.port, cutAt);
  const list = commands(host);
  const owner = new Owner(host, proxy, list);
  const [receive, thread, turn, report] = list;
  if (!receive || !thread || !turn || !report) throw new Error("four commands");
  for (const command of [receive, thread, turn]) await owner.run(command);
  await owner.follow();
  await owner.run(report);
  const { connection } = await owner.connection();
  const { counts } = connection.client;
  await connection.close();
  await host.listener.close();
  proxy.stop();

  // Every mutation once, nothing uncertain, every event once and in order, exactly what the log holds.
  expect(host.agent.counts()).toEqual({ events: 1, threads: 1, turns: 1, notifications: 0 });
  expect(counts).toMatchObject({ pending: 0, uncertain: 0, buffered: 0 });
  expect(owner.events.map(({ cursor }) => cursor)).toEqual(owner.events.map((_, at) => at + 1));
  const items = owner.events.flatMap((event) =>
    event.method === "item/completed" ? [event.params.item] : [],
  );
  expect(items.map(({ kind }) => kind)).toEqual([
    "user_message",
    "agent_message",
    "command",
    "agent_message",
  ]);
  expect(owner.connections).toBe(proxy.hasCut() ? 2 : 1);
  return { hasCut: proxy.hasCut(), passed: proxy.passed(), status: items[2]?.status };
}

test("a cut at every message of a session", async () => {
  const statuses = new Set<string | undefined>();
  let cutAt = 1;
  for (; ; cutAt++) {
    const { hasCut, status } = await session(cutAt);
    if (!hasCut) {
      expect(status).toBe("completed");
      break;
    }
    statuses.add(status);
  }
  expect(cutAt).toBeGreaterThan(25);
  // Where the question or its answer was lost, the command was not run.
  expect(statuses).toEqual(new Set(["completed", "declined"]));
}, 60_000);
