/** What the host knows of threads and their turns, and the log of each thread (RC13, RC15). */

import type { NotificationMessage, StreamHead, Thread, UnsequencedNotification } from "../message.ts";
import { Replay } from "../replay.ts";
import { SCHEMA_VERSION } from "../schema/connection.ts";
import type { Attached, CodexState, Connections } from "./connections.ts";
import { isOver, isWhole } from "./connections.ts";
import { THREAD_LOG_BYTES, THREADS_MAX, TURNS_KNOWN_MAX } from "./limits.ts";
import type { FileChanges } from "./translate/approval.ts";
import { stopRetryLimit } from "./retry-limit.ts";
import { smaller } from "./translate/item.ts";
import type { ThreadFacts } from "./translate/thread.ts";

/** Who started a turn: decides whose approvals it needs (RC33). */
export interface Owner {
  readonly state: CodexState;
  readonly correlationId: string;
  readonly commandId: string;
}

export interface TurnRecord {
  readonly id: string;
  /** Null for a turn that no native request started. */
  readonly owner: Owner | null;
  /** The mark of the mutation that started it (RC16). */
  commandId: string | null;
  /** Whether its first user message was seen: the mark of any later one is that of a steer (RC16). */
  hasUserMessage: boolean;
  ended: "completed" | "interrupted" | "failed" | null;
  /** What its file changes change, for the approvals that name only the item (RC32). */
  readonly fileChanges: Map<string, FileChanges>;
  /** Interrupts that wait for Codex's answer or the end of the turn (RC21). */
  readonly interrupts: Set<(ended: "completed" | "interrupted" | "failed") => void>;
  /** Stops the timer that ends a turn which only retries (RC24). */
  stopRetryLimit: (() => void) | null;
}

export interface ThreadRecord {
  facts: ThreadFacts;
  /** Whether this process can run turns in it (RC22). */
  isLoaded: boolean;
  /** Of the request that started or resumed it (section 4). */
  correlationId: string;
  log: Replay | null;
  /** In the order of attaching, the last one last (RC33). */
  readonly attached: Set<Attached>;
  /** A `turn/start` without an answer; one that is overdue may still start a turn (RC18). */
  starting: { readonly owner: Owner; isOverdue: boolean } | null;
  /** The turn that runs by an answer or event. */
  running: string | null;
  /** The turn that runs by `turn/started` (RC15). */
  active: string | null;
  readonly turns: Map<string, TurnRecord>;
}

/** A notification without its envelope. */
export type Body = {
  [M in NotificationMessage["method"]]: {
    readonly method: M;
    readonly params: Extract<NotificationMessage, { method: M }>["params"];
  };
}[NotificationMessage["method"]];

export class Threads {
  readonly #byId = new Map<string, ThreadRecord>();
  readonly #byStream = new Map<string, ThreadRecord>();
  readonly #generation: string;
  readonly #connections: Connections;
  #logs = 0;
  /** Threads that Codex was asked to open. */
  #expected = 0;

  constructor(generation: string, connections: Connections) {
    this.#generation = generation;
    this.#connections = connections;
  }

  get(threadId: string): ThreadRecord | null {
    return this.#byId.get(threadId) ?? null;
  }

  byStream(streamId: string): ThreadRecord | null {
    return this.#byStream.get(streamId) ?? null;
  }

  all(): Iterable<ThreadRecord> {
    return this.#byId.values();
  }

