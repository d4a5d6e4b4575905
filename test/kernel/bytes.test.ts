import { describe, expect, test } from "bun:test";
import {
  ByteWriter,
  compareBytes,
  concatenate,
  decimalLength,
  equalBytes,
  totalLength,
  utf8,
} from "../../src/kernel/bytes.ts";

describe("decimalLength and decimal", () => {
  test.each([
    0,
    1,
    9,
    10,
    99,
    100,
    16_777_216,
    4_294_967_295,
    4_294_967_296,
    999_999_999_999_999,
    1_000_000_000_000_000,
    Number.MAX_SAFE_INTEGER,
  ])("%d", (value) => {
    expect(decimalLength(value)).toBe(String(value).length);
    const writer = new ByteWriter(String(value).length);
    writer.decimal(value);
    expect(writer.finish()).toEqual(utf8(String(value)));
  });
});

describe("ByteWriter", () => {
  test("fills its buffer from front to back", () => {
    const writer = new ByteWriter(46);
    writer.byte(0x7b);
    writer.ascii("ab");
    writer.bytes(utf8("é"));
    expect(writer.written()).toEqual(utf8("{abé"));
    writer.utf8("€", 3);
    writer.ascii("0123456789012345678901234567890123456789".slice(0, 36));
    writer.decimal(42);
    expect(new TextDecoder().decode(writer.finish())).toBe("{abé€01234567890123456789012345678901234542");
  });

  test("refuses to write past its end and to finish before it", () => {
    const writer = new ByteWriter(2);
    writer.byte(1);
    expect(() => writer.finish()).toThrow("wrote 1 of 2 bytes");
    expect(() => writer.ascii("ab")).toThrow("no room for 2 bytes at 1 of 2");
    expect(() => writer.bytes(new Uint8Array(2))).toThrow(RangeError);
    expect(() => writer.decimal(10)).toThrow(RangeError);
    writer.byte(2);
    expect(writer.finish()).toEqual(new Uint8Array([1, 2]));
    expect(() => writer.byte(3)).toThrow(RangeError);
  });

  test("refuses text of another length or alphabet", () => {
    expect(() => new ByteWriter(2).ascii("é")).toThrow("not ASCII");
    expect(() => new ByteWriter(60).ascii("é".repeat(30))).toThrow("not ASCII");
    expect(() => new ByteWriter(60).ascii(`${"a".repeat(58)}é`)).toThrow("not ASCII");
    expect(() => new ByteWriter(3).utf8("é", 3)).toThrow("another length");
    // As many bytes as UTF-16 units is what ASCII has.
    expect(() => new ByteWriter(1).utf8("é", 1)).toThrow("not ASCII");
  });
});

test("slices", () => {
  const slices = [utf8("ab"), new Uint8Array(0), utf8("c")];
  expect(totalLength(slices)).toBe(3);
  expect(concatenate(slices)).toEqual(utf8("abc"));
  expect(concatenate([])).toEqual(new Uint8Array(0));
});

test.each([
  ["", "", 0],
  ["a", "", 1],
  ["a", "b", -1],
  ["ab", "abc", -1],
  ["é", "z", 1],
])("comparing %j with %j", (a, b, sign) => {
  expect(Math.sign(compareBytes(utf8(a), utf8(b)))).toBe(sign);
  expect(Math.sign(compareBytes(utf8(b), utf8(a))) + sign).toBe(0);
  expect(equalBytes(utf8(a), utf8(b))).toBe(sign === 0);
});
