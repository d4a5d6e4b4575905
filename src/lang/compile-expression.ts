/**
 * One expression to code, over the events of a {@link Walk}: no recursion, however deep the tree (X32). Before a
 * child is entered its parent says what it wants of it: a value anywhere, a value in a certain cell, the end of the
 * function with that value, or a jump. So conditions become compare-and-branch instructions, and neither `&&` nor `!`
 * in one leaves a trace.
 */
import { type CheckedModule, RESULT_SLOT, TypeId } from "./checked.ts";
import type { Constants } from "./compile.ts";
import type { Emitter, Label } from "./emit.ts";
import { Op } from "./loop.ts";
import { OpenNode, OpenNodeStack, Want } from "./open-node.ts";
import { arithmeticOp, comparisonOp, inverse, isComparison, jumpOp, takesSwapped } from "./select.ts";
import { BinaryOperator, NodeKind, type Tree, UnaryOperator } from "./syntax.ts";
import { Visit, Walk } from "./walk.ts";

/** What the functions of one file can refer to. */
export interface Scope {
  readonly tree: Tree;
  readonly module: CheckedModule;
  /** The number, in the closure, of the function that a call node calls. */
  callee(node: number): number;
}

const NO_RESULT = 0x7fff_ffff;

export class ExpressionCompiler {
  private readonly walk: Walk;
  /** Slot of a parameter or let to the operand that it is. */
  private readonly slots: number[] = [];
  private result = NO_RESULT;
  private height = 0;
  /** The innermost open node, and those around it. */
  private readonly innermost = new OpenNode();
  private readonly outer = new OpenNodeStack();
  /** The operand that the last node left. */
  private value = 0;
  /** What is wanted of the next node. */
  private want: Want = Want.Operand;
  private cell = 0;
  private label: Label = 0;
  private sense = false;

  constructor(
    private readonly scope: Scope,
    private readonly emitter: Emitter,
    private readonly constants: Constants,
  ) {
    this.walk = new Walk(scope.tree);
  }

  beginFunction(parameterCount: number): void {
    this.height = parameterCount;
    this.result = NO_RESULT;
    for (let slot = 0; slot < parameterCount; slot++) this.slots[slot] = slot;
  }

  /** A body without `ensures` clauses. */
  compileReturn(body: number): void {
    this.want = Want.Return;
    this.compile(body);
  }

  /** A body whose value is kept as `result`; returns its operand. */
  compileResult(body: number): number {
    this.wantOperand();
    this.compile(body);
    this.take();
    this.result = this.value;
    return this.result;
  }

  /** Jumps to the label if the node's value is `sense`. */
  compileJump(node: number, label: Label, sense: boolean): void {
    this.wantJump(label, sense);
    this.compile(node);
  }

  private compile(root: number): void {
    const { walk } = this;
    walk.start(root);
    for (;;) {
      switch (walk.step()) {
        case Visit.Enter:
          this.emitter.charge();
          this.enter(walk.node);
          break;
        case Visit.Between:
          this.between(walk.node, walk.childIndex);
          break;
        case Visit.Leave:
          this.leave(walk.node, this.innermost);
          this.outer.pop(this.innermost);
          break;
        case Visit.Done:
          return;
      }
    }
  }

  private enter(node: number): void {
    const open = this.open();
    switch (this.scope.tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Unary:
        if (this.isNot(node) && open.want === Want.Jump) this.wantJump(open.label, !open.sense);
        else this.wantOperand();
        return;
      case NodeKind.Binary:
        this.enterBinary(node, open);
        return;
      case NodeKind.If:
        open.around = this.emitter.label();
        open.end = this.emitter.label();
        this.wantJump(open.around, false);
        return;
      case NodeKind.Call:
        this.wantCell(this.height);
        return;
      case NodeKind.Block:
        this.enterBlockPart(node, 0, open);
        return;
      default:
        return;
    }
  }

  private between(node: number, childIndex: number): void {
    const open = this.innermost;
    switch (this.scope.tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Binary:
        this.betweenBinary(node, open);
        return;
      case NodeKind.If:
        if (childIndex === 1) {
          if (open.want !== Want.Return) this.emitter.jump(node, Op.Jump, open.end, 0, 0);
          this.emitter.place(open.around, open.reserved);
        }
        this.height = open.height;
        this.wantBranch(open);
        return;
      case NodeKind.Call:
        this.height++;
        this.wantCell(this.height);
        return;
      case NodeKind.Block:
        this.bindLet(node, childIndex);
        this.enterBlockPart(node, childIndex + 1, open);
        return;
      default:
        return;
    }
  }

