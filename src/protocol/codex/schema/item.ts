/** Items of a turn (section 5): those that have a native kind of their own, and what any other item has. */

import { z } from "zod";
import { each } from "./each.ts";

const id = z.string();
const ExecutionStatus = z.enum(["inProgress", "completed", "failed", "declined"]);
const ToolStatus = z.enum(["inProgress", "completed", "failed"]);

export const AnyItem = z.object({ type: z.string(), id });

/** Text is all that is read of what a user says; other parts have other types. */
const InputPart = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.string().refine((type) => type !== "text") }),
]);

export const FileUpdate = z.object({
  path: z.string(),
  kind: z.discriminatedUnion("type", [
    z.object({ type: z.enum(["add", "delete"]) }),
    z.object({ type: z.literal("update"), move_path: z.string().nullish() }),
  ]),
  diff: z.string(),
});

export const ITEMS = {
  userMessage: z.object({
    type: z.literal("userMessage"),
    id,
    clientId: z.string().nullish(),
    content: each(InputPart),
  }),
  agentMessage: z.object({ type: z.literal("agentMessage"), id, text: z.string() }),
  plan: z.object({ type: z.literal("plan"), id, text: z.string() }),
  reasoning: z.object({
    type: z.literal("reasoning"),
    id,
    summary: each(z.string()).optional(),
    content: each(z.string()).optional(),
  }),
  commandExecution: z.object({
    type: z.literal("commandExecution"),
    id,
    status: ExecutionStatus,
    command: z.string(),
    cwd: z.string(),
    exitCode: z.int().nullish(),
    aggregatedOutput: z.string().nullish(),
  }),
  fileChange: z.object({
    type: z.literal("fileChange"),
    id,
    status: ExecutionStatus,
    changes: each(FileUpdate),
  }),
  mcpToolCall: z.object({
    type: z.literal("mcpToolCall"),
    id,
    status: ToolStatus,
    tool: z.string(),
    server: z.string(),
  }),
  dynamicToolCall: z.object({
    type: z.literal("dynamicToolCall"),
    id,
    status: ToolStatus,
    tool: z.string(),
    namespace: z.string().nullish(),
  }),
} as const;

type KnownItem = z.output<(typeof ITEMS)[keyof typeof ITEMS]>;
/** An item of a known type, or the type and id of any other. */
export type CodexItem = KnownItem | { type: "other"; id: string; label: string };
export type CodexFileUpdate = z.output<typeof FileUpdate>;

/** Where a changed file moves to; null if it stays. */
export function targetOf({ kind }: CodexFileUpdate): string | null {
  return kind.type === "update" ? (kind.move_path ?? null) : null;
}

/** Null for what is no item, or not as the definition of its type says. */
export function readItem(value: unknown): CodexItem | null {
  const any = AnyItem.safeParse(value);
  if (!any.success) return null;
  const { type, id } = any.data;
  if (!isKnown(type)) return { type: "other", id, label: type };
  const item = ITEMS[type].safeParse(value);
  return item.success ? item.data : null;
}

const UserMessage = z.object({ type: z.literal("userMessage"), clientId: z.string().nullish() });
const OtherItem = z.object({ type: z.string().refine((type) => type !== "userMessage") });

/** Whether an item is a user message, and its mark, whatever else is wrong with it; null if that cannot be told. */
export function readMark(value: unknown): { isUserMessage: boolean; clientId: string | null } | null {
  const message = UserMessage.safeParse(value);
  if (message.success) return { isUserMessage: true, clientId: message.data.clientId ?? null };
  return OtherItem.safeParse(value).success ? { isUserMessage: false, clientId: null } : null;
}

function isKnown(type: string): type is keyof typeof ITEMS {
  return Object.hasOwn(ITEMS, type);
}
