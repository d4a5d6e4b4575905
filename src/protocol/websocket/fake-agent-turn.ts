/** One turn of the fake agent: a script, played one event at a time (RW39). */

import type { ApprovalAction, Item, Turn, UnsequencedNotification } from "../index.ts";
import { ITEMS_MAX, TEXT_BYTES_MAX } from "./fake-agent-limits.ts";
import type { Mint } from "./fake-agent-mint.ts";

/** What a turn does. Nothing is run: the output of a command is what the script says. */
export type ScriptStep =
  | { readonly say: readonly string[] }
  | {
      readonly run: { readonly line: string; readonly exit_code: number; readonly output: string };
      /** Only after an approval. */
      readonly ask?: boolean;
    }
  | { readonly fail: { readonly reason: string; readonly message: string } };

/** A turn as the agent keeps it. */
export interface TurnRecord {
  readonly threadId: string;
  readonly turnId: string;
  readonly commandId: string;
  readonly startedAt: string;
  readonly items: Item[];
  /** Text that was steered in and not yet shown, with its command. */
  readonly steered: Said[];
  status: Turn["status"];
  finishedAt: string | null;
  failure: { reason: string; message: string } | null;
  isInterrupted: boolean;
  isTruncated: boolean;
}

export interface Said {
  readonly text: string;
  readonly commandId: string;
}

/** What comes next: an event, or a question that the play waits for. */
export type Cue =
  | { readonly event: UnsequencedNotification }
  | { readonly ask: ApprovalAction; readonly itemId: string };

/** Plays a turn to its end. What a question is answered, true for an approval, comes back into the generator. */
export function* play(
  turn: TurnRecord,
  input: Said,
  script: readonly ScriptStep[],
  mint: Mint,
): Generator<Cue, void, boolean> {
  yield event(turn, "turn/started", { turn: turnOf(turn) });
  yield* userMessage(turn, input, mint);
  for (const step of script) {
    yield* steering(turn, mint);
    if ("say" in step) yield* say(turn, step.say, mint);
    else if ("run" in step) yield* run(turn, step.run, step.ask === true, mint);
    else {
      turn.failure = { ...step.fail };
      yield finish(turn, "failed", mint);
      return;
    }
  }
  yield* steering(turn, mint);
  yield finish(turn, "completed", mint);
}

/** The last event of a turn. */
export function finish(turn: TurnRecord, status: FinishedTurn["status"], mint: Mint): Cue {
  turn.status = status;
  turn.finishedAt = mint.time();
  return event(turn, "turn/completed", { turn: finishedTurnOf(turn, status) });
}

function* steering(turn: TurnRecord, mint: Mint): Generator<Cue, void, boolean> {
  for (let said = turn.steered.shift(); said !== undefined; said = turn.steered.shift()) {
    yield* userMessage(turn, said, mint);
  }
}

function* userMessage(turn: TurnRecord, said: Said, mint: Mint): Generator<Cue, void, boolean> {
  const base = { item_id: mint.id("item"), kind: "user_message", command_id: said.commandId } as const;
  yield completed(turn, { ...base, status: "completed", ...shown(said.text) });
}

function* say(turn: TurnRecord, deltas: readonly string[], mint: Mint): Generator<Cue, void, boolean> {
  const base = { item_id: mint.id("item"), kind: "agent_message" } as const;
  yield event(turn, "item/started", { ...placeOf(turn), item: { ...base, status: "in_progress" } });
  for (const delta of deltas) {
    if (delta !== "") yield deltaOf(turn, base.item_id, "text", delta);
  }
  yield completed(turn, { ...base, status: "completed", ...shown(deltas.join("")) });
}

