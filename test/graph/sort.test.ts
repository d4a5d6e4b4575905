import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { sortByBytes, sortByKey } from "../../src/graph/sort.ts";
import { compareBytes, concatenate } from "../../src/kernel/bytes.ts";
import { fuzz } from "../support/fuzz.ts";

/** The strings in the order that sortByBytes gives them. */
function sorted(strings: readonly Uint8Array[]): Uint8Array[] {
  const start = new Uint32Array(strings.length + 1);
  for (const [index, string] of strings.entries()) start[index + 1] = start[index]! + string.length;
  const order = Uint32Array.from(strings.keys());
  sortByBytes(order, concatenate(strings), start);
  return Array.from(order, (string) => strings[string]!);
}

describe("sortByBytes (G7, G20)", () => {
  test("orders strings like a comparison of all their bytes", () => {
    const byte = fc.oneof(fc.constantFrom(0, 97, 98, 255), fc.nat(255));
    const string = fc.array(byte, { maxLength: 6 }).map((bytes) => Uint8Array.from(bytes));
    fuzz(
      fc.property(fc.array(string, { maxLength: 60 }), (strings) => {
        expect(sorted(strings)).toEqual(strings.toSorted(compareBytes));
      }),
    );
  });

  test("puts a prefix first, wherever it stands among many", () => {
    const strings = Array.from({ length: 100 }, (_, length) => new Uint8Array((length * 37) % 100).fill(7));
    expect(sorted(strings).map((string) => string.length)).toEqual(
      Array.from({ length: 100 }, (_, at) => at),
    );
  });

  test("keeps nothing and one thing as they are", () => {
    expect(sorted([])).toEqual([]);
    expect(sorted([Uint8Array.of(1)])).toEqual([Uint8Array.of(1)]);
  });

  test("needs no more stack for a common prefix of a megabyte", () => {
    const strings = Array.from({ length: 12 }, (_, index) => {
      const string = new Uint8Array(1 << 20);
      string[string.length - 1] = 11 - index;
      return string;
    });
    expect(sorted(strings).map((string) => string[string.length - 1])).toEqual(
      Array.from({ length: 12 }, (_, at) => at),
    );
  });
});

describe("sortByKey (G20)", () => {
  test("sorts by the key and keeps the order of equal keys", () => {
    fuzz(
      fc.property(fc.array(fc.nat(5), { maxLength: 50 }), (keys) => {
        const order = Uint32Array.from(keys.keys()).reverse();
        const wanted = Array.from(order).sort((a, b) => keys[a]! - keys[b]!);
        sortByKey(order, new Uint32Array(keys.length), Uint32Array.from(keys), 6);
        expect(Array.from(order)).toEqual(wanted);
      }),
    );
  });
});
