/** The client's end of a connection (sections 6 and 7). */

import { capabilitiesOf, groupOfNotification, groupOfRequest, refusal } from "./capability.ts";
import { readMessage } from "./codec.ts";
import { answer, type Outcome, openFor, rejectionOf } from "./connection/answer.ts";
import { approves, lateness } from "./connection/approval.ts";
import { type Effect, receiveMessage, receiveNotification } from "./connection/client-receive.ts";
import {
  type ClientPhase,
  type ClientState,
  ended,
  type Move,
  newClient,
  renewed,
} from "./connection/client-state.ts";
import { checkedNotification } from "./connection/notify.ts";
import { type OptionsOf, type TimeOptions, timeOf } from "./connection/options.ts";
import { add, advance, clash, draft, type Held, nextDeadline } from "./connection/outgoing.ts";
import { take } from "./connection/queue.ts";
import { abandon, type Ended, expire, type Resolution, resolve } from "./connection/settle.ts";
import {
  acknowledge,
  adopt,
  checkpointsOf,
  drainEvents,
  forget,
  isPlace,
  placeOf,
  receivedOf,
  restore,
} from "./connection/streams.ts";
import { fail, type ProtocolError, type Result } from "./error.ts";
import { digestOf } from "./json/canonical.ts";
import { snapshotObject } from "./json/snapshot.ts";
import type { JsonObject } from "./json/value.ts";
import { isCount, isPosition, type Limits, limitsOf, RESULT_DEPTH_MAX } from "./limits.ts";
import {
  type Capability,
  isRequestMethod,
  type NotificationMessage,
  type ParamsOf,
  type RequestMessage,
  type RequestMethod,
  type ResponseMessage,
} from "./message.ts";
import { REQUESTS } from "./schema/methods.ts";

/** The next client; or an error with the very same client, and what should be sent about it (R55, R73). */
export type Step<T> =
  | ({ ok: true; client: Client } & T)
  | { ok: false; error: ProtocolError; client: Client; rejection?: ResponseMessage };

export interface ClientOptions {
  /** Distinct groups that may be offered (R39). */
  capabilities: Capability[];
  /** Processed positions by stream, of the same authenticated host (R83). */
  checkpoints?: Record<string, number>;
  limits?: Partial<Limits>;
}

/**
 * An immutable value. A call returns the next client, or `ok: false` with this very one, and has no other effect:
 * the caller sends the messages, handles the effects, keeps the time, and journals its commands.
 */
export class Client {
  readonly #state: ClientState;

  private constructor(state: ClientState) {
    this.#state = state;
  }

  /** `invalid_argument` for a bad group, bound or checkpoint; `overflow` for too many checkpoints. */
  static create(options: ClientOptions): Result<{ client: Client }> {
    if (typeof options !== "object" || options === null)
      return fail("invalid_argument", "options must be an object");
    const limits = limitsOf(options.limits);
    if (!limits.ok) return limits;
    const groups = capabilitiesOf(options.capabilities);
    if (!groups.ok) return groups;
    const restored = restore(options.checkpoints, limits.limits);
    if (!restored.ok) return restored;
    const state = newClient(limits.limits, groups.capabilities, restored.streams);
    return { ok: true, client: new Client(state) };
  }

  get phase(): ClientPhase {
    return this.#state.phase;
  }

  /** What the client was created with, sorted (R39). */
  get capabilities(): readonly Capability[] {
    return this.#state.capabilities;
  }

  get generation(): number {
    return this.#state.generation;
  }

  /** Null unless ready. */
  get connectionId(): string | null {
    return this.#state.connectionId;
  }

  /** Sorted; empty unless ready. */
  get negotiated(): readonly Capability[] {
    return this.#state.negotiated;
  }

