// A child process that is asked one line at a time over FIFOs, by system calls that wait: no event loop takes part in the
// time of a round trip.
import { closeSync, constants, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temporary.ts";

const LF = 0x0a;
const BLOCK_BYTES = 65_536;

export class Channel {
  readonly #child: Bun.Subprocess;
  readonly #toChild: number;
  readonly #fromChild: number;
  #answer = new Uint8Array(2 * BLOCK_BYTES);

  constructor(command: readonly string[], cwd: string) {
    const folder = temporaryFolder();
    const [input, output] = [join(folder, "in"), join(folder, "out")];
    if (Bun.spawnSync(["mkfifo", input, output]).exitCode !== 0) throw new Error("mkfifo failed");
    // Opened in both directions, a FIFO waits for nobody. The child gets one direction only, so that it sees the end.
    const [heldInput, heldOutput] = [openSync(input, constants.O_RDWR), openSync(output, constants.O_RDWR)];
    const [stdin, stdout] = [openSync(input, constants.O_RDONLY), openSync(output, constants.O_WRONLY)];
    this.#toChild = openSync(input, constants.O_WRONLY);
    this.#fromChild = openSync(output, constants.O_RDONLY);
    this.#child = Bun.spawn([...command], { cwd, stdin, stdout, stderr: "inherit" });
    for (const descriptor of [heldInput, heldOutput, stdin, stdout]) closeSync(descriptor);
  }

  /**
   * Sends a request and waits for the answer, which ends with an LF or is `answerBytes` long; a view of it, valid until
   * the next call.
   */
  ask(request: Uint8Array, answerBytes: number | null = null): Uint8Array {
    for (let done = 0; done < request.length; ) done += writeSync(this.#toChild, request, done);
    let length = 0;
    for (;;) {
      if (length === this.#answer.length) {
        const larger = new Uint8Array(2 * length);
        larger.set(this.#answer);
        this.#answer = larger;
      }
      const count = readSync(this.#fromChild, this.#answer, length, this.#answer.length - length, null);
      if (count === 0) throw new Error("the child has ended");
      length += count;
      const isComplete = answerBytes === null ? this.#answer[length - 1] === LF : length === answerBytes;
      if (isComplete) return this.#answer.subarray(0, length);
    }
  }

  /** Resident memory of the child in bytes; null where the system does not tell. */
  memoryBytes(): number | null {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
      const found = /^VmRSS:\s+(\d+) kB$/m.exec(status);
      return found === null ? null : Number(found[1]) * 1024;
    } catch {
      return null;
    }
  }

  /** Closes the child's input and waits for its end. */
  async end(): Promise<void> {
    closeSync(this.#toChild);
    await this.#child.exited;
    closeSync(this.#fromChild);
  }
}
