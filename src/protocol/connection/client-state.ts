/** What a client knows. A plain value; `client.ts` wraps it, the functions beside it make the next one. */

import type { Result } from "../error.ts";
import type { Digest } from "../json/canonical.ts";
import type { Limits } from "../limits.ts";
import type { Capability, NotificationMessage } from "../message.ts";
import type { OpenRequests } from "./answer.ts";
import { noRequests, type Outgoing } from "./outgoing.ts";
import { emptyQueue, type Queue } from "./queue.ts";
import type { Streams } from "./streams.ts";

export type ClientPhase = "new" | "initializing" | "ready" | "disconnected";

export interface ClientState {
  readonly limits: Readonly<Limits>;
  /** What the client was created with (R39). */
  readonly capabilities: readonly Capability[];
  readonly phase: ClientPhase;
  /** From 1, one more with each reconnect (R57). */
  readonly generation: number;
  readonly connectionId: string | null;
  readonly negotiated: readonly Capability[];
  readonly outgoing: Outgoing;
  /** Requests of the host (R69). */
  readonly incoming: OpenRequests;
  readonly streams: Streams;
  /** Notifications received and not drained, deeply frozen, in order of arrival (R74). */
  readonly buffer: Queue<NotificationMessage>;
  /** Replay pages accepted on this connection and not ingested, oldest first (R84). */
  readonly pages: readonly Digest[];
}

/** The next state with what the step gives beside it. */
export type Move<T> = Result<{ state: ClientState } & T>;

export function newClient(
  limits: Readonly<Limits>,
  capabilities: readonly Capability[],
  streams: Streams,
): ClientState {
  return {
    limits,
    capabilities,
    streams,
    buffer: emptyQueue(),
    ...newConnection(1, noRequests("")),
    phase: "new",
  };
}

/** R64: what ends with a connection. Positions, buffer, time and uncertain commands stay. */
export function ended(state: ClientState, outgoing: Outgoing): ClientState {
  return { ...state, ...newConnection(state.generation, outgoing), phase: "disconnected" };
}

/** R65: the next connection begins without ids, groups or pages of the last one. */
export function renewed(state: ClientState): ClientState {
  return { ...state, ...newConnection(state.generation + 1, state.outgoing), phase: "new" };
}

function newConnection(generation: number, { now, uncertain }: Outgoing) {
  return {
    generation,
    connectionId: null,
    negotiated: [],
    outgoing: { ...noRequests(`c${generation}-`), now, uncertain },
    incoming: new Map(),
    pages: [],
  };
}
