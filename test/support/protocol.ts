/** Messages and connections for tests of the agent protocol. */
import {
  CAPABILITIES,
  type Capability,
  Client,
  Codec,
  type ErrorCode,
  type Handler,
  type JsonObject,
  type Limits,
  type NotificationMessage,
  type RequestMessage,
  type RequestMethod,
  Server,
} from "../../src/protocol/index.ts";

export const ALL: Capability[] = [...CAPABILITIES];
export const NOW = Date.UTC(2031, 3, 5, 6, 7, 8);

const ENVELOPE = { schema_version: "1.0", correlation_id: "flow-1" } as const;

/** The value of a step that a test takes for granted. */
export function must<T extends { ok: boolean }>(step: T): Extract<T, { ok: true }> {
  if (!step.ok) throw (step as unknown as { error: Error }).error;
  return step as Extract<T, { ok: true }>;
}

export function codeOf(step: { ok: true } | { ok: false; error: { code: ErrorCode } }): string {
  return step.ok ? "ok" : step.error.code;
}

export function request(method: string, params: unknown, more: object = {}): JsonObject {
  return { ...ENVELOPE, type: "request", id: "c1-2", method, params, ...more } as JsonObject;
}

export function response(id: string, body: object, more: object = {}): JsonObject {
  return { schema_version: "1.0", type: "response", id, correlation_id: id, ...body, ...more } as JsonObject;
}

export function delta(
  text: string,
  place: { stream_id?: string; cursor?: number } = {},
): NotificationMessage {
  const params = {
    thread_id: "th-1",
    turn_id: "tu-1",
    item_id: "it-1",
    channel: "text",
    delta: text,
  } as const;
  return { ...ENVELOPE, type: "notification", method: "item/delta", params, ...place };
}

export function sequencedDelta(
  cursor: number,
  text = `event ${cursor}`,
  stream_id = "st-1",
): NotificationMessage {
  return delta(text, { stream_id, cursor });
}

export const EVENT = {
  event_id: "ev-1",
  delivery_attempt_id: "att-1",
  event_type: "source.changed",
  created_at: "2031-04-05T06:07:08Z",
  correlation_id: "flow-0",
  project_ref: "projects/calculator",
  payload: {},
} as const;

export const THREAD = {
  thread_id: "th-1",
  status: "idle",
  ephemeral: false,
  created_at: "2031-04-05T06:07:08Z",
  updated_at: "2031-04-05T06:07:08Z",
} as const;

export const STATUS_RESULT = {
  event_id: "ev-1",
  acceptance: "received",
  processing_status: "pending",
  deliveries: 1,
  updated_at: "2031-04-05T06:07:08Z",
} as const;

export const ACTION = { kind: "command", summary: "run the tests", command: "bun test" } as const;

/** Its deadline is five minutes after {@link NOW}. */
export const APPROVAL = {
  approval_id: "ap-1",
  action: ACTION,
  action_digest: Codec.digest(ACTION),
  deadline: "2031-04-05T06:12:08Z",
} as const;

export const DEADLINE = NOW + 5 * 60_000;

export function decision(word: "approve" | "deny") {
  const { approval_id, action_digest } = APPROVAL;
  return { result: { approval_id, decision: word, action_digest, decided_at: "2031-04-05T06:10:00Z" } };
}

/** What any client can say first. */
export function hello(capabilities: readonly string[] = ALL): JsonObject {
  return request(
    "connection/initialize",
    { versions: ["1.0"], capabilities: [...capabilities] },
    { id: "c1-1" },
  );
}

export interface Setup {
  readonly capabilities?: Capability[];
  readonly limits?: Partial<Limits>;
  readonly checkpoints?: Record<string, number>;
  /** Of the first request; a client that is never given a time if absent. */
  readonly now?: number;
}

export function readyClient({ capabilities = ALL, limits = {}, checkpoints = {}, now }: Setup = {}): Client {
  return initialize(must(Client.create({ capabilities, limits, checkpoints })).client, capabilities, now);
}

export function initialize(client: Client, capabilities: Capability[] = ALL, now?: number): Client {
  const offer = { versions: ["1.0"], capabilities };
  const asked = must(client.request("connection/initialize", offer, now === undefined ? {} : { now }));
  const result = { version: "1.0", capabilities, connection_id: "k-1" };
  return must(asked.client.receive(response(asked.message.id, { result }))).client;
}

export const METHODS: readonly RequestMethod[] = [
  "project/event.receive",
  "project/event.status",
  "project/event.report",
  "thread/start",
  "thread/read",
  "thread/resume",
  "turn/start",
  "turn/steer",
  "turn/interrupt",
  "stream/resume",
  "approval/request",
  "request/cancel",
];

export function readyServer<S>(
  handler: Partial<Handler<S>>,
  state: S,
  { limits = {}, now }: Setup = {},
): Server<S> {
  const whole: Handler<S> = {
    capabilities: ALL,
    methods: METHODS,
    handleRequest: () => ({ error: { code: "unavailable", message: "not in this test" } }),
    ...handler,
  };
  const { server } = must(Server.create(whole, state, { connectionId: "k-1", limits }));
  return must(server.receive(hello(), now === undefined ? {} : { now })).server;
}

/** A status request with an id. */
export function status(id: string, more: object = {}): JsonObject {
  return request("project/event.status", { event_id: "ev-1" }, { id, ...more });
}

/** A mutation with an id and a command. */
export function interrupt(id: string, command_id: string): JsonObject {
  return request("turn/interrupt", { thread_id: "th-1", turn_id: "tu-1" }, { id, command_id });
}

export function asRequest(message: JsonObject): RequestMessage {
  const decoded = must(Codec.encode(message)).message;
  if (decoded.type !== "request") throw new Error("not a request");
  return decoded;
}
