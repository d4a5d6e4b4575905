/** Native connections that share the host, and the one queue through which everything to them goes. */

import { groupOfNotification } from "../capability.ts";
import type { Outcome } from "../connection/answer.ts";
import type { Capability, NotificationMessage, SequencedNotification } from "../message.ts";
import type { Server, ServerStep } from "../server.ts";
import type { CodexEvent } from "./event.ts";

/** The state of one connection: who is there. Its identity is what names the connection inside the host. */
export interface CodexState {
  readonly principal: string;
}

/** A connection as a transport holds it. `update` applies a step and sends its messages. */
export interface CodexConnection {
  readonly connectionId: string;
  /** The current value. */
  readonly server: Server<CodexState>;
  update<T>(step: (server: Server<CodexState>) => ServerStep<CodexState, T>): ServerStep<CodexState, T>;
}

export interface Attached {
  readonly state: CodexState;
  readonly connection: CodexConnection;
  /** Ids of requests that wait for Codex. */
  readonly deferred: Set<string>;
  /** What to do if the connection breaks: it will not say so by itself (RC33). */
  readonly whenBroken: Set<() => void>;
  hasEnded: boolean;
}

const BOTH: readonly Capability[] = ["sessions.v1", "streaming.v1"];

export class Connections {
  readonly #byState = new Map<CodexState, Attached>();
  readonly #report: (event: CodexEvent) => void;
  /** Steps that wait; a transport's own step must end before another of its connection begins. */
  #queue: (() => void)[] = [];
  /** How many callbacks of servers are running. */
  #held = 0;
  #isDraining = false;

  constructor(report: (event: CodexEvent) => void) {
    this.#report = report;
  }

  add(connection: CodexConnection): void {
    for (const attached of this.#byState.values()) {
      if (isOver(attached)) this.#byState.delete(attached.state);
    }
    const { state } = connection.server;
    this.#byState.set(state, {
      state,
      connection,
      deferred: new Set(),
      whenBroken: new Set(),
      hasEnded: false,
    });
  }

  of(state: CodexState): Attached | null {
    const attached = this.#byState.get(state);
    return attached === undefined || isOver(attached) ? null : attached;
  }

  /** Runs a callback of a server. What it wants sent waits until the step that called it has ended. */
  hold<T>(callback: () => T): T {
    this.#held += 1;
    try {
      return callback();
    } finally {
      this.#held -= 1;
      if (this.#queue.length > 0) queueMicrotask(() => this.#drain());
    }
  }

  /** Runs a job in order with all others: at once, or after the step that is being made. */
  later(job: () => void): void {
    this.#queue.push(job);
    this.#drain();
  }

  /** Takes a step of a connection. For jobs only, since a step must not begin within another one. */
  apply<T>(
    attached: Attached,
    step: (server: Server<CodexState>) => ServerStep<CodexState, T>,
  ): ServerStep<CodexState, T> | null {
    if (isOver(attached)) return null;
    try {
      const applied = attached.connection.update(step);
      if (!applied.ok && applied.error.code === "disconnected") attached.hasEnded = true;
      return applied;
    } catch {
      attached.hasEnded = true;
      this.#report({ type: "callback_failed", connectionId: attached.connection.connectionId });
      for (const act of [...attached.whenBroken]) act();
      return null;
    }
  }

  /** Answers a deferred request (R101). */
  complete(attached: Attached, id: string, outcome: Outcome): void {
    attached.deferred.delete(id);
    this.later(() => this.apply(attached, (server) => server.complete(id, outcome)));
  }

  /** Sends an event of a stream, as far as the connection may see it (R87). */
  deliver(attached: Attached, message: SequencedNotification): void {
    const { negotiated } = attached.connection.server;
    const isNumbered = isWhole(negotiated);
    if (!isNumbered && !negotiated.includes(groupOfNotification(message.method))) return;
    const shown = isNumbered ? message : withoutNumber(message);
    this.later(() => this.apply(attached, (server) => server.notify(shown)));
  }

  #drain(): void {
    if (this.#held > 0 || this.#isDraining) return;
    this.#isDraining = true;
    try {
      while (this.#queue.length > 0) {
        const batch = this.#queue;
        this.#queue = [];
        for (const job of batch) job();
      }
    } finally {
      this.#isDraining = false;
    }
  }
}

/** Whether the connection is over, by what a step said or by its server. */
export function isOver(attached: Attached): boolean {
  if (attached.connection.server.phase === "closed") attached.hasEnded = true;
  return attached.hasEnded;
}

/** Whether a stream may be numbered there: with one group alone it would have holes (R87). */
export function isWhole(negotiated: readonly Capability[]): boolean {
  return BOTH.every((group) => negotiated.includes(group));
}

function withoutNumber(message: SequencedNotification): NotificationMessage {
  const { stream_id: _, cursor: __, ...rest } = message;
  return rest;
}
