/** Approvals (R52): a decision about exactly one action, bound to it by its hash. */

import { z } from "zod";
import { digestOf } from "../json/canonical.ts";
import { Digest, Id, JsonObject, list, Timestamp, text } from "./scalar.ts";

const Command = text(1, 65_536);
const Paths = list(text(1, 4096), 1, 256);

/** `members`: whether `command` and `paths` are required of this kind. */
function actionOf<K extends z.ZodType, M extends { command: z.ZodType; paths: z.ZodType }>(
  kind: K,
  members: M,
) {
  return z.strictObject({
    kind,
    summary: text(1, 4096),
    working_directory: text(1, 4096).exactOptional(),
    details: JsonObject.exactOptional(),
    ...members,
  });
}

export const Action = z.discriminatedUnion("kind", [
  actionOf(z.literal("command"), { command: Command, paths: Paths.exactOptional() }),
  actionOf(z.literal("file_change"), { command: Command.exactOptional(), paths: Paths }),
  actionOf(z.enum(["permission", "other"]), {
    command: Command.exactOptional(),
    paths: Paths.exactOptional(),
  }),
]);

export const ApprovalParams = z
  .strictObject({
    approval_id: Id,
    thread_id: Id.exactOptional(),
    turn_id: Id.exactOptional(),
    item_id: Id.exactOptional(),
    action: Action,
    action_digest: Digest,
    deadline: Timestamp,
    reason: text(1, 4096).exactOptional(),
  })
  .refine(({ thread_id, turn_id }) => turn_id === undefined || thread_id !== undefined)
  .refine(({ turn_id, item_id }) => item_id === undefined || turn_id !== undefined)
  .refine(({ action, action_digest }) => digestOf(action) === action_digest);

export const ApprovalResult = z.strictObject({
  approval_id: Id,
  decision: z.enum(["approve", "deny"]),
  action_digest: Digest,
  decided_at: Timestamp,
  reason: text(1, 4096).exactOptional(),
});
