import { closeSync } from "node:fs";
import { errorCode } from "../project/file-system.ts";

/** Where a launcher on Linux leaves the caller's working directory, having started the runtime in `/` (D78). */
const CALLERS_FOLDER = 3;

/**
 * Goes back to the folder that the caller was in. To be called before anything else. Returns null, or the system's error
 * where the runtime cannot be there: the folder was removed, may not be entered, or has too long a path. The process
 * then stays in `/`, and no relative path means what the caller meant by it.
 */
export function enterCallersFolder(): Error | null {
  if (process.platform !== "linux") return null;
  try {
    process.chdir(`/proc/self/fd/${CALLERS_FOLDER}`);
    return null;
  } catch (error) {
    // Anything but an error of the system is a bug and is thrown again.
    errorCode(error);
    return error instanceof Error ? error : null;
  } finally {
    closeSync(CALLERS_FOLDER);
  }
}
