/** Expressions and blocks (language.md 2.2). */
import type { Cursor } from "./cursor.ts";
import { GenericLookahead } from "./generic-lookahead.ts";
import { charValue, floatValue, integerValue, isFloat32 } from "./literals.ts";
import { NumberList } from "./number-list.ts";
import { PRECEDENCE } from "./precedence.ts";
import { parsePattern, parseTypeArguments } from "./parse-types.ts";
import {
  type ArmSyntax,
  BinaryOperator,
  type FieldSyntax,
  NodeKind,
  type TypeSyntax,
  UnaryOperator,
} from "./syntax.ts";
import { isIdentifier, TokenKind } from "./token.ts";
import type { TreeBuilder } from "./tree-builder.ts";

/** On the stack of operators a unary operator is its number plus this. */
const UNARY = 16;
const NOT_BINARY = -1;
const NO_SUFFIX = -1;
const NO_TYPES: readonly TypeSyntax[] = [];

/**
 * Parses one expression after the other into a tree builder. Operators of one level wait on an explicit stack, so only
 * brackets, blocks and braces nest the host's calls, and the cursor bounds those.
 */
export class ExpressionParser {
  /** Operators whose right side is still being parsed. */
  private readonly operators = new NumberList(64);
  /** For each of them its left operand or, for a unary one, the byte where it starts. */
  private readonly lefts = new NumberList(64);
  private readonly lookahead: GenericLookahead;

  constructor(
    private readonly cursor: Cursor,
    private readonly tree: TreeBuilder,
  ) {
    this.lookahead = new GenericLookahead(cursor.tokens);
  }

  /** `expr`, or `expr0` without record values. Returns the node. */
  expression(records: boolean): number {
    const { cursor, operators } = this;
    if (!cursor.enter()) return 0;
    const base = operators.length;
    for (;;) {
      this.unaryOperators();
      let node = this.operand(records);
      while (operators.length > base && operators.items[operators.length - 1]! >= UNARY)
        node = this.reduce(node);
      const operator = binaryOperator(cursor.kind);
      const precedence = operator === NOT_BINARY ? 0 : PRECEDENCE[operator]!;
      while (operators.length > base && PRECEDENCE[operators.items[operators.length - 1]!]! >= precedence) {
        node = this.reduce(node);
      }
      if (operator === NOT_BINARY) {
        cursor.leave();
        return node;
      }
      cursor.advance();
      operators.push(operator);
      this.lefts.push(node);
    }
  }

  /** `'{' { "let" ID '=' expr ';' } expr [ ';' ] '}'`. Returns the node. */
  block(): number {
    const { cursor, tree } = this;
    const { start } = cursor;
    const mark = tree.mark();
    const letMark = tree.letMark();
    cursor.expect(TokenKind.LeftBrace, '"{"');
    while (cursor.at(TokenKind.Let)) this.letStatement();
    if (cursor.at(TokenKind.RightBrace)) cursor.refuse("SPX-P203", "a block ends with a value");
    tree.push(this.expression(true));
    cursor.eat(TokenKind.Semicolon);
    cursor.expect(TokenKind.RightBrace, '"}"');
    return tree.block(start, cursor.previousEnd, mark, letMark);
  }

  private letStatement(): void {
    const { cursor, tree } = this;
    const { start } = cursor;
    cursor.advance();
    const nameStart = cursor.start;
    const nameEnd = cursor.end;
    const name = this.name();
    cursor.expect(TokenKind.Equal, '"="');
    tree.push(this.expression(true));
    cursor.expect(TokenKind.Semicolon, '";"');
    tree.pushLet(name, nameStart, nameEnd, start, cursor.previousEnd);
  }

  /** An identifier as the number of its name. */
  private name(): number {
    const { cursor, tree } = this;
    if (!isIdentifier(cursor.kind)) {
      cursor.fail("SPX-P105", "a name");
      return 0;
    }
    const name = tree.names.intern(cursor.start, cursor.end);
    cursor.advance();
    return name;
  }

  private unaryOperators(): void {
    const { cursor } = this;
    while (cursor.at(TokenKind.Minus) || cursor.at(TokenKind.Bang)) {
      const operator = cursor.at(TokenKind.Minus) ? UnaryOperator.Negate : UnaryOperator.Not;
      this.operators.push(UNARY + operator);
      this.lefts.push(cursor.start);
      cursor.advance();
    }
  }

  /** Applies the newest waiting operator to its right operand. */
  private reduce(right: number): number {
    const { tree } = this;
    const operator = this.operators.items[--this.operators.length]!;
    const left = this.lefts.items[--this.lefts.length]!;
    return operator >= UNARY
      ? tree.unary(NodeKind.Unary, left, tree.endOf(right), operator - UNARY, right)
      : tree.binary(operator, left, right);
  }

  /** `prefix { suffix }` without the unary operators. */
  private operand(records: boolean): number {
    let node = this.prefix();
    for (;;) {
      const next = this.suffix(node, records);
      if (next === NO_SUFFIX) return node;
      node = next;
    }
  }

