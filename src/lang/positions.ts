/**
 * Lines and columns of one source, for when many diagnostics are reported: `spanOf` walks from the start of the file
 * for each of them, this walks the file once and then at most two short blocks for each.
 */
import type { Range, Span } from "../kernel/failure.ts";
import type { Source } from "./source.ts";

const BLOCK_SHIFT = 8;
const BLOCK_BYTES = 1 << BLOCK_SHIFT;
const LF = 0x0a;

export class PositionIndex {
  private readonly bytes: Uint8Array;
  /** Per block, what holds at its first byte: LFs before it, … */
  private readonly lines: Uint32Array;
  /** … the byte offset of the line's start, … */
  private readonly lineStart: Uint32Array;
  /** … and scalar values before it. */
  private readonly scalars: Uint32Array;

  constructor(source: Source) {
    this.bytes = source.bytes;
    // An end-of-file position may lie one past the last byte, so there is a block even for that.
    const blocks = (this.bytes.length >> BLOCK_SHIFT) + 1;
    this.lines = new Uint32Array(blocks);
    this.lineStart = new Uint32Array(blocks);
    this.scalars = new Uint32Array(blocks);
    let lines = 0;
    let lineStart = 0;
    let scalars = 0;
    for (let at = 0; at < this.bytes.length; at++) {
      if (at % BLOCK_BYTES === 0) this.mark(at >> BLOCK_SHIFT, lines, lineStart, scalars);
      const byte = this.bytes[at]!;
      if (isScalarStart(byte)) scalars++;
      if (byte === LF) {
        lines++;
        lineStart = at + 1;
      }
    }
    if (this.bytes.length % BLOCK_BYTES === 0) this.mark(blocks - 1, lines, lineStart, scalars);
  }

  /** The same as {@link spanOf} on the same source. */
  span({ start, end }: Range): Span {
    const block = start >> BLOCK_SHIFT;
    let line = this.lines[block]! + 1;
    let lineStart = this.lineStart[block]!;
    for (let at = block << BLOCK_SHIFT; at < start; at++) {
      if (this.bytes[at] === LF) {
        line++;
        lineStart = at + 1;
      }
    }
    return { start, end, line, column: this.scalarsBefore(start) - this.scalarsBefore(lineStart) + 1 };
  }

  private scalarsBefore(offset: number): number {
    const block = offset >> BLOCK_SHIFT;
    let count = this.scalars[block]!;
    for (let at = block << BLOCK_SHIFT; at < offset; at++) if (isScalarStart(this.bytes[at]!)) count++;
    return count;
  }

  private mark(block: number, lines: number, lineStart: number, scalars: number): void {
    this.lines[block] = lines;
    this.lineStart[block] = lineStart;
    this.scalars[block] = scalars;
  }
}

/** Every byte but a continuation byte (10xxxxxx) begins a scalar value. */
function isScalarStart(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}
