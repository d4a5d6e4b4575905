/** Where a text goes that is measured first and written then, by one and the same function (G23). */
import { decimalLength } from "../kernel/bytes.ts";

/** What such a function needs; the kernel's `ByteWriter` is one too. */
export interface Sink {
  /** Text of characters below U+0080. */
  ascii(text: string): void;
  bytes(source: Uint8Array): void;
  /** The bytes of `source` from `start` to the byte before `end`. */
  range(source: Uint8Array, start: number, end: number): void;
  /** The decimal form of an integer from 0 to 2^53 - 1. */
  decimal(value: number): void;
  /** How many bytes there are so far. */
  readonly position: number;
}

/** Only adds up how many bytes there would be. */
export class ByteCounter implements Sink {
  position = 0;

  ascii(text: string): void {
    this.position += text.length;
  }

  bytes(source: Uint8Array): void {
    this.position += source.length;
  }

  range(_source: Uint8Array, start: number, end: number): void {
    this.position += end - start;
  }

  decimal(value: number): void {
    this.position += decimalLength(value);
  }
}
