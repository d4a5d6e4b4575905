/** A growing list of numbers from 0 to 2^32 - 1. */
export class NumberList {
  length = 0;
  /** Meaningful up to `length`. A push may replace the array. */
  items: Uint32Array;

  constructor(capacity: number) {
    this.items = new Uint32Array(Math.max(capacity, 16));
  }

  push(value: number): void {
    if (this.length === this.items.length) {
      const larger = new Uint32Array(this.items.length * 2);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length++] = value;
  }

  /** An array of exactly the items. */
  toArray(): Uint32Array {
    return this.items.slice(0, this.length);
  }
}