  private prefix(): number {
    const { cursor, tree } = this;
    const { start, end } = cursor;
    const { bytes } = cursor.source;
    const { kind } = cursor;
    switch (kind) {
      case TokenKind.Integer:
        cursor.advance();
        return tree.leaf(
          NodeKind.Integer,
          start,
          end,
          tree.integers.push(integerValue(bytes, start, end)) - 1,
        );
      case TokenKind.Float: {
        cursor.advance();
        const width = isFloat32(bytes, start, end) ? NodeKind.Float32 : NodeKind.Float64;
        return tree.leaf(width, start, end, tree.floats.push(floatValue(bytes, start, end)) - 1);
      }
      case TokenKind.Char:
        cursor.advance();
        return tree.leaf(NodeKind.Char, start, end, charValue(bytes, start));
      case TokenKind.True:
      case TokenKind.False:
        cursor.advance();
        return tree.leaf(NodeKind.Bool, start, end, kind === TokenKind.True ? 1 : 0);
      case TokenKind.If:
        return this.ifExpression();
      case TokenKind.Match:
        return this.matchExpression();
      case TokenKind.LeftBrace:
        return this.block();
      case TokenKind.LeftParen: {
        cursor.advance();
        const node = this.expression(true);
        cursor.expect(TokenKind.RightParen, '")"');
        if (cursor.failure === null) tree.widen(node, start, cursor.previousEnd);
        return node;
      }
      default:
        if (isIdentifier(kind)) return tree.leaf(NodeKind.Variable, start, end, this.name());
        cursor.fail("SPX-P201", "an expression");
        return 0;
    }
  }

  private ifExpression(): number {
    const { cursor, tree } = this;
    const { start } = cursor;
    const mark = tree.mark();
    cursor.advance();
    tree.push(this.expression(false));
    tree.push(this.block());
    cursor.expectWord(TokenKind.Else);
    tree.push(this.block());
    return tree.node(NodeKind.If, start, cursor.previousEnd, 0, mark);
  }

  private matchExpression(): number {
    const { cursor, tree } = this;
    const { start } = cursor;
    const mark = tree.mark();
    const arms: ArmSyntax[] = [];
    cursor.advance();
    tree.push(this.expression(false));
    cursor.expect(TokenKind.LeftBrace, '"{"');
    while (!cursor.eat(TokenKind.RightBrace)) {
      if (cursor.at(TokenKind.EndOfFile)) {
        cursor.fail("SPX-P205", 'an arm or "}"');
        break;
      }
      const pattern = parsePattern(cursor);
      cursor.expect(TokenKind.FatArrow, '"=>"');
      const value = this.expression(true);
      tree.push(value);
      arms.push({ pattern, start: pattern.start, end: tree.endOf(value) });
      cursor.expect(TokenKind.Comma, '","');
    }
    return tree.node(NodeKind.Match, start, cursor.previousEnd, tree.matches.push({ arms }) - 1, mark);
  }

  /** The node with one suffix more, or {@link NO_SUFFIX}. A call without arguments takes over the number of its callee. */
  private suffix(node: number, records: boolean): number {
    const { cursor, tree } = this;
    switch (cursor.kind) {
      case TokenKind.LeftParen:
        if (this.isVariable(node)) return this.call(node, NO_TYPES);
        cursor.refuse("SPX-P202", "only a name can be called");
        return NO_SUFFIX;
      case TokenKind.ColonColon:
        if (this.isVariable(node)) return this.variantValue(node, NO_TYPES);
        cursor.refuse("SPX-P204", 'only a name can precede "::"');
        return NO_SUFFIX;
      case TokenKind.LeftBrace:
        return records && this.isPath(node) ? this.recordValue(node, NO_TYPES) : NO_SUFFIX;
      case TokenKind.Less:
        return this.isVariable(node) ? this.genericSuffix(node, records) : NO_SUFFIX;
      case TokenKind.With:
        return this.withUpdate(node);
      case TokenKind.Dot: {
        cursor.advance();
        const name = this.name();
        return tree.unary(NodeKind.Projection, tree.startOf(node), cursor.previousEnd, name, node);
      }
      case TokenKind.Question:
        cursor.advance();
        return tree.unary(NodeKind.Try, tree.startOf(node), cursor.previousEnd, 0, node);
      default:
        return NO_SUFFIX;
    }
  }

  /** After a variable and before `<`: type arguments and the suffix that they belong to, or a comparison. */
  private genericSuffix(node: number, records: boolean): number {
    const { cursor } = this;
    const close = this.lookahead.close(cursor.position);
    if (close < 0) return NO_SUFFIX;
    const next = cursor.tokens.kind[close + 1]! as TokenKind;
    if (next === TokenKind.LeftBrace && !records) return NO_SUFFIX;
    if (next !== TokenKind.LeftParen && next !== TokenKind.ColonColon && next !== TokenKind.LeftBrace)
      return NO_SUFFIX;
    const types = parseTypeArguments(cursor);
    if (cursor.failure !== null) return NO_SUFFIX;
    if (next === TokenKind.LeftParen) return this.call(node, types);
    return next === TokenKind.ColonColon ? this.variantValue(node, types) : this.recordValue(node, types);
  }

