import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { ByteWriter, utf8 } from "../../src/kernel/bytes.ts";
import {
  quote,
  quoteBytes,
  quotedLength,
  wireString,
  wireStringBytes,
  writeQuoted,
} from "../../src/kernel/json-write.ts";
import { fuzz } from "../support/fuzz.ts";

function written(text: string): Uint8Array {
  const writer = new ByteWriter(quotedLength(text));
  writeQuoted(writer, text);
  return writer.finish();
}

describe("D28", () => {
  test.each([
    ['"\\', '"\\"\\\\"', '"\\"\\\\"'],
    ["\n\r\t", '"\\n\\r\\t"', '"\\n\\r\\t"'],
    ["\b\f", '"\\b\\f"', '"\\u0008\\u000c"'],
    ["\0\x1f", '"\\u0000\\u001f"', '"\\u0000\\u001f"'],
    ["\x7f\x80\x9f\xa0", '"\x7f\x80\x9f\xa0"', '"\\u007f\\u0080\\u009f\xa0"'],
    ["/\u2028\u2029é😀", '"/\u2028\u2029é😀"', '"/\u2028\u2029é😀"'],
    ["", '""', '""'],
    [
      'a"b\x7f\b\x85\\é/semaprax.toml',
      '"a\\"b\x7f\\b\x85\\\\é/semaprax.toml"',
      '"a\\"b\\u007f\\u0008\\u0085\\\\é/semaprax.toml"',
    ],
  ])("%j is %s on the wire and %s in a result", (text, wire, quoted) => {
    expect(wireString(text)).toBe(wire);
    expect(wireStringBytes(text)).toEqual(utf8(wire));
    expect(quote(text)).toBe(quoted);
    expect(quoteBytes(text)).toEqual(utf8(quoted));
    expect(written(text)).toEqual(utf8(quoted));
  });

  test("quoting reads back as what was quoted, in both ways of writing it", () => {
    fuzz(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(JSON.parse(quote(text))).toBe(text);
        expect(quote(text)).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
        expect(written(text)).toEqual(quoteBytes(text));
      }),
    );
  });
});
