/** Declarations: functions, and the items outside the profile (language.md 2.1). */
import type { Cursor } from "./cursor.ts";
import { stringValue } from "./literals.ts";
import type { ExpressionParser } from "./parse-expressions.ts";
import { parseEffects, parseName, parseType, parseTypeParameters } from "./parse-types.ts";
import type {
  AuthoredId,
  CaseSyntax,
  FunctionSyntax,
  ImportSyntax,
  InterfaceSyntax,
  LifecycleSyntax,
  MemberSyntax,
  ParameterMode,
  ParameterSyntax,
  TypeDeclarationSyntax,
  TypeSyntax,
} from "./syntax.ts";
import { TokenKind } from "./token.ts";

/** `[ '@' "id" '(' STR ')' ]` */
export function parseAttribute(cursor: Cursor): AuthoredId {
  if (!cursor.eat(TokenKind.At)) return null;
  const name = cursor.identifier();
  if (name !== "id") cursor.refuse("SPX-P102", 'the only attribute is "id"');
  cursor.expect(TokenKind.LeftParen, '"("');
  if (!cursor.at(TokenKind.String)) cursor.failBeforeEnd("SPX-P103", "a string");
  const id = parseString(cursor);
  cursor.expect(TokenKind.RightParen, '")"');
  return id;
}

/** A string token, or `SPX-P106`. */
export function parseString(cursor: Cursor): string {
  const { start, end } = cursor;
  if (!cursor.eat(TokenKind.String)) return cursor.fail("SPX-P106", "a string");
  return stringValue(cursor.source.bytes, start, end);
}

export function parseFunction(
  cursor: Cursor,
  expressions: ExpressionParser,
  authoredId: AuthoredId,
): FunctionSyntax {
  const { start } = cursor;
  cursor.expectWord(TokenKind.Fn);
  const name = parseName(cursor);
  const typeParameters = parseTypeParameters(cursor);
  const parameters = parseParameters(cursor);
  cursor.expect(TokenKind.Arrow, '"->"');
  const returnType = parseType(cursor);
  const effects = cursor.eat(TokenKind.Uses) ? parseEffects(cursor) : [];
  const requires: number[] = [];
  const ensures: number[] = [];
  for (;;) {
    if (cursor.eat(TokenKind.Requires)) requires.push(expressions.expression(false));
    else if (cursor.eat(TokenKind.Ensures)) ensures.push(expressions.expression(false));
    else break;
  }
  const body = expressions.block();
  const end = cursor.previousEnd;
  return {
    authoredId,
    name,
    typeParameters,
    parameters,
    returnType,
    effects,
    requires,
    ensures,
    body,
    start,
    end,
  };
}

/** `'(' [ param { ',' param } ] ')'` */
function parseParameters(cursor: Cursor): readonly ParameterSyntax[] {
  const parameters: ParameterSyntax[] = [];
  cursor.expect(TokenKind.LeftParen, '"("');
  if (!cursor.at(TokenKind.RightParen)) {
    do parameters.push(parseParameter(cursor));
    while (cursor.eat(TokenKind.Comma));
  }
  cursor.expect(TokenKind.RightParen, '")"');
  return parameters;
}

function parseParameter(cursor: Cursor): ParameterSyntax {
  const name = parseName(cursor);
  cursor.expect(TokenKind.Colon, '":"');
  const mode = parseMode(cursor);
  return { name, mode, type: parseType(cursor) };
}

function parseMode(cursor: Cursor): ParameterMode | null {
  if (cursor.eat(TokenKind.Own)) return "own";
  if (cursor.eat(TokenKind.Borrow)) return "borrow";
  return cursor.eat(TokenKind.Shared) ? "shared" : null;
}

export function parseResource(cursor: Cursor, authoredId: AuthoredId): TypeDeclarationSyntax {
  const { start } = cursor;
  cursor.advance();
  const name = parseName(cursor);
  const typeParameters = parseTypeParameters(cursor);
  const lifecycles: LifecycleSyntax[] = [];
  if (!cursor.eat(TokenKind.Semicolon)) {
    cursor.expect(TokenKind.LeftBrace, '"{" or ";"');
    while (!isBodyEnd(cursor)) lifecycles.push(parseLifecycle(cursor));
    cursor.expect(TokenKind.RightBrace, '"}"');
  }
  return { kind: "resource", authoredId, name, typeParameters, lifecycles, start, end: cursor.previousEnd };
}

function parseLifecycle(cursor: Cursor): LifecycleSyntax {
  const authoredId = parseAttribute(cursor);
  let importKey: string | null = null;
  cursor.expectWord(TokenKind.Drop);
  if (!cursor.eat(TokenKind.Trivial)) {
    cursor.expectWord(TokenKind.Import);
    importKey = parseString(cursor);
  }
  cursor.expect(TokenKind.Semicolon, '";"');
  return { authoredId, importKey };
}

