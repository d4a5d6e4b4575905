/** The longest text that is worth a loop over its characters instead of a call of the encoder. */
const LOOP_LENGTH_MAX = 64;

const encoder = new TextEncoder();

/** What the formatter prints into. */
export interface TextSink {
  /** The next piece of the text. */
  text(piece: string): void;
}

/** Collects the bytes of a text whose length is not known beforehand. */
export class TextBuilder implements TextSink {
  private length = 0;
  private bytes: Uint8Array;

  /** `expected` is a guess at the number of bytes. */
  constructor(expected: number) {
    this.bytes = new Uint8Array(Math.max(expected, 64));
  }

  text(piece: string): void {
    // A UTF-16 unit takes at most three bytes.
    this.reserve(piece.length * 3);
    if (piece.length > LOOP_LENGTH_MAX || !this.ascii(piece)) {
      this.length += encoder.encodeInto(piece, this.bytes.subarray(this.length)).written;
    }
  }

  /** Everything appended so far, as a copy. */
  finish(): Uint8Array {
    return this.bytes.slice(0, this.length);
  }

  /** Appends a piece whose characters are all below U+0080; otherwise appends nothing and returns false. */
  private ascii(piece: string): boolean {
    const { bytes, length } = this;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      if (unit >= 0x80) return false;
      bytes[length + at] = unit;
    }
    this.length = length + piece.length;
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

/** Compares a text with bytes while it is being printed, without collecting it. */
export class TextComparer implements TextSink {
  /** How many bytes were equal so far. */
  equalBytes = 0;
  private differs = false;

  constructor(private readonly expected: Uint8Array) {}

  text(piece: string): void {
    if (this.differs) return;
    const { expected } = this;
    let at = this.equalBytes;
    for (let index = 0; index < piece.length; index++) {
      const unit = piece.charCodeAt(index);
      if (unit >= 0x80) {
        this.encoded(piece);
        return;
      }
      if (expected[at] !== unit) {
        this.stop(at);
        return;
      }
      at++;
    }
    this.equalBytes = at;
  }

  /** Whether the text was exactly the expected bytes. */
  isEqual(): boolean {
    return !this.differs && this.equalBytes === this.expected.length;
  }

  private encoded(piece: string): void {
    const bytes = encoder.encode(piece);
    for (let index = 0; index < bytes.length; index++) {
      if (this.expected[this.equalBytes] !== bytes[index]) {
        this.stop(this.equalBytes);
        return;
      }
      this.equalBytes++;
    }
  }

  private stop(at: number): void {
    this.equalBytes = at;
    this.differs = true;
  }
}
