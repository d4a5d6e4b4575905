/** Loading the project that a command is about (L3). */
import { systemFiles } from "../project/file-system.ts";
import { loadProject } from "../project/load.ts";
import type { Snapshot } from "../project/snapshot.ts";
import { DEFAULT_MANIFEST_PATH, type Surroundings } from "./command.ts";
import { printFailure } from "./report.ts";

/** The snapshot, or null where the project is refused and that was said on stderr. Nothing stays open. */
export function loadSnapshot(manifestPath: string | null, surroundings: Surroundings): Snapshot | null {
  const path = manifestPath ?? DEFAULT_MANIFEST_PATH;
  const loaded = loadProject(path, systemFiles);
  if (!loaded.ok) {
    printFailure(loaded.failure, path, surroundings);
    return null;
  }
  loaded.value.held.close();
  return loaded.value.snapshot;
}
