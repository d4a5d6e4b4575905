/** Threads and turns of the fake agent, their logs, and who follows them (RW39, RW40). */

import { utf8Length } from "../../kernel/text.ts";
import {
  Codec,
  type Outcome,
  type ProtocolError,
  Replay,
  type RequestMessage,
  type StreamHead,
  type Thread,
  type Turn,
  type UnsequencedNotification,
} from "../index.ts";
import { refuse } from "./fake-agent-inbox.ts";
import { THREADS_MAX, TURNS_BYTES_MAX, TURNS_MAX, TURNS_SHOWN_MAX } from "./fake-agent-limits.ts";
import type { Mint } from "./fake-agent-mint.ts";
import type { Peers } from "./fake-agent-peers.ts";
import {
  type Cue,
  echo,
  finish,
  notification,
  play,
  type ScriptStep,
  type TurnRecord,
  turnOf,
} from "./fake-agent-turn.ts";
import type { Progress, Work } from "./fake-agent-work.ts";

export interface SessionSettings {
  readonly label: string;
  /** Null repeats the input. */
  readonly script: readonly ScriptStep[] | null;
  /** Events that each log keeps; the log's own default if undefined. */
  readonly retain: number | undefined;
  readonly approvalDeadline: string;
}

interface ThreadRecord {
  readonly threadId: string;
  readonly title: string | undefined;
  readonly ephemeral: boolean;
  readonly createdAt: string;
  readonly turns: TurnRecord[];
  /** Connections that get the live events (R87). */
  readonly followers: Set<string>;
  replay: Replay;
  updatedAt: string;
  active: TurnRecord | null;
}

/** A turn being played. */
interface Performance {
  readonly thread: ThreadRecord;
  readonly turn: TurnRecord;
  readonly cues: Generator<Cue, void, boolean>;
  /** The open question, and its answer as soon as there is one. */
  approvalId: string | null;
  isApproved: boolean;
}

export class Sessions {
  readonly #threads = new Map<string, ThreadRecord>();
  readonly #asked = new Map<string, Performance>();
  readonly #settings: SessionSettings;
  readonly #mint: Mint;
  readonly #work: Work;
  readonly #peers: Peers;
  #turns = 0;

  constructor(settings: SessionSettings, mint: Mint, work: Work, peers: Peers) {
    this.#settings = settings;
    this.#mint = mint;
    this.#work = work;
    this.#peers = peers;
  }

