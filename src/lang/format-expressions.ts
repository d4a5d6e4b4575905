/** Expressions in canonical form (language.md 3.2), printed on one line; a function body takes several. */
import { charLiteral, float32Literal, float64Literal } from "./format-literals.ts";
import { formatPattern, formatType, formatTypeArguments } from "./format-types.ts";
import { PRECEDENCE, UNARY_PRECEDENCE } from "./precedence.ts";
import { type BinaryOperator, type FieldSyntax, NodeKind, type Tree, UnaryOperator } from "./syntax.ts";
import type { TextSink } from "./text-sink.ts";
import { Visit, Walk } from "./walk.ts";

/** What {@link surveyTree} finds out about a node. */
const enum Fact {
  /** It is printed in parentheses. */
  Parenthesised = 1,
  /** It is or contains a record or variant value. */
  HoldsRecord = 2,
}

/** Per {@link BinaryOperator}. */
const BINARY_SPELLING: readonly string[] = [
  "||",
  "&&",
  "==",
  "!=",
  "<",
  "<=",
  ">",
  ">=",
  "+",
  "-",
  "*",
  "/",
  "%",
];

/** Replaces the name of a called function. */
export interface Renaming {
  readonly from: string;
  readonly to: string;
}

/** Prints the expressions of one tree. */
export class ExpressionFormatter {
  private readonly walk: Walk;
  private readonly facts: Uint8Array;

  constructor(
    private readonly tree: Tree,
    private readonly out: TextSink,
    private readonly renaming: Renaming | null,
  ) {
    this.walk = new Walk(tree);
    this.facts = surveyTree(tree);
  }

  /** The expression of a `requires` or `ensures` clause. */
  clause(root: number): void {
    // No record value may stand bare in a clause.
    const isWrapped = (this.facts[root]! & Fact.HoldsRecord) !== 0;
    if (isWrapped) this.out.text("(");
    this.print(root, -1);
    if (isWrapped) this.out.text(")");
  }

  /** A body: a block with one line for each let and for the tail. */
  body(block: number): void {
    this.print(block, block);
  }

  private print(root: number, body: number): void {
    const { walk, out, facts } = this;
    walk.start(root);
    for (let visit = walk.step(); visit !== Visit.Done; visit = walk.step()) {
      const { node } = walk;
      const isParenthesised = (facts[node]! & Fact.Parenthesised) !== 0;
      if (visit === Visit.Enter) {
        if (isParenthesised) out.text("(");
        this.before(node, node === body);
      } else if (visit === Visit.Between) {
        this.between(node, walk.childIndex, node === body);
      } else {
        this.after(node, node === body);
        if (isParenthesised) out.text(")");
      }
    }
  }

  /** What stands before the first child; for a node without children everything but the end. */
  private before(node: number, isBody: boolean): void {
    const { tree, out } = this;
    const data = tree.nodeData[node]!;
    switch (tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Integer:
        out.text(String(tree.integers[data]!));
        break;
      case NodeKind.Float64:
        out.text(float64Literal(tree.floats[data]!));
        break;
      case NodeKind.Float32:
        out.text(float32Literal(tree.floats[data]!));
        break;
      case NodeKind.Char:
        out.text(charLiteral(data));
        break;
      case NodeKind.Bool:
        out.text(data === 0 ? "false" : "true");
        break;
      case NodeKind.Variable:
        out.text(tree.names[data]!);
        break;
      case NodeKind.Unary:
        out.text(data === UnaryOperator.Negate ? "-" : "!");
        break;
      case NodeKind.Call:
        out.text(this.callee(tree.names[data]!));
        formatTypeArguments(tree.typeArguments.get(node) ?? [], out);
        out.text("(");
        break;
      case NodeKind.Block:
        out.text(isBody ? "{\n    " : "{ ");
        this.letName(node, 0);
        break;
      case NodeKind.If:
        out.text("if ");
        break;
      case NodeKind.Match:
        out.text("match ");
        break;
      case NodeKind.RecordValue:
      case NodeKind.VariantValue: {
        const { type, caseName, fields } = tree.aggregates[data]!;
        if (type !== null) formatType(type, out);
        if (caseName !== null) out.text(`::${caseName}`);
        openFields(fields, out);
        break;
      }
      case NodeKind.Binary:
      case NodeKind.With:
      case NodeKind.Projection:
      case NodeKind.Try:
        break;
    }
  }

