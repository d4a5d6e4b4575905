/** What Codex sends by itself: notifications, and requests that want an answer (sections 4 and 6). */

import { z } from "zod";
import { Id } from "../../schema/scalar.ts";
import { Thread, ThreadStatus, Turn, TurnError } from "./thread.ts";

/** Integers so far, from 0 in every process (RC9). */
export const RequestId = z.union([z.string(), z.int()]);
export type CodexRequestId = z.output<typeof RequestId>;

const inTurn = { threadId: Id, turnId: Id };
const delta = { ...inTurn, itemId: z.string(), delta: z.string() };
const itemEvent = z.object({ ...inTurn, item: z.unknown() });

/** The notifications that are translated, and the one that closes an approval. */
export const NOTIFICATIONS = {
  "thread/started": z.object({ thread: Thread }),
  "thread/status/changed": z.object({ threadId: Id, status: ThreadStatus }),
  "thread/name/updated": z.object({ threadId: Id, threadName: z.string().nullish() }),
  "thread/closed": z.object({ threadId: Id }),
  "turn/started": z.object({ threadId: Id, turn: Turn }),
  "turn/completed": z.object({ threadId: Id, turn: Turn }),
  error: z.object({ ...inTurn, error: TurnError, willRetry: z.boolean() }),
  warning: z.object({ threadId: Id.nullish(), message: z.string() }),
  "item/started": itemEvent,
  "item/completed": itemEvent,
  "item/agentMessage/delta": z.object(delta),
  "item/plan/delta": z.object(delta),
  "item/reasoning/textDelta": z.object({ ...delta, contentIndex: z.int() }),
  "item/reasoning/summaryTextDelta": z.object({ ...delta, summaryIndex: z.int() }),
  "item/commandExecution/outputDelta": z.object(delta),
  "serverRequest/resolved": z.object({ threadId: Id, requestId: RequestId }),
} as const;

export type EventMethod = keyof typeof NOTIFICATIONS;
export type EventParams<M extends EventMethod> = z.output<(typeof NOTIFICATIONS)[M]>;

export function isEventMethod(method: string): method is EventMethod {
  return Object.hasOwn(NOTIFICATIONS, method);
}

export const APPROVALS = {
  "item/commandExecution/requestApproval": z.object({
    ...inTurn,
    itemId: z.string(),
    kind: z.enum(["command", "writeStdin"]).default("command"),
    environmentId: z.string().nullish(),
    reason: z.string().nullish(),
    command: z.string().nullish(),
    cwd: z.string().nullish(),
    networkApprovalContext: z
      .object({ host: z.string(), protocol: z.enum(["http", "https", "socks5Tcp", "socks5Udp"]) })
      .nullish(),
  }),
  "item/fileChange/requestApproval": z.object({
    ...inTurn,
    itemId: z.string(),
    reason: z.string().nullish(),
    grantRoot: z.string().nullish(),
  }),
} as const;

export type ApprovalMethod = keyof typeof APPROVALS;
export type CommandApproval = z.output<(typeof APPROVALS)["item/commandExecution/requestApproval"]>;
export type FileApproval = z.output<(typeof APPROVALS)["item/fileChange/requestApproval"]>;

export function isApprovalMethod(method: string): method is ApprovalMethod {
  return Object.hasOwn(APPROVALS, method);
}

/** Where an event or request belongs, where it says so. */
export const Place = z.object({ threadId: Id, turnId: Id.nullish() });