  private leave(node: number, open: OpenNode): void {
    this.height = open.height;
    const { tree } = this.scope;
    switch (tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Integer:
        this.deliver(node, open, this.constants.operand(tree.integers[tree.nodeData[node]!]!));
        return;
      case NodeKind.Float64:
      case NodeKind.Float32:
        this.deliver(node, open, this.constants.operand(tree.floats[tree.nodeData[node]!]!));
        return;
      case NodeKind.Char:
        this.deliver(node, open, this.constants.operand(tree.nodeData[node]!));
        return;
      case NodeKind.Bool:
        this.leaveBool(node, open, tree.nodeData[node] === 1);
        return;
      case NodeKind.Variable:
        this.deliver(node, open, this.variable(node));
        return;
      case NodeKind.Unary:
        this.leaveUnary(node, open);
        return;
      case NodeKind.Binary:
        this.leaveBinary(node, open);
        return;
      case NodeKind.If:
        if (open.want !== Want.Return) this.emitter.place(open.end, open.reserved);
        this.value = open.cell;
        return;
      case NodeKind.Call:
        this.emitter.write(node, Op.Call, open.height, this.scope.callee(node), 0);
        this.deliver(node, open, open.height);
        return;
      case NodeKind.Block:
        this.leaveBlock(node, open);
        return;
      case NodeKind.Match:
      case NodeKind.RecordValue:
      case NodeKind.VariantValue:
      case NodeKind.With:
      case NodeKind.Projection:
      case NodeKind.Try:
        throw new Error("linking admits no aggregates");
    }
  }

  // Operators

  private enterBinary(node: number, open: OpenNode): void {
    const operator = this.scope.tree.nodeData[node]! as BinaryOperator;
    if (operator !== BinaryOperator.And && operator !== BinaryOperator.Or) {
      this.wantOperand();
      return;
    }
    // The left side decides alone when it is false (`&&`) or true (`||`).
    const decides = operator === BinaryOperator.Or;
    if (open.want === Want.Jump && open.sense === decides) {
      this.wantJump(open.label, decides);
      return;
    }
    open.around = this.emitter.label();
    this.wantJump(open.around, decides);
  }

  private betweenBinary(node: number, open: OpenNode): void {
    const operator = this.scope.tree.nodeData[node]! as BinaryOperator;
    if (operator === BinaryOperator.And || operator === BinaryOperator.Or) {
      this.wantBranch(open);
      return;
    }
    this.take();
    open.left = this.value;
    this.wantOperand();
  }

  private leaveBinary(node: number, open: OpenNode): void {
    const { tree, module } = this.scope;
    const operator = tree.nodeData[node]! as BinaryOperator;
    if (operator === BinaryOperator.And || operator === BinaryOperator.Or) {
      this.leaveLogical(node, open, operator === BinaryOperator.Or);
      return;
    }
    const { left } = open;
    const right = this.value;
    const type = module.nodeType[tree.child[tree.childStart[node]!]!]! as TypeId;
    if (!isComparison(operator)) {
      this.compute(node, open, arithmeticOp(operator, type), left, right);
      return;
    }
    const isFloat = type === TypeId.F64 || type === TypeId.F32;
    if (open.want === Want.Jump && !isFloat) {
      const comparison = open.sense ? operator : inverse(operator);
      const [a, b] = takesSwapped(comparison) ? [right, left] : [left, right];
      this.emitter.jump(node, jumpOp(comparison), open.label, a, b);
    } else {
      const [a, b] = takesSwapped(operator) ? [right, left] : [left, right];
      this.compute(node, open, comparisonOp(operator, isFloat), a, b);
    }
  }

  /** After the right side of `&&` and `||`. */
  private leaveLogical(node: number, open: OpenNode, decided: boolean): void {
    const { emitter } = this;
    if (open.want === Want.Jump) {
      if (open.sense !== decided) emitter.place(open.around, open.reserved);
      return;
    }
    const operand = this.constants.operand(decided ? 1 : 0);
    if (open.want === Want.Return) {
      emitter.place(open.around, open.reserved);
      emitter.act(node, Op.Return, 0, operand);
      return;
    }
    const end = emitter.label();
    emitter.jump(node, Op.Jump, end, 0, 0);
    emitter.place(open.around, open.reserved);
    emitter.write(node, Op.Move, open.cell, operand, 0);
    emitter.place(end, open.reserved);
    this.value = open.cell;
  }

