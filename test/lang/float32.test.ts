import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readFloat32, shortestFloat32 } from "../../src/lang/float32.ts";
import { fuzz } from "../support/fuzz.ts";

function fromBits(bits: number): number {
  return new Float32Array(new Uint32Array([bits]).buffer)[0]!;
}

describe("decimal to binary32, rounded once (language.md 1.5)", () => {
  const above1 = fromBits(0x3f800001);
  const largest = fromBits(0x7f7fffff);
  const rows: readonly (readonly [string, number])[] = [
    ["0.0", 0],
    ["1.0", 1],
    ["16777217.0", 16777216],
    ["16777219.0", 16777220],
    // Exactly between 1 and the next value: ties to even. Binary64 cannot tell the next two from it.
    ["1.000000059604644775390625", 1],
    ["1.0000000596046447753906250000000000000000000001", above1],
    ["1.0000000596046447753906249999999999999999999999", 1],
    ["0.00000001000000059604644775390625000000000000000001e8", above1],
    [`10000000596046447753906250${"0".repeat(30)}1.0e-56`, above1],
    // Between the value after 1 and the one after that: ties to even go up.
    ["1.000000178813934326171875", fromBits(0x3f800002)],
    ["1.0000001788139343261718749999999999999999999999", above1],
    ["340282346638528859811704183484516925440.0", largest],
    ["340282356779733661637539395458142568447.0", largest],
    ["340282356779733661637539395458142568448.0", Number.POSITIVE_INFINITY],
    ["1.0e309", Number.POSITIVE_INFINITY],
    ["1.0e-400", 0],
    ["0.0e999999999999999999999", 0],
  ];
  test.each(rows)("%s", (text, value) => {
    expect(readFloat32(text)).toBe(value);
  });

  test("just above half of the smallest value", () => {
    const half = (5n ** 150n).toString().padStart(150, "0");
    expect(readFloat32(`0.${half}`)).toBe(0);
    expect(readFloat32(`0.${half}1`)).toBe(2 ** -149);
  });

  test("random decimals near midpoints against exact arithmetic", () => {
    const decimal = fc.tuple(
      fc.integer({ min: 0, max: 0x7f7ffffe }),
      fc.constantFrom(-1n, 0n, 1n),
      fc.integer({ min: 1, max: 60 }),
    );
    fuzz(
      fc.property(decimal, ([bits, direction, places]) => {
        // (low + high) / 2 as an integer over 2^150, then over 10^150, then one place far behind moved.
        const middle = (scaled(fromBits(bits)) + scaled(fromBits(bits + 1))) / 2n;
        const digits = middle * 5n ** 150n * 10n ** BigInt(places) + direction;
        const text = digits.toString().padStart(151 + places, "0");
        const point = text.length - 150 - places;
        const up = direction > 0n || (direction === 0n && bits % 2 === 1);
        expect(readFloat32(`${text.slice(0, point)}.${text.slice(point)}`)).toBe(
          fromBits(up ? bits + 1 : bits),
        );
      }),
    );
  });
});

/** A finite binary32 value times 2^150, which is an integer. */
function scaled(value: number): bigint {
  return BigInt(value * 2 ** 150);
}

describe("the shortest decimal of a binary32 value (language.md 3.2)", () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, "0"],
    [0.1, "0.1"],
    [0.3, "0.3"],
    [16777216, "16777216"],
    [2 ** -149, "1e-45"],
    [fromBits(0x7f7fffff), "3.4028235e+38"],
    [1 / 3, "0.33333334"],
    // Powers of two for which the nearest decimal of the least length reads back as the value below.
    [2 ** -96, "1.2621775e-29"],
    [2 ** 87, "1.5474251e+26"],
    [2 ** 90, "1.2379401e+27"],
  ];
  test.each(rows)("%d", (value, text) => {
    expect(shortestFloat32(Math.fround(value))).toBe(text);
  });

  test("it reads back, no shorter one does, and none of its length is nearer", () => {
    fuzz(
      fc.property(fc.integer({ min: 1, max: 0x7f7fffff }), (bits) => {
        const value = fromBits(bits);
        const [mantissa, power] = Number(shortestFloat32(value)).toExponential().split("e");
        const digits = mantissa!.replace(".", "");
        const exponent = Number(power) - digits.length + 1;
        const reads = (significand: bigint, scale: number): boolean =>
          readFloat32(`${significand}.0e${scale}`) === value;
        expect(reads(BigInt(digits), exponent)).toBe(true);
        if (digits.length > 1) {
          const shorter = BigInt(digits.slice(0, -1));
          for (const other of [shorter - 1n, shorter, shorter + 1n, shorter + 2n]) {
            expect(reads(other, exponent + 1)).toBe(false);
          }
        }
        const error = (significand: bigint): number => Math.abs(Number(`${significand}e${exponent}`) - value);
        for (const other of [BigInt(digits) - 1n, BigInt(digits) + 1n]) {
          if (reads(other, exponent)) expect(error(other)).toBeGreaterThanOrEqual(error(BigInt(digits)));
        }
      }),
    );
  });
});
