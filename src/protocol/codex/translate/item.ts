/** Items of Codex as native ones (section 5, RC29, RC30). */

import type { Item } from "../../message.ts";
import {
  CHANGES_MAX,
  COMMAND_BYTES_MAX,
  DIFF_BYTES_MAX,
  LABEL_BYTES_MAX,
  PATH_BYTES_MAX,
  TEXT_BYTES_MAX,
} from "../limits.ts";
import { type CodexFileUpdate, type CodexItem, targetOf } from "../schema/item.ts";
import { fit, itemId } from "../text.ts";
import { commandOfMessage } from "./thread.ts";

type OfKind<K extends Item["kind"]> = Extract<Item, { kind: K }>;
type Change = OfKind<"file_change">["changes"][number];
/** An item before its status and the mark of a cut text are known. */
type Body = Without<Item, "item_id" | "status" | "truncated">;
type Without<I, K extends string> = I extends unknown ? Omit<I, K> : never;

/** Where an item is seen: as it starts, when it ended, or in a list of what is stored. */
export type Sight = "started" | "completed" | "stored";

/** Notes whether any text was cut. */
interface Cuts {
  any: boolean;
}

export function toItem(item: CodexItem, sight: Sight): Item {
  const cuts: Cuts = { any: false };
  const body = toBody(item, cuts);
  // The body has the members that belong to its kind; a spread cannot show that to the compiler.
  return {
    item_id: itemId(item.id),
    ...body,
    status: toStatus(item, sight),
    ...(cuts.any && { truncated: true }),
  } as Item;
}

function toBody(item: CodexItem, cuts: Cuts): Body {
  switch (item.type) {
    case "userMessage":
      return userMessage(item, cuts);
    case "agentMessage":
      return { kind: "agent_message", text: cut(item.text, TEXT_BYTES_MAX, cuts) };
    case "plan":
      return { kind: "plan", text: cut(item.text, TEXT_BYTES_MAX, cuts) };
    case "reasoning":
      return { kind: "reasoning", text: cut(reasoning(item), TEXT_BYTES_MAX, cuts) };
    case "commandExecution":
      return { kind: "command", command: command(item, cuts) };
    case "fileChange":
      return { kind: "file_change", changes: changes(item.changes, cuts) };
    case "mcpToolCall":
      return { kind: "tool_call", tool: tool(item.tool, item.server, cuts) };
    case "dynamicToolCall":
      return { kind: "tool_call", tool: tool(item.tool, item.namespace, cuts) };
    case "other":
      return { kind: "other", label: named(item.label, LABEL_BYTES_MAX, cuts) };
  }
}

/** RC29: as Codex names it; a type without status has that of its event. */
function toStatus(item: CodexItem, sight: Sight): Item["status"] {
  if (sight === "started") return "in_progress";
  const status = "status" in item ? item.status : "completed";
  if (item.type === "commandExecution" && hasFailed(item.exitCode) && status === "completed") return "failed";
  if (status !== "inProgress") return status;
  // An item that is reported as completed is at its end, whatever it says.
  return sight === "completed" ? "completed" : "in_progress";
}

function hasFailed(exitCode: number | null | undefined): boolean {
  return typeof exitCode === "number" && exitCode !== 0;
}

function userMessage(item: Extract<CodexItem, { type: "userMessage" }>, cuts: Cuts): Body {
  const texts = item.content.flatMap((part) => ("text" in part ? [part.text] : []));
  if (texts.length < item.content.length) cuts.any = true;
  const commandId = commandOfMessage(item.clientId);
  return {
    kind: "user_message",
    text: cut(texts.join("\n"), TEXT_BYTES_MAX, cuts),
    ...(commandId !== null && { command_id: commandId }),
  };
}

function reasoning({ summary = [], content = [] }: Extract<CodexItem, { type: "reasoning" }>): string {
  return (summary.length > 0 ? summary : content).join("\n\n");
}

function command(
  item: Extract<CodexItem, { type: "commandExecution" }>,
  cuts: Cuts,
): OfKind<"command">["command"] {
  const { exitCode, aggregatedOutput } = item;
  return {
    line: named(item.command, COMMAND_BYTES_MAX, cuts),
    ...(item.cwd !== "" && { working_directory: cut(item.cwd, PATH_BYTES_MAX, cuts) }),
    ...(isExitCode(exitCode) && { exit_code: exitCode }),
    ...(typeof aggregatedOutput === "string" && { output: cut(aggregatedOutput, TEXT_BYTES_MAX, cuts) }),
  };
}

function isExitCode(code: number | null | undefined): code is number {
  return typeof code === "number" && code >= -(2 ** 31) && code < 2 ** 32;
}

function changes(updates: readonly CodexFileUpdate[], cuts: Cuts): Change[] {
  if (updates.length > CHANGES_MAX) cuts.any = true;
  return updates.slice(0, CHANGES_MAX).map((update) => ({
    path: named(update.path, PATH_BYTES_MAX, cuts),
    change: update.kind.type,
    diff: cut(diffOf(update), DIFF_BYTES_MAX, cuts),
  }));
}

/** A move is an update of the old path; where it goes stands in the first line. */
function diffOf(update: CodexFileUpdate): string {
  const target = targetOf(update);
  return target === null ? update.diff : `rename to ${target}\n${update.diff}`;
}

function tool(name: string, server: string | null | undefined, cuts: Cuts): OfKind<"tool_call">["tool"] {
  const shown = { name: named(name, LABEL_BYTES_MAX, cuts) };
  return server ? { ...shown, server: cut(server, LABEL_BYTES_MAX, cuts) } : shown;
}

function cut(text: string, bytesMax: number, cuts: Cuts): string {
  const fitted = fit(text, bytesMax);
  if (fitted.cut) cuts.any = true;
  return fitted.text;
}

/** As {@link cut}, for a member that cannot be empty. */
function named(text: string, bytesMax: number, cuts: Cuts): string {
  return cut(text, bytesMax, cuts) || "(empty)";
}

/**
 * What is left of an item that is too large for an event, the least loss first: without diffs, then without output,
 * then without text (RC30); at last with half of its changes, again and again.
 */
export function* smaller(item: Item): Generator<Item> {
  let rest: Item = { ...item, truncated: true };
  if (rest.kind === "file_change") {
    rest = { ...rest, changes: rest.changes.map(({ diff: _, ...change }) => change) };
    yield rest;
  }
  if (rest.kind === "command") {
    const { output: _, ...line } = rest.command;
    rest = { ...rest, command: line };
    yield rest;
  }
  if (rest.text !== undefined) {
    const { text: _, ...silent } = rest;
    rest = silent;
    yield rest;
  }
  while (rest.kind === "file_change" && rest.changes.length > 1) {
    rest = { ...rest, changes: rest.changes.slice(0, rest.changes.length >> 1) };
    yield rest;
  }
}
