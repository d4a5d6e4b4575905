/**
 * Plays the recorded traces of `fixtures/protocol/traces.json`: a client, a server or a replay log, calls on it, and what
 * each call gives. Names in the file are the snake_case spelling of the API's.
 */
import { expect } from "bun:test";
import {
  Client,
  Codec,
  type Handler,
  type JsonObject,
  type JsonValue,
  ProtocolError,
  Replay,
  Server,
} from "../../src/protocol/index.ts";

export interface Trace {
  readonly name: string;
  readonly requirements: readonly string[];
  readonly client?: JsonObject;
  readonly server?: JsonObject;
  readonly replay?: JsonObject;
  readonly create_code?: string;
  readonly generate_appends?: { readonly count: number };
  readonly steps: readonly {
    readonly do: string;
    readonly args: readonly JsonValue[];
    readonly expect: JsonObject;
  }[];
}

/** How a received message is handed over; the outcome must not depend on it. */
export const FORMS: Readonly<Record<string, (message: JsonValue) => unknown>> = {
  object: (message) => structuredClone(message),
  text: (message) => JSON.stringify(message),
  bytes: (message) => new TextEncoder().encode(JSON.stringify(message)),
};

const SECRET = "words of an exception";
const OPTIONS_AT: Readonly<Record<string, number>> = { request: 2, receive: 1, reply: 2 };

type Role = "client" | "server" | "replay";
/** What any call returns, as far as this runner looks at it. */
interface Returned {
  readonly ok: boolean;
  readonly error?: unknown;
  readonly [member: string]: unknown;
}
type Subject = Record<string, unknown>;

export function play(trace: Trace, form: (message: JsonValue) => unknown): void {
  const calls: JsonValue[] = [];
  const role: Role = trace.client ? "client" : trace.server ? "server" : "replay";
  const created = create(role, trace, calls) as Returned;
  expect(codeOf(created)).toBe(trace.create_code ?? "ok");
  if (!created.ok) return;
  let subject = created[role] as Subject;
  for (let count = 1; count <= (trace.generate_appends?.count ?? 0); count++)
    subject = appendDelta(subject, count);
  for (const [index, step] of trace.steps.entries()) {
    const member = step.do.slice(role.length + 1);
    const label = `step ${index + 1}: ${step.do}`;
    if ("value" in step.expect) {
      expect<unknown>([label, read(subject, member)]).toEqual([label, step.expect["value"]]);
      continue;
    }
    calls.length = 0;
    const args = () => argumentsOf(member, step.args, form);
    const returned = invoke(subject, member, args());
    const shown = { ...show(returned), handler_calls: calls };
    const compared = Object.keys(shown).filter((name) => name in step.expect || name === "rejection");
    const actual = Object.fromEntries(compared.map((name) => [name, shown[name as keyof typeof shown]]));
    expect<unknown>([label, actual]).toEqual([label, step.expect]);
    expectSendable(returned);
    if (!returned.ok) expect(returned[role] ?? subject).toBe(subject);
    // What was left behind still answers as it did; a server's handler is not asked twice.
    if (role !== "server") expect(show(invoke(subject, member, args()))).toEqual(show(returned));
    subject = (returned[role] as Subject | undefined) ?? subject;
  }
}

function create(role: Role, trace: Trace, calls: JsonValue[]): unknown {
  const setup = structuredClone(trace[role]) ?? {};
  if (role === "replay")
    return Replay.create(camelCase(setup) as unknown as Parameters<typeof Replay.create>[0]);
  const shared = {
    checkpoints: setup["checkpoints"] ?? {},
    limits: camelCase((setup["limits"] ?? {}) as JsonObject),
  };
  if (role === "client") {
    return Client.create({ ...shared, capabilities: setup["capabilities"] } as unknown as Parameters<
      typeof Client.create
    >[0]);
  }
  return Server.create(scripted(setup, calls), {}, { ...shared, connectionId: "k-1" } as Parameters<
    typeof Server.create
  >[2]);
}

function camelCase(object: JsonObject): JsonObject {
  const spell = (key: string) => key.replace(/_[a-z]/g, (found) => found.charAt(1).toUpperCase());
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [spell(key), value]));
}

const GROUP_METHODS: Readonly<Record<string, readonly string[]>> = {
  "project_events.v1": ["project/event.receive", "project/event.status", "project/event.report"],
  "sessions.v1": [
    "thread/start",
    "thread/read",
    "thread/resume",
    "turn/start",
    "turn/steer",
    "turn/interrupt",
  ],
  "streaming.v1": ["stream/resume"],
  "approvals.v1": ["approval/request"],
  "cancellation.v1": ["request/cancel"],
};

