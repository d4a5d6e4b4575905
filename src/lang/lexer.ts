/**
 * The lexer: UTF-8 bytes to tokens, in one pass (language.md 1). It stops at the first lexical error, and any lexical
 * error of a file wins over its syntax errors, since it runs to the end of the file before the parser starts.
 */
import { type Code, type Outcome, refuseAt, success } from "../kernel/failure.ts";
import {
  isDigit,
  isIdentifierPart,
  type LiteralError,
  scanChar,
  scanNumber,
  scanString,
  scalarAt,
  scalarEnd,
} from "./literals.ts";
import { type Source, spanOf } from "./source.ts";
import { identifierKind, TokenKind, type Tokens } from "./token.ts";

/** What a byte can begin. */
const enum Class {
  Illegal,
  Space,
  Identifier,
  Digit,
  Quote,
  Apostrophe,
  /** A punctuation token of one byte that begins no longer one. */
  Single,
  /** A byte that begins a token of two bytes, or a comment. */
  Double,
  /** The first byte of a scalar value beyond U+007F. */
  Wide,
}

const SINGLE = "@(){}.,;+*%?";
const SINGLE_KIND: readonly TokenKind[] = [
  TokenKind.At,
  TokenKind.LeftParen,
  TokenKind.RightParen,
  TokenKind.LeftBrace,
  TokenKind.RightBrace,
  TokenKind.Dot,
  TokenKind.Comma,
  TokenKind.Semicolon,
  TokenKind.Plus,
  TokenKind.Star,
  TokenKind.Percent,
  TokenKind.Question,
];

/** Per byte its {@link Class}. */
const BYTE_CLASS = ((): Uint8Array => {
  const table = new Uint8Array(256);
  const mark = (text: string, value: Class): void => {
    for (let at = 0; at < text.length; at++) table[text.charCodeAt(at)] = value;
  };
  mark("\t\n\v\f\r ", Class.Space);
  mark("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", Class.Identifier);
  mark("0123456789", Class.Digit);
  mark('"', Class.Quote);
  mark("'", Class.Apostrophe);
  mark(SINGLE, Class.Single);
  mark(":-/!=<>&|", Class.Double);
  table.fill(Class.Wide, 0x80);
  return table;
})();

/** Per byte of class Single its token kind. */
const SINGLE_TABLE = ((): Uint8Array => {
  const table = new Uint8Array(256);
  SINGLE_KIND.forEach((kind, at) => {
    table[SINGLE.charCodeAt(at)] = kind;
  });
  return table;
})();

const LF = 0x0a;
const SLASH = 0x2f;

/** The tokens of a file, or its first lexical error (`SPX-P001` to `SPX-P008`) at its path and span. */
export function lex(source: Source): Outcome<Tokens> {
  const { bytes } = source;
  const tokens = new TokenList(bytes.length);
  let at = 0;
  while (at < bytes.length) {
    const start = at;
    const byte = bytes[at]!;
    switch (BYTE_CLASS[byte]! as Class) {
      case Class.Space:
        at++;
        break;
      case Class.Identifier:
        at = identifierEnd(bytes, at + 1);
        tokens.push(identifierKind(bytes, start, at), start, at);
        break;
      case Class.Single:
        at++;
        tokens.push(SINGLE_TABLE[byte]! as TokenKind, start, at);
        break;
      case Class.Double: {
        if (byte === SLASH && bytes[at + 1] === SLASH) {
          const lineEnd = bytes.indexOf(LF, at);
          at = lineEnd < 0 ? bytes.length : lineEnd;
          break;
        }
        const kind = doubleKind(byte, bytes[at + 1]);
        if (kind === TokenKind.EndOfFile) {
          const sign = String.fromCharCode(byte);
          return lexicalError(source, start, {
            code: "SPX-P002",
            end: at + 1,
            message: `"${sign}" must be doubled`,
          });
        }
        at += isTwoBytes(kind) ? 2 : 1;
        tokens.push(kind, start, at);
        break;
      }
      case Class.Digit: {
        const end = scanNumber(bytes, at);
        if (typeof end !== "number") return lexicalError(source, start, end);
        // A number with a point is a float: an integer has digits only.
        at = end;
        tokens.push(isInteger(bytes, start, end) ? TokenKind.Integer : TokenKind.Float, start, end);
        break;
      }
      case Class.Quote: {
        const end = scanString(bytes, at);
        if (typeof end !== "number") return lexicalError(source, start, end);
        at = end;
        tokens.push(TokenKind.String, start, end);
        break;
      }
      case Class.Apostrophe: {
        const end = scanChar(bytes, at);
        if (typeof end !== "number") return lexicalError(source, start, end);
        at = end;
        tokens.push(TokenKind.Char, start, end);
        break;
      }
      case Class.Wide:
        if (!isWideSpace(scalarAt(bytes, at))) return illegalCharacter(source, at);
        at = scalarEnd(bytes, at);
        break;
      case Class.Illegal:
        return illegalCharacter(source, at);
    }
  }
  tokens.push(TokenKind.EndOfFile, bytes.length, bytes.length);
  return success(tokens);
}

