/**
 * Tokens. A file's tokens live in three typed arrays and never become objects or strings; the text of a token is read
 * from the source when somebody needs it.
 */

export const enum TokenKind {
  /** The empty token at the end of the input. */
  EndOfFile,
  Integer,
  Float,
  Char,
  String,
  At,
  LeftParen,
  RightParen,
  LeftBrace,
  RightBrace,
  Colon,
  ColonColon,
  Dot,
  Comma,
  Semicolon,
  Plus,
  Star,
  Percent,
  Question,
  Minus,
  Arrow,
  Slash,
  Bang,
  BangEqual,
  Equal,
  EqualEqual,
  FatArrow,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  AmpersandAmpersand,
  PipePipe,
  /**
   * An identifier without a syntactic role. Every kind from here on is an identifier (see {@link isIdentifier}): no
   * word is reserved, the parser recognises words by position (language.md 1.3).
   */
  Identifier,
  // The words with a role, in the order of WORDS.
  Module,
  Use,
  Function,
  Type,
  From,
  As,
  Id,
  Permit,
  Resource,
  Record,
  Variant,
  Interface,
  Import,
  Rust,
  Drop,
  Trivial,
  Permits,
  Effects,
  Failure,
  Infallible,
  Status,
  Consumes,
  Always,
  Unit,
  Fn,
  Own,
  Borrow,
  Shared,
  Uses,
  Requires,
  Ensures,
  Let,
  If,
  Else,
  Match,
  True,
  False,
  With,
  I64,
  Bool,
  Underscore,
}

/** The words that the parser asks for (language.md 1.3), in the order of their kinds. */
const WORDS: readonly string[] = [
  "module",
  "use",
  "function",
  "type",
  "from",
  "as",
  "id",
  "permit",
  "resource",
  "record",
  "variant",
  "interface",
  "import",
  "rust",
  "drop",
  "trivial",
  "permits",
  "effects",
  "failure",
  "infallible",
  "status",
  "consumes",
  "always",
  "unit",
  "fn",
  "own",
  "borrow",
  "shared",
  "uses",
  "requires",
  "ensures",
  "let",
  "if",
  "else",
  "match",
  "true",
  "false",
  "with",
  "i64",
  "bool",
  "_",
];

/** All tokens of one file; the last one is {@link TokenKind.EndOfFile}. */
export interface Tokens {
  readonly count: number;
  /** A {@link TokenKind} each. */
  readonly kind: Uint8Array;
  /** Byte offsets, the end exclusive. */
  readonly start: Uint32Array;
  readonly end: Uint32Array;
}

export function isIdentifier(kind: TokenKind): boolean {
  return kind >= TokenKind.Identifier;
}

/** The spelling of a word with a role, or null for any other token. */
export function wordText(kind: TokenKind): string | null {
  return kind > TokenKind.Identifier ? WORDS[kind - TokenKind.Identifier - 1]! : null;
}

/** The slots of a hash table without collisions: 0, or the number of a word plus 1. */
const WORD_SLOTS = ((): Uint8Array => {
  const slots = new Uint8Array(256);
  WORDS.forEach((word, index) => {
    const slot = wordHash(word.charCodeAt(0), word.charCodeAt(word.length >> 1), word.length);
    if (slots[slot] !== 0) throw new Error(`"${word}" needs another hash`);
    slots[slot] = index + 1;
  });
  return slots;
})();

/** The factors were searched for so that no two words share a slot. */
function wordHash(first: number, middle: number, length: number): number {
  return (first + 12 * middle + 13 * length) & 0xff;
}

/** The kind of the identifier at a byte range. */
export function identifierKind(bytes: Uint8Array, start: number, end: number): TokenKind {
  const length = end - start;
  const found = WORD_SLOTS[wordHash(bytes[start]!, bytes[start + (length >> 1)]!, length)]!;
  if (found === 0) return TokenKind.Identifier;
  const word = WORDS[found - 1]!;
  if (word.length !== length) return TokenKind.Identifier;
  for (let at = 0; at < length; at++) {
    if (word.charCodeAt(at) !== bytes[start + at]) return TokenKind.Identifier;
  }
  return TokenKind.Identifier + found;
}
