/** What a host implements (R41, R96-R108). */

import { capabilitiesOf, methodsOf } from "./capability.ts";
import type { Outcome } from "./connection/answer.ts";
import { fail, type Result } from "./error.ts";
import type { Capability, NotificationMessage, RequestMessage, RequestMethod } from "./message.ts";

export interface HandlerContext {
  readonly connectionId: string;
  /** Milliseconds since the epoch. Infinity at a server that was never given a time: there every deadline has passed. */
  readonly now: number;
}

/**
 * One agent's side of the protocol. `S` is the state of one connection; what must outlive it lies in a store that `S`
 * refers to or the handler closes over. Callbacks are synchronous: what takes time is deferred and completed later.
 * An exception is answered `internal`, and nothing of it leaves the process.
 */
export interface Handler<S> {
  /** Distinct groups (R39). */
  readonly capabilities: readonly Capability[];
  /** Exactly the request methods of these groups (R41). */
  readonly methods: readonly RequestMethod[];
  /** Exactly one of `result`, `error` and `deferred`, each with the next state if it changes (R101). */
  handleRequest(
    request: RequestMessage,
    state: S,
    context: HandlerContext,
  ): (Outcome | { deferred: true }) & { state?: S };
  /** Notifications of the client; without it they are `unsupported_method` (R103). */
  // biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing keeps the state
  handleNotification?(message: NotificationMessage, state: S): S | void;
  /** How a request of the host ended; without it the host cannot ask for anything (R104, R105). */
  // biome-ignore lint/suspicious/noConfusingVoidType: a callback that returns nothing keeps the state
  handleResponse?(request: RequestMessage, outcome: Outcome, state: S): S | void;
}

/** R39, R41: the groups of a handler that may be served. */
export function checkHandler(handler: unknown): Result<{ capabilities: readonly Capability[] }> {
  if (typeof handler !== "object" || handler === null)
    return fail("invalid_argument", "a handler must be an object");
  const { capabilities, methods, handleRequest, handleNotification, handleResponse } = handler as Partial<
    Handler<unknown>
  >;
  const groups = capabilitiesOf(capabilities);
  if (!groups.ok) return groups;
  const expected = new Set<unknown>(methodsOf(groups.capabilities));
  const named = new Set<unknown>(Array.isArray(methods) ? methods : []);
  if (expected.symmetricDifference(named).size > 0) {
    return fail("invalid_argument", "methods must name exactly the request methods of the groups");
  }
  const isCallable = (callback: unknown) => typeof callback === "function";
  const optional = [handleNotification, handleResponse].filter((callback) => callback !== undefined);
  if (!isCallable(handleRequest) || !optional.every(isCallable)) {
    return fail("invalid_argument", "the callbacks of a handler must be functions");
  }
  return groups;
}
