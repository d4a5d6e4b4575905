/** Threads and turns (R48-R50). */

import { z } from "zod";
import { Item } from "./item.ts";
import { Id, list, Name, Position, Timestamp, text } from "./scalar.ts";

/** `active_turn_id` only with "active". */
function threadIn<S extends z.ZodType, M extends z.ZodRawShape>(status: S, members: M) {
  return z.strictObject({
    thread_id: Id,
    status,
    title: text(1, 256).exactOptional(),
    ephemeral: z.boolean(),
    created_at: Timestamp,
    updated_at: Timestamp,
    ...members,
  });
}

export const Thread = z.discriminatedUnion("status", [
  threadIn(z.literal("active"), { active_turn_id: Id.exactOptional() }),
  threadIn(z.enum(["idle", "failed", "not_loaded", "closed"]), {}),
]);

export const TurnFailure = z.strictObject({
  reason: Name,
  message: text(1, 4096),
  http_status: z.int().min(100).max(599).exactOptional(),
});

/** `finished_at` not with "in_progress", `failure` exactly with "failed". */
function turnIn<S extends z.ZodType, M extends z.ZodRawShape>(status: S, members: M) {
  return z.strictObject({
    thread_id: Id,
    turn_id: Id,
    status,
    command_id: Id.exactOptional(),
    started_at: Timestamp.exactOptional(),
    items: list(Item, 0, 128).exactOptional(),
    items_truncated: z.literal(true).exactOptional(),
    ...members,
  });
}

const RunningTurn = turnIn(z.literal("in_progress"), {});
const EndedTurn = turnIn(z.enum(["completed", "interrupted"]), { finished_at: Timestamp.exactOptional() });
const FailedTurn = turnIn(z.literal("failed"), {
  finished_at: Timestamp.exactOptional(),
  failure: TurnFailure,
});

export const Turn = z.discriminatedUnion("status", [RunningTurn, EndedTurn, FailedTurn]);
export const FinishedTurn = z.discriminatedUnion("status", [EndedTurn, FailedTurn]);

/** `cursor` is that of the newest event. */
export const StreamHead = z.strictObject({ stream_id: Id, cursor: Position });

export const TextInput = z.strictObject({ type: z.literal("text"), text: text(1, 262_144) });
const Input = list(TextInput, 1, 64);

export const ThreadStartParams = z.strictObject({
  title: text(1, 256).exactOptional(),
  instructions: text(1, 65_536).exactOptional(),
  ephemeral: z.boolean().exactOptional(),
});
export const ThreadReadParams = z.strictObject({ thread_id: Id, include_turns: z.boolean().exactOptional() });
export const ThreadParams = z.strictObject({ thread_id: Id });
export const TurnStartParams = z.strictObject({ thread_id: Id, input: Input });
export const TurnSteerParams = z.strictObject({ thread_id: Id, turn_id: Id, input: Input });
export const TurnParams = z.strictObject({ thread_id: Id, turn_id: Id });

export const ThreadStartResult = z.strictObject({ thread: Thread, stream: StreamHead.exactOptional() });
export const ThreadResumeResult = z.strictObject({ thread: Thread, stream: StreamHead.exactOptional() });
export const ThreadReadResult = z.strictObject({
  thread: Thread,
  turns: list(Turn, 0, 128).exactOptional(),
  turns_truncated: z.literal(true).exactOptional(),
  stream: StreamHead.exactOptional(),
});
export const TurnStartResult = z.strictObject({ turn: Turn });
export const TurnSteerResult = z.strictObject({ thread_id: Id, turn_id: Id });
export const TurnInterruptResult = z.strictObject({
  thread_id: Id,
  turn_id: Id,
  status: z.enum(["requested", "interrupted", "already_finished"]),
});

export const ThreadChanged = z.strictObject({ thread: Thread });
export const TurnStarted = z.strictObject({ turn: Turn });
export const TurnCompleted = z.strictObject({ turn: FinishedTurn });
export const TurnNotice = z.strictObject({
  thread_id: Id,
  turn_id: Id.exactOptional(),
  level: z.enum(["info", "warning", "error"]),
  reason: Name,
  message: text(1, 4096),
  will_retry: z.boolean(),
});
