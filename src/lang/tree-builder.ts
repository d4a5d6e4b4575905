import { NameTable } from "./name-table.ts";
import { NumberList } from "./number-list.ts";
import { type AggregateSyntax, type MatchSyntax, NodeKind, type Tree, type TypeSyntax } from "./syntax.ts";

/** Numbers that one unfinished let takes on the stack of lets: name, start and end of the name, start and end. */
const LET_SIZE = 5;

/**
 * Collects the expressions of a file in post-order. The children of a node that is still open wait on a stack: whoever
 * begins a node remembers `mark()`, pushes the children as they are finished and then adds the node from the mark.
 */
export class TreeBuilder {
  readonly integers: (number | bigint)[] = [];
  readonly floats: number[] = [];
  readonly typeArguments = new Map<number, readonly TypeSyntax[]>();
  readonly aggregates: AggregateSyntax[] = [];
  readonly matches: MatchSyntax[] = [];
  readonly names: NameTable;

  private kinds: Uint8Array;
  private readonly starts: NumberList;
  private readonly ends: NumberList;
  private readonly data: NumberList;
  private readonly childStarts: NumberList;
  private readonly children: NumberList;
  private readonly waiting = new NumberList(64);

  private readonly letName = new NumberList(0);
  private readonly letNameStart = new NumberList(0);
  private readonly letNameEnd = new NumberList(0);
  private readonly letStart = new NumberList(0);
  private readonly letEnd = new NumberList(0);
  private readonly waitingLets = new NumberList(0);

  /** About half of the tokens of a body become nodes. */
  constructor(bytes: Uint8Array, tokenCount: number) {
    const capacity = ((tokenCount * 3) >> 2) + 16;
    this.names = new NameTable(bytes);
    this.kinds = new Uint8Array(capacity);
    this.starts = new NumberList(capacity);
    this.ends = new NumberList(capacity);
    this.data = new NumberList(capacity);
    this.childStarts = new NumberList(capacity);
    this.children = new NumberList(capacity);
  }

  /** Adds a node without children and returns it. */
  leaf(kind: NodeKind, start: number, end: number, data: number): number {
    const node = this.starts.length;
    if (node === this.kinds.length) {
      const larger = new Uint8Array(node * 2);
      larger.set(this.kinds);
      this.kinds = larger;
    }
    this.kinds[node] = kind;
    this.starts.push(start);
    this.ends.push(end);
    this.data.push(data);
    this.childStarts.push(this.children.length);
    return node;
  }

  /** Adds a node whose one child is the newest node. */
  unary(kind: NodeKind, start: number, end: number, data: number, operand: number): number {
    const node = this.leaf(kind, start, end, data);
    this.children.push(operand);
    return node;
  }

  binary(data: number, left: number, right: number): number {
    const node = this.leaf(NodeKind.Binary, this.startOf(left), this.endOf(right), data);
    this.children.push(left);
    this.children.push(right);
    return node;
  }

  /** Where the children of the node that begins now will wait. */
  mark(): number {
    return this.waiting.length;
  }

  push(child: number): void {
    this.waiting.push(child);
  }

  /** Adds a node with the children that wait since the mark. */
  node(kind: NodeKind, start: number, end: number, data: number, mark: number): number {
    const node = this.leaf(kind, start, end, data);
    const { waiting } = this;
    for (let at = mark; at < waiting.length; at++) this.children.push(waiting.items[at]!);
    waiting.length = mark;
    return node;
  }

  kindOf(node: number): NodeKind {
    return this.kinds[node]! as NodeKind;
  }

  startOf(node: number): number {
    return this.starts.items[node]!;
  }

  endOf(node: number): number {
    return this.ends.items[node]!;
  }

  /** The name of a variable or projection. */
  nameOf(node: number): string {
    return this.names.names[this.data.items[node]!]!;
  }

  dataOf(node: number): number {
    return this.data.items[node]!;
  }

  /** Parentheses leave no node, but the range of the node in them grows (language.md 2.2). */
  widen(node: number, start: number, end: number): void {
    this.starts.items[node] = start;
    this.ends.items[node] = end;
  }

  /** Takes back the newest nodes from `first` on: a name turned out to be a callee or a type. */
  takeBack(first: number): void {
    this.children.length = this.childStarts.items[first]!;
    this.starts.length = first;
    this.ends.length = first;
    this.data.length = first;
    this.childStarts.length = first;
  }

  /** Where the lets of the block that begins now will wait. */
  letMark(): number {
    return this.waitingLets.length;
  }

  pushLet(name: number, nameStart: number, nameEnd: number, start: number, end: number): void {
    const { waitingLets } = this;
    waitingLets.push(name);
    waitingLets.push(nameStart);
    waitingLets.push(nameEnd);
    waitingLets.push(start);
    waitingLets.push(end);
  }

  /** Adds a block with the values, the tail and the lets that wait since the marks. */
  block(start: number, end: number, mark: number, letMark: number): number {
    const firstLet = this.letName.length;
    const { items, length } = this.waitingLets;
    for (let at = letMark; at < length; at += LET_SIZE) {
      this.letName.push(items[at]!);
      this.letNameStart.push(items[at + 1]!);
      this.letNameEnd.push(items[at + 2]!);
      this.letStart.push(items[at + 3]!);
      this.letEnd.push(items[at + 4]!);
    }
    this.waitingLets.length = letMark;
    return this.node(NodeKind.Block, start, end, firstLet, mark);
  }

  finish(): Tree {
    const nodeCount = this.starts.length;
    this.childStarts.push(this.children.length);
    return {
      nodeCount,
      nodeKind: this.kinds.slice(0, nodeCount),
      nodeStart: this.starts.toArray(),
      nodeEnd: this.ends.toArray(),
      nodeData: this.data.toArray(),
      childStart: this.childStarts.toArray(),
      child: this.children.toArray(),
      letCount: this.letName.length,
      letName: this.letName.toArray(),
      letNameStart: this.letNameStart.toArray(),
      letNameEnd: this.letNameEnd.toArray(),
      letStart: this.letStart.toArray(),
      letEnd: this.letEnd.toArray(),
      names: this.names.names,
      integers: this.integers,
      floats: this.floats,
      typeArguments: this.typeArguments,
      aggregates: this.aggregates,
      matches: this.matches,
    };
  }
}