  private isVariable(node: number): boolean {
    return this.cursor.failure === null && this.tree.kindOf(node) === NodeKind.Variable;
  }

  /** Whether a node is a variable or projections of one. A path is asked about once, so this is linear. */
  private isPath(node: number): boolean {
    // A projection is added directly after its base.
    let at = node;
    while (this.tree.kindOf(at) === NodeKind.Projection) at--;
    return this.isVariable(at);
  }

  private call(callee: number, types: readonly TypeSyntax[]): number {
    const { cursor, tree } = this;
    const start = tree.startOf(callee);
    const name = tree.dataOf(callee);
    tree.takeBack(callee);
    const mark = tree.mark();
    cursor.advance();
    if (!cursor.at(TokenKind.RightParen)) {
      do tree.push(this.expression(true));
      while (cursor.eat(TokenKind.Comma));
    }
    cursor.expect(TokenKind.RightParen, '")"');
    const node = tree.node(NodeKind.Call, start, cursor.previousEnd, name, mark);
    if (types.length > 0) tree.typeArguments.set(node, types);
    return node;
  }

  private variantValue(typeName: number, types: readonly TypeSyntax[]): number {
    const { cursor, tree } = this;
    const type = this.takeType(typeName, types);
    cursor.advance();
    const caseName = cursor.identifier();
    const mark = tree.mark();
    const fields = this.fields(false);
    const data = tree.aggregates.push({ type, caseName, fields }) - 1;
    return tree.node(NodeKind.VariantValue, type.start, cursor.previousEnd, data, mark);
  }

  private recordValue(path: number, types: readonly TypeSyntax[]): number {
    const { cursor, tree } = this;
    const type = this.takeType(path, types);
    const mark = tree.mark();
    const fields = this.fields(true);
    const data = tree.aggregates.push({ type, caseName: null, fields }) - 1;
    return tree.node(NodeKind.RecordValue, type.start, cursor.previousEnd, data, mark);
  }

  private withUpdate(base: number): number {
    const { cursor, tree } = this;
    const mark = tree.mark();
    cursor.advance();
    tree.push(base);
    const fields = this.fields(false);
    const data = tree.aggregates.push({ type: null, caseName: null, fields }) - 1;
    return tree.node(NodeKind.With, tree.startOf(base), cursor.previousEnd, data, mark);
  }

  /** Turns a variable or path that was parsed as an expression into the type that it names. */
  private takeType(path: number, types: readonly TypeSyntax[]): TypeSyntax {
    const { cursor, tree } = this;
    let first = path;
    while (tree.kindOf(first) === NodeKind.Projection) first--;
    const parts: string[] = [];
    for (let node = first; node <= path; node++) parts.push(tree.nameOf(node));
    const type = {
      name: parts.join("."),
      arguments: types,
      start: tree.startOf(path),
      end: cursor.previousEnd,
    };
    tree.takeBack(first);
    return type;
  }

  /** Field initialisers in braces; their values wait in the tree. */
  private fields(shorthands: boolean): readonly FieldSyntax[] {
    const { cursor, tree } = this;
    const fields: FieldSyntax[] = [];
    cursor.expect(TokenKind.LeftBrace, '"{"');
    while (!cursor.at(TokenKind.RightBrace)) {
      const { start, end } = cursor;
      const name = this.name();
      const shorthand = shorthands && !cursor.at(TokenKind.Colon);
      if (!shorthand) cursor.expect(TokenKind.Colon, '":"');
      const value = shorthand ? tree.leaf(NodeKind.Variable, start, end, name) : this.expression(true);
      tree.push(value);
      fields.push({ name: tree.names.names[name] ?? "", shorthand, start, end: tree.endOf(value) });
      if (!cursor.eat(TokenKind.Comma)) break;
    }
    cursor.expect(TokenKind.RightBrace, '"}"');
    return fields;
  }
}

/** The {@link BinaryOperator} of a token, or {@link NOT_BINARY}. */
function binaryOperator(kind: TokenKind): BinaryOperator | typeof NOT_BINARY {
  switch (kind) {
    case TokenKind.PipePipe:
      return BinaryOperator.Or;
    case TokenKind.AmpersandAmpersand:
      return BinaryOperator.And;
    case TokenKind.EqualEqual:
      return BinaryOperator.Equal;
    case TokenKind.BangEqual:
      return BinaryOperator.NotEqual;
    case TokenKind.Less:
      return BinaryOperator.Less;
    case TokenKind.LessEqual:
      return BinaryOperator.LessEqual;
    case TokenKind.Greater:
      return BinaryOperator.Greater;
    case TokenKind.GreaterEqual:
      return BinaryOperator.GreaterEqual;
    case TokenKind.Plus:
      return BinaryOperator.Add;
    case TokenKind.Minus:
      return BinaryOperator.Subtract;
    case TokenKind.Star:
      return BinaryOperator.Multiply;
    case TokenKind.Slash:
      return BinaryOperator.Divide;
    case TokenKind.Percent:
      return BinaryOperator.Remainder;
    default:
      return NOT_BINARY;
  }
}
