import type { Tree } from "./syntax.ts";

/** What {@link Walk.step} found. */
export const enum Visit {
  /** Before the node's children. */
  Enter,
  /** After child `walk.childIndex` of the node. */
  Between,
  /** After the last child (directly after Enter for a leaf; the last child gets no Between). */
  Leave,
  /** The whole subtree has been visited. */
  Done,
}

/**
 * A depth-first walk over one subtree in evaluation order, without recursion and without an allocation per node:
 * `start(root)`, then `step()` until {@link Visit.Done}. One walk can be reused for any number of subtrees.
 */
export class Walk {
  /** The node that the last step visited. */
  node = 0;
  /** After {@link Visit.Between}: which child of `node` was just left. */
  childIndex = 0;
  /** After {@link Visit.Enter}: how many ancestors `node` has in this walk. */
  depth = 0;
  /** The open nodes, outermost first; `top` is the innermost, -1 when the walk is over. */
  private open = new Uint32Array(64);
  /** For each open node the index into `tree.child` of its next child. */
  private next = new Uint32Array(64);
  private top = -1;
  private started = true;
  private returned = false;

  constructor(private readonly tree: Tree) {}

  start(root: number): void {
    this.top = -1;
    this.started = false;
    this.returned = false;
    this.push(root);
  }

  step(): Visit {
    if (this.top < 0) return Visit.Done;
    if (!this.started) {
      this.started = true;
      return this.enter();
    }
    const { childStart, child } = this.tree;
    const node = this.open[this.top]!;
    const at = this.next[this.top]!;
    const isLast = at === childStart[node + 1]!;
    if (this.returned && !isLast) {
      this.returned = false;
      this.node = node;
      this.childIndex = at - childStart[node]! - 1;
      return Visit.Between;
    }
    if (isLast) {
      this.top--;
      this.returned = true;
      this.node = node;
      return Visit.Leave;
    }
    this.next[this.top] = at + 1;
    this.push(child[at]!);
    return this.enter();
  }

  /** Directly after Enter or Between: leaves out the (other) children of that node, so that its Leave comes next. */
  skipChildren(): void {
    this.next[this.top] = this.tree.childStart[this.node + 1]!;
  }

  /** After Enter: the ancestor at a depth, 0 being the root of the walk. */
  ancestor(depth: number): number {
    return this.open[depth]!;
  }

  /** After Enter: through which of its children the ancestor at a depth leads to `node`. */
  ancestorChildIndex(depth: number): number {
    return this.next[depth]! - this.tree.childStart[this.open[depth]!]! - 1;
  }

  private enter(): Visit {
    this.node = this.open[this.top]!;
    this.depth = this.top;
    return Visit.Enter;
  }

  private push(node: number): void {
    this.top++;
    if (this.top === this.open.length) {
      this.open = grown(this.open);
      this.next = grown(this.next);
    }
    this.open[this.top] = node;
    this.next[this.top] = this.tree.childStart[node]!;
  }
}

function grown(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
