/** Cuts what a process writes into lines, and keeps no more than one of them (RC8). */

const LF = 10;

export class LineSplitter {
  readonly #bytesMax: number;
  /** Pieces of the unfinished line: joined once, however many there are. */
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /**
   * Hands each line that `chunk` ends to `take`, without its LF, until that returns false. Returns "stopped" then, and
   * "overlong" at a line over the bound. The chunk must not change afterwards.
   */
  push(chunk: Uint8Array, take: (line: Uint8Array) => boolean): "more" | "stopped" | "overlong" {
    let start = 0;
    while (start < chunk.length) {
      const at = chunk.indexOf(LF, start);
      const end = at < 0 ? chunk.length : at;
      if (this.#length + end - start > this.#bytesMax) return "overlong";
      const piece = chunk.subarray(start, end);
      if (at < 0) {
        this.#pieces.push(piece);
        this.#length += piece.length;
        return "more";
      }
      if (!take(this.#finish(piece))) return "stopped";
      start = at + 1;
    }
    return "more";
  }

  #finish(last: Uint8Array): Uint8Array {
    if (this.#length === 0) return last;
    const line = new Uint8Array(this.#length + last.length);
    let at = 0;
    for (const piece of [...this.#pieces, last]) {
      line.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
