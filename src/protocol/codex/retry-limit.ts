/** Ends a turn that only tries to reach its model: Codex itself never gives up (RC24, RC48). */

import type { Context } from "./context.ts";
import type { ThreadRecord, TurnRecord } from "./threads.ts";

/** The first retry starts the limit; anything that the turn does stops it. */
export function startRetryLimit(context: Context, thread: ThreadRecord, turn: TurnRecord): void {
  if (turn.stopRetryLimit !== null || turn.ended !== null) return;
  turn.stopRetryLimit = context.timers.after(context.config.retryLimitMs, () => {
    turn.stopRetryLimit = null;
    giveUp(context, thread, turn);
  });
}

export function stopRetryLimit(turn: TurnRecord): void {
  turn.stopRetryLimit?.();
  turn.stopRetryLimit = null;
}

function giveUp({ threads, link }: Context, thread: ThreadRecord, turn: TurnRecord): void {
  const threadId = thread.facts.thread_id;
  const params = {
    thread_id: threadId,
    turn_id: turn.id,
    level: "error",
    reason: "provider.retry_limit",
    message: "the model was not reached in time; the turn is interrupted",
    will_retry: false,
  } as const;
  threads.publish(thread, { method: "turn/notice", params }, turn.owner?.correlationId);
  // What comes of it is told by the end of the turn.
  link.call("turn/interrupt", { threadId, turnId: turn.id }, () => undefined);
}
