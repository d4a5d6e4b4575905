/** The names that nothing may have, and the locals that are visible at a point (language.md 4.2, 4.3). */
import type { TypeId } from "./checked.ts";

/** No function, parameter or local may be called so (4.2). */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  "module",
  "permit",
  "resource",
  "fn",
  "own",
  "borrow",
  "shared",
  "uses",
  "requires",
  "ensures",
  "let",
  "if",
  "else",
  "true",
  "false",
  "result",
]);

export function isForbiddenName(name: string): boolean {
  return FORBIDDEN_NAMES.has(name);
}

const UNBOUND = -1;

/** The locals in scope, by name number. A local's slot is the number of locals around it, so disjoint scopes share. */
export class Locals {
  /** By name: the slot of the visible local, or {@link UNBOUND}. */
  private slot: Int32Array<ArrayBuffer>;
  private type: Uint16Array<ArrayBuffer>;
  /** The bound names, outermost first, with what each of them hid: something only where T209 was reported. */
  private readonly bound: { readonly name: number; readonly slot: number; readonly type: TypeId }[] = [];
  private deepest = 0;

  constructor(nameCount: number) {
    this.slot = new Int32Array(nameCount).fill(UNBOUND);
    this.type = new Uint16Array(nameCount);
  }

  /** How many locals are visible; give it to {@link leaveTo} at the end of a scope that begins here. */
  get depth(): number {
    return this.bound.length;
  }

  /** The most locals that were visible at once since {@link clear}. */
  get slotCount(): number {
    return this.deepest;
  }

  isBound(name: number): boolean {
    return name < this.slot.length && this.slot[name] !== UNBOUND;
  }

  /** Of a bound name. */
  slotOf(name: number): number {
    return this.slot[name]!;
  }

  /** Of a bound name. */
  typeOf(name: number): TypeId {
    return this.type[name]!;
  }

  /** Returns the slot. */
  bind(name: number, type: TypeId): number {
    if (name >= this.slot.length) this.grow(name + 1);
    const slot = this.bound.length;
    this.bound.push({ name, slot: this.slot[name]!, type: this.type[name]! });
    this.slot[name] = slot;
    this.type[name] = type;
    if (slot >= this.deepest) this.deepest = slot + 1;
    return slot;
  }

  leaveTo(depth: number): void {
    while (this.bound.length > depth) {
      const { name, slot, type } = this.bound.pop()!;
      this.slot[name] = slot;
      this.type[name] = type;
    }
  }

  clear(): void {
    this.leaveTo(0);
    this.deepest = 0;
  }

  private grow(needed: number): void {
    const length = Math.max(needed, this.slot.length * 2);
    const slot = new Int32Array(length).fill(UNBOUND);
    slot.set(this.slot);
    const type = new Uint16Array(length);
    type.set(this.type);
    this.slot = slot;
    this.type = type;
  }
}
