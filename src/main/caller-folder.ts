import { closeSync } from "node:fs";

/** Where a launcher on Linux leaves the caller's working directory, having started the runtime in `/` (D78). */
const CALLERS_FOLDER = 3;

/** Goes back to the folder that the caller was in. To be called before anything else. */
export function enterCallersFolder(): void {
  if (process.platform !== "linux") return;
  process.chdir(`/proc/self/fd/${CALLERS_FOLDER}`);
  closeSync(CALLERS_FOLDER);
}
