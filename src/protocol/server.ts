/** The host's end of one authenticated connection (section 9). */

import { groupOfNotification, groupOfRequest, refusal } from "./capability.ts";
import { readMessage } from "./codec.ts";
import { type Outcome, rejectionOf } from "./connection/answer.ts";
import { checkedNotification } from "./connection/notify.ts";
import { type OptionsOf, type TimeOptions, timeOf } from "./connection/options.ts";
import { add, advance, clash, draft, type Held, nextDeadline, noRequests } from "./connection/outgoing.ts";
import { endRequests, receiveNotification, receiveResponse } from "./connection/server-receive.ts";
import { notReady, receiveRequest, respond } from "./connection/server-request.ts";
import {
  refuse,
  type ServerFailure,
  type ServerMove,
  type ServerPhase,
  type ServerState,
} from "./connection/server-state.ts";
import { abandon, expire, type Resolution, resolve } from "./connection/settle.ts";
import { checkpointsOf, restore } from "./connection/streams.ts";
import { fail, type ProtocolError, type Result } from "./error.ts";
import { checkHandler, type Handler } from "./handler.ts";
import { isPosition, type Limits, limitsOf } from "./limits.ts";
import type {
  Capability,
  HostMethod,
  Message,
  NotificationMessage,
  ParamsOf,
  RequestMessage,
} from "./message.ts";
import { isRequestMethod } from "./message.ts";
import { Id } from "./schema/scalar.ts";
import { REQUESTS } from "./schema/methods.ts";

/**
 * The next server and what is to be sent in order; or an error, the very same server, and what is to be sent about it.
 * `fault` is what a callback threw, for the eyes of the host's owner only (R99).
 */
export type ServerStep<S, T = object> =
  | ({ ok: true; server: Server<S>; messages: Message[]; fault?: unknown } & T)
  | { ok: false; error: ProtocolError; server: Server<S>; messages: Message[]; fault?: unknown };

export interface ServerOptions {
  /** An Id; what the client learns as `connection_id`. */
  connectionId: string;
  limits?: Partial<Limits>;
  /** Processed positions of the client's streams (R103). */
  checkpoints?: Record<string, number>;
}

/** An immutable value, one for each authenticated connection. Only what the handler's callbacks do has effects. */
export class Server<S> {
  readonly #state: ServerState<S>;

  private constructor(state: ServerState<S>) {
    this.#state = state;
  }

  /** `invalid_argument` for a handler or option that is not as it must be; `overflow` for too many checkpoints. */
  static create<S>(handler: Handler<S>, state: S, options: ServerOptions): Result<{ server: Server<S> }> {
    const checked = checkHandler(handler);
    if (!checked.ok) return checked;
    if (typeof options !== "object" || options === null || !Id.safeParse(options.connectionId).success) {
      return fail("invalid_argument", "a server needs a connection id");
    }
    const limits = limitsOf(options.limits);
    if (!limits.ok) return limits;
    const restored = restore(options.checkpoints, limits.limits);
    if (!restored.ok) return restored;
    return {
      ok: true,
      server: new Server({
        limits: limits.limits,
        handler,
        capabilities: checked.capabilities,
        connectionId: options.connectionId,
        phase: "awaiting",
        negotiated: [],
        host: state,
        outgoing: noRequests("s-"),
        deferred: new Map(),
        streams: restored.streams,
      }),
    };
  }

  get phase(): ServerPhase {
    return this.#state.phase;
  }

  get state(): S {
    return this.#state.host;
  }

  /** Sorted; empty before the connection is ready. */
  get negotiated(): readonly Capability[] {
    return this.#state.negotiated;
  }