  /** Makes room for one more thread; false if all that are remembered are loaded. */
  makeRoom(): boolean {
    if (this.#byId.size + this.#expected < THREADS_MAX) return true;
    for (const [threadId, thread] of this.#byId) {
      if (thread.isLoaded) continue;
      unload(thread);
      this.#byId.delete(threadId);
      if (thread.log !== null) this.#byStream.delete(thread.log.streamId);
      return true;
    }
    return false;
  }

  /** Keeps room for a thread that Codex is asked to open; what is returned gives it back. Null if there is none. */
  expect(): (() => void) | null {
    if (!this.makeRoom()) return null;
    this.#expected += 1;
    return () => {
      this.#expected -= 1;
    };
  }

  /** Takes what Codex says of a thread; `isLoaded` once it was started or resumed here. */
  remember(
    facts: ThreadFacts,
    { isLoaded, correlationId }: { isLoaded: boolean; correlationId: string },
  ): ThreadRecord {
    const known = this.#byId.get(facts.thread_id);
    if (known !== undefined) {
      known.facts = facts;
      if (facts.status === "not_loaded") unload(known);
      if (facts.status !== "active") dropOverdue(known);
      if (isLoaded) {
        known.isLoaded = true;
        known.correlationId = correlationId;
      }
      return known;
    }
    const thread: ThreadRecord = {
      facts,
      isLoaded,
      correlationId,
      log: null,
      attached: new Set(),
      starting: null,
      running: null,
      active: null,
      turns: new Map(),
    };
    this.#byId.set(facts.thread_id, thread);
    return thread;
  }

  /** Events after the head go to the connection from now on (R87). */
  attach(thread: ThreadRecord, attached: Attached): void {
    for (const other of thread.attached) if (isOver(other)) thread.attached.delete(other);
    thread.attached.delete(attached);
    thread.attached.add(attached);
  }

  /** The head, for a connection that can follow a numbered stream (R48, R87). */
  headFor(thread: ThreadRecord, attached: Attached): { stream?: StreamHead } {
    if (!isWhole(attached.connection.server.negotiated)) return {};
    const log = this.#logOf(thread);
    return { stream: { stream_id: log.streamId, cursor: log.head } };
  }

  /** Appends an event and sends it to the attached connections. Null: it is too large in every form (RC30). */
  publish(thread: ThreadRecord, body: Body, correlationId = thread.correlationId): Body | null {
    const appended = this.#append(this.#logOf(thread), body, correlationId);
    if (appended === null) return null;
    thread.log = appended.log;
    for (const attached of thread.attached) {
      if (isOver(attached)) thread.attached.delete(attached);
      else this.#connections.deliver(attached, appended.message);
    }
    return appended.body;
  }

  #append(log: Replay, body: Body, correlationId: string) {
    for (const candidate of candidates(body)) {
      const appended = log.append(envelope(candidate, correlationId));
      if (appended.ok) return { message: appended.message, log: appended.replay, body: candidate };
      // Anything but its size would be a mistake of the translation.
      if (appended.error.code !== "overflow") throw appended.error;
    }
    return null;
  }

  #logOf(thread: ThreadRecord): Replay {
    if (thread.log !== null) return thread.log;
    this.#logs += 1;
    const streamId = `codex-${this.#generation}-t${this.#logs}`;
    const created = Replay.create({ streamId, maxBytes: THREAD_LOG_BYTES });
    if (!created.ok) throw created.error;
    thread.log = created.replay;
    this.#byStream.set(streamId, thread);
    return created.replay;
  }
}

function envelope({ method, params }: Body, correlationId: string): UnsequencedNotification {
  return {
    schema_version: SCHEMA_VERSION,
    type: "notification",
    correlation_id: correlationId,
    method,
    params,
  } as UnsequencedNotification;
}

/** The event, and smaller forms of it where its item allows that. */
function* candidates(body: Body): Generator<Body> {
  yield body;
  if (body.method !== "item/started" && body.method !== "item/completed") return;
  for (const item of smaller(body.params.item)) {
    yield { ...body, params: { ...body.params, item } } as Body;
  }
}

/** No turn runs in a thread that is not loaded. */
export function unload(thread: ThreadRecord): void {
  thread.isLoaded = false;
  thread.running = null;
  thread.active = null;
  for (const turn of thread.turns.values()) stopRetryLimit(turn);
  dropOverdue(thread);
}

/** A `turn/start` that was never answered starts nothing any more in a thread that is known to be idle. */
export function dropOverdue(thread: ThreadRecord): void {
  if (thread.starting?.isOverdue) thread.starting = null;
}

/** The thread as a client sees it: its running turn is shown only while it is active (RC15). */
export function view({ facts, active }: Pick<ThreadRecord, "facts" | "active">): Thread {
  const { status, ...rest } = facts;
  if (status !== "active") return { ...rest, status };
  return { ...rest, status, ...(active !== null && { active_turn_id: active }) };
}

/** The record of a turn; of a new one if Codex or an answer tells of it. */
export function turnOf(thread: ThreadRecord, turnId: string, owner: Owner | null): TurnRecord {
  const known = thread.turns.get(turnId);
  if (known !== undefined) return known;
  const turn: TurnRecord = {
    id: turnId,
    owner,
    commandId: owner?.commandId ?? null,
    hasUserMessage: false,
    ended: null,
    fileChanges: new Map(),
    interrupts: new Set(),
    stopRetryLimit: null,
  };
  thread.turns.set(turnId, turn);
  for (const [id, old] of thread.turns) {
    if (thread.turns.size <= TURNS_KNOWN_MAX) break;
    if (old === turn || (old.ended === null && thread.turns.size <= 2 * TURNS_KNOWN_MAX)) continue;
    stopRetryLimit(old);
    thread.turns.delete(id);
  }
  return turn;
}
