/** Threads and turns of Codex as native ones (RC15, RC16). */

import type { Thread, Turn } from "../../message.ts";
import { LABEL_BYTES_MAX } from "../limits.ts";
import { readMark } from "../schema/item.ts";
import type { CodexThread, CodexTurn } from "../schema/thread.ts";
import { fit, isId, timestamp } from "../text.ts";
import { toFailure } from "./failure.ts";

export type ThreadStatus = Thread["status"];

/** A thread without its running turn, which Codex does not name. */
export interface ThreadFacts {
  thread_id: string;
  status: ThreadStatus;
  title?: string;
  ephemeral: boolean;
  created_at: string;
  updated_at: string;
}

export function toStatus(status: CodexThread["status"]): ThreadStatus {
  switch (status.type) {
    case "notLoaded":
      return "not_loaded";
    case "idle":
      return "idle";
    case "active":
      return "active";
    case "systemError":
      return "failed";
  }
}

export function toThread(thread: CodexThread): ThreadFacts {
  const facts: ThreadFacts = {
    thread_id: thread.id,
    status: toStatus(thread.status),
    ephemeral: thread.ephemeral,
    created_at: timestamp(thread.createdAt),
    updated_at: timestamp(thread.updatedAt),
  };
  const title = toTitle(thread.name);
  if (title !== null) facts.title = title;
  return facts;
}

export function toTitle(name: string | null | undefined): string | null {
  return fit(name ?? "", LABEL_BYTES_MAX).text || null;
}

/** A turn without its items. `commandId` is the mutation that started it, where that is known. */
export function toTurn(threadId: string, turn: CodexTurn, commandId: string | null): Turn {
  const base = {
    thread_id: threadId,
    turn_id: turn.id,
    ...(commandId !== null && { command_id: commandId }),
    ...(typeof turn.startedAt === "number" && { started_at: timestamp(turn.startedAt) }),
  };
  const finished = typeof turn.completedAt === "number" && { finished_at: timestamp(turn.completedAt) };
  switch (turn.status) {
    case "inProgress":
      return { ...base, status: "in_progress" };
    case "completed":
    case "interrupted":
      return { ...base, status: turn.status, ...finished };
    case "failed":
      return { ...base, status: "failed", failure: toFailure(turn.error), ...finished };
  }
}

/** The mark of the mutation that started a turn: that of its first user message (RC16, RC19). */
export function commandOfTurn(turn: CodexTurn): string | null {
  for (const value of turn.items) {
    const mark = readMark(value);
    if (mark === null || mark.isUserMessage) return commandOfMessage(mark?.clientId);
  }
  return null;
}

export function commandOfMessage(clientId: string | null | undefined): string | null {
  return typeof clientId === "string" && isId(clientId) ? clientId : null;
}