  /** Requests of the host of unknown outcome, by command id (R63, R64, R67). */
  get uncertain(): ReadonlyMap<string, Held> {
    return new Map(this.#state.outgoing.uncertain);
  }

  get nextDeadline(): number | null {
    return nextDeadline(this.#state.outgoing);
  }

  get counts(): { pending: number; uncertain: number; deferred: number; streams: number } {
    const { outgoing, deferred, streams } = this.#state;
    return {
      pending: outgoing.waiting.size,
      uncertain: outgoing.uncertain.size,
      deferred: deferred.size,
      streams: streams.size,
    };
  }

  /** The same connection with another state of the host. */
  withState(state: S): Server<S> {
    return new Server({ ...this.#state, host: state });
  }

  /** Takes wire text, its bytes, or an object in memory. The caller authenticated the connection before (R98). */
  receive(input: string | Uint8Array | object, options?: TimeOptions): ServerStep<S> {
    const { phase, limits, outgoing, deferred } = this.#state;
    if (phase === "closed") return this.#fail(closed());
    const time = timeOf(options);
    if (!time.ok) return this.#fail(time.error);
    const read = readMessage(input, limits.messageBytes);
    if (!read.ok) {
      const rejection = rejectionOf(read.refused, read.error, deferred);
      return this.#fail(read.error, rejection === null ? [] : [rejection]);
    }
    const at = advance(outgoing, time.now);
    return this.#step(
      receive(at === outgoing ? this.#state : { ...this.#state, outgoing: at }, read.message),
    );
  }

  /** Answers a deferred request (R101). An outcome that does not fit it is answered `internal` (R100). */
  complete(id: string, outcome: Outcome): ServerStep<S> {
    if (this.#state.phase === "closed") return this.#fail(closed());
    const open = this.#state.deferred.get(id);
    if (open === undefined)
      return this.#fail(fail("unknown_request", "no deferred request has this id").error);
    const deferred = new Map(this.#state.deferred);
    deferred.delete(id);
    return this.#step(respond({ ...this.#state, deferred }, open, outcome));
  }

  /** Asks the client; `messages` is the request (R104). Needs a `handleResponse` callback. */
  request<M extends HostMethod>(method: M, params: ParamsOf<M>, ...options: OptionsOf<M>): ServerStep<S> {
    return this.#step(makeRequest(this.#state, method, params, options[0]));
  }

  /** Checks a notification of a negotiated group; `messages` is the notification (R110). */
  notify(message: NotificationMessage): ServerStep<S> {
    const { phase, negotiated, limits } = this.#state;
    if (phase === "closed") return this.#fail(closed());
    const checked = checkedNotification(message, limits.messageBytes);
    if (!checked.ok) return this.#fail(checked.error);
    if (phase !== "ready") return this.#fail(notReady());
    const error = refusal(groupOfNotification(checked.message.method), negotiated);
    return error === null
      ? this.#step({ ok: true, state: this.#state, messages: [checked.message] })
      : this.#fail(error);
  }

  /** Ends the host's requests whose deadline is at or before `now`, through `handleResponse` (R107). */
  expire(now: number): ServerStep<S> {
    if (this.#state.phase === "closed") return this.#step({ ok: true, state: this.#state, messages: [] });
    if (!isPosition(now)) return this.#fail(fail("invalid_argument", "now must be whole milliseconds").error);
    const { outgoing, ended } = expire(this.#state.outgoing, now, this.#state.limits);
    return this.#step(endRequests({ ...this.#state, outgoing }, ended));
  }

  /** Ends the connection: the host's requests end through `handleResponse`, deferred ones are dropped (R107). */
  close(): ServerStep<S> {
    if (this.#state.phase === "closed") return this.#step({ ok: true, state: this.#state, messages: [] });
    const { outgoing, ended } = abandon(this.#state.outgoing);
    return this.#step(endRequests({ ...this.#state, phase: "closed", outgoing, deferred: new Map() }, ended));
  }

  /** Processed positions of the client's streams; storing them is the host's business (R103). */
  checkpoints(): Record<string, number> {
    return checkpointsOf(this.#state.streams);
  }

  /** As {@link Client.resolveUncertain}, for a request of the host (R66). */
  resolveUncertain(commandId: string, resolution: Resolution): ServerStep<S, { request: RequestMessage }> {
    const resolved = resolve(this.#state.outgoing, commandId, resolution);
    if (!resolved.ok) return this.#fail(resolved.error);
    const { outgoing, request } = resolved;
    return this.#step({ ok: true, state: { ...this.#state, outgoing }, messages: [], request });
  }

  #step<T extends object>(move: ServerMove<S, T>): ServerStep<S, T> {
    if (!move.ok) return { ...move, server: this };
    const { state, ...rest } = move;
    const server = state === this.#state ? this : new Server(state);
    return { ...rest, server } as ServerStep<S, T>;
  }

  #fail(error: ProtocolError, messages: Message[] = []): { server: Server<S> } & ServerFailure {
    return { ...refuse(error, messages), server: this };
  }
}

function receive<S>(state: ServerState<S>, message: Message): ServerMove<S> {
  switch (message.type) {
    case "request":
      return receiveRequest(state, message);
    case "response":
      return receiveResponse(state, message);
    case "notification":
      return receiveNotification(state, message);
  }
}

/** R104, in the order of R56. */
function makeRequest<S>(
  state: ServerState<S>,
  method: HostMethod,
  params: unknown,
  given: OptionsOf<HostMethod>[0],
): ServerMove<S> {
  const { phase, outgoing, limits, handler } = state;
  if (phase === "closed") return refuse(closed());
  if (phase !== "ready") return refuse(notReady());
  if (!isRequestMethod(method) || !REQUESTS[method].both) {
    return refuse(fail("unsupported_method", "a host does not send this request").error);
  }
  const error = refusal(groupOfRequest(method), state.negotiated);
  if (error !== null) return refuse(error);
  if (handler.handleResponse === undefined) {
    return refuse(fail("invalid_argument", "the handler has no callback for the response").error);
  }
  const drafted = draft(outgoing, method, params, given, limits.messageBytes);
  if (!drafted.ok) return refuse(drafted.error);
  const clashing = clash(outgoing, drafted.request);
  if (clashing !== null) return refuse(clashing);
  const added = add(outgoing, drafted.request, drafted.options, limits);
  if (!added.ok) return refuse(added.error);
  return { ok: true, state: { ...state, outgoing: added.outgoing }, messages: [drafted.request] };
}

function closed(): ProtocolError {
  return fail("disconnected", "the connection is closed").error;
}