  get counts(): { threads: number; turns: number } {
    return { threads: this.#threads.size, turns: this.#turns };
  }

  startThread(request: RequestMessage<"thread/start">, connectionId: string): Outcome {
    if (this.#threads.size >= THREADS_MAX) return refuse("overflow", "too many threads");
    const { title, ephemeral = false } = request.params;
    const { label, retain } = this.#settings;
    const created = Replay.create({
      streamId: this.#mint.streamId(label),
      ...(retain !== undefined && { capacity: retain }),
    });
    if (!created.ok) return refused(created.error);
    const createdAt = this.#mint.time();
    const thread: ThreadRecord = {
      threadId: this.#mint.id("thread"),
      title,
      ephemeral,
      createdAt,
      turns: [],
      followers: new Set(),
      replay: created.replay,
      updatedAt: createdAt,
      active: null,
    };
    this.#threads.set(thread.threadId, thread);
    this.#work.add(() => {
      this.#emit(thread, notification("thread/started", { thread: threadOf(thread) }, request.command_id));
      return "finished";
    });
    return { result: this.#shown(thread, connectionId) };
  }

  /** `thread/read` and `thread/resume`; nothing here is ever unloaded. */
  readThread({ params }: RequestMessage<"thread/read" | "thread/resume">, connectionId: string): Outcome {
    const thread = this.#threads.get(params.thread_id);
    if (thread === undefined) return refuse("not_found", "no such thread");
    const isAsked = "include_turns" in params && params.include_turns === true;
    const turns = isAsked ? turnsOf(thread) : {};
    return { result: { ...this.#shown(thread, connectionId), ...turns } };
  }

  startTurn({ params, command_id }: RequestMessage<"turn/start">): Outcome {
    const thread = this.#threads.get(params.thread_id);
    if (thread === undefined) return refuse("not_found", "no such thread");
    if (thread.active !== null) return refuse("invalid_state", "a turn is running");
    if (thread.turns.length >= TURNS_MAX) return refuse("overflow", "too many turns");
    const turn: TurnRecord = {
      threadId: thread.threadId,
      turnId: this.#mint.id("turn"),
      commandId: command_id,
      startedAt: this.#mint.time(),
      items: [],
      steered: [],
      status: "in_progress",
      finishedAt: null,
      failure: null,
      isInterrupted: false,
      isTruncated: false,
    };
    thread.turns.push(turn);
    thread.active = turn;
    thread.updatedAt = turn.startedAt;
    this.#turns++;
    const text = textOf(params.input);
    const script = this.#settings.script ?? echo(text);
    const cues = play(turn, { text, commandId: command_id }, script, this.#mint);
    const performance: Performance = { thread, turn, cues, approvalId: null, isApproved: false };
    this.#work.add(() => this.#advance(performance));
    return { result: { turn: turnOf(turn) } };
  }

  steerTurn({ params, command_id }: RequestMessage<"turn/steer">): Outcome {
    const found = this.#turn(params);
    if ("error" in found) return found;
    if (found.turn.status !== "in_progress") return refuse("invalid_state", "the turn does not run");
    if (found.turn.steered.length >= TURNS_MAX) return refuse("overflow", "too much was steered in");
    found.turn.steered.push({ text: textOf(params.input), commandId: command_id });
    return { result: { thread_id: params.thread_id, turn_id: params.turn_id } };
  }

  interruptTurn({ params }: RequestMessage<"turn/interrupt">): Outcome {
    const found = this.#turn(params);
    if ("error" in found) return found;
    const status = found.turn.status === "in_progress" ? "requested" : "already_finished";
    if (status === "requested") found.turn.isInterrupted = true;
    return { result: { thread_id: params.thread_id, turn_id: params.turn_id, status } };
  }

  resumeStream({ params }: RequestMessage<"stream/resume">, connectionId: string): Outcome {
    const thread = [...this.#threads.values()].find(({ replay }) => replay.streamId === params.stream_id);
    if (thread === undefined) return refuse("not_found", "no such stream");
    if (!this.#peers.takesNumbers(connectionId)) {
      return refuse("unsupported_capability", "the stream needs sessions.v1 and streaming.v1");
    }
    const page = thread.replay.since(params.cursor);
    if (!page.ok) return refused(page.error);
    const { stream_id, cursor, events } = page.result;
    if (cursor === thread.replay.head) thread.followers.add(connectionId);
    return { result: { stream_id, cursor, events: [...events] } };
  }

  /** How a question ended. Whatever is no approval declines (R107). */
  decide({ params }: RequestMessage<"approval/request">, outcome: Outcome): void {
    const performance = this.#asked.get(params.approval_id);
    if (performance === undefined) return;
    this.#asked.delete(params.approval_id);
    performance.approvalId = null;
    performance.isApproved = "result" in outcome && outcome.result["decision"] === "approve";
  }

  #turn(params: {
    thread_id: string;
    turn_id: string;
  }): { turn: TurnRecord } | Extract<Outcome, { error: unknown }> {
    const thread = this.#threads.get(params.thread_id);
    const turn = thread?.turns.find(({ turnId }) => turnId === params.turn_id);
    return turn === undefined ? { error: { code: "not_found", message: "no such turn" } } : { turn };
  }

  #advance(performance: Performance): Progress {
    const { thread, turn, cues } = performance;
    if (turn.isInterrupted) {
      if (performance.approvalId !== null) this.#asked.delete(performance.approvalId);
      return this.#cue(performance, finish(turn, "interrupted", this.#mint));
    }
    if (performance.approvalId !== null) return "waiting";
    const next = cues.next(performance.isApproved);
    performance.isApproved = false;
    if (!next.done) return this.#cue(performance, next.value);
    thread.active = null;
    return "finished";
  }

  #cue(performance: Performance, cue: Cue): Progress {
    if ("ask" in cue) {
      this.#ask(performance, cue);
      return "more";
    }
    const { thread, turn } = performance;
    thread.updatedAt = this.#mint.time();
    const isOver = turn.status !== "in_progress";
    if (isOver) thread.active = null;
    this.#emit(thread, cue.event);
    return isOver ? "finished" : "more";
  }

  /** Nobody to ask is nobody who approved. */
  #ask(performance: Performance, { ask: action, itemId }: Extract<Cue, { ask: unknown }>): void {
    const { thread, turn } = performance;
    const approval_id = this.#mint.id("approval");
    performance.approvalId = approval_id;
    this.#asked.set(approval_id, performance);
    const params = {
      approval_id,
      thread_id: thread.threadId,
      turn_id: turn.turnId,
      item_id: itemId,
      action,
      action_digest: Codec.digest(action),
      deadline: this.#settings.approvalDeadline,
    };
    if (this.#peers.ask(thread.followers, params, this.#mint.id("command"))) return;
    this.#asked.delete(approval_id);
    performance.approvalId = null;
  }

  #emit(thread: ThreadRecord, event: UnsequencedNotification): void {
    const appended = thread.replay.append(event);
    // The bounds of texts keep every event within a page.
    if (!appended.ok) throw appended.error;
    thread.replay = appended.replay;
    for (const connectionId of thread.followers) {
      if (!this.#peers.deliver(connectionId, appended.message)) thread.followers.delete(connectionId);
    }
  }

  /** A snapshot with the head of the log at that moment; from there on the connection follows (R87). */
  #shown(thread: ThreadRecord, connectionId: string): { thread: Thread; stream?: StreamHead } {
    thread.followers.add(connectionId);
    const { streamId, head } = thread.replay;
    const hasNumbers = this.#peers.takesNumbers(connectionId);
    return { thread: threadOf(thread), ...(hasNumbers && { stream: { stream_id: streamId, cursor: head } }) };
  }
}