  /** What stands between child `index` and the next one. */
  private between(node: number, index: number, isBody: boolean): void {
    const { tree, out } = this;
    const data = tree.nodeData[node]!;
    switch (tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Binary:
        out.text(` ${BINARY_SPELLING[data]!} `);
        break;
      case NodeKind.Call:
        out.text(", ");
        break;
      case NodeKind.Block:
        out.text(isBody ? ";\n    " : "; ");
        this.letName(node, index + 1);
        break;
      case NodeKind.If:
        out.text(index === 0 ? " " : " else ");
        break;
      case NodeKind.Match:
        out.text(index === 0 ? " { " : ", ");
        formatPattern(tree.matches[data]!.arms[index]!.pattern, out);
        out.text(" => ");
        break;
      case NodeKind.RecordValue:
      case NodeKind.VariantValue:
        out.text(`, ${tree.aggregates[data]!.fields[index + 1]!.name}: `);
        break;
      case NodeKind.With: {
        const { fields } = tree.aggregates[data]!;
        if (index > 0) {
          out.text(`, ${fields[index]!.name}: `);
        } else {
          out.text(" with");
          openFields(fields, out);
        }
        break;
      }
      default:
        // The other kinds have one child at most.
        break;
    }
  }

  /** What stands after the last child. */
  private after(node: number, isBody: boolean): void {
    const { tree, out } = this;
    const data = tree.nodeData[node]!;
    switch (tree.nodeKind[node]! as NodeKind) {
      case NodeKind.Call:
        out.text(")");
        break;
      case NodeKind.Block:
        out.text(isBody ? "\n}" : " }");
        break;
      case NodeKind.Match:
        out.text(tree.matches[data]!.arms.length === 0 ? " {  }" : ", }");
        break;
      case NodeKind.RecordValue:
      case NodeKind.VariantValue:
        closeFields(tree.aggregates[data]!.fields, out);
        break;
      case NodeKind.With: {
        const { fields } = tree.aggregates[data]!;
        if (fields.length === 0) out.text(" with {");
        closeFields(fields, out);
        break;
      }
      case NodeKind.Projection:
        out.text(`.${tree.names[data]!}`);
        break;
      case NodeKind.Try:
        out.text("?");
        break;
      default:
        break;
    }
  }

  /** `let name = ` before child `index` of a block, if that is the value of a let. */
  private letName(block: number, index: number): void {
    const { tree } = this;
    const lets = tree.childStart[block + 1]! - tree.childStart[block]! - 1;
    if (index < lets) this.out.text(`let ${tree.names[tree.letName[tree.nodeData[block]! + index]!]!} = `);
  }

  private callee(name: string): string {
    return this.renaming !== null && name === this.renaming.from ? this.renaming.to : name;
  }
}

/** ` {` and the name of the first field. */
function openFields(fields: readonly FieldSyntax[], out: TextSink): void {
  out.text(fields.length === 0 ? " {" : ` { ${fields[0]!.name}: `);
}

function closeFields(fields: readonly FieldSyntax[], out: TextSink): void {
  out.text(fields.length === 0 ? "}" : " }");
}

/** The {@link Fact}s of all nodes in one pass: children have smaller numbers than their parents. */
function surveyTree(tree: Tree): Uint8Array {
  const { nodeCount, nodeKind, childStart, child } = tree;
  const facts = new Uint8Array(nodeCount);
  for (let node = 0; node < nodeCount; node++) {
    const kind = nodeKind[node]! as NodeKind;
    let holdsRecord = kind === NodeKind.RecordValue || kind === NodeKind.VariantValue ? Fact.HoldsRecord : 0;
    const first = childStart[node]!;
    const end = childStart[node + 1]!;
    for (let at = first; at < end; at++) {
      const operand = child[at]!;
      if (needsParentheses(tree, node, at - first, operand, facts[operand]!))
        facts[operand]! |= Fact.Parenthesised;
      holdsRecord |= facts[operand]! & Fact.HoldsRecord;
    }
    facts[node]! |= holdsRecord;
  }
  return facts;
}

/** Whether child `index` of a node is printed in parentheses. */
function needsParentheses(tree: Tree, node: number, index: number, operand: number, facts: number): boolean {
  const operandKind = tree.nodeKind[operand]! as NodeKind;
  switch (tree.nodeKind[node]! as NodeKind) {
    case NodeKind.Unary:
      return binds(tree, operand) < UNARY_PRECEDENCE;
    case NodeKind.Binary:
      return binds(tree, operand) < PRECEDENCE[tree.nodeData[node]!]! + index;
    case NodeKind.With:
    case NodeKind.Projection:
    case NodeKind.Try:
      return (
        index === 0 &&
        (operandKind === NodeKind.Binary || operandKind === NodeKind.If || operandKind === NodeKind.Block)
      );
    case NodeKind.If:
    case NodeKind.Match:
      return index === 0 && (facts & Fact.HoldsRecord) !== 0;
    default:
      return false;
  }
}

/** The precedence of a binary node; every other node binds tighter than any operator. */
function binds(tree: Tree, node: number): number {
  if (tree.nodeKind[node] !== NodeKind.Binary) return Number.POSITIVE_INFINITY;
  return PRECEDENCE[tree.nodeData[node]! as BinaryOperator]!;
}
