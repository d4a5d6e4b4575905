import { describe, expect, test } from "bun:test";
import { utf8 } from "../../src/kernel/bytes.ts";
import { lex } from "../../src/lang/lexer.ts";
import { identifierKind, isIdentifier, TokenKind, wordText } from "../../src/lang/token.ts";
import { marked, withoutWords } from "../support/marked.ts";

const decoder = new TextDecoder();

/** The texts of all tokens but the last. */
function tokenTexts(text: string): readonly string[] {
  const bytes = utf8(text);
  const lexed = lex({ path: "a.spx", bytes });
  if (!lexed.ok) throw new Error(lexed.failure[0].code);
  const { count, start, end, kind } = lexed.value;
  expect(kind[count - 1]).toBe(TokenKind.EndOfFile);
  expect([start[count - 1], end[count - 1]]).toEqual([bytes.length, bytes.length]);
  return Array.from({ length: count - 1 }, (_, at) => decoder.decode(bytes.subarray(start[at], end[at])));
}

describe("tokens (language.md 1.3)", () => {
  const rows: readonly (readonly [text: string, tokens: readonly string[]])[] = [
    ["", []],
    ["  \t\r\n", []],
    ["a_1 _ Z", ["a_1", "_", "Z"]],
    [
      "@(){}:::.,;+*%?-->/!!====><<=>>=&&||",
      [..."@(){}", "::", ":", ..."., ;+*%?-".replace(" ", "")].concat([
        "->",
        "/",
        "!",
        "!=",
        "==",
        "=>",
        "<",
        "<=",
        ">",
        ">=",
        "&&",
        "||",
      ]),
    ],
    ["a<<b>>c", ["a", "<", "<", "b", ">", ">", "c"]],
    ["a>>=b", ["a", ">", ">=", "b"]],
    ["===>", ["==", "=>"]],
    ["12ab 0x1f 1_000", ["12", "ab", "0", "x1f", "1", "_000"]],
    ["1e5 1. 1..2 1.5.5", ["1", "e5", "1", ".", "1", ".", ".", "2", "1.5", ".", "5"]],
    ["1.5e3 1.5E-3f32 1.5f32", ["1.5e3", "1.5E-3f32", "1.5f32"]],
    ["99999999999999999999.5", ["99999999999999999999.5"]],
    ["000000000000000000000009223372036854775807", ["000000000000000000000009223372036854775807"]],
    [
      "'a' '\"' '\n' 'é' '\\u{10FFFF}' '\\u{d7ff}' '\\u{e000}' '\\'' '\\\\' '\\0'",
      [
        "'a'",
        "'\"'",
        "'\n'",
        "'é'",
        "'\\u{10FFFF}'",
        "'\\u{d7ff}'",
        "'\\u{e000}'",
        "'\\''",
        "'\\\\'",
        "'\\0'",
      ],
    ],
    ['"a\n\0\\n\\r\\t\\"\\\\é" "//"', ['"a\n\0\\n\\r\\t\\"\\\\é"', '"//"']],
    ["a // b\nc //", ["a", "c"]],
    ["a /* b", ["a", "/", "*", "b"]],
    ["a//\rb\nc", ["a", "c"]],
  ];
  test.each(rows)("%j", (text, tokens) => {
    expect(tokenTexts(text)).toEqual([...tokens]);
  });

  test("the White_Space set separates and nothing else does (1.2)", () => {
    const spaces = [
      ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0, 0x1680],
      ...Array.from({ length: 11 }, (_, at) => 0x2000 + at),
      ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
    ];
    const found: number[] = [];
    for (let scalar = 0; scalar <= 0x3100; scalar++) {
      const lexed = lex({ path: "a.spx", bytes: utf8(`a${String.fromCharCode(scalar)}b`) });
      const isComment = scalar === 0x2f;
      if (lexed.ok && lexed.value.count === 3 && !isComment) found.push(scalar);
    }
    expect(found).toEqual(spaces);
  });

  test("every word of the language is an identifier with a kind of its own", () => {
    const words =
      "module use function type from as id permit resource record variant interface import rust drop trivial permits effects failure infallible status consumes always unit fn own borrow shared uses requires ensures let if else match true false with i64 bool _".split(
        " ",
      );
    const kinds = words.map((word) => identifierKind(utf8(word), 0, word.length));
    expect(new Set(kinds).size).toBe(words.length);
    expect(kinds.map(wordText)).toEqual(words);
    expect(kinds.every(isIdentifier)).toBe(true);
    for (const word of words) {
      const longer = utf8(`${word}x`);
      expect(identifierKind(longer, 0, longer.length)).toBe(TokenKind.Identifier);
    }
    expect(wordText(TokenKind.Identifier)).toBeNull();
    expect(wordText(TokenKind.PipePipe)).toBeNull();
  });

  test("more tokens than were reckoned with", () => {
    expect(tokenTexts(";".repeat(1000))).toHaveLength(1000);
  });
});