  private leaveUnary(node: number, open: OpenNode): void {
    if (!this.isNot(node)) {
      const isInteger = this.scope.module.nodeType[node] === TypeId.I64;
      this.compute(node, open, isInteger ? Op.Negate : Op.NegateFloat, this.value, 0);
    } else if (open.want !== Want.Jump) {
      this.compute(node, open, Op.Not, this.value, 0);
    }
  }

  private isNot(node: number): boolean {
    return this.scope.tree.nodeData[node] === UnaryOperator.Not;
  }

  // Names

  private leaveBool(node: number, open: OpenNode, value: boolean): void {
    if (open.want !== Want.Jump) this.deliver(node, open, this.constants.operand(value ? 1 : 0));
    else if (value === open.sense) this.emitter.jump(node, Op.Jump, open.label, 0, 0);
  }

  private variable(node: number): number {
    const slot = this.scope.module.target[node]!;
    const operand = slot === RESULT_SLOT ? this.result : this.slots[slot];
    if (operand === undefined || operand === NO_RESULT) throw new Error("variable without a value");
    return operand;
  }

  /** The value is where it is: a let costs nothing (X9). */
  private bindLet(node: number, index: number): void {
    this.take();
    const { tree, module } = this.scope;
    this.slots[module.letSlot[tree.nodeData[node]! + index]!] = this.value;
  }

  /** The lets want operands, the tail is what is wanted of the whole block. */
  private enterBlockPart(node: number, index: number, open: OpenNode): void {
    const { childStart } = this.scope.tree;
    if (index < childStart[node + 1]! - childStart[node]! - 1) this.wantOperand();
    else this.wantLike(open);
  }

  /** The cells of the lets are free again, so a value must not stay in one. */
  private leaveBlock(node: number, open: OpenNode): void {
    if (open.want === Want.Operand && this.value >= open.height && this.value !== open.cell) {
      this.emitter.write(node, Op.Move, open.cell, this.value, 0);
      this.value = open.cell;
    }
  }

  // What is wanted, and giving it

  private open(): OpenNode {
    const open = this.innermost;
    this.outer.push(open);
    open.want = this.want;
    open.cell = this.cell;
    open.label = this.label;
    open.sense = this.sense;
    open.height = this.height;
    open.reserved = this.emitter.reserved;
    return open;
  }

  private wantOperand(): void {
    this.want = Want.Operand;
    this.cell = this.height;
  }

  private wantCell(cell: number): void {
    this.want = Want.Cell;
    this.cell = cell;
  }

  private wantJump(label: Label, sense: boolean): void {
    this.want = Want.Jump;
    this.label = label;
    this.sense = sense;
  }

  private wantLike(open: OpenNode): void {
    this.want = open.want;
    this.cell = open.cell;
    this.label = open.label;
    this.sense = open.sense;
  }

  /** Of one of several ways to a value: as wanted of the whole, and if as a value then in a certain cell. */
  private wantBranch(open: OpenNode): void {
    this.wantLike(open);
    if (this.want === Want.Operand) this.want = Want.Cell;
  }

  /** Keeps the cell of a value that was just computed. */
  private take(): void {
    if (this.value === this.height) this.height++;
  }

  private compute(node: number, open: OpenNode, op: Op, a: number, b: number): void {
    const cell = open.want === Want.Operand || open.want === Want.Cell ? open.cell : open.height;
    this.emitter.write(node, op, cell, a, b);
    this.deliver(node, open, cell);
  }

  private deliver(node: number, open: OpenNode, operand: number): void {
    this.value = operand;
    switch (open.want) {
      case Want.Operand:
        return;
      case Want.Cell:
        if (operand !== open.cell) this.emitter.write(node, Op.Move, open.cell, operand, 0);
        this.value = open.cell;
        return;
      case Want.Return:
        this.emitter.act(node, Op.Return, 0, operand);
        return;
      case Want.Jump:
        this.emitter.jump(node, open.sense ? Op.JumpIf : Op.JumpUnless, open.label, operand, 0);
        return;
    }
  }
}
