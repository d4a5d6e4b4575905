import { closeSync, existsSync, fstatSync } from "node:fs";
import { errorCode } from "../project/file-system.ts";

/** Where a launcher on Linux leaves the caller's working directory, having started the runtime in `/` (D78). */
const CALLERS_FOLDER = 3;
const OPEN_DESCRIPTORS = "/proc/self/fd";

export type Entry =
  | { readonly kind: "entered" }
  /** The folder was removed, may not be entered, or has too long a path; the error is the system's. */
  | { readonly kind: "lost"; readonly error: Error }
  /** Started by something else than the launcher; the words say what to start, without the program's name. */
  | { readonly kind: "no_launcher"; readonly words: string };

/**
 * Goes back to the folder that the caller was in. To be called before anything else. Where the runtime cannot be there
 * the process stays in `/`, and no relative path means what the caller meant by it. `launcher` is its name.
 */
export function enterCallersFolder(launcher: string): Entry {
  // Without /proc the launcher starts the runtime where the caller is.
  if (process.platform !== "linux" || !existsSync(OPEN_DESCRIPTORS)) return { kind: "entered" };
  if (!isFolder(CALLERS_FOLDER)) {
    return {
      kind: "no_launcher",
      words: `this file is started by its launcher: start src/main/${launcher} instead`,
    };
  }
  try {
    process.chdir(`${OPEN_DESCRIPTORS}/${CALLERS_FOLDER}`);
    return { kind: "entered" };
  } catch (error) {
    // Anything but an error of the system is a bug and is thrown again.
    errorCode(error);
    if (error instanceof Error) return { kind: "lost", error };
    throw error;
  } finally {
    closeSync(CALLERS_FOLDER);
  }
}

/** Anything else at that number belongs to the runtime or to whoever started it, and is left alone. */
function isFolder(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isDirectory();
  } catch (error) {
    errorCode(error);
    return false;
  }
}
