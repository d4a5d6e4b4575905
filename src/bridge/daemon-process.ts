/** A session with the package's own daemon, in a child process started through its launcher (R120, D71). */
import { join, resolve } from "node:path";
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { RESPONSE_BYTES_MAX } from "../daemon/limits.ts";
import { concatenate, LF } from "../kernel/bytes.ts";
import type { DaemonSession, SessionEnd } from "./daemon-session.ts";
import { STDERR_BYTES_MAX } from "./limits.ts";

const LAUNCHER = join(import.meta.dir, "..", "main", "semapraxd");
const FRAME_END = Uint8Array.of(LF);

type Chunks = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

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
  const frames = new FrameStream(child.stdout.getReader());
  const words = readWords(child.stderr.getReader());
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

/** Splits what the daemon writes at LF. A rest without LF is a frame too: it is for the reader to refuse. */
class FrameStream {
  readonly #chunks: Chunks;
  #parts: Uint8Array[] = [];
  #length = 0;

  constructor(chunks: Chunks) {
    this.#chunks = chunks;
  }

  /** Null at the end of the output. */
  async next(): Promise<Uint8Array | "too long" | null> {
    for (;;) {
      const frame = this.#take();
      if (frame !== null) return frame;
      if (this.#length > RESPONSE_BYTES_MAX) return "too long";
      const { value, done } = await this.#chunks.read();
      if (done) return this.#length === 0 ? null : this.#cut(this.#length);
      this.#parts.push(value);
      this.#length += value.length;
    }
  }

  async cancel(): Promise<void> {
    await this.#chunks.cancel();
  }

  /** A complete frame, if its LF is in the newest chunk: in the older ones it would have been found before. */
  #take(): Uint8Array | null {
    const newest = this.#parts.at(-1);
    const end = newest?.indexOf(LF) ?? -1;
    if (newest === undefined || end < 0) return null;
    const frame = this.#cut(this.#length - newest.length + end);
    this.#parts = [newest.subarray(end + 1)];
    this.#length = newest.length - end - 1;
    return frame;
  }

  #cut(length: number): Uint8Array {
    const bytes = concatenate(this.#parts).subarray(0, length);
    this.#parts = [];
    this.#length = 0;
    return bytes;
  }
}

/** Reads to the end, so that the daemon never waits for a reader, and keeps the first bytes. */
async function readWords(chunks: Chunks): Promise<string> {
  const kept: Uint8Array[] = [];
  let room = STDERR_BYTES_MAX;
  for (;;) {
    const { value, done } = await chunks.read();
    if (done) break;
    kept.push(value.subarray(0, room));
    room -= Math.min(room, value.length);
  }
  return new TextDecoder().decode(concatenate(kept));
}
