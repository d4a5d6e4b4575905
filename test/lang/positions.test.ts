import { expect, test } from "bun:test";
import fc from "fast-check";
import { PositionIndex } from "../../src/lang/positions.ts";
import { spanOf } from "../../src/lang/source.ts";
import { fuzz } from "../support/fuzz.ts";

const encoder = new TextEncoder();

function same(text: string): void {
  const source = { path: "a.spx", bytes: encoder.encode(text) };
  const index = new PositionIndex(source);
  for (let start = 0; start <= source.bytes.length; start++) {
    const range = { start, end: source.bytes.length };
    expect(index.span(range)).toEqual(spanOf(source, range));
  }
}

test.each([0, 1, 255, 256, 257, 511, 512, 513])("files of %d bytes, up to one past the last", (length) => {
  same("a".repeat(length));
  same("\n".repeat(length));
});

test("the same as counting from the start, whatever the lines and the widths of characters", () => {
  const unit = fc.constantFrom("a", "\n", "\r", "é", "€", "\u{1f600}", "bc ".repeat(40));
  fuzz(fc.property(fc.string({ unit, maxLength: 80 }), same), 40);
});
