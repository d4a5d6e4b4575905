/** What a daemon writes: frames on one pipe, words on the other. */
import type { ReadableStreamDefaultReader } from "node:stream/web";
import { concatenate, LF } from "../kernel/bytes.ts";

export type Chunks = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** Splits what the daemon writes at LF. A rest without LF is a frame too: it is for the reader to refuse. */
export class FrameStream {
  readonly #chunks: Chunks;
  readonly #bytesMax: number;
  #parts: Uint8Array[] = [];
  #length = 0;

  /** `bytesMax` bounds a frame with its LF. */
  constructor(chunks: Chunks, bytesMax: number) {
    this.#chunks = chunks;
    this.#bytesMax = bytesMax;
  }

  /** Null at the end of the output. A frame over the bound ends the stream: what follows it would be its rest. */
  async next(): Promise<Uint8Array | "too long" | null> {
    for (;;) {
      const frame = this.#take();
      if ((frame?.length ?? this.#length) >= this.#bytesMax) return "too long";
      if (frame !== null) return frame;
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

/** Reads to the end, so that the daemon never waits for a reader, and gives the first bytes as text. */
export async function readStart(chunks: Chunks, bytesMax: number): Promise<string> {
  const kept: Uint8Array[] = [];
  let room = bytesMax;
  for (;;) {
    const { value, done } = await chunks.read();
    if (done) break;
    if (room === 0) continue;
    kept.push(value.subarray(0, room));
    room -= Math.min(room, value.length);
  }
  return new TextDecoder().decode(concatenate(kept));
}
