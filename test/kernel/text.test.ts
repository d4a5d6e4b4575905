import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { clip, compareUtf8, hasControl, utf8Length } from "../../src/kernel/text.ts";
import { fuzz } from "../support/fuzz.ts";

const encoder = new TextEncoder();

describe("utf8Length", () => {
  test.each([
    ["", 0],
    ["\0", 1],
    ["\x7f", 1],
    ["\x80", 2],
    ["\u07ff", 2],
    ["\u0800", 3],
    ["\ud7ff", 3],
    ["\ue000", 3],
    ["\uffff", 3],
    ["\u{10000}", 4],
    ["\u{10ffff}", 4],
    ["aé€😀", 10],
  ])("%j takes %d bytes", (text, length) => {
    expect(utf8Length(text)).toBe(length);
  });

  test("agrees with the encoder", () => {
    fuzz(
      fc.property(fc.string({ unit: "binary" }), (text) => utf8Length(text) === encoder.encode(text).length),
    );
  });
});

describe("compareUtf8 (G7)", () => {
  test.each([
    ["", "", 0],
    ["", "a", -1],
    ["a", "b", -1],
    ["a", "aa", -1],
    ["\x7f", "\x80", -1],
    ["\u{10000}", "\uffff", 1],
    ["\u{10000}", "\ue000", 1],
    ["\u{10000}", "\ud7ff", 1],
    ["\u{10000}", "\u{10001}", -1],
    ["\u{103ff}", "\u{10400}", -1],
    ["x\u{10ffff}", "x\u{10ffff}", 0],
  ])("%j against %j is %d", (a, b, sign) => {
    expect(Math.sign(compareUtf8(a, b))).toBe(sign);
    expect(Math.sign(compareUtf8(b, a)) + sign).toBe(0);
  });

  test("orders as the bytes do", () => {
    const text = fc.string({ unit: "binary", maxLength: 4 });
    fuzz(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(encoder.encode(a), encoder.encode(b));
        return Math.sign(compareUtf8(a, b)) === expected;
      }),
    );
  });
});

test("hasControl finds exactly the category Cc (D25)", () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const text = String.fromCharCode(unit);
    if (hasControl(`a${text}`) !== /\p{Cc}/u.test(text)) throw new Error(`U+${unit.toString(16)}`);
  }
  expect(hasControl("")).toBe(false);
});

describe("clip (D29)", () => {
  test.each([
    ["", ""],
    ["a".repeat(64), "a".repeat(64)],
    ["a".repeat(65), "a".repeat(64)],
    [`${"a".repeat(62)}é`, `${"a".repeat(62)}é`],
    [`${"a".repeat(63)}é`, "a".repeat(63)],
    [`${"a".repeat(60)}😀b`, `${"a".repeat(60)}😀`],
    [`${"a".repeat(61)}😀b`, "a".repeat(61)],
    ["a\nb\x7f\x85\u2028c", "a?b???c"],
  ])("%j becomes %j", (text, clipped) => {
    expect(clip(text)).toBe(clipped);
  });
});
