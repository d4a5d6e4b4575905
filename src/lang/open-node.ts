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

/** A node whose children are being compiled. */
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