  /** Mutations of unknown outcome by command id (R63, R64, R67). It replaces no journal (R66). */
  get uncertain(): ReadonlyMap<string, Held> {
    return new Map(this.#state.outgoing.uncertain);
  }

  get counts(): { pending: number; uncertain: number; incoming: number; buffered: number; streams: number } {
    const { outgoing, incoming, buffer, streams } = this.#state;
    return {
      pending: outgoing.waiting.size,
      uncertain: outgoing.uncertain.size,
      incoming: incoming.size,
      buffered: buffer.size,
      streams: streams.size,
    };
  }

  /** When the caller's timer should call `expire`; null where no deadline is known. */
  get nextDeadline(): number | null {
    return nextDeadline(this.#state.outgoing);
  }

  /** Makes a request to send. It is never sent again by this library (R56-R59, R66). */
  request<M extends RequestMethod>(
    method: M,
    params: ParamsOf<M>,
    ...options: OptionsOf<M>
  ): Step<{ message: RequestMessage<M> }> {
    const made = makeRequest(this.#state, method, params, options[0]);
    // The draft was checked by the definition of exactly this method.
    return this.#step(made.ok ? { ...made, message: made.message as RequestMessage<M> } : made);
  }

  /** Takes wire text, its bytes, or an object in memory. */
  receive(input: string | Uint8Array | object, options?: TimeOptions): Step<{ effects: Effect[] }> {
    const state = this.#state;
    if (state.phase === "disconnected") return this.#fail(disconnected().error);
    const time = timeOf(options);
    if (!time.ok) return this.#fail(time.error);
    const read = readMessage(input, state.limits.messageBytes);
    if (!read.ok) return this.#reject(read.error, read.refused);
    const outgoing = advance(state.outgoing, time.now);
    const received = receiveMessage(
      outgoing === state.outgoing ? state : { ...state, outgoing },
      read.message,
    );
    if (received.ok) return this.#step(received);
    return read.message.type === "request"
      ? this.#reject(received.error, read.message)
      : this.#fail(received.error);
  }

  /** Answers exactly that request of the host; until then it stays open (R70-R72). */
  reply(
    request: RequestMessage,
    outcome: Outcome,
    options?: TimeOptions,
  ): Step<{ message: ResponseMessage }> {
    return this.#step(replyTo(this.#state, request, outcome, options));
  }

  /** Ingests the events of a page that `stream/resume` brought on this connection: all or nothing (R84). */
  receiveReplay(result: JsonObject): Step<{ effects: [] }> {
    return this.#step(ingest(this.#state, result));
  }

  /** Sets a position without history, from the head of a snapshot after `replay_gap` (R84). */
  adoptCheckpoint(streamId: string, cursor: number): Step<object> {
    if (!isPlace(streamId, cursor)) return this.#fail(notAPlace());
    const { streams, limits } = this.#state;
    return this.#move(adopt(streams, { streamId, cursor }, limits));
  }

  /** Removes a stream of which everything is processed, with its position (R125). */
  forgetStream(streamId: string): Step<object> {
    return this.#move(forget(this.#state.streams, streamId));
  }

  /** Checks a notification of a negotiated group for sending (R110). */
  notify(message: NotificationMessage): Step<{ message: NotificationMessage }> {
    const { phase, negotiated, limits } = this.#state;
    const checked = checkedNotification(message, limits.messageBytes);
    if (!checked.ok) return this.#fail(checked.error);
    if (phase !== "ready") return this.#fail(notReady().error);
    const error = refusal(groupOfNotification(checked.message.method), negotiated);
    return error === null ? { ok: true, client: this, message: checked.message } : this.#fail(error);
  }

  /** Hands out up to `max` notifications in order of arrival (R80). */
  drain(max: number): Step<{ effects: Effect[] }> {
    if (!isCount(max)) return this.#fail(fail("invalid_argument", "max must be a whole number from 1").error);
    const { buffer, streams } = this.#state;
    const { values, rest } = take(buffer, max);
    if (values.length === 0) return { ok: true, client: this, effects: [] };
    const places = values.map(placeOf).filter((place) => place !== null);
    const state = { ...this.#state, buffer: rest, streams: drainEvents(streams, places) };
    return this.#step({
      ok: true,
      state,
      effects: values.map((message) => ({ type: "notification", message })),
    });
  }

  /** Says that everything up to `cursor` was processed (R81). */
  ackCursor(streamId: string, cursor: number): Step<object> {
    if (!isPlace(streamId, cursor)) return this.#fail(notAPlace());
    return this.#move(acknowledge(this.#state.streams, { streamId, cursor }));
  }

  /** Processed positions, to be stored under this host and principal (R82). */
  checkpoints(): Record<string, number> {
    return checkpointsOf(this.#state.streams);
  }

  /** Ends what had its deadline at or before `now`, in milliseconds; nothing expires otherwise (R63). */
  expire(now: number): Step<{ effects: Effect[] }> {
    if (!isPosition(now)) return this.#fail(fail("invalid_argument", "now must be whole milliseconds").error);
    const { outgoing, ended: late } = expire(this.#state.outgoing, now, this.#state.limits);
    const isUninitialized = late.some(({ request }) => request.method === "connection/initialize");
    const phase = isUninitialized ? "new" : this.#state.phase;
    return this.#step({ ok: true, state: { ...this.#state, outgoing, phase }, effects: late.map(effectOf) });
  }

  /** Ends the connection: reads are `disconnected`, mutations are held (R64). */
  disconnect(): Step<{ effects: Effect[] }> {
    if (this.#state.phase === "disconnected") return { ok: true, client: this, effects: [] };
    const { outgoing, ended: cut } = abandon(this.#state.outgoing);
    return this.#step({ ok: true, state: ended(this.#state, outgoing), effects: cut.map(effectOf) });
  }

  /** Begins a new connection, which must be initialized and repeats nothing (R65). */
  reconnect(): Step<object> {
    if (this.#state.phase === "disconnected") return this.#step({ ok: true, state: renewed(this.#state) });
    return this.#fail(fail("conflict", "the client is not disconnected").error);
  }

  /** Ends a hold after the authenticated host was asked or a recorded audit was made (R66). */
  resolveUncertain(commandId: string, resolution: Resolution): Step<{ request: RequestMessage }> {
    const resolved = resolve(this.#state.outgoing, commandId, resolution);
    if (!resolved.ok) return this.#fail(resolved.error);
    const { outgoing, request } = resolved;
    return this.#step({ ok: true, state: { ...this.#state, outgoing }, request });
  }

  #step<T extends object>(move: Move<T>): Step<T> {
    if (!move.ok) return this.#fail(move.error);
    const { state, ok, ...rest } = move;
    const client = state === this.#state ? this : new Client(state);
    return { ok, client, ...rest } as Step<T>;
  }

  #move(moved: Result<{ streams: ClientState["streams"] }>): Step<object> {
    if (!moved.ok) return this.#fail(moved.error);
    const { streams } = moved;
    const state = streams === this.#state.streams ? this.#state : { ...this.#state, streams };
    return this.#step({ ok: true, state });
  }

  #fail(error: ProtocolError): { ok: false; error: ProtocolError; client: Client } {
    return { ok: false, error, client: this };
  }

  #reject(error: ProtocolError, refused: JsonObject | undefined): Step<never> {
    const rejection = rejectionOf(refused, error, this.#state.incoming);
    return rejection === null ? this.#fail(error) : { ...this.#fail(error), rejection };
  }
}

/** R56, in its order. */
function makeRequest(
  state: ClientState,
  method: RequestMethod,
  params: unknown,
  given: OptionsOf<RequestMethod>[0],
): Move<{ message: RequestMessage }> {
  const { phase, outgoing, limits } = state;
  if (phase === "disconnected") return disconnected();
  const isFirst = method === "connection/initialize";
  if (isFirst && phase !== "new") return fail("conflict", "the connection is initialized or about to be");
  if (!isFirst && phase !== "ready") return notReady();
  if (!isRequestMethod(method)) return fail("unsupported_method", "no such request");
  const error = refusal(groupOfRequest(method), state.negotiated);
  if (error !== null) return { ok: false, error };
  const drafted = draft(outgoing, method, params, given, limits.messageBytes);
  if (!drafted.ok) return drafted;
  const { request: message, options } = drafted;
  const refused = offerError(state, message) ?? clash(outgoing, message) ?? resumeError(state, message);
  if (refused !== null) return { ok: false, error: refused };
  const added = add(outgoing, message, options, limits);
  if (!added.ok) return added;
  return {
    ok: true,
    state: { ...state, outgoing: added.outgoing, phase: isFirst ? "initializing" : phase },
    message,
  };
}

/** R39: only what the client was created with. */
function offerError({ capabilities }: ClientState, request: RequestMessage): ProtocolError | null {
  if (request.method !== "connection/initialize") return null;
  const isOwn = request.params.capabilities.every((name) => capabilities.some((group) => group === name));
  return isOwn
    ? null
    : fail("invalid_argument", "a group is offered that the client was not created with").error;
}

/** R86: nothing is asked beyond what was received. */
function resumeError({ streams }: ClientState, request: RequestMessage): ProtocolError | null {
  if (request.method !== "stream/resume") return null;
  const { stream_id, cursor } = request.params;
  return cursor <= receivedOf(streams, stream_id)
    ? null
    : fail("cursor_gap", "the cursor is beyond what was received").error;
}

function replyTo(
  state: ClientState,
  request: unknown,
  outcome: unknown,
  options: TimeOptions | undefined,
): Move<{ message: ResponseMessage }> {
  if (state.phase === "disconnected") return disconnected();
  const time = timeOf(options);
  if (!time.ok) return time;
  const found = openFor(state.incoming, request);
  if (!found.ok) return found;
  const { open } = found;
  const answered = answer(open, outcome, state.limits.messageBytes);
  if (!answered.ok) return answered;
  const { message } = answered;
  const outgoing = advance(state.outgoing, time.now);
  if (open.deadline !== null && "result" in message && approves(message.result)) {
    const late = lateness(open.deadline, outgoing.now);
    if (late !== null) return { ok: false, error: late };
  }
  const incoming = new Map(state.incoming);
  incoming.delete(open.identity.id);
  return { ok: true, state: { ...state, outgoing, incoming }, message };
}

function ingest(state: ClientState, result: unknown): Move<{ effects: [] }> {
  const taken = snapshotObject(result, RESULT_DEPTH_MAX);
  const at = taken === null ? -1 : state.pages.indexOf(digestOf(taken.value));
  const page = REQUESTS["stream/resume"].result.safeParse(taken?.value);
  if (at < 0 || !page.success)
    return fail("foreign_stream", "no page that is to be ingested on this connection");
  let next: ClientState = { ...state, pages: state.pages.toSpliced(at, 1) };
  for (const event of page.data.events) {
    const received = receiveNotification(next, event);
    if (!received.ok) return received;
    next = received.state;
  }
  return { ok: true, state: next, effects: [] };
}

function effectOf({ request, error }: Ended): Effect {
  return { type: "error", id: request.id, error };
}

function disconnected(): { ok: false; error: ProtocolError } {
  return fail("disconnected", "the client is not connected");
}

function notReady(): { ok: false; error: ProtocolError } {
  return fail("not_initialized", "the connection is not ready");
}

function notAPlace(): ProtocolError {
  return fail("invalid_argument", "not a stream id with a position").error;
}
