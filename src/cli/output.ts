/**
 * Where a command's words go (L4): results to stdout, everything about a failure to stderr. Descriptors are written
 * synchronously and completely, so that ending the process cannot cut output short; `process.stdout` is never touched.
 */
import { fstatSync, readSync, writeSync } from "node:fs";
import { concatenate, utf8 } from "../kernel/bytes.ts";

/** What a command may do to the world besides reading its project. Tests hand in their own. */
export interface Io {
  out(text: string | Uint8Array): void;
  err(text: string): void;
  /** All of stdin, unless it has more than `bytesMax` bytes or cannot be read. */
  input(bytesMax: number): Input;
  /** Puts a question to whoever sits at the terminal and gives the answer's line; null where there is no terminal. */
  readonly ask: ((question: string) => string) | null;
  readonly stdoutIsTerminal: boolean;
  readonly stderrIsTerminal: boolean;
  /** NO_COLOR is set, to whatever value. */
  readonly noColour: boolean;
}

export type Input =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly words: string };

/** Stdout or stderr cannot take any more; `code` is that of the system, for example `EPIPE`. */
export class OutputClosed extends Error {
  constructor(readonly code: string) {
    super(`cannot write output: ${code}`);
  }
}

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const INPUT_BLOCK_BYTES = 65_536;
const ANSWER_BYTES_MAX = 1024;
const RETRY_MS = 1;

export function processIo(environment: Readonly<Record<string, string | undefined>>): Io {
  return {
    out: (text) => writeAll(STDOUT, text),
    err: (text) => writeAll(STDERR, text),
    input: readAll,
    ask: isTerminal(STDIN) && isTerminal(STDERR) ? ask : null,
    stdoutIsTerminal: isTerminal(STDOUT),
    stderrIsTerminal: isTerminal(STDERR),
    noColour: environment["NO_COLOR"] !== undefined,
  };
}

/** Major device numbers of terminals on Linux: consoles, `/dev/tty`, and the pseudo-terminals. */
const TERMINAL_MAJORS: ReadonlySet<number> = new Set([4, 5, 136, 137, 138, 139, 140, 141, 142, 143]);

/** Asks the descriptor's device: importing `node:tty` for that takes half as long as the whole start of the runtime. */
function isTerminal(descriptor: number): boolean {
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isCharacterDevice()) return false;
    return process.platform !== "linux" || TERMINAL_MAJORS.has((stats.rdev >>> 8) & 0xfff);
  } catch {
    // A descriptor that is not open.
    return false;
  }
}

function writeAll(descriptor: number, text: string | Uint8Array): void {
  const bytes = typeof text === "string" ? utf8(text) : text;
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      // Somebody made the pipe non-blocking and it is full.
      if (systemCode(error) === "EAGAIN") pause();
      else throw new OutputClosed(systemCode(error));
    }
  }
}

function readAll(bytesMax: number): Input {
  const blocks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const block = new Uint8Array(INPUT_BLOCK_BYTES);
    let count = 0;
    try {
      count = readSync(STDIN, block);
    } catch (error) {
      const code = systemCode(error);
      if (code === "EAGAIN") {
        pause();
        continue;
      }
      if (code !== "EOF") return { ok: false, words: `cannot be read (${code})` };
    }
    if (count === 0) break;
    length += count;
    if (length > bytesMax) return { ok: false, words: `has more than ${bytesMax} bytes` };
    blocks.push(block.subarray(0, count));
  }
  return { ok: true, bytes: concatenate(blocks) };
}

/** A terminal hands over one line at a time; without one, at its end, the answer is empty. */
function ask(question: string): string {
  writeAll(STDERR, question);
  const line = new Uint8Array(ANSWER_BYTES_MAX);
  for (;;) {
    try {
      return new TextDecoder().decode(line.subarray(0, readSync(STDIN, line))).trim();
    } catch (error) {
      if (systemCode(error) !== "EAGAIN") return "";
      pause();
    }
  }
}

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
}

/** The system's name of an error, or of whatever else was thrown. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "EIO";
}