function threadOf({ threadId, title, ephemeral, createdAt, updatedAt, active }: ThreadRecord): Thread {
  const base = {
    thread_id: threadId,
    ...(title !== undefined && { title }),
    ephemeral,
    created_at: createdAt,
    updated_at: updatedAt,
  };
  return active === null
    ? { ...base, status: "idle" }
    : { ...base, status: "active", active_turn_id: active.turnId };
}

/** The newest turns that fit a message, oldest first. */
function turnsOf({ turns }: ThreadRecord): { turns: Turn[]; turns_truncated?: true } {
  const shown: Turn[] = [];
  let bytes = 0;
  for (const record of turns.toReversed()) {
    const whole = turnOf(record, record.items);
    const turn = bytes + encodedBytes(whole) <= TURNS_BYTES_MAX ? whole : turnOf(record, []);
    bytes += encodedBytes(turn);
    if (shown.length === TURNS_SHOWN_MAX || bytes > TURNS_BYTES_MAX) break;
    shown.unshift(turn);
  }
  return { turns: shown, ...(shown.length < turns.length && { turns_truncated: true as const }) };
}

function encodedBytes(turn: Turn): number {
  return utf8Length(JSON.stringify(turn));
}

function textOf(input: readonly { readonly text: string }[]): string {
  return input.map(({ text }) => text).join("\n");
}

function refused({ code, message }: ProtocolError): Outcome {
  return { error: { code, message } };
}
