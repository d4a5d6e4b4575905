/** What an approval of Codex is about, as a native action (RC31, RC32). Nothing is asked that cannot be shown whole. */

import { sha256Hex } from "../../../kernel/digest.ts";
import { utf8Length } from "../../../kernel/text.ts";
import type { JsonObject } from "../../json/value.ts";
import type { ParamsOf } from "../../message.ts";
import {
  ACTION_BYTES_MAX,
  CHANGES_MAX,
  COMMAND_BYTES_MAX,
  LABEL_BYTES_MAX,
  MESSAGE_BYTES_MAX,
  PATH_BYTES_MAX,
} from "../limits.ts";
import type { CommandApproval, FileApproval } from "../schema/events.ts";
import { type CodexFileUpdate, targetOf } from "../schema/item.ts";
import { fit, fits } from "../text.ts";

export interface Subject {
  readonly action: ParamsOf<"approval/request">["action"];
  readonly reason: string | null;
}

/** RC31. Null where the command or its folder does not fit a message: nobody approves half a command. */
export function commandSubject(params: CommandApproval): Subject | null {
  const { kind, command, cwd, environmentId, networkApprovalContext: network } = params;
  if (!isShowable(command, COMMAND_BYTES_MAX) || !isShowable(cwd, PATH_BYTES_MAX)) return null;
  if (!isShowable(environmentId, LABEL_BYTES_MAX) || !isShowable(network?.host, LABEL_BYTES_MAX)) return null;
  const reason = reasonOf(params.reason);
  const details: JsonObject = { codex_kind: kind, environment_id: environmentId ?? null };
  if (network) details["network"] = { host: network.host, protocol: network.protocol };
  const where = cwd ? { working_directory: cwd } : {};
  if (kind === "command" && command) {
    const summary = reason ?? fit(command, MESSAGE_BYTES_MAX).text;
    return { action: { kind: "command", summary, command, ...where, details }, reason };
  }
  const what = command ? { command } : {};
  const summary = reason ?? (fit(command ?? "", MESSAGE_BYTES_MAX).text || `permission for ${kind}`);
  return { action: { kind: "permission", summary, ...what, ...where, details }, reason };
}

/** Absent, or fit to be shown as it is. */
function isShowable(text: string | null | undefined, bytesMax: number): boolean {
  return !text || fits(text, bytesMax);
}

function reasonOf(reason: string | null | undefined): string | null {
  return fit(reason ?? "", MESSAGE_BYTES_MAX).text || null;
}

/** What is remembered of a file change; null where it is nothing that can be asked about. */
export type FileChanges = readonly ChangeSummary[] | null;

interface ChangeSummary {
  readonly path: string;
  readonly change: CodexFileUpdate["kind"]["type"];
  readonly diff_digest: string;
  readonly move_to?: string;
}

export function summarize(updates: readonly CodexFileUpdate[]): FileChanges {
  if (updates.length === 0 || updates.length > CHANGES_MAX) return null;
  const summaries = updates.map(summarizeOne);
  const paths = pathsOf(summaries);
  return paths.length <= CHANGES_MAX && paths.every((path) => fits(path, PATH_BYTES_MAX)) ? summaries : null;
}

function summarizeOne(update: CodexFileUpdate): ChangeSummary {
  const { path, kind, diff } = update;
  const target = targetOf(update);
  const summary = { path, change: kind.type, diff_digest: `sha256:${sha256Hex(diff.toWellFormed())}` };
  return target === null ? summary : { ...summary, move_to: target };
}

function pathsOf(changes: readonly ChangeSummary[]): string[] {
  return changes.flatMap(({ path, move_to }) => (move_to === undefined ? [path] : [path, move_to]));
}

/** RC32. Null where it is not known what would change, or where a whole folder is asked for. */
export function fileSubject(params: FileApproval, changes: FileChanges | undefined): Subject | null {
  if (!changes || (params.grantRoot ?? null) !== null) return null;
  const reason = reasonOf(params.reason);
  const summary = reason ?? `change ${changes.length} file(s)`;
  const details: JsonObject = { changes: changes.map((change) => ({ ...change })) };
  const action = { kind: "file_change", summary, paths: pathsOf(changes), details } as const;
  return utf8Length(JSON.stringify(action)) <= ACTION_BYTES_MAX ? { action, reason } : null;
}
