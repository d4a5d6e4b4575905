/** Which methods there are. `protocol` lists exactly these names. */
import type { Method } from "./method.ts";
import { check } from "./methods/check.ts";
import { context } from "./methods/context.ts";
import { graph } from "./methods/graph.ts";
import { ping } from "./methods/ping.ts";
import { protocol } from "./methods/protocol.ts";
import { renameApply } from "./methods/rename-apply.ts";
import { renamePreview } from "./methods/rename-preview.ts";
import { shutdown } from "./methods/shutdown.ts";
import { test } from "./methods/test.ts";
import { workspaceOpen } from "./methods/workspace-open.ts";
import { workspaceSnapshot } from "./methods/workspace-snapshot.ts";
import { workspaceStatus } from "./methods/workspace-status.ts";

/** Transport v2: nothing here writes. */
const READ_ONLY: readonly Method[] = [
  check,
  context,
  graph,
  ping,
  protocol,
  shutdown,
  test,
  workspaceOpen,
  workspaceSnapshot,
  workspaceStatus,
];

/** What `--allow-project-rename` adds (transport v3). */
const RENAME: readonly Method[] = [renameApply, renamePreview];

/** Methods by their exact name (D33). */
export function routes(allowProjectRename: boolean): ReadonlyMap<string, Method> {
  const methods = allowProjectRename ? [...READ_ONLY, ...RENAME] : READ_ONLY;
  return new Map(methods.map((method) => [method.name, method]));
}
