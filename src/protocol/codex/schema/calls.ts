/** The requests that are sent to Codex: parameters, and what is read of the results (RC6, section 3). */

import { z } from "zod";
import { Id } from "../../schema/scalar.ts";
import { each } from "./each.ts";
import { Thread, Turn } from "./thread.ts";

const TextPart = z.strictObject({ type: z.literal("text"), text: z.string(), text_elements: z.tuple([]) });
const settings = {
  cwd: z.string(),
  sandbox: z.enum(["read-only", "workspace-write", "danger-full-access"]),
  approvalPolicy: z.enum(["untrusted", "on-request", "never"]),
};

export const CALLS = {
  initialize: {
    params: z.strictObject({
      clientInfo: z.strictObject({ name: z.string(), title: z.null(), version: z.string() }),
      capabilities: z.strictObject({
        experimentalApi: z.literal(false),
        requestAttestation: z.literal(false),
        optOutNotificationMethods: z.array(z.string()).readonly(),
      }),
    }),
    result: z.object({ userAgent: z.string() }),
  },
  "thread/start": {
    params: z.strictObject({
      ...settings,
      model: z.string().exactOptional(),
      modelProvider: z.string().exactOptional(),
      developerInstructions: z.string().exactOptional(),
      ephemeral: z.boolean().exactOptional(),
    }),
    result: z.object({ thread: Thread }),
  },
  "thread/read": {
    params: z.strictObject({ threadId: z.string(), includeTurns: z.literal(false) }),
    result: z.object({ thread: Thread }),
  },
  "thread/resume": {
    params: z.strictObject({ threadId: z.string(), excludeTurns: z.literal(true), ...settings }),
    result: z.object({ thread: Thread }),
  },
  "thread/turns/list": {
    params: z.strictObject({
      threadId: z.string(),
      sortDirection: z.literal("asc"),
      itemsView: z.literal("full"),
      limit: z.int(),
      cursor: z.string().exactOptional(),
    }),
    result: z.object({ data: each(Turn), nextCursor: z.string().nullish() }),
  },
  "turn/start": {
    params: z.strictObject({
      threadId: z.string(),
      input: z.array(TextPart),
      clientUserMessageId: z.string(),
    }),
    result: z.object({ turn: Turn }),
  },
  "turn/steer": {
    params: z.strictObject({
      threadId: z.string(),
      expectedTurnId: z.string(),
      input: z.array(TextPart),
      clientUserMessageId: z.string(),
    }),
    result: z.object({ turnId: Id }),
  },
  "turn/interrupt": {
    params: z.strictObject({ threadId: z.string(), turnId: z.string() }),
    result: z.object({}),
  },
} as const;

export type CallMethod = keyof typeof CALLS;
export type CallParams<M extends CallMethod> = z.input<(typeof CALLS)[M]["params"]>;
export type CallResult<M extends CallMethod> = z.output<(typeof CALLS)[M]["result"]>;
