/** The real daemon, started by its launcher over pipes. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { ReadableStreamDefaultReader } from "node:stream/web";

export const LAUNCHER = join(import.meta.dir, "..", "..", "src", "main", "semapraxd");

export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

/** Runs a command to its end with `input` on stdin. */
export async function run(
  command: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Ended> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdin: typeof input === "string" ? new TextEncoder().encode(input) : input,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { stdout, stderr, status };
}

/** Runs one session to its end; `program` is another form of the daemon. */
export function runDaemon(
  args: readonly string[],
  cwd: string,
  input: string | Uint8Array = "",
  program = LAUNCHER,
): Promise<Ended> {
  return run([program, ...args], cwd, input);
}

/** Every entry below a folder: kind, mode, inode, and the digest of its bytes. */
export function inventory(root: string): string[] {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" });
  return names.sort().map((name) => {
    const path = join(root, name);
    const stats = lstatSync(path);
    let content = "";
    if (stats.isFile()) content = createHash("sha256").update(readFileSync(path)).digest("hex");
    if (stats.isSymbolicLink()) content = readlinkSync(path);
    return `${name} ${stats.mode.toString(8)} ${stats.ino} ${content}`;
  });
}

/** A running daemon whose lines are asked for one at a time. */
export class Conversation {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
  readonly #decoder = new TextDecoder();
  #pending = "";

  constructor(args: readonly string[], cwd: string) {
    this.child = Bun.spawn([LAUNCHER, ...args], { cwd, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
    this.#reader = this.child.stdout.getReader();
  }

  write(bytes: string | Uint8Array): void {
    this.child.stdin.write(bytes);
    this.child.stdin.flush();
  }

  /** The next line without its LF, or null at the end of the output. */
  async line(): Promise<string | null> {
    for (;;) {
      const end = this.#pending.indexOf("\n");
      if (end >= 0) {
        const line = this.#pending.slice(0, end);
        this.#pending = this.#pending.slice(end + 1);
        return line;
      }
      const { value, done } = await this.#reader.read();
      if (done) return null;
      this.#pending += this.#decoder.decode(value, { stream: true });
    }
  }

  async ask(request: string): Promise<string | null> {
    this.write(`${request}\n`);
    return await this.line();
  }

  async end(): Promise<{ readonly stderr: string; readonly status: number }> {
    await this.child.stdin.end();
    const [stderr, status] = await Promise.all([new Response(this.child.stderr).text(), this.child.exited]);
    return { stderr, status };
  }
}
