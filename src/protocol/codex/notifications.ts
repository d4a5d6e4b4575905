/** What Codex tells, as events of the thread's log (section 4). */

import { utf8Length } from "../../kernel/text.ts";
import type { Item } from "../message.ts";
import type { Approvals } from "./approvals.ts";
import type { Context } from "./context.ts";
import {
  DELTA_BYTES_MAX,
  FILE_CHANGES_MAX,
  PART_MAX,
  TEXT_BYTES_MAX,
  UNKNOWN_METHODS_MAX,
} from "./limits.ts";
import { startRetryLimit, stopRetryLimit } from "./retry-limit.ts";
import { type EventMethod, type EventParams, isEventMethod, NOTIFICATIONS, Place } from "./schema/events.ts";
import { type CodexItem, readItem } from "./schema/item.ts";
import { DROPPED } from "./schema/known.ts";
import { itemId, pieces, words } from "./text.ts";
import {
  type Body,
  dropOverdue,
  type ThreadRecord,
  type TurnRecord,
  turnOf,
  unload,
  view,
} from "./threads.ts";
import { summarize } from "./translate/approval.ts";
import { toFailure } from "./translate/failure.ts";
import { toItem } from "./translate/item.ts";
import { commandOfMessage, toStatus, toThread, toTitle, toTurn } from "./translate/thread.ts";

type ItemDelta = Extract<Body, { method: "item/delta" }>["params"];
/** Where a piece of text belongs, without the piece. */
type Channel = Pick<ItemDelta, "channel" | "part">;

type Handlers = { readonly [M in EventMethod]: (params: EventParams<M>) => void };

