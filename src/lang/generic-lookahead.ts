import { NumberList } from "./number-list.ts";
import { isIdentifier, TokenKind, type Tokens } from "./token.ts";

/**
 * Answers where the `<` after a variable closes, if what follows could be type arguments (language.md 2.2). The
 * tokens that may stand there form runs; a run is scanned once, matching all of its brackets with a stack, however many
 * of its `<` are asked about. So a file of `a < a < a < …` costs one pass and not one for each.
 */
export class GenericLookahead {
  private runStart = 0;
  private runEnd = 0;
  /** Per token of the run: for a `<` the number of its `>` plus 1, or 0. */
  private readonly closing = new NumberList(64);

  constructor(private readonly tokens: Tokens) {}

  /** The token that closes the `<` at a token, or -1. The tokens asked about never go backwards. */
  close(open: number): number {
    if (open < this.runStart || open >= this.runEnd) this.scan(open);
    return this.closing.items[open - this.runStart]! - 1;
  }

  private scan(start: number): void {
    const { kind, count } = this.tokens;
    const { closing } = this;
    closing.length = 0;
    // While a bracket is open its place holds the next outer open one: the stack is in the list itself.
    let innermost = -1;
    let at = start;
    for (; at < count && isAngleToken(kind[at]! as TokenKind); at++) {
      closing.push(0);
      if (kind[at] === TokenKind.Less) {
        closing.items[at - start] = innermost + 1;
        innermost = at - start;
      } else if (kind[at] === TokenKind.Greater && innermost >= 0) {
        const outer = closing.items[innermost]! - 1;
        closing.items[innermost] = at + 1;
        innermost = outer;
      }
    }
    while (innermost >= 0) {
      const outer = closing.items[innermost]! - 1;
      closing.items[innermost] = 0;
      innermost = outer;
    }
    this.runStart = start;
    this.runEnd = at;
  }
}

function isAngleToken(kind: TokenKind): boolean {
  switch (kind) {
    case TokenKind.Less:
    case TokenKind.Greater:
    case TokenKind.Comma:
    case TokenKind.Dot:
      return true;
    default:
      return isIdentifier(kind);
  }
}
