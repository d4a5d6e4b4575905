/**
 * The Codex process, the only place of the adapter that touches the operating system: starting it with an environment
 * of its own, its pipes, its end (RC2, RC8, RC11, RC12).
 */

import {
  CODEX_VERSION,
  DRAIN_MS,
  INPUT_BYTES_MAX,
  LINE_BYTES_MAX,
  STOP_MS,
  VERSION_BYTES_MAX,
  VERSION_MS,
} from "./limits.ts";
import { LineSplitter } from "./lines.ts";
import type { Config } from "./options.ts";
import type { Peer, PeerListener, Timers } from "./peer.ts";
import type { Starter } from "./host.ts";

export const systemTimers: Timers = Object.freeze({
  after(ms: number, callback: () => void) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
});

type Child = Bun.Subprocess<"pipe", "pipe", "pipe">;

/** Starts `codex app-server`, if the program is the pinned release. */
export async function startProcess(config: Config, listener: PeerListener): ReturnType<Starter> {
  const version = await readVersion(config);
  if (version === null) return { peer: null, reason: "not_started" };
  if (version !== `codex-cli ${CODEX_VERSION}\n`) return { peer: null, reason: "wrong_version" };
  const child = spawn(config, ["app-server"]);
  return child === null ? { peer: null, reason: "not_started" } : { peer: new ChildPeer(child, listener) };
}

/** Nothing of the parent's environment but where programs, home and temporary files are (RC11). */
function environment({ codexHome, env = {} }: Config): Record<string, string> {
  const inherited: Record<string, string> = {};
  for (const name of ["PATH", "HOME", "TMPDIR"]) {
    const value = process.env[name];
    if (value !== undefined) inherited[name] = value;
  }
  return { ...inherited, ...env, CODEX_HOME: codexHome };
}

/** Null where the program cannot be started at all. Detached: a group of its own, which can be killed as a whole. */
function spawn(config: Config, args: readonly string[]): Child | null {
  try {
    return Bun.spawn({
      cmd: [config.bin, ...args],
      cwd: config.workingDirectory,
      env: environment(config),
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch {
    return null;
  }
}

/** What `--version` prints; null if it does not end well in time. */
async function readVersion(config: Config): Promise<string | null> {
  const child = spawn(config, ["--version"]);
  if (child === null) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const errors = read(child.stderr, () => undefined);
  const output = read(child.stdout, (chunk) => {
    length += chunk.length;
    if (length <= VERSION_BYTES_MAX) chunks.push(chunk);
    else kill(child);
  });
  endInput(child);
  await within(VERSION_MS, child.exited);
  const isGood = child.exitCode === 0;
  kill(child);
  await within(isGood ? DRAIN_MS : 0, output.done);
  output.letGo();
  errors.letGo();
  return isGood && length <= VERSION_BYTES_MAX ? Buffer.concat(chunks).toString() : null;
}

function endInput(child: Child): void {
  try {
    void Promise.resolve(child.stdin.end()).catch(() => undefined);
  } catch {
    // It is gone already.
  }
}

/** Kills the process and what it started in its group, unless it is gone: then its number may be another's. */
function kill(child: Child): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

interface Reading {
  /** Settles when the pipe has ended, broke or was let go. */
  readonly done: Promise<void>;
  /** Closes the pipe: something that the process started may hold its other end for as long as it likes. */
  readonly letGo: () => void;
}

function read(stream: ReadableStream<Uint8Array>, take: (chunk: Uint8Array) => void): Reading {
  const reader = stream.getReader();
  const readAll = async () => {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) take(next.value);
    } catch {
      // A pipe that breaks has ended.
    }
  };
  return { done: readAll(), letGo: () => void reader.cancel().catch(() => undefined) };
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopTimer = systemTimers.after(ms, resolve);
  await Promise.race([work, promise]);
  stopTimer();
}

function nameOf(signal: string | number | null): string | null {
  return signal === null ? null : String(signal);
}

class ChildPeer implements Peer {
  readonly #child: Child;
  readonly #listener: PeerListener;
  readonly #gone: Promise<void>;
  #isOpen = true;
  #hasEnded = false;
  /** Bytes that the pipe has not taken yet. */
  #waiting = 0;

  constructor(child: Child, listener: PeerListener) {
    this.#child = child;
    this.#listener = listener;
    this.#gone = this.#run();
  }

  send(line: string): boolean {
    // No text has more bytes than three for each of its units.
    const bytes = line.length * 3 + 1;
    if (!this.#isOpen || this.#waiting + bytes > INPUT_BYTES_MAX) return false;
    this.#waiting += bytes;
    try {
      this.#child.stdin.write(`${line}\n`);
      void this.#flush(bytes);
      return true;
    } catch {
      this.#isOpen = false;
      return false;
    }
  }

  async #flush(bytes: number): Promise<void> {
    try {
      await this.#child.stdin.flush();
      this.#waiting -= bytes;
    } catch {
      // The process does not read any more; its end is told by its exit.
      this.#isOpen = false;
    }
  }

  async stop(): Promise<void> {
    this.#isOpen = false;
    const stopTimer = systemTimers.after(STOP_MS, () => kill(this.#child));
    endInput(this.#child);
    await this.#gone;
    stopTimer();
  }

  kill(): void {
    this.#isOpen = false;
    kill(this.#child);
  }

  async #run(): Promise<void> {
    const errors = read(this.#child.stderr, (chunk) => this.#listener.noise(chunk.length));
    const lines = this.#readLines();
    await this.#child.exited;
    this.#isOpen = false;
    // What it wrote before its end still counts; but a pipe may be held open by something it started.
    await within(DRAIN_MS, Promise.all([lines.done, errors.done]));
    this.#hasEnded = true;
    lines.letGo();
    errors.letGo();
    this.#listener.ended({ code: this.#child.exitCode, signal: nameOf(this.#child.signalCode) });
  }

  #readLines(): Reading {
    const splitter = new LineSplitter(LINE_BYTES_MAX);
    let isReading = true;
    return read(this.#child.stdout, (chunk) => {
      if (!isReading || this.#hasEnded) return;
      const state = splitter.push(chunk, (line) => this.#listener.line(line));
      isReading = state === "more";
      if (state === "overlong") this.#listener.overlong();
    });
  }
}