export class Notifications {
  readonly #context: Context;
  readonly #approvals: Approvals;
  readonly #unknown = new Set<string>();
  readonly #handlers: Handlers = {
    "thread/started": (params) => this.#threadStarted(params),
    "thread/status/changed": (params) => this.#statusChanged(params),
    "thread/name/updated": (params) => this.#nameUpdated(params),
    "thread/closed": (params) => this.#threadClosed(params),
    "turn/started": (params) => this.#turnStarted(params),
    "turn/completed": (params) => this.#turnCompleted(params),
    error: (params) => this.#failed(params),
    warning: (params) => this.#warned(params),
    "item/started": (params) => this.#item("item/started", params),
    "item/completed": (params) => this.#item("item/completed", params),
    "item/agentMessage/delta": (params) => this.#delta(params, { channel: "text" }),
    "item/plan/delta": (params) => this.#delta(params, { channel: "plan" }),
    "item/reasoning/textDelta": (params) =>
      this.#delta(params, { channel: "reasoning", ...partOf(params.contentIndex) }),
    "item/reasoning/summaryTextDelta": (params) =>
      this.#delta(params, { channel: "summary", ...partOf(params.summaryIndex) }),
    "item/commandExecution/outputDelta": (params) => this.#delta(params, { channel: "output" }),
    "serverRequest/resolved": ({ requestId }) => this.#approvals.resolved(requestId),
  };

  constructor(context: Context, approvals: Approvals) {
    this.#context = context;
    this.#approvals = approvals;
  }

  receive(method: string, params: unknown): void {
    if (isEventMethod(method)) this.#handle(method, params);
    else if (DROPPED.has(method)) this.#ignore(method, params);
    else this.#surprise(method);
  }

  #handle<M extends EventMethod>(method: M, params: unknown): void {
    const read = NOTIFICATIONS[method].safeParse(params);
    // The definition is that of exactly this method.
    if (read.success) this.#handlers[method](read.data as EventParams<M>);
    else this.#malformed(method);
  }

  /** It is not shown, but what happens to an item still shows that the turn goes on (RC24). */
  #ignore(method: string, params: unknown): void {
    this.#drop();
    const place = method.startsWith("item/") ? Place.safeParse(params) : null;
    if (!place?.success || !place.data.turnId) return;
    const turn = this.#context.threads.get(place.data.threadId)?.turns.get(place.data.turnId);
    if (turn !== undefined) stopRetryLimit(turn);
  }

  #drop(): void {
    this.#context.counts.dropped += 1;
  }

  #malformed(method: EventMethod): void {
    this.#drop();
    this.#context.report({ type: "malformed", method });
  }

  /** Each unknown name is logged once, as long as there are not too many of them. */
  #surprise(method: string): void {
    this.#context.counts.unknown += 1;
    const name = method.toWellFormed().slice(0, 128);
    if (this.#unknown.has(name) || this.#unknown.size >= UNKNOWN_METHODS_MAX) return;
    this.#unknown.add(name);
    this.#context.report({ type: "unknown_notification", method: name });
  }

  /** The thread of an event, or null: then the event is dropped. */
  #thread(threadId: string): ThreadRecord | null {
    const thread = this.#context.threads.get(threadId);
    if (thread === null) this.#drop();
    return thread;
  }

  #publish(thread: ThreadRecord, body: Body, turn: TurnRecord | null = null): void {
    const published = this.#context.threads.publish(thread, body, turn?.owner?.correlationId);
    if (published === null) this.#drop();
  }

  #updated(thread: ThreadRecord): void {
    this.#publish(thread, { method: "thread/updated", params: { thread: view(thread) } });
  }

  #threadStarted({ thread: codexThread }: EventParams<"thread/started">): void {
    const thread = this.#thread(codexThread.id);
    if (thread === null) return;
    thread.facts = toThread(codexThread);
    this.#publish(thread, { method: "thread/started", params: { thread: view(thread) } });
  }

  #statusChanged({ threadId, status }: EventParams<"thread/status/changed">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    thread.facts = { ...thread.facts, status: toStatus(status) };
    if (status.type === "notLoaded") unload(thread);
    if (status.type !== "active") dropOverdue(thread);
    this.#updated(thread);
  }

  #nameUpdated({ threadId, threadName }: EventParams<"thread/name/updated">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    const { title: _, ...untitled } = thread.facts;
    const title = toTitle(threadName);
    thread.facts = title === null ? untitled : { ...untitled, title };
    this.#updated(thread);
  }

  /** Its connections no longer follow it: whoever resumes it attaches again. */
  #threadClosed({ threadId }: EventParams<"thread/closed">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    unload(thread);
    thread.facts = { ...thread.facts, status: "closed" };
    this.#publish(thread, { method: "thread/closed", params: { thread_id: threadId } });
    this.#approvals.turnEnded(threadId, null);
    thread.attached.clear();
  }

  #turnStarted({ threadId, turn: codexTurn }: EventParams<"turn/started">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    // It may come before the answer to the request that starts it (T33).
    const turn = turnOf(thread, codexTurn.id, thread.starting?.owner ?? null);
    if (thread.starting?.isOverdue) thread.starting = null;
    if (turn.ended === null) {
      thread.running = turn.id;
      thread.active = turn.id;
    }
    const shown = toTurn(threadId, codexTurn, turn.commandId);
    this.#publish(thread, { method: "turn/started", params: { turn: shown } }, turn);
  }

  #turnCompleted({ threadId, turn: codexTurn }: EventParams<"turn/completed">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    const turn = turnOf(thread, codexTurn.id, null);
    const shown = toTurn(threadId, codexTurn, turn.commandId);
    if (shown.status === "in_progress") {
      this.#malformed("turn/completed");
      return;
    }
    turn.ended = shown.status;
    turn.fileChanges.clear();
    stopRetryLimit(turn);
    if (thread.running === turn.id) thread.running = null;
    if (thread.active === turn.id) thread.active = null;
    this.#publish(thread, { method: "turn/completed", params: { turn: shown } }, turn);
    this.#approvals.turnEnded(threadId, turn.id);
    const { interrupts } = turn;
    for (const settle of [...interrupts]) settle(shown.status);
  }

  #failed({ threadId, turnId, error, willRetry }: EventParams<"error">): void {
    const thread = this.#thread(threadId);
    if (thread === null) return;
    const turn = thread.turns.get(turnId) ?? null;
    const { reason, message } = toFailure(error);
    const level = willRetry ? "warning" : "error";
    const params = {
      thread_id: threadId,
      turn_id: turnId,
      level,
      reason,
      message,
      will_retry: willRetry,
    } as const;
    this.#publish(thread, { method: "turn/notice", params }, turn);
    if (willRetry && turn !== null) startRetryLimit(this.#context, thread, turn);
  }

  #warned({ threadId, message }: EventParams<"warning">): void {
    const thread = threadId ? this.#thread(threadId) : null;
    if (!threadId) this.#drop();
    if (thread === null) return;
    const params = {
      thread_id: thread.facts.thread_id,
      level: "warning",
      reason: "host.warning",
      message: words(message, "a warning without words"),
      will_retry: false,
    } as const;
    this.#publish(thread, { method: "turn/notice", params });
  }

  /** The turn of an item event. An item event of a turn that is not known is dropped (RC23). */
  #turnOfItem(threadId: string, turnId: string): { thread: ThreadRecord; turn: TurnRecord } | null {
    const thread = this.#thread(threadId);
    if (thread === null) return null;
    const turn = thread.turns.get(turnId);
    if (turn === undefined) {
      this.#drop();
      return null;
    }
    stopRetryLimit(turn);
    return { thread, turn };
  }

  #item(
    method: "item/started" | "item/completed",
    { threadId, turnId, item: value }: EventParams<"item/started">,
  ): void {
    const found = this.#turnOfItem(threadId, turnId);
    if (found === null) return;
    const item = readItem(value);
    if (item === null) {
      this.#malformed(method);
      return;
    }
    const before = found.turn.fileChanges.get(item.id);
    remember(found.turn, item);
    const after = found.turn.fileChanges.get(item.id);
    if (JSON.stringify(before) !== JSON.stringify(after))
      this.#approvals.itemChanged(threadId, turnId, item.id);
    const shown = toItem(item, method === "item/started" ? "started" : "completed");
    this.#publish(found.thread, itemBody(method, threadId, turnId, shown), found.turn);
  }

  #delta(
    params: { threadId: string; turnId: string; itemId: string; delta: string },
    channel: Channel,
  ): void {
    const found = this.#turnOfItem(params.threadId, params.turnId);
    if (found === null) return;
    const place = { thread_id: params.threadId, turn_id: params.turnId, item_id: itemId(params.itemId) };
    // Control characters take six bytes each in a message; then a piece of the full size is too large for an event.
    const isPlain = utf8Length(JSON.stringify(params.delta)) <= DELTA_BYTES_MAX;
    for (const delta of pieces(params.delta, isPlain ? TEXT_BYTES_MAX : DELTA_BYTES_MAX / 6)) {
      this.#publish(
        found.thread,
        { method: "item/delta", params: { ...place, ...channel, delta } },
        found.turn,
      );
    }
  }
}

/** The translation gives an item that started or ended exactly the states that its event allows. */
function itemBody(
  method: "item/started" | "item/completed",
  thread_id: string,
  turn_id: string,
  item: Item,
): Body {
  return { method, params: { thread_id, turn_id, item } } as Body;
}

/** What later events need of an item: its changes for an approval, its mark for the turn (RC16, RC32). */
function remember(turn: TurnRecord, item: CodexItem): void {
  if (item.type === "userMessage") {
    if (!turn.hasUserMessage) turn.commandId ??= commandOfMessage(item.clientId);
    turn.hasUserMessage = true;
  }
  if (item.type !== "fileChange" || turn.ended !== null) return;
  turn.fileChanges.set(item.id, summarize(item.changes));
  for (const id of turn.fileChanges.keys()) {
    if (turn.fileChanges.size <= FILE_CHANGES_MAX) break;
    turn.fileChanges.delete(id);
  }
}

function partOf(index: number): { part?: number } {
  return index >= 0 && index <= PART_MAX ? { part: index } : {};
}
