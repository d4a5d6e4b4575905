/**
 * Whether two keys of one object are the same after unescaping (D23). Keys are chosen by whoever sent the text, so
 * nothing here depends on a hash that could be foreseen (D65): many keys are sorted.
 */
import { unescapeInto } from "./json-string.ts";

/** Up to so many keys are compared each with each, which costs less than sorting them. */
const PAIRWISE_MAX = 16;
/** So many bytes of each key take part in one sort. */
const CHUNK_BYTES = 3;
/** A byte of a chunk is one of 256 values, or past the end of its key. */
const RADIX = 257;
/** A chunk is below 257^3 and a key's number below 2^28: both fit one double exactly. */
const KEY_NUMBERS = 2 ** 28;
/** Larger scratch arrays are not kept between two objects. */
const SCRATCH_MAX = 4096;

export class KeyComparison {
  private starts = new Uint32Array(SCRATCH_MAX);
  private ends = new Uint32Array(SCRATCH_MAX);
  private count = 0;
  private escaped = false;

  /** Begins the list of an object's keys. */
  begin(capacity: number): void {
    if (capacity > this.starts.length || (capacity <= SCRATCH_MAX && this.starts.length > SCRATCH_MAX)) {
      this.starts = new Uint32Array(Math.max(capacity, SCRATCH_MAX));
      this.ends = new Uint32Array(Math.max(capacity, SCRATCH_MAX));
    }
    this.count = 0;
    this.escaped = false;
  }

  /** Adds a key by the range between its quotation marks. */
  add(start: number, end: number, escaped: boolean): void {
    this.starts[this.count] = start;
    this.ends[this.count] = end;
    this.count++;
    this.escaped ||= escaped;
  }

  /** Whether two of the keys are the same. */
  hasDuplicate(bytes: Uint8Array): boolean {
    const plain = this.escaped ? this.unescapeAll(bytes) : bytes;
    if (this.count > PAIRWISE_MAX) return this.sortedHasDuplicate(plain);
    for (let a = 0; a < this.count; a++) {
      for (let b = a + 1; b < this.count; b++) {
        if (this.sameKeys(plain, a, b)) return true;
      }
    }
    return false;
  }

  /** Copies the keys, unescaped, into an array of their own and lets the ranges point there. */
  private unescapeAll(bytes: Uint8Array): Uint8Array {
    let capacity = 0;
    for (let key = 0; key < this.count; key++) capacity += this.ends[key]! - this.starts[key]!;
    const plain = new Uint8Array(capacity);
    let at = 0;
    for (let key = 0; key < this.count; key++) {
      const start = at;
      at = unescapeInto(bytes, this.starts[key]!, this.ends[key]!, plain, at);
      this.starts[key] = start;
      this.ends[key] = at;
    }
    return plain;
  }

  private sameKeys(bytes: Uint8Array, a: number, b: number): boolean {
    const length = this.ends[a]! - this.starts[a]!;
    if (this.ends[b]! - this.starts[b]! !== length) return false;
    const left = this.starts[a]!;
    const right = this.starts[b]!;
    for (let at = 0; at < length; at++) {
      if (bytes[left + at] !== bytes[right + at]) return false;
    }
    return true;
  }

  /**
   * Sorts by the next three bytes of each key, then looks only at groups that agree in them. Sorting doubles natively
   * takes 25 ms for 110,000 random keys; a comparison function in their place took 52 ms, a Set 40 to 200 ms.
   */
  private sortedHasDuplicate(bytes: Uint8Array): boolean {
    const sorted = new Float64Array(this.count);
    for (let key = 0; key < this.count; key++) sorted[key] = key;
    // Triples: the group's first place, the place after its last, how many bytes its keys share.
    const groups = [0, this.count, 0];
    while (groups.length > 0) {
      const shared = groups.pop()!;
      const end = groups.pop()!;
      const start = groups.pop()!;
      for (let at = start; at < end; at++) {
        const key = sorted[at]! % KEY_NUMBERS;
        sorted[at] = this.chunk(bytes, key, shared) * KEY_NUMBERS + key;
      }
      sorted.subarray(start, end).sort();
      let first = start;
      while (first < end) {
        const chunk = Math.floor(sorted[first]! / KEY_NUMBERS);
        let after = first + 1;
        while (after < end && Math.floor(sorted[after]! / KEY_NUMBERS) === chunk) after++;
        // A group whose chunk ends past the keys' ends consists of equal keys.
        if (after - first > 1 && chunk % RADIX === 0) return true;
        if (after - first > PAIRWISE_MAX) groups.push(first, after, shared + CHUNK_BYTES);
        else if (this.groupHasDuplicate(bytes, sorted, first, after)) return true;
        first = after;
      }
    }
    return false;
  }

  private groupHasDuplicate(bytes: Uint8Array, sorted: Float64Array, first: number, after: number): boolean {
    for (let a = first; a < after; a++) {
      for (let b = a + 1; b < after; b++) {
        if (this.sameKeys(bytes, sorted[a]! % KEY_NUMBERS, sorted[b]! % KEY_NUMBERS)) return true;
      }
    }
    return false;
  }

  /** Three bytes of a key as a number that orders as they do; the end of a key comes before every byte. */
  private chunk(bytes: Uint8Array, key: number, offset: number): number {
    const end = this.ends[key]!;
    let chunk = 0;
    let at = this.starts[key]! + offset;
    for (let n = 0; n < CHUNK_BYTES; n++, at++) chunk = chunk * RADIX + (at < end ? bytes[at]! + 1 : 0);
    return chunk;
  }
}
