import { textOf } from "./literals.ts";
import { NumberList } from "./number-list.ts";

/**
 * Distinct names, numbered in the order of their first use. A name that is already known costs no string. The hash is
 * keyed at random, so that no file can be made whose names all collide.
 */
export class NameTable {
  readonly names: string[] = [];
  /** Where each name stands first. */
  private readonly start = new NumberList(0);
  private readonly hash = new NumberList(0);
  /** Open addressing; 0, or the number of a name plus 1. The length is a power of two, at most half full. */
  private slots = new Uint32Array(64);
  private readonly key = randomOdd();

  constructor(private readonly bytes: Uint8Array) {}

  /** The number of the name at a byte range. */
  intern(start: number, end: number): number {
    const hash = this.hashOf(start, end);
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let found = this.slots[slot]!; found !== 0; found = this.slots[slot]!) {
      if (this.hash.items[found - 1] === hash && this.isNameAt(found - 1, start, end)) return found - 1;
      slot = (slot + 1) & mask;
    }
    const index = this.names.length;
    this.names.push(textOf(this.bytes, start, end));
    this.start.push(start);
    this.hash.push(hash);
    this.slots[slot] = index + 1;
    if (this.names.length * 2 > this.slots.length) this.grow();
    return index;
  }

  private isNameAt(index: number, start: number, end: number): boolean {
    const length = end - start;
    if (this.names[index]!.length !== length) return false;
    const first = this.start.items[index]!;
    for (let at = 0; at < length; at++) {
      if (this.bytes[first + at] !== this.bytes[start + at]) return false;
    }
    return true;
  }

  private hashOf(start: number, end: number): number {
    let hash = this.key;
    for (let at = start; at < end; at++) {
      hash = Math.imul(hash ^ this.bytes[at]!, this.key);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  private grow(): void {
    const slots = new Uint32Array(this.slots.length * 2);
    const mask = slots.length - 1;
    for (let index = 0; index < this.names.length; index++) {
      let slot = this.hash.items[index]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.slots = slots;
  }
}

function randomOdd(): number {
  return (Math.floor(Math.random() * 2 ** 32) | 1) >>> 0;
}