/** A handler that answers each method from its list, and throws where the list is at its end. */
function scripted(setup: JsonObject, calls: JsonValue[]): Handler<object> {
  const script = (setup["script"] ?? {}) as Record<string, JsonObject[]>;
  const groups = setup["capabilities"] as string[];
  let isThrowing = setup["notifications"] === "throw_once";
  const handler = {
    capabilities: groups,
    methods: setup["methods"] ?? groups.flatMap((group) => GROUP_METHODS[group] ?? []),
    handleRequest({ id, method }: { id: string; method: string }) {
      calls.push({ request: id, method });
      const answer = script[method]?.shift();
      if (answer === undefined || (typeof answer === "object" && answer["throw"])) throw new Error(SECRET);
      return answer;
    },
    handleNotification({ method, cursor }: { method: string; cursor?: number }) {
      if (isThrowing) {
        isThrowing = false;
        throw new Error(SECRET);
      }
      calls.push(cursor === undefined ? { notification: method } : { notification: method, cursor });
    },
    handleResponse({ id }: { id: string }, outcome: { error?: { code: string }; result?: JsonObject }) {
      calls.push({
        response: id,
        outcome: outcome.error ? { code: outcome.error.code } : (outcome.result ?? {}),
      });
    },
  };
  const { handleNotification, handleResponse, ...required } = handler;
  const optional = {
    ...(setup["notifications"] !== undefined && { handleNotification }),
    ...(setup["responses"] !== undefined && { handleResponse }),
  };
  return { ...required, ...optional } as unknown as Handler<object>;
}

function appendDelta(log: Subject, cursor: number): Subject {
  const params = {
    thread_id: "th-1",
    turn_id: "tu-1",
    item_id: "it-1",
    channel: "text",
    delta: String(cursor),
  };
  const envelope = {
    schema_version: "1.0",
    type: "notification",
    correlation_id: "flow-1",
    method: "item/delta",
  };
  const appended = invoke(log, "append", [{ ...envelope, params }]);
  return appended["replay"] as Subject;
}

function invoke(subject: Subject, member: string, args: readonly unknown[]): Returned {
  const method = subject[member] as (...args: readonly unknown[]) => Returned;
  return method.apply(subject, [...args]);
}

function read(subject: Subject, member: string): unknown {
  const value = subject[member];
  if (value instanceof Map) return [...value.keys()];
  return typeof value === "function" ? value.call(subject) : value;
}

function argumentsOf(
  member: string,
  args: readonly JsonValue[],
  form: (message: JsonValue) => unknown,
): unknown[] {
  return structuredClone([...args]).map((value, index) => {
    if (index === OPTIONS_AT[member]) return camelCase(value as JsonObject);
    return member === "receive" && index === 0 && typeof value === "object" ? form(value) : value;
  });
}

function codeOf(returned: Returned): string {
  if (returned.ok) return "ok";
  expect(returned.error).toBeInstanceOf(ProtocolError);
  return (returned.error as ProtocolError).code;
}

/** A returned step in the words of the traces. */
function show(returned: Returned): Record<string, unknown> {
  const { request, result, message, rejection, messages, effects } = returned;
  const page = result as { cursor: number; events: { cursor: number }[] } | undefined;
  return {
    ...(returned.ok ? { ok: true } : { ok: false, code: codeOf(returned) }),
    ...(request !== undefined && { request }),
    ...(page !== undefined && {
      result: page,
      cursor: page.cursor,
      event_count: page.events.length,
      first_cursor: page.events[0]?.cursor ?? null,
    }),
    ...(message !== undefined && { message: withBareError(message) }),
    ...(rejection !== undefined && { rejection: withBareError(rejection) }),
    ...(messages !== undefined && { messages: (messages as unknown[]).map(withBareError) }),
    ...(effects !== undefined && { effects: (effects as unknown[]).map(withErrorCode) }),
  };
}

function withBareError(message: unknown): unknown {
  const { error, ...rest } = message as { error?: { code: string } };
  return error === undefined ? rest : { ...rest, error: { code: error.code } };
}

function withErrorCode(effect: unknown): unknown {
  const { error, ...rest } = effect as { error?: { code: string } };
  return error === undefined ? rest : { ...rest, code: error.code };
}

/** Whatever a step wants sent can be sent, and shows nothing of a callback's exception. */
function expectSendable({ message, rejection, messages, error }: Returned): void {
  const outgoing = [message, rejection, ...((messages as unknown[] | undefined) ?? [])].filter(
    (sent) => sent,
  );
  for (const sent of outgoing) expect(Codec.encode(sent).ok).toBe(true);
  expect(JSON.stringify(outgoing) + String((error as ProtocolError | undefined)?.message)).not.toContain(
    SECRET,
  );
}
