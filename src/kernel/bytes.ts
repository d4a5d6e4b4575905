/** Writing bytes into a buffer whose length was summed beforehand. */

const encoder = new TextEncoder();

/** The longest text that is worth a loop over its characters instead of a call of the encoder. */
const LOOP_LENGTH_MAX = 24;

export const LF = 0x0a;

/** The UTF-8 bytes of `text`, which is well-formed. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** How many digits the decimal form of `value` has; `value` is an integer from 0 to 2^53 - 1. */
export function decimalLength(value: number): number {
  let digits = 1;
  for (let bound = 10; value >= bound; bound *= 10) digits++;
  return digits;
}

/** The number of bytes in all of `slices`. */
export function totalLength(slices: readonly Uint8Array[]): number {
  let length = 0;
  for (const slice of slices) length += slice.length;
  return length;
}

/** One array with the bytes of all of `slices`. */
export function concatenate(slices: readonly Uint8Array[]): Uint8Array {
  const writer = new ByteWriter(totalLength(slices));
  for (const slice of slices) writer.bytes(slice);
  return writer.finish();
}

/** Whether two arrays hold the same bytes. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) {
    if (a[at] !== b[at]) return false;
  }
  return true;
}

/** Negative, zero or positive as the bytes of `a` sort before, with or after those of `b`. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    const difference = a[at]! - b[at]!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/**
 * Fills one buffer of a known length from front to back. Writing past its end and finishing before it are bugs of the
 * measuring pass and throw: a wrong length never becomes wrong bytes.
 */
export class ByteWriter {
  /** Where the next byte goes. */
  position = 0;
  private readonly target: Uint8Array;

  constructor(length: number) {
    this.target = new Uint8Array(length);
  }

  /** One byte. */
  byte(value: number): void {
    this.target[this.claim(1)] = value;
  }

  bytes(source: Uint8Array): void {
    this.target.set(source, this.claim(source.length));
  }

  /** The bytes of `source` from `start` to the byte before `end`. */
  range(source: Uint8Array, start: number, end: number): void {
    const to = this.claim(end - start);
    if (end - start > LOOP_LENGTH_MAX) {
      this.target.set(source.subarray(start, end), to);
      return;
    }
    const { target } = this;
    for (let at = start, out = to; at < end; at++, out++) target[out] = source[at]!;
  }

  /** Repeats `length` bytes that were written before, from position `start` on. */
  repeat(start: number, length: number): void {
    const to = this.claim(length);
    this.target.copyWithin(to, start, start + length);
  }

  /** Text of characters below U+0080. */
  ascii(text: string): void {
    const start = this.claim(text.length);
    if (text.length > LOOP_LENGTH_MAX) {
      const { read, written } = encoder.encodeInto(text, this.target.subarray(start, this.position));
      if (read !== text.length || written !== text.length) throw new RangeError("text is not ASCII");
      return;
    }
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) throw new RangeError("text is not ASCII");
      this.target[start + at] = unit;
    }
  }

  /** The UTF-8 bytes of `text`, which are `length` (see `utf8Length`). */
  utf8(text: string, length: number): void {
    if (length === text.length) {
      this.ascii(text);
      return;
    }
    const start = this.claim(length);
    const { read, written } = encoder.encodeInto(text, this.target.subarray(start, this.position));
    if (read !== text.length || written !== length) throw new RangeError("text has another length");
  }

  /** The decimal form of an integer from 0 to 2^53 - 1. */
  decimal(value: number): void {
    const length = decimalLength(value);
    let at = this.claim(length) + length;
    let rest = value;
    do {
      this.target[--at] = 0x30 + (rest % 10);
      rest = Math.floor(rest / 10);
    } while (rest > 0);
  }

  /** What has been written so far; the digest of an artifact is taken in the middle of writing it. */
  written(): Uint8Array {
    return this.target.subarray(0, this.position);
  }

  /** The buffer, which must be full. */
  finish(): Uint8Array {
    if (this.position !== this.target.length) {
      throw new RangeError(`wrote ${this.position} of ${this.target.length} bytes`);
    }
    return this.target;
  }

  /** Takes the next `count` bytes and returns where they start. */
  private claim(count: number): number {
    const start = this.position;
    if (count > this.target.length - start) {
      throw new RangeError(`no room for ${count} bytes at ${start} of ${this.target.length}`);
    }
    this.position = start + count;
    return start;
  }
}
