/** The longest text that is worth a loop over its characters instead of a call of the encoder. */
const LOOP_LENGTH_MAX = 64;

const encoder = new TextEncoder();

/** Bytes that are being written without knowing how many there will be. */
export class TextBuilder {
  private length = 0;
  private bytes: Uint8Array;

  /** `expected` is a guess at the number of bytes. */
  constructor(expected: number) {
    this.bytes = new Uint8Array(Math.max(expected, 64));
  }

  /** Appends any text. */
  text(text: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.reserve(text.length * 3);
    if (text.length > LOOP_LENGTH_MAX || !this.ascii(text)) {
      this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
    }
  }

  /** Everything appended so far, as a copy. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Appends text whose characters are all below U+0080; otherwise appends nothing and returns false. */
  private ascii(text: string): boolean {
    const { bytes, length } = this;
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) return false;
      bytes[length + at] = unit;
    }
    this.length = length + text.length;
    return true;
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    larger.set(this.bytes);
    this.bytes = larger;
  }
}
