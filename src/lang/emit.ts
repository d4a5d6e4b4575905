import { FRAME_CELLS, Op, Word } from "./loop.ts";

/** A forward jump target: an index into the emitter's labels. */
export type Label = number;

/** In a label: no jump refers to it yet. */
const UNUSED = -1;
/** How many cells a {@link Op.Reserve} asks for beyond the one that is needed now. */
const RESERVE_AHEAD = 1024;

/**
 * Writes instructions. It merges the charges of neighbouring nodes: `charge` only counts, and the next instruction
 * carries the sum as its cost. Since every instruction does, no charge passes an operation that can fail, a call or a
 * branch (X34).
 */
export class Emitter {
  private code = new Int32Array(1024);
  private nodes = new Uint32Array(256);
  private length = 0;
  private pending = 0;
  /** Cells of the frame that are sure to exist at this place of the code. */
  reserved = FRAME_CELLS;
  /** Per label the last jump to it. Its D holds the jump before, until the label is placed. */
  private readonly labels: number[] = [];

  /** The place of the next instruction. */
  get pc(): number {
    return this.length;
  }

  beginFunction(): void {
    this.pending = 0;
    this.reserved = FRAME_CELLS;
    this.labels.length = 0;
  }

  charge(): void {
    this.pending++;
  }

  /** An instruction that writes cell `d`. */
  write(node: number, op: Op, d: number, a: number, b: number): void {
    if (d >= this.reserved) this.reserve(d);
    this.put(op, d, a, b, node);
  }

  /** An instruction that writes no cell. */
  act(node: number, op: Op, d: number, a: number): void {
    this.put(op, d, a, 0, node);
  }

  /** A jump to a label that is not yet placed. */
  jump(node: number, op: Op, label: Label, a: number, b: number): void {
    const at = this.length;
    this.put(op, this.labels[label]!, a, b, node);
    this.labels[label] = at;
  }

  label(): Label {
    return this.labels.push(UNUSED) - 1;
  }

  /**
   * Puts the label here. `reserved` is what was reserved before the code branched: what one way reserved the other
   * did not.
   */
  place(label: Label, reserved: number): void {
    // What the way from above still owes is not owed by those who jump here.
    if (this.pending > 0) this.put(Op.Charge, 0, 0, 0, 0);
    let at = this.labels[label]!;
    while (at !== UNUSED) {
      const before = this.code[at + Word.D]!;
      this.code[at + Word.D] = this.length;
      at = before;
    }
    this.reserved = reserved;
  }

  /** Replaces the A of every call, a function number until now, by the place of the function's code. */
  link(functionPc: Uint32Array): void {
    for (let at = 0; at < this.length; at += Word.Stride) {
      if (this.code[at] === Op.Call) this.code[at + Word.A] = functionPc[this.code[at + Word.A]!]!;
    }
  }

  finish(): { code: Int32Array; nodeOf: Uint32Array } {
    return {
      code: this.code.slice(0, this.length),
      nodeOf: this.nodes.slice(0, this.length / Word.Stride),
    };
  }

  private reserve(d: number): void {
    this.reserved = d + RESERVE_AHEAD;
    this.put(Op.Reserve, this.reserved, 0, 0, 0);
  }

  private put(op: Op, d: number, a: number, b: number, node: number): void {
    const at = this.length;
    if (at + Word.Stride > this.code.length) this.grow();
    this.code[at] = op;
    this.code[at + Word.Cost] = this.pending;
    this.code[at + Word.D] = d;
    this.code[at + Word.A] = a;
    this.code[at + Word.B] = b;
    this.nodes[at / Word.Stride] = node;
    this.pending = 0;
    this.length = at + Word.Stride;
  }

  private grow(): void {
    const code = new Int32Array(this.code.length * 2);
    code.set(this.code);
    this.code = code;
    const nodes = new Uint32Array(Math.ceil(code.length / Word.Stride));
    nodes.set(this.nodes);
    this.nodes = nodes;
  }
}
