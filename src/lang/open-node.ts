import type { Label } from "./emit.ts";

/** What a parent wants of a node. */
export const enum Want {
  /** The value as an operand; cell `cell` is free for it. */
  Operand,
  /** The value in cell `cell`. */
  Cell,
  /** The end of the function, with the value as its result. */
  Return,
  /** A jump to `label` if the value is `sense`, else on to the next instruction. */
  Jump,
}

/** A node whose children are being compiled: the innermost one. Those around it wait in {@link OpenNodeStack}. */
export class OpenNode {
  want: Want = Want.Operand;
  cell = 0;
  label: Label = 0;
  sense = false;
  /** Cells taken when the node began. */
  height = 0;
  /** `emitter.reserved` when the node began. */
  reserved = 0;
  /** The left operand. */
  left = 0;
  /** Where to go around a part of the node, and where its parts meet again. */
  around: Label = 0;
  end: Label = 0;
}

/** The layout of a waiting node. */
const enum Field {
  Want,
  Cell,
  Label,
  Sense,
  Height,
  Reserved,
  Left,
  Around,
  End,
  Size,
}

/**
 * The nodes around the innermost open one, as numbers: a source of 16 MiB can open as many of them as it has bytes, which
 * as objects took 2 GB.
 */
export class OpenNodeStack {
  private fields = new Int32Array(64 * Field.Size);
  private length = 0;

  /** Puts a copy of the node on the stack. */
  push(node: OpenNode): void {
    const at = this.length;
    this.length = at + Field.Size;
    if (this.length > this.fields.length) this.grow();
    const { fields } = this;
    fields[at + Field.Want] = node.want;
    fields[at + Field.Cell] = node.cell;
    fields[at + Field.Label] = node.label;
    fields[at + Field.Sense] = node.sense ? 1 : 0;
    fields[at + Field.Height] = node.height;
    fields[at + Field.Reserved] = node.reserved;
    fields[at + Field.Left] = node.left;
    fields[at + Field.Around] = node.around;
    fields[at + Field.End] = node.end;
  }

  /** Takes the newest node off the stack, into `node`. */
  pop(node: OpenNode): void {
    const { fields } = this;
    this.length -= Field.Size;
    const at = this.length;
    node.want = fields[at + Field.Want]!;
    node.cell = fields[at + Field.Cell]!;
    node.label = fields[at + Field.Label]!;
    node.sense = fields[at + Field.Sense] === 1;
    node.height = fields[at + Field.Height]!;
    node.reserved = fields[at + Field.Reserved]!;
    node.left = fields[at + Field.Left]!;
    node.around = fields[at + Field.Around]!;
    node.end = fields[at + Field.End]!;
  }

  private grow(): void {
    const larger = new Int32Array(this.fields.length * 2);
    larger.set(this.fields);
    this.fields = larger;
  }
}
