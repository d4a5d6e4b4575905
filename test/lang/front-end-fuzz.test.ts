import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { utf8 } from "../../src/kernel/bytes.ts";
import type { Failure } from "../../src/kernel/failure.ts";
import { formatFile } from "../../src/lang/format.ts";
import { GenericLookahead } from "../../src/lang/generic-lookahead.ts";
import { lex } from "../../src/lang/lexer.ts";
import { NameTable } from "../../src/lang/name-table.ts";
import { parse } from "../../src/lang/parser.ts";
import { isIdentifier, TokenKind } from "../../src/lang/token.ts";
import { fuzz, numbers } from "../support/fuzz.ts";
import { randomModule } from "../support/random-syntax.ts";

const PIECES =
  "module m;|fn f()|->|i64|{|}|(|)|<|>|,|.|:|::|;|=|=>|==|@|id|\"x\"|'c'|1|2.5|2.5f32|a|b|_|let|if|else|match|with|requires|ensures|use|function|type|from|as|permit|record|variant|resource|interface|import|rust|drop|trivial|uses|own|-|!|+|*|&&|?| |\n|//|'|\"|\\|\u{1F600}|\u00a0|1.5e|99999999999999999999".split(
    "|",
  );

/** Every failure is one diagnostic inside the file, in words of one line and bounded length. */
function checkFailure(failure: Failure, bytes: Uint8Array): void {
  expect(failure).toHaveLength(1);
  const [{ code, severity, path, span, message }] = failure;
  expect(code).toMatch(/^SPX-(P\d{3}|G170|G171)$/);
  expect(severity).toBe("error");
  expect(message).toMatch(/^[^\0-\x1f\x7f]+$/);
  expect(utf8(message).length).toBeLessThanOrEqual(40 + 64);
  if (code === "SPX-G171") return;
  expect(path).toBe("a.spx");
  expect(span!.start).toBeLessThanOrEqual(span!.end);
  expect(span!.end).toBeLessThanOrEqual(bytes.length);
}

function checkText(text: string): void {
  const bytes = utf8(text);
  const outcome = parse({ path: "a.spx", bytes });
  if (outcome.ok) formatFile(outcome.value);
  else checkFailure(outcome.failure, bytes);
}

describe("whatever the text, the front end answers", () => {
  test("random text", () => {
    fuzz(fc.property(fc.string({ unit: "binary", maxLength: 200 }), checkText), 1000);
  });

  test("random pieces of programs", () => {
    const piece = fc.constantFrom(...PIECES);
    fuzz(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => checkText(pieces.join(""))),
      1000,
    );
    fuzz(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) =>
        checkText(`module m; fn f() -> i64 { ${pieces.join(" ")}`),
      ),
      1000,
    );
  });

  test("random modules with one token left out, doubled or cut off after it", () => {
    const random = numbers();
    for (let run = 0; run < 100; run++) {
      const source = randomModule(random);
      const lexed = lex({ path: "a.spx", bytes: utf8(source) });
      if (!lexed.ok) throw new Error("not lexed");
      const token = random(lexed.value.count);
      const bytes = utf8(source);
      const start = lexed.value.start[token]!;
      const end = lexed.value.end[token]!;
      const text = (from: number, to: number): string => new TextDecoder().decode(bytes.subarray(from, to));
      checkText(text(0, start) + text(end, bytes.length));
      checkText(text(0, end) + text(start, bytes.length));
      checkText(text(0, end));
    }
  });
});

describe("the pieces against simpler ones", () => {
  test("the look-ahead against a scan for each bracket", () => {
    const text = fc.array(fc.constantFrom("<", ">", "<", ">", ",", ".", "a", "(", "+"), { maxLength: 40 });
    fuzz(
      fc.property(text, (pieces) => {
        const lexed = lex({ path: "a.spx", bytes: utf8(pieces.join(" ")) });
        if (!lexed.ok) throw new Error("not lexed");
        const lookahead = new GenericLookahead(lexed.value);
        pieces.forEach((piece, at) => {
          if (piece === "<") expect(lookahead.close(at)).toBe(naiveClose(lexed.value.kind, at));
        });
      }),
      500,
    );
  });

  test("the name table against a map", () => {
    const names = fc.array(fc.stringMatching(/^[ab_]{1,4}$/), { maxLength: 300 });
    fuzz(
      fc.property(names, (list) => {
        const table = new NameTable(utf8(list.join("")));
        const known = new Map<string, number>();
        let start = 0;
        for (const name of list) {
          if (!known.has(name)) known.set(name, known.size);
          expect(table.intern(start, start + name.length)).toBe(known.get(name)!);
          start += name.length;
        }
        expect(table.names).toEqual([...known.keys()]);
      }),
    );
  });
});

function naiveClose(kinds: Uint8Array, open: number): number {
  let depth = 0;
  for (let at = open; ; at++) {
    const kind = kinds[at]! as TokenKind;
    if (kind === TokenKind.Less) depth++;
    else if (kind === TokenKind.Greater) depth--;
    else if (kind !== TokenKind.Comma && kind !== TokenKind.Dot && !isIdentifier(kind)) return -1;
    if (depth === 0) return at;
  }
}
