import { expect, test } from "bun:test";
import { Machine } from "../../src/lang/machine.ts";
import { ArithmeticFailure, compareWide, WideOperator, wideArithmetic } from "../../src/lang/wide.ts";
import { numbers } from "../support/fuzz.ts";

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
const EXACT = BigInt(Number.MAX_SAFE_INTEGER);

const checked = (value: bigint, failure: ArithmeticFailure): bigint | ArithmeticFailure =>
  value < MIN || value > MAX ? failure : value;

/** X16 over bigints. */
const EXPECTED: readonly [
  name: string,
  WideOperator,
  (x: bigint, y: bigint) => bigint | ArithmeticFailure,
][] = [
  ["+", WideOperator.Add, (x, y) => checked(x + y, ArithmeticFailure.Add)],
  ["-", WideOperator.Subtract, (x, y) => checked(x - y, ArithmeticFailure.Subtract)],
  ["*", WideOperator.Multiply, (x, y) => checked(x * y, ArithmeticFailure.Multiply)],
  [
    "/",
    WideOperator.Divide,
    (x, y) => (y === 0n ? ArithmeticFailure.DivideByZero : checked(x / y, ArithmeticFailure.Divide)),
  ],
  [
    "%",
    WideOperator.Remainder,
    (x, y) => {
      if (y === 0n) return ArithmeticFailure.RemainderByZero;
      return x === MIN && y === -1n ? ArithmeticFailure.Remainder : x % y;
    },
  ],
  ["unary -", WideOperator.Negate, (x) => checked(-x, ArithmeticFailure.Negate)],
];

/** All operations on one pair, against bigints; the result has its one form (X35), and no -0 is written (X36). */
function agrees(machine: Machine, x: bigint, y: bigint): void {
  machine.store(0, x);
  machine.store(1, y);
  for (const [name, operator, expected] of EXPECTED) {
    const failure = wideArithmetic(machine, operator, 2, 0, 1);
    const given = failure === ArithmeticFailure.None ? machine.valueAt(2) : failure;
    const wanted = expected(x, y);
    if (given !== wanted) throw new Error(`${x} ${name} ${y}: ${given} for ${wanted}`);
    if (typeof given !== "bigint") continue;
    const cell = machine.cells[2]!;
    const isWide = given > EXACT || given < -EXACT;
    if (Number.isNaN(cell) !== isWide || Object.is(cell, -0)) throw new Error(`${x} ${name} ${y}: form`);
  }
  const comparisons = [
    compareWide(machine, WideOperator.Less, 0, 1) === x < y,
    compareWide(machine, WideOperator.LessEqual, 0, 1) === x <= y,
    compareWide(machine, WideOperator.Equal, 0, 1) === (x === y),
    compareWide(machine, WideOperator.NotEqual, 0, 1) === (x !== y),
  ];
  if (comparisons.includes(false)) throw new Error(`${x} compared with ${y}`);
}

const i64 = (value: bigint): bigint => BigInt.asIntN(64, value);

test("X16: pairs at the edges of every half", () => {
  const machine = new Machine([]);
  const powers = [0n, 1n, 15n, 16n, 17n, 20n, 21n, 22n, 31n, 32n, 33n, 42n, 52n, 53n, 54n, 62n, 63n];
  const values = powers.flatMap((power) =>
    [-1n, 0n, 1n].flatMap((by) => [1n, -1n].map((sign) => i64(sign * 2n ** power + by))),
  );
  for (const x of values) for (const y of values) agrees(machine, x, y);
  expect(values).toContain(MIN);
  expect(values).toContain(MAX);
});

test("X16: random pairs, products at the range's end, quotients at an integer", () => {
  const random = numbers();
  const machine = new Machine([]);
  const any = (): bigint => {
    const word = (): bigint => BigInt(random(2 ** 16));
    const bits = (word() << 48n) | (word() << 32n) | (word() << 16n) | word();
    return i64(bits) >> BigInt(random(64));
  };
  for (let count = 0; count < 20_000; count++) {
    const x = any();
    const y = any();
    agrees(machine, x, y);
    if (y === 0n) continue;
    const near = BigInt(random(3) - 1);
    agrees(machine, i64((x / y) * y + near), y);
    agrees(machine, i64((random(2) === 0 ? MAX : MIN) / y + near), y);
  }
});