export function parseRecord(cursor: Cursor, authoredId: AuthoredId): TypeDeclarationSyntax {
  const { start } = cursor;
  cursor.advance();
  const name = parseName(cursor);
  const typeParameters = parseTypeParameters(cursor);
  const fields = parseMembers(cursor);
  return { kind: "record", authoredId, name, typeParameters, fields, start, end: cursor.previousEnd };
}

/** `'{' { [ attr ] ID ':' type ',' } '}'` */
function parseMembers(cursor: Cursor): readonly MemberSyntax[] {
  const members: MemberSyntax[] = [];
  cursor.expect(TokenKind.LeftBrace, '"{"');
  while (!isBodyEnd(cursor)) {
    const authoredId = parseAttribute(cursor);
    const name = parseName(cursor);
    cursor.expect(TokenKind.Colon, '":"');
    const type: TypeSyntax = parseType(cursor);
    cursor.expect(TokenKind.Comma, '","');
    members.push({ authoredId, name, type });
  }
  cursor.expect(TokenKind.RightBrace, '"}"');
  return members;
}

export function parseVariant(cursor: Cursor, authoredId: AuthoredId): TypeDeclarationSyntax {
  const { start } = cursor;
  cursor.advance();
  const name = parseName(cursor);
  const typeParameters = parseTypeParameters(cursor);
  const cases: CaseSyntax[] = [];
  cursor.expect(TokenKind.LeftBrace, '"{"');
  while (!isBodyEnd(cursor)) {
    const caseId = parseAttribute(cursor);
    const caseName = parseName(cursor);
    const fields = cursor.at(TokenKind.LeftBrace) ? parseMembers(cursor) : [];
    cursor.expect(TokenKind.Comma, '","');
    cases.push({ authoredId: caseId, name: caseName, fields });
  }
  cursor.expect(TokenKind.RightBrace, '"}"');
  return { kind: "variant", authoredId, name, typeParameters, cases, start, end: cursor.previousEnd };
}

export function parseInterface(cursor: Cursor, authoredId: AuthoredId): InterfaceSyntax {
  const { start } = cursor;
  cursor.advance();
  const name = parseName(cursor);
  cursor.expectWord(TokenKind.Permits);
  const permits = parseEffects(cursor);
  const imports: ImportSyntax[] = [];
  cursor.expect(TokenKind.LeftBrace, '"{"');
  while (!isBodyEnd(cursor)) imports.push(parseImport(cursor));
  cursor.expect(TokenKind.RightBrace, '"}"');
  return { authoredId, name, permits, imports, start, end: cursor.previousEnd };
}

function parseImport(cursor: Cursor): ImportSyntax {
  const authoredId = parseAttribute(cursor);
  cursor.expectWord(TokenKind.Import);
  const rust = cursor.eat(TokenKind.Rust);
  cursor.expectWord(TokenKind.Fn);
  const name = parseName(cursor);
  const parameters = parseParameters(cursor);
  cursor.expect(TokenKind.Arrow, '"->"');
  const result = parseImportResult(cursor, rust);
  cursor.expectWord(TokenKind.Effects);
  const effects = parseEffects(cursor);
  const failureDomain = parseFailure(cursor);
  const consumes = rust ? null : parseConsumes(cursor);
  cursor.expect(TokenKind.Semicolon, '";"');
  return { authoredId, rust, name, parameters, result, effects, failureDomain, consumes };
}

/** `i64` and `bool` belong to `import rust fn` alone. */
function parseImportResult(cursor: Cursor, rust: boolean): ImportSyntax["result"] {
  if (rust && cursor.eat(TokenKind.I64)) return "i64";
  if (rust && cursor.eat(TokenKind.Bool)) return "bool";
  cursor.expectWord(TokenKind.Unit);
  return "unit";
}

function parseFailure(cursor: Cursor): string | null {
  cursor.expectWord(TokenKind.Failure);
  if (cursor.eat(TokenKind.Infallible)) return null;
  cursor.expectWord(TokenKind.Status);
  return parseString(cursor);
}

function parseConsumes(cursor: Cursor): string {
  cursor.expectWord(TokenKind.Consumes);
  const parameter = cursor.identifier();
  cursor.expectWord(TokenKind.Always);
  return parameter;
}

/** The end of a list of members: the brace, or the end of the file where the brace will be missed. */
function isBodyEnd(cursor: Cursor): boolean {
  return cursor.at(TokenKind.RightBrace) || cursor.failure !== null;
}
