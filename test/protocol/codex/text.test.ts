import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { utf8Length } from "../../../src/kernel/text.ts";
import {
  fit,
  fits,
  itemId,
  pieces,
  timestamp,
  timestampOfMs,
  words,
} from "../../../src/protocol/codex/text.ts";
import { fuzz } from "../../support/fuzz.ts";

const any = fc.string({ unit: fc.constantFrom("a", "é", "漢", "🜁", "\0", "\ud800", " "), maxLength: 60 });
const hasRoom = (text: string) => !text.includes("\0") && text.isWellFormed();

describe("cutting", () => {
  test.each([
    ["abc", 3, "abc", false],
    ["abcd", 3, "abc", true],
    ["aé", 3, "aé", false],
    ["aé", 2, "a", true],
    ["a漢", 3, "a", true],
    ["🜁", 3, "", true],
    ["🜁", 4, "🜁", false],
    ["a\0b", 5, "a\uFFFDb", false],
    ["a\0b", 4, "a\uFFFD", true],
    ["\ud800", 3, "\uFFFD", false],
    ["", 1, "", false],
  ])("RC30: %j to %d bytes", (text, bytesMax, shown, cut) => {
    expect(fit(text, bytesMax)).toEqual({ text: shown, cut });
  });

  test("RC30: within the bound, well-formed, and the longest such beginning", () => {
    fuzz(
      fc.property(any, fc.integer({ min: 1, max: 40 }), (text, bytesMax) => {
        const fitted = fit(text, bytesMax);
        const clean = text.toWellFormed().replaceAll("\0", "\uFFFD");
        expect(hasRoom(fitted.text)).toBe(true);
        expect(utf8Length(fitted.text)).toBeLessThanOrEqual(bytesMax);
        expect(clean.startsWith(fitted.text)).toBe(true);
        expect(fitted.cut).toBe(fitted.text !== clean);
        const next = String.fromCodePoint(clean.codePointAt(fitted.text.length) ?? 0);
        if (fitted.cut) expect(utf8Length(fitted.text) + utf8Length(next)).toBeGreaterThan(bytesMax);
      }),
    );
  });

  test("RC27: pieces are whole, none is empty, and together they are the text", () => {
    fuzz(
      fc.property(any, fc.integer({ min: 4, max: 9 }), (text, bytesMax) => {
        const found = pieces(text, bytesMax);
        expect(found.join("")).toBe(text.toWellFormed().replaceAll("\0", "\uFFFD"));
        expect(
          found.every((piece) => piece !== "" && piece.isWellFormed() && utf8Length(piece) <= bytesMax),
        ).toBe(true);
      }),
    );
    expect(pieces("", 4)).toEqual([]);
  });

  test.each([
    ["touch a", true],
    ["", false],
    ["a\0", false],
    ["\udfff", false],
    ["12345678", true],
    ["123456789", false],
  ])("RC31: %j can be shown whole: %p", (text, expected) => expect(fits(text, 8)).toBe(expected));
});

describe("words of Codex", () => {
  test.each([
    [
      "unexpected status 401: bad key, url: http://127.0.0.1:0/v1/responses",
      "unexpected status 401: bad key, url: <url>",
    ],
    ["a HTTPS://u:p@h/x?y=1#z, and ws://b.", "a <url> and <url>"],
    ["(file:///etc/passwd)", "(<url>"],
    ["http://", "<url>"],
    ["no address: nothing//here", "no address: nothing//here"],
    ["", "otherwise"],
    ["a\0b", "a\uFFFDb"],
  ])("RC28: %j", (text, shown) => expect(words(text, "otherwise")).toBe(shown));

  test("RC28: at most 4096 bytes, read in linear time", () => {
    expect(words("x".repeat(4097), "")).toBe("x".repeat(4096));
    expect(words("漢".repeat(5000), "")).toBe("漢".repeat(1365));
    expect(words("a".repeat(5_000_000), "")).toHaveLength(4096);
    expect(words(`${"a".repeat(40)}://secret`, "")).toBe(`${"a".repeat(8)}<url>`);
  });
});

describe("names and times", () => {
  test.each([
    [1_700_000_000, "2023-11-14T22:13:20Z"],
    [0, "1970-01-01T00:00:00Z"],
    [-1, "1970-01-01T00:00:00Z"],
    [253_402_300_799, "9999-12-31T23:59:59Z"],
    [253_402_300_800, "9999-12-31T23:59:59Z"],
    [Number.MAX_SAFE_INTEGER, "9999-12-31T23:59:59Z"],
  ])("RC15: %d s is %s", (seconds, expected) => expect(timestamp(seconds)).toBe(expected));

  test("RC31: milliseconds keep their fraction", () => {
    expect(timestampOfMs(1_700_000_000_123)).toBe("2023-11-14T22:13:20.123Z");
    expect(timestampOfMs(8_640_000_000_000_001)).toBe("9999-12-31T23:59:59.000Z");
  });

  test.each([
    ["call_a", "call_a"],
    ["x".repeat(128), "x".repeat(128)],
    ["x".repeat(129), "x-0ec9eb33e74510bcdd1f2ea55206e82f"],
    ["has space", "x-47b5c36fc0b017ba576f10f988d0cbcb"],
    ["", "x-e3b0c44298fc1c149afbf4c8996fb924"],
  ])("RC14: the item %j", (id, expected) => expect(itemId(id)).toBe(expected));
});
