/**
 * Threads and turns as Codex 0.163.0 sends them. Like all definitions here: open, since Codex sends fields outside its
 * own schema, and strict in the fields that are read (RC3).
 */

import { z } from "zod";
import { Id } from "../../schema/scalar.ts";

export const ThreadStatus = z.object({ type: z.enum(["notLoaded", "idle", "systemError", "active"]) });

export const Thread = z.object({
  id: Id,
  name: z.string().nullish(),
  ephemeral: z.boolean(),
  /** Unix seconds, as all times of threads and turns. */
  createdAt: z.int(),
  updatedAt: z.int(),
  status: ThreadStatus,
});

export const TurnError = z.object({
  message: z.string(),
  /** A name, or an object with a name as its only key. Which names there are is not ours to restrict (RC28). */
  codexErrorInfo: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
});

export const Turn = z.object({
  id: Id,
  status: z.enum(["completed", "interrupted", "failed", "inProgress"]),
  error: TurnError.nullish(),
  startedAt: z.int().nullish(),
  completedAt: z.int().nullish(),
  /** Read one by one: one that is not as defined spoils no turn. */
  items: z.array(z.unknown()),
});

export type CodexThread = z.output<typeof Thread>;
export type CodexTurn = z.output<typeof Turn>;
export type CodexTurnError = z.output<typeof TurnError>;
