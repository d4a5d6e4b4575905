/** A session with the package's own daemon, in a child process started through its launcher (R120, D71). */
import { join, resolve } from "node:path";
import { RESPONSE_BYTES_MAX } from "../daemon/limits.ts";
import { concatenate, LF } from "../kernel/bytes.ts";
import type { DaemonSession, SessionEnd } from "./daemon-session.ts";
import { STDERR_BYTES_MAX } from "./limits.ts";
import { FrameStream, readStart } from "./output.ts";

const LAUNCHER = join(import.meta.dir, "..", "main", "semapraxd");
const FRAME_END = Uint8Array.of(LF);

/** A daemon that runs as a child process. */
export interface DaemonProcess extends DaemonSession {
  readonly pid: number;
}

/** Starts a read-only daemon over the project of that manifest. Throws where the system cannot start it. */
export function openDaemon(manifestPath: string): DaemonProcess {
  const child = Bun.spawn(
    [
      LAUNCHER,
      "--stdio",
      "--manifest-path",
      resolve(manifestPath),
      "--max-response-bytes",
      String(RESPONSE_BYTES_MAX),
    ],
    { cwd: "/", stdin: "pipe", stdout: "pipe", stderr: "pipe" },
  );
  const frames = new FrameStream(child.stdout.getReader(), RESPONSE_BYTES_MAX);
  const words = readStart(child.stderr.getReader(), STDERR_BYTES_MAX);
  const ended = Promise.all([words, child.exited]).then(([text]): SessionEnd => {
    return { status: child.signalCode === null ? child.exitCode : null, words: text };
  });
  const kill = () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
  };
  return {
    pid: child.pid,
    ended,
    async ask(frame) {
      try {
        await child.stdin.write(concatenate([frame, FRAME_END]));
        await child.stdin.flush();
      } catch {
        // A daemon that refused its project reads nothing: what it says instead is in `ended`.
      }
      const answer = await frames.next();
      if (answer === "too long") kill();
      return answer === "too long" ? null : answer;
    },
    async close() {
      kill();
      await ended;
      await frames.cancel();
      await endQuietly(child.stdin);
    },
  };
}

/** Lets go of the pipe, which a daemon that has ended no longer reads. */
async function endQuietly(stdin: Bun.FileSink): Promise<void> {
  try {
    await stdin.end();
  } catch {}
}
