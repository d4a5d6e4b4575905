/** Items: the parts of a turn (section 5, Streaming). What a kind carries is part of its definition. */

import { z } from "zod";
import { Id, list, text } from "./scalar.ts";

export const Command = z.strictObject({
  line: text(1, 65_536),
  working_directory: text(1, 4096).exactOptional(),
  exit_code: z
    .int()
    .min(-(2 ** 31))
    .max(2 ** 32 - 1)
    .exactOptional(),
  output: text(0, 262_144).exactOptional(),
});

export const Change = z.strictObject({
  path: text(1, 4096),
  change: z.enum(["add", "update", "delete"]),
  diff: text(0, 131_072).exactOptional(),
});

export const Tool = z.strictObject({ name: text(1, 256), server: text(1, 256).exactOptional() });

/** One kind of item or several, with the members that only they have. */
function kind<K extends z.ZodType, S extends z.ZodType, M extends z.ZodRawShape>(
  name: K,
  status: S,
  members: M,
) {
  return z.strictObject({
    item_id: Id,
    kind: name,
    status,
    text: text(0, 262_144).exactOptional(),
    truncated: z.literal(true).exactOptional(),
    ...members,
  });
}

/** Every kind of item, in one of the given states. */
function itemIn<S extends z.ZodType>(status: S) {
  return z.discriminatedUnion("kind", [
    kind(z.literal("user_message"), status, { command_id: Id.exactOptional() }),
    kind(z.enum(["agent_message", "reasoning", "plan"]), status, {}),
    kind(z.literal("command"), status, { command: Command }),
    kind(z.literal("file_change"), status, { changes: list(Change, 0, 256) }),
    kind(z.literal("tool_call"), status, { tool: Tool }),
    kind(z.literal("other"), status, { label: text(1, 256) }),
  ]);
}

export const Item = itemIn(z.enum(["in_progress", "completed", "failed", "declined"]));
export const StartedItem = itemIn(z.literal("in_progress"));
export const CompletedItem = itemIn(z.enum(["completed", "failed", "declined"]));

export const ItemStarted = z.strictObject({ thread_id: Id, turn_id: Id, item: StartedItem });
export const ItemCompleted = z.strictObject({ thread_id: Id, turn_id: Id, item: CompletedItem });
export const ItemDelta = z.strictObject({
  thread_id: Id,
  turn_id: Id,
  item_id: Id,
  channel: z.enum(["text", "reasoning", "summary", "output", "plan"]),
  part: z.int().min(0).max(65_535).exactOptional(),
  delta: text(1, 262_144),
});