/** Tokens that are still being collected. */
class TokenList implements Tokens {
  count = 0;
  kind: Uint8Array;
  start: Uint32Array;
  end: Uint32Array;

  constructor(byteLength: number) {
    // Canonical text has three or more bytes to a token.
    const capacity = (byteLength >> 1) + 16;
    this.kind = new Uint8Array(capacity);
    this.start = new Uint32Array(capacity);
    this.end = new Uint32Array(capacity);
  }

  push(kind: TokenKind, start: number, end: number): void {
    const { count } = this;
    if (count === this.kind.length) this.grow();
    this.kind[count] = kind;
    this.start[count] = start;
    this.end[count] = end;
    this.count = count + 1;
  }

  private grow(): void {
    const { kind, start, end } = this;
    this.kind = new Uint8Array(kind.length * 2);
    this.kind.set(kind);
    this.start = new Uint32Array(kind.length * 2);
    this.start.set(start);
    this.end = new Uint32Array(kind.length * 2);
    this.end.set(end);
  }
}

function identifierEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isIdentifierPart(bytes[at])) at++;
  return at;
}

/** The longest operator that begins with a byte of class Double; EndOfFile for a lone `&` or `|`. */
function doubleKind(byte: number, next: number | undefined): TokenKind {
  const isBeforeEqual = next === 0x3d;
  const isBeforeGreater = next === 0x3e;
  switch (byte) {
    case 0x3a: // :
      return next === 0x3a ? TokenKind.ColonColon : TokenKind.Colon;
    case 0x2d: // -
      return isBeforeGreater ? TokenKind.Arrow : TokenKind.Minus;
    case SLASH:
      return TokenKind.Slash;
    case 0x21: // !
      return isBeforeEqual ? TokenKind.BangEqual : TokenKind.Bang;
    case 0x3d: // =
      if (isBeforeEqual) return TokenKind.EqualEqual;
      return isBeforeGreater ? TokenKind.FatArrow : TokenKind.Equal;
    case 0x3c: // <
      return isBeforeEqual ? TokenKind.LessEqual : TokenKind.Less;
    case 0x3e: // >
      return isBeforeEqual ? TokenKind.GreaterEqual : TokenKind.Greater;
    case 0x26: // &
      return next === 0x26 ? TokenKind.AmpersandAmpersand : TokenKind.EndOfFile;
    default: // |
      return next === 0x7c ? TokenKind.PipePipe : TokenKind.EndOfFile;
  }
}

function isTwoBytes(kind: TokenKind): boolean {
  switch (kind) {
    case TokenKind.ColonColon:
    case TokenKind.Arrow:
    case TokenKind.BangEqual:
    case TokenKind.EqualEqual:
    case TokenKind.FatArrow:
    case TokenKind.LessEqual:
    case TokenKind.GreaterEqual:
    case TokenKind.AmpersandAmpersand:
    case TokenKind.PipePipe:
      return true;
    default:
      return false;
  }
}

function isInteger(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at])) return false;
  }
  return true;
}

/** Whether a scalar value beyond U+007F has the Unicode property White_Space (language.md 1.2). */
function isWideSpace(scalar: number): boolean {
  switch (scalar) {
    case 0x85:
    case 0xa0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return true;
    default:
      return scalar >= 0x2000 && scalar <= 0x200a;
  }
}

function illegalCharacter(source: Source, at: number) {
  const hex = scalarAt(source.bytes, at).toString(16).toUpperCase().padStart(4, "0");
  const error: LiteralError = {
    code: "SPX-P001",
    end: scalarEnd(source.bytes, at),
    message: `illegal character U+${hex}`,
  };
  return lexicalError(source, at, error);
}

function lexicalError(source: Source, start: number, error: { code: Code; end: number; message: string }) {
  return refuseAt(error.code, source.path, spanOf(source, { start, end: error.end }), error.message);
}
