/** Types, qualified names and patterns (language.md 2.1, 2.2). */
import type { Cursor } from "./cursor.ts";
import { TokenKind } from "./token.ts";
import type { NameSyntax, PatternFieldSyntax, PatternSyntax, TypeSyntax } from "./syntax.ts";

const NO_TYPES: readonly TypeSyntax[] = [];

/** `ID { '.' ID }`, the parts joined with dots. */
export function parseQualifiedName(cursor: Cursor): string {
  return parseDotted(cursor, "SPX-P105");
}

function parseDotted(cursor: Cursor, code: "SPX-P105" | "SPX-P106"): string {
  const first = cursor.identifier(code);
  if (!cursor.at(TokenKind.Dot)) return first;
  const parts = [first];
  while (cursor.eat(TokenKind.Dot)) parts.push(cursor.identifier(code));
  return parts.join(".");
}

export function parseName(cursor: Cursor): NameSyntax {
  const { start, end } = cursor;
  return { text: cursor.identifier(), start, end };
}

/** `QID [ '<' type { ',' type } '>' ]` */
export function parseType(cursor: Cursor): TypeSyntax {
  return parseTypeNamed(cursor, "SPX-P105");
}

/** `'<' type { ',' type } '>'`; whatever does not fit in there is `SPX-P106` (language.md 2.2). */
export function parseTypeArguments(cursor: Cursor): readonly TypeSyntax[] {
  cursor.expect(TokenKind.Less, '"<"');
  const types: TypeSyntax[] = [];
  do types.push(parseTypeNamed(cursor, "SPX-P106"));
  while (cursor.eat(TokenKind.Comma));
  cursor.expect(TokenKind.Greater, '">"');
  return types;
}

function parseTypeNamed(cursor: Cursor, code: "SPX-P105" | "SPX-P106"): TypeSyntax {
  const { start } = cursor;
  const name = parseDotted(cursor, code);
  let types = NO_TYPES;
  if (cursor.at(TokenKind.Less) && cursor.enter()) {
    types = parseTypeArguments(cursor);
    cursor.leave();
  }
  return { name, arguments: types, start, end: cursor.previousEnd };
}

/** `"_" | ID '::' ID '{' … '}' | ID '{' … '}'` */
export function parsePattern(cursor: Cursor): PatternSyntax {
  const { start } = cursor;
  if (cursor.eat(TokenKind.Underscore)) return { kind: "wildcard", start, end: cursor.previousEnd };
  const typeName = cursor.identifier();
  if (cursor.eat(TokenKind.ColonColon)) {
    const caseName = cursor.identifier();
    const fields = parsePatternFields(cursor);
    return { kind: "case", typeName, caseName, fields, start, end: cursor.previousEnd };
  }
  const fields = parsePatternFields(cursor);
  return { kind: "record", typeName, fields, start, end: cursor.previousEnd };
}

function parsePatternFields(cursor: Cursor): readonly PatternFieldSyntax[] {
  const fields: PatternFieldSyntax[] = [];
  cursor.expect(TokenKind.LeftBrace, '"{"');
  if (!cursor.enter()) return fields;
  while (!cursor.at(TokenKind.RightBrace)) {
    fields.push(parsePatternField(cursor));
    if (!cursor.eat(TokenKind.Comma)) break;
  }
  cursor.leave();
  cursor.expect(TokenKind.RightBrace, '"}"');
  return fields;
}

/** `ID [ ':' ( ID | "_" | ID '{' … '}' ) ]` */
function parsePatternField(cursor: Cursor): PatternFieldSyntax {
  const field = parseName(cursor);
  const binding = cursor.eat(TokenKind.Colon)
    ? parseBinding(cursor)
    : ({ kind: "name", name: field.text, start: field.start, end: field.end } as const);
  return { name: field.text, binding, start: field.start, end: binding.end };
}

function parseBinding(cursor: Cursor): PatternFieldSyntax["binding"] {
  const { start, end } = cursor;
  if (cursor.eat(TokenKind.Underscore)) return { kind: "wildcard", start, end };
  const name = cursor.identifier();
  if (!cursor.at(TokenKind.LeftBrace)) return { kind: "name", name, start, end };
  const fields = parsePatternFields(cursor);
  const pattern: PatternSyntax = { kind: "record", typeName: name, fields, start, end: cursor.previousEnd };
  return { kind: "pattern", pattern, start, end: pattern.end };
}

/** `'<' ID { ',' ID } '>'` or nothing; whatever does not fit in there is `SPX-P106`. */
export function parseTypeParameters(cursor: Cursor): readonly string[] {
  const names: string[] = [];
  if (!cursor.eat(TokenKind.Less)) return names;
  do names.push(cursor.identifier("SPX-P106"));
  while (cursor.eat(TokenKind.Comma));
  cursor.expect(TokenKind.Greater, '">"');
  return names;
}

/** `'{' [ QID { ',' QID } ] '}'` */
export function parseEffects(cursor: Cursor): readonly string[] {
  const names: string[] = [];
  cursor.expect(TokenKind.LeftBrace, '"{"');
  if (!cursor.at(TokenKind.RightBrace)) {
    do names.push(parseQualifiedName(cursor));
    while (cursor.eat(TokenKind.Comma));
  }
  cursor.expect(TokenKind.RightBrace, '"}"');
  return names;
}
