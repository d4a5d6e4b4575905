import type { Code, Failure, Range } from "../kernel/failure.ts";
import { refuse, refuseAt } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { NESTING_MAX } from "./limits.ts";
import { textOf } from "./literals.ts";
import { type Source, spanOf } from "./source.ts";
import { isIdentifier, TokenKind, type Tokens, wordText } from "./token.ts";

/**
 * A position in the tokens of a file. The first failure moves the cursor to the end of the file for good: every loop
 * of the parser ends there, so its functions need not ask after each step whether they may go on. What they build
 * after a failure is thrown away.
 */
export class Cursor {
  /** Of the current token. */
  kind: TokenKind;
  failure: Failure | null = null;
  /** Takes the place of the code of any syntax error, inside a `use` (language.md 2.3). */
  codeOverride: Code | null = null;
  private index = 0;
  private nesting = 0;

  constructor(
    readonly source: Source,
    readonly tokens: Tokens,
  ) {
    this.kind = tokens.kind[0]! as TokenKind;
  }

  get start(): number {
    return this.tokens.start[this.index]!;
  }

  get end(): number {
    return this.tokens.end[this.index]!;
  }

  /** The end of the token before the current one; 0 at the first. */
  get previousEnd(): number {
    return this.index === 0 ? 0 : this.tokens.end[this.index - 1]!;
  }

  /** The number of the current token. */
  get position(): number {
    return this.index;
  }

  at(kind: TokenKind): boolean {
    return this.kind === kind;
  }

  advance(): void {
    if (this.kind === TokenKind.EndOfFile) return;
    this.index++;
    this.kind = this.tokens.kind[this.index]! as TokenKind;
  }

  /** Whether the current token is of a kind; if so it is consumed. */
  eat(kind: TokenKind): boolean {
    if (this.kind !== kind) return false;
    this.advance();
    return true;
  }

  /** Consumes a token of a kind, or fails with `SPX-P106`. */
  expect(kind: TokenKind, spelling: string): void {
    if (!this.eat(kind)) this.fail("SPX-P106", spelling);
  }

  /** Consumes a word, or fails with `SPX-P104`. */
  expectWord(kind: TokenKind): void {
    if (!this.eat(kind)) this.fail("SPX-P104", `"${wordText(kind) ?? ""}"`);
  }

  /** Consumes an identifier and returns its text, or fails. */
  identifier(code: Code = "SPX-P105"): string {
    if (!isIdentifier(this.kind)) return this.fail(code, "a name");
    const text = this.text();
    this.advance();
    return text;
  }

  /** The text of the current token, which is an identifier. */
  text(): string {
    return wordText(this.kind) ?? textOf(this.source.bytes, this.start, this.end);
  }

  /** Whether one more expression, type or pattern may be open; it is then to be closed by `leave()`. */
  enter(): boolean {
    if (this.nesting === NESTING_MAX) {
      this.stop(refuse("SPX-G171", `nested deeper than ${NESTING_MAX} levels`).failure);
      return false;
    }
    this.nesting++;
    return true;
  }

  leave(): void {
    this.nesting--;
  }

  /** Fails at the current token, in whose place something else was expected. Returns the empty text. */
  fail(code: Code, expected: string): "" {
    return this.refuse(code, `expected ${expected}, not ${this.describe()}`);
  }

  /** Fails at the current token with words of its own. */
  refuse(code: Code, message: string): "" {
    this.stopAt(this.index, code, message);
    return "";
  }

  /** Fails at the current token or, at the end of the file, at the one before it (language.md 2.3, P103). */
  failBeforeEnd(code: Code, expected: string): void {
    const token = this.at(TokenKind.EndOfFile) ? Math.max(this.index - 1, 0) : this.index;
    this.stopAt(token, code, `expected ${expected}, not ${this.describe()}`);
  }

  private stopAt(token: number, code: Code, message: string): void {
    if (this.failure !== null) return;
    const range: Range = { start: this.tokens.start[token]!, end: this.tokens.end[token]! };
    const span = spanOf(this.source, range);
    this.stop(refuseAt(this.codeOverride ?? code, this.source.path, span, message).failure);
  }

  private stop(failure: Failure): void {
    this.failure ??= failure;
    this.index = this.tokens.count - 1;
    this.kind = TokenKind.EndOfFile;
  }

  private describe(): string {
    if (this.kind === TokenKind.EndOfFile) return "end of file";
    if (this.kind === TokenKind.String) return "a string";
    return `"${clip(textOf(this.source.bytes, this.start, Math.min(this.end, this.start + 64)))}"`;
  }
}