function* run(
  turn: TurnRecord,
  { line, exit_code, output }: Extract<ScriptStep, { run: unknown }>["run"],
  isAsked: boolean,
  mint: Mint,
): Generator<Cue, void, boolean> {
  const base = { item_id: mint.id("item"), kind: "command" } as const;
  const item = { ...base, status: "in_progress", command: { line } } as const;
  yield event(turn, "item/started", { ...placeOf(turn), item });
  if (isAsked) {
    const isApproved = yield {
      ask: { kind: "command", summary: "Run a command", command: line },
      itemId: base.item_id,
    };
    if (!isApproved) {
      yield completed(turn, { ...base, status: "declined", command: { line } });
      return;
    }
  }
  if (output !== "") yield deltaOf(turn, base.item_id, "output", output);
  const status = exit_code === 0 ? "completed" : "failed";
  yield completed(turn, { ...base, status, command: { line, exit_code, output } });
}

type CompletedItem = Extract<UnsequencedNotification, { method: "item/completed" }>["params"]["item"];

function completed(turn: TurnRecord, item: CompletedItem): Cue {
  if (turn.items.length < ITEMS_MAX) turn.items.push(item);
  else turn.isTruncated = true;
  return event(turn, "item/completed", { ...placeOf(turn), item });
}

function deltaOf(turn: TurnRecord, item_id: string, channel: "text" | "output", delta: string): Cue {
  return event(turn, "item/delta", { ...placeOf(turn), item_id, channel, delta });
}

function placeOf({ threadId, turnId }: TurnRecord): { thread_id: string; turn_id: string } {
  return { thread_id: threadId, turn_id: turnId };
}

type Params = { [N in UnsequencedNotification as N["method"]]: N["params"] };

function event<M extends keyof Params>(turn: TurnRecord, method: M, params: Params[M]): Cue {
  return { event: notification(method, params, turn.commandId) };
}

/** A notification whose correlation is what caused it. */
export function notification<M extends keyof Params>(
  method: M,
  params: Params[M],
  correlationId: string,
): UnsequencedNotification {
  // The params are those of exactly this method.
  return {
    schema_version: "1.0",
    type: "notification",
    method,
    correlation_id: correlationId,
    params,
  } as UnsequencedNotification;
}

type FinishedTurn = Exclude<Turn, { status: "in_progress" }>;

/** The turn as it stands in messages. */
export function turnOf(turn: TurnRecord, items?: readonly Item[]): Turn {
  const { status } = turn;
  return status === "in_progress"
    ? { ...turnBase(turn, items), status }
    : finishedTurnOf(turn, status, items);
}

function finishedTurnOf(
  turn: TurnRecord,
  status: FinishedTurn["status"],
  items?: readonly Item[],
): FinishedTurn {
  const { finishedAt, failure } = turn;
  const base = { ...turnBase(turn, items), ...(finishedAt !== null && { finished_at: finishedAt }) };
  if (status !== "failed") return { ...base, status };
  return { ...base, status, failure: failure ?? { reason: "fake", message: "failed" } };
}

function turnBase(turn: TurnRecord, items?: readonly Item[]) {
  const base = { ...placeOf(turn), command_id: turn.commandId, started_at: turn.startedAt };
  if (items === undefined) return base;
  const isShort = turn.isTruncated || items.length < turn.items.length;
  return { ...base, items: [...items], ...(isShort && { items_truncated: true as const }) };
}

const encoder = new TextEncoder();

/** As much of a text as an item may show, cut between characters. */
function shown(text: string): { text: string; truncated?: true } {
  const { read } = encoder.encodeInto(text, new Uint8Array(TEXT_BYTES_MAX));
  return read === text.length ? { text } : { text: text.slice(0, read), truncated: true };
}

/** The script of an agent that has none: the input as one message in three deltas. */
export function echo(text: string): ScriptStep[] {
  const characters = Array.from(shown(text).text);
  const size = Math.ceil(characters.length / 3);
  const parts = [0, 1, 2].map((part) => characters.slice(part * size, (part + 1) * size).join(""));
  return [{ say: parts }];
}
