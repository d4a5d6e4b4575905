import { describe, expect, test } from "bun:test";
import { type FileSystem, systemFiles } from "../../src/project/file-system.ts";
import { holdsExactly, readBounded } from "../../src/project/read.ts";

/** A file of these bytes whose reads return at most `step` bytes; keeps how far anybody read. */
function fake(content: Uint8Array, step: number): { files: FileSystem; furthest: () => number } {
  let furthest = 0;
  const read: FileSystem["read"] = (_, into, at, position) => {
    const room = Math.min(step, into.length - at);
    const part = content.subarray(position, position + room);
    into.set(part, at);
    furthest = Math.max(furthest, position + part.length);
    return part.length;
  };
  return { files: { ...systemFiles, read }, furthest: () => furthest };
}

const sequence = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 7) % 251);

describe("P10: readBounded", () => {
  const LENGTHS = [0, 1, 2, 3, 99, 100];

  test.each([1, 3, 1000])(
    "reads a file to its end, %d bytes at a time, whatever its size was said to be",
    (step) => {
      for (const length of LENGTHS) {
        for (const said of [0, 1, 50, 99, 100]) {
          const content = sequence(length);
          expect(readBounded(fake(content, step).files, 0, BigInt(said), 100)).toEqual(content);
        }
      }
    },
  );

  test("finds a longer file without reading past bound + 1 bytes", () => {
    for (const step of [1, 3, 1000]) {
      for (const said of [0, 1, 99, 100]) {
        const { files, furthest } = fake(sequence(5000), step);
        expect(readBounded(files, 0, BigInt(said), 100)).toBeNull();
        expect(furthest()).toBeLessThanOrEqual(101);
      }
    }
  });

  test("does not read a file that is said to be longer", () => {
    const { files, furthest } = fake(sequence(5000), 1000);
    expect(readBounded(files, 0, 101n, 100)).toBeNull();
    expect(readBounded(files, 0, 2n ** 63n - 1n, 100)).toBeNull();
    expect(furthest()).toBe(0);
  });

  test("with a bound of nothing, an empty file passes", () => {
    expect(readBounded(fake(sequence(0), 10).files, 0, 0n, 0)).toEqual(new Uint8Array());
    expect(readBounded(fake(sequence(1), 10).files, 0, 0n, 0)).toBeNull();
  });
});

describe("D56: holdsExactly", () => {
  const scratch = Buffer.alloc(64);

  test.each([1, 7, 63, 64, 1000])("compares all bytes, %d at a time", (step) => {
    for (const length of [0, 1, 63, 64, 65, 127, 128, 129, 300]) {
      const content = sequence(length);
      const { files } = fake(content, step);
      expect(holdsExactly(files, 0, content.slice(), scratch)).toBe(true);
      expect(holdsExactly(files, 0, sequence(length + 1), scratch)).toBe(false);
      if (length === 0) continue;
      expect(holdsExactly(files, 0, sequence(length - 1), scratch)).toBe(false);
      for (const at of [0, length >> 1, length - 1]) {
        const other = content.slice();
        other[at] = (other[at] ?? 0) ^ 1;
        expect(holdsExactly(files, 0, other, scratch)).toBe(false);
      }
    }
  });

  test("a file without an end is left at the first byte too many", () => {
    const { files, furthest } = fake(new Uint8Array(100_000), 64);
    expect(holdsExactly(files, 0, new Uint8Array(100), scratch)).toBe(false);
    expect(furthest()).toBe(128);
  });
});
