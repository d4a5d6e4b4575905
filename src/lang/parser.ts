/** The parser: one file's tokens to its syntax (language.md 2). */
import { type Outcome, success } from "../kernel/failure.ts";
import { Cursor } from "./cursor.ts";
import { lex } from "./lexer.ts";
import { ExpressionParser } from "./parse-expressions.ts";
import {
  parseAttribute,
  parseFunction,
  parseInterface,
  parseRecord,
  parseResource,
  parseString,
  parseVariant,
} from "./parse-items.ts";
import { parseEffects, parseName, parseQualifiedName } from "./parse-types.ts";
import type { Source } from "./source.ts";
import type {
  FunctionSyntax,
  InterfaceSyntax,
  SyntaxFile,
  TypeDeclarationSyntax,
  UseSyntax,
} from "./syntax.ts";
import { TokenKind } from "./token.ts";
import { TreeBuilder } from "./tree-builder.ts";

/**
 * The syntax of a file, or its first error: lexical (`SPX-P001` to `SPX-P008`), syntactic (`SPX-P1…`, `SPX-P2…`, and
 * `SPX-G170` for a `use`; language.md 2.3), or `SPX-G171`, bare, for a file that nests too deeply (language.md 2.1).
 */
export function parse(source: Source): Outcome<SyntaxFile> {
  const tokens = lex(source);
  if (!tokens.ok) return tokens;
  const cursor = new Cursor(source, tokens.value);
  const file = parseFile(cursor);
  return cursor.failure === null ? success(file) : { ok: false, failure: cursor.failure };
}

function parseFile(cursor: Cursor): SyntaxFile {
  const tree = new TreeBuilder(cursor.source.bytes, cursor.tokens.count);
  const expressions = new ExpressionParser(cursor, tree);
  const uses: UseSyntax[] = [];
  const types: TypeDeclarationSyntax[] = [];
  const interfaces: InterfaceSyntax[] = [];
  const functions: FunctionSyntax[] = [];

  cursor.expectWord(TokenKind.Module);
  const module = parseQualifiedName(cursor);
  cursor.eat(TokenKind.Semicolon);
  while (cursor.at(TokenKind.Use)) uses.push(parseUse(cursor));
  const permits = cursor.eat(TokenKind.Permit) ? parseEffects(cursor) : [];
  while (!cursor.at(TokenKind.EndOfFile)) {
    if (cursor.at(TokenKind.Use)) cursor.refuse("SPX-G170", "use comes before other items");
    const authoredId = parseAttribute(cursor);
    switch (cursor.kind) {
      case TokenKind.Resource:
        types.push(parseResource(cursor, authoredId));
        break;
      case TokenKind.Record:
        types.push(parseRecord(cursor, authoredId));
        break;
      case TokenKind.Variant:
        types.push(parseVariant(cursor, authoredId));
        break;
      case TokenKind.Interface:
        interfaces.push(parseInterface(cursor, authoredId));
        break;
      default:
        functions.push(parseFunction(cursor, expressions, authoredId));
    }
  }
  if (functions.length === 0) cursor.refuse("SPX-P101", "a module needs a function");
  return { source: cursor.source, module, uses, permits, types, interfaces, functions, tree: tree.finish() };
}

/** `"use" ( "function" | "type" ) '@' "id" '(' STR ')' "from" QID "as" ID ';'`; any error in it is `SPX-G170`. */
function parseUse(cursor: Cursor): UseSyntax {
  const { start } = cursor;
  cursor.codeOverride = "SPX-G170";
  cursor.advance();
  const kind = cursor.eat(TokenKind.Type) ? "type" : "function";
  if (kind === "function") cursor.expectWord(TokenKind.Function);
  cursor.expect(TokenKind.At, '"@"');
  cursor.expectWord(TokenKind.Id);
  cursor.expect(TokenKind.LeftParen, '"("');
  const id = parseString(cursor);
  cursor.expect(TokenKind.RightParen, '")"');
  cursor.expectWord(TokenKind.From);
  const module = parseQualifiedName(cursor);
  cursor.expectWord(TokenKind.As);
  const alias = parseName(cursor);
  cursor.expect(TokenKind.Semicolon, '";"');
  cursor.codeOverride = null;
  return { kind, id, module, alias, start, end: cursor.previousEnd };
}
