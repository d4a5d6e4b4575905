/** Standard input to frames (D11, D16 to D18, D66). */
import { readSync } from "node:fs";
import { LF } from "../kernel/bytes.ts";
import { READ_BYTES } from "./limits.ts";
import { retryable, systemWords } from "./system.ts";

export type Frame =
  /** Without its LF, not empty; a view that ends with the next call. */
  | { readonly kind: "frame"; readonly bytes: Uint8Array }
  /** More bytes than the limit without an LF. To be answered, then dropped with `drain`. */
  | { readonly kind: "oversized" }
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly words: string };

/** Reads some bytes into `buffer` from `offset` on, waiting for the first; 0 is the end. Throws the system's error. */
export type ReadBytes = (buffer: Uint8Array, offset: number) => number;

const STDIN = 0;

export const readStdin: ReadBytes = (buffer, offset) =>
  readSync(STDIN, buffer, offset, buffer.length - offset, null);

type Filled =
  | { readonly kind: "more" }
  | { readonly kind: "end" }
  | { readonly kind: "failed"; readonly words: string };

/**
 * One buffer of the limit plus one byte for life. The frames in it stand between `start` and `end`; what has been looked
 * at and holds no LF ends at `searched`. A rest is moved to the front once, when the buffer's end is reached.
 */
export class FrameReader {
  readonly #read: ReadBytes;
  readonly #buffer: Uint8Array;
  #start = 0;
  #searched = 0;
  #end = 0;

  constructor(read: ReadBytes, frameBytesMax: number) {
    this.#read = read;
    this.#buffer = new Uint8Array(frameBytesMax + 1);
  }

  /** The next frame that is not empty. */
  next(): Frame {
    for (;;) {
      const found = this.#buffer.subarray(this.#searched, this.#end).indexOf(LF);
      if (found >= 0) {
        const bytes = this.#take(this.#searched + found);
        this.#start = this.#searched = this.#searched + found + 1;
        if (bytes.length > 0) return { kind: "frame", bytes };
        continue;
      }
      this.#searched = this.#end;
      if (this.#end - this.#start === this.#buffer.length) return { kind: "oversized" };
      const filled = this.#fill();
      if (filled.kind === "more") continue;
      if (filled.kind === "failed" || this.#start === this.#end) return filled;
      const bytes = this.#take(this.#end);
      this.#start = this.#end;
      return { kind: "frame", bytes };
    }
  }

  /**
   * Drops what remains of an oversized frame, up to its LF or the end, through a buffer of fixed size. Null, or words for
   * why it could not be read.
   */
  drain(): string | null {
    const dropped = new Uint8Array(READ_BYTES);
    for (;;) {
      const count = this.#attempt(dropped, 0);
      if (typeof count === "string") return count;
      if (count === 0 || dropped.subarray(0, count).indexOf(LF) >= 0) return null;
    }
  }

  #take(end: number): Uint8Array {
    return this.#buffer.subarray(this.#start, end);
  }

  /** Reads once behind what is there; there is room since the frame is not oversized. */
  #fill(): Filled {
    if (this.#start === this.#end) {
      this.#start = this.#searched = this.#end = 0;
    } else if (this.#end === this.#buffer.length) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#searched -= this.#start;
      this.#end -= this.#start;
      this.#start = 0;
    }
    const count = this.#attempt(this.#buffer, this.#end);
    if (typeof count === "string") return { kind: "failed", words: count };
    this.#end += count;
    return { kind: count === 0 ? "end" : "more" };
  }

  /** The number of bytes read, or words for why none could be. */
  #attempt(buffer: Uint8Array, offset: number): number | string {
    for (;;) {
      try {
        return this.#read(buffer, offset);
      } catch (error) {
        if (!retryable(error)) return `semapraxd: cannot read stdin: ${systemWords(error)}`;
      }
    }
  }
}
