/** What a server knows of its connection. A plain value; `server.ts` wraps it. */

import { type ProtocolError, fail } from "../error.ts";
import type { Handler } from "../handler.ts";
import type { Limits } from "../limits.ts";
import type { Capability, Message } from "../message.ts";
import type { OpenRequests } from "./answer.ts";
import type { Outgoing } from "./outgoing.ts";
import type { Streams } from "./streams.ts";

export type ServerPhase = "awaiting" | "ready" | "closed";

export interface ServerState<S> {
  readonly limits: Readonly<Limits>;
  readonly handler: Handler<S>;
  /** The handler's groups as they were when the server was created. */
  readonly capabilities: readonly Capability[];
  readonly connectionId: string;
  readonly phase: ServerPhase;
  readonly negotiated: readonly Capability[];
  /** The host's state of this connection (R96). */
  readonly host: S;
  readonly outgoing: Outgoing;
  /** Requests of the client that the handler deferred (R101). */
  readonly deferred: OpenRequests;
  /** The client's streams: an event is processed as soon as it was handed over (R103). */
  readonly streams: Streams;
}

/** The next state and what is to be sent; or an error, the old state, and what is to be sent about it. */
export type ServerMove<S, T = object> =
  | ({ ok: true; state: ServerState<S>; messages: Message[]; fault?: unknown } & T)
  | ServerFailure;

export interface ServerFailure {
  ok: false;
  error: ProtocolError;
  messages: Message[];
  fault?: unknown;
}

export function refuse(error: ProtocolError, messages: Message[] = []): ServerFailure {
  return { ok: false, error, messages };
}

/** What a callback returned, or that it threw. A promise counts as thrown (R100): it says nothing yet. */
export type Called<T> =
  | { readonly threw: false; readonly value: T }
  | { readonly threw: true; readonly fault: unknown };

export function call<T>(callback: () => T): Called<T> {
  try {
    const value = callback();
    return isPromise(value) ? { threw: true, fault: promised() } : { threw: false, value };
  } catch (fault) {
    return { threw: true, fault };
  }
}

/** A promise is never waited for, so its rejection is taken here and not left to end the process. */
export function isPromise(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("then" in value)) return false;
  if (typeof value.then !== "function") return false;
  if (value instanceof Promise) value.catch(() => undefined);
  return true;
}

/** Whether an outcome is a promise or has one for a member: `{ result: work() }` is how it is forgotten. */
export function isPending(outcome: unknown): boolean {
  if (isPromise(outcome)) return true;
  if (typeof outcome !== "object" || outcome === null) return false;
  // Each of them is asked, since each may reject.
  return Object.values(outcome).map(isPromise).includes(true);
}

export function promised(): ProtocolError {
  return fail("invalid_argument", "a callback returned a promise: what takes time must be deferred").error;
}