describe("lexical errors (language.md 1)", () => {
  const rows: readonly (readonly [code: string, source: string])[] = [
    ["SPX-P001", "«\uFEFF»module m;"],
    ["SPX-P001", '"\n" "éé" «¶» b'],
    ["SPX-P001", "caf«é»"],
    ["SPX-P001", "«#»"],
    ["SPX-P001", "«\0»"],
    ["SPX-P001", "«\u200B»"],
    ["SPX-P001", "«\u{1F600}»"],
    ["SPX-P001", "a «\\»"],
    ["SPX-P002", "«&»"],
    ["SPX-P002", "a «|» b"],
    ["SPX-P002", "a && «&» b"],
    ["SPX-P003", "«9223372036854775808»"],
    ["SPX-P003", "«10000000000000000000»x"],
    ["SPX-P003", "«0009223372036854775808»"],
    ["SPX-P003", "«1.5»e"],
    ["SPX-P003", "«1.5»e+"],
    ["SPX-P003", "«1.5»ex"],
    ["SPX-P003", "«1.5»f16"],
    ["SPX-P003", "«1.5»f"],
    ["SPX-P003", "«1.5»x"],
    ["SPX-P003", "«1.5»_"],
    ["SPX-P003", "«1.5e3»f3"],
    ["SPX-P003", "«1.5f32»x"],
    ["SPX-P003", "«1.5f32»1"],
    ["SPX-P003", "«1.5f64»x"],
    ["SPX-P003", "«2.5f64»;"],
    ["SPX-P003", "«1.0e309»"],
    ["SPX-P003", "«1.0e39f32»"],
    ["SPX-P003", "«340282356779733661637539395458142568448.0f32»"],
    ["SPX-P004", 'a «"b»'],
    ["SPX-P004", 'a «"b\\»'],
    ["SPX-P004", '«"\n\n»'],
    ["SPX-P005", '«"a\\x»"'],
    ["SPX-P005", '«"\\0»'],
    ["SPX-P005", '«"\\\'»"'],
    ["SPX-P005", '«"\\é»"'],
    ["SPX-P006", "«'»"],
    ["SPX-P006", "«'a»"],
    ["SPX-P006", "«'\\»"],
    ["SPX-P006", "«'\\u»"],
    ["SPX-P006", "«'\\u{»"],
    ["SPX-P006", "«'\\u{12»"],
    ["SPX-P006", "«'\\n»"],
    ["SPX-P007", "«'\\q»'"],
    ["SPX-P007", "«'\\é»'"],
    ["SPX-P007", "«'\\\"»'"],
    ["SPX-P007", "«'\\u»0'"],
    ["SPX-P007", "«'\\u{»}'"],
    ["SPX-P007", "«'\\u{»g}'"],
    ["SPX-P007", "«'\\u{000000»0}'"],
    ["SPX-P007", "«'\\u{d800}»'"],
    ["SPX-P007", "«'\\u{dfff}»'"],
    ["SPX-P007", "«'\\u{110000}»'"],
    ["SPX-P008", "«''»"],
    ["SPX-P008", "«'a»b'"],
    ["SPX-P008", "«'\\n»b'"],
    ["SPX-P008", "«'a'»b"],
    ["SPX-P008", "«'a'»_"],
    ["SPX-P008", "«'a'»1"],
  ];
  test.each(rows)("%s %j", (code, source) => {
    const { bytes, span } = marked(source);
    const lexed = lex({ path: "src/a.spx", bytes });
    if (lexed.ok) throw new Error("lexed");
    expect(lexed.failure.map(withoutWords)).toEqual([
      { code: code as `SPX-${string}`, severity: "error", path: "src/a.spx", span },
    ]);
  });
});
