/** What to make of an error of the system while reading or writing a pipe. */

const RETRY_MS = 1;

/**
 * Whether the call is to be made again. A pipe that somebody made non-blocking is waited for (D16, D19): there is no
 * event loop here that could tell, so it is asked again after a millisecond.
 */
export function retryable(error: unknown): boolean {
  switch (systemCode(error)) {
    case "EAGAIN":
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      return true;
    case "EINTR":
      return true;
    default:
      return false;
  }
}

/** The name of the system's error, for example `EPIPE`. */
export function systemWords(error: unknown): string {
  return systemCode(error);
}

/** Anything but an error of the system is a bug and is thrown again. */
function systemCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
