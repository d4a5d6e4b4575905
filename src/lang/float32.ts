/** Decimal text and binary32 (language.md 1.5, 3.2). */

/** So many significant digits tell all binary32 values apart. */
const FLOAT32_DIGITS_MAX = 9;

/**
 * The binary32 value nearest to a decimal `digits.digits[e[±]digits]`, ties to even, rounded once. Going through
 * binary64 rounds twice, which is wrong only where the binary64 value lies exactly between two binary32 values: there
 * the decimal itself decides.
 */
export function readFloat32(text: string): number {
  const wide = Number(text);
  const narrow = Math.fround(wide);
  if (wide === narrow || !Number.isFinite(wide)) return narrow;
  const other = wide > narrow ? nextFloat32(narrow) : previousFloat32(narrow);
  if (midpoint(narrow, other) !== wide) return narrow;
  const order = compareDecimal(text, wide);
  if (order === 0) return narrow;
  return order > 0 === other > narrow ? other : narrow;
}

/** The binary32 value after a finite value that is not negative; after the largest one infinity. */
function nextFloat32(value: number): number {
  return fromBits(toBits(value) + 1);
}

/** The binary32 value before a positive value or infinity. */
function previousFloat32(value: number): number {
  return fromBits(toBits(value) - 1);
}

function toBits(value: number): number {
  return new Uint32Array(new Float32Array([value]).buffer)[0]!;
}

function fromBits(bits: number): number {
  return new Float32Array(new Uint32Array([bits]).buffer)[0]!;
}

/** Exact in binary64. Where infinity is a neighbour its place is taken by 2^128, which rounding sees there. */
function midpoint(a: number, b: number): number {
  const place = (value: number): number => (value === Number.POSITIVE_INFINITY ? 2 ** 128 : value);
  return place(a) / 2 + place(b) / 2;
}

/** Negative, zero or positive as the decimal text is below, equal to or above a positive binary64 value. */
function compareDecimal(text: string, value: number): number {
  const left = significand(text);
  const right = exactDecimal(value);
  if (left.exponent !== right.exponent) return left.exponent - right.exponent;
  const length = Math.max(left.digits.length, right.digits.length);
  for (let at = 0; at < length; at++) {
    const difference = digitAt(left.digits, at) - digitAt(right.digits, at);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** 0.DIGITS times 10^exponent, the first digit not being zero. */
interface Significand {
  readonly digits: string;
  readonly exponent: number;
}

function digitAt(digits: string, at: number): number {
  return at < digits.length ? digits.charCodeAt(at) - 0x30 : 0;
}

function significand(text: string): Significand {
  const mark = text.search(/[eE]/);
  const plain = mark < 0 ? text : text.slice(0, mark);
  const power = mark < 0 ? 0 : Number(text.slice(mark + 1));
  const point = plain.indexOf(".");
  const digits = plain.slice(0, point) + plain.slice(point + 1);
  let zeros = 0;
  while (digits.charCodeAt(zeros) === 0x30) zeros++;
  return { digits: digits.slice(zeros), exponent: point - zeros + power };
}

/** All digits of a midpoint, which has at most 150 binary places. */
function exactDecimal(value: number): Significand {
  let scaled = value;
  let shift = 0;
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    shift++;
  }
  // scaled / 2^shift = scaled * 5^shift / 10^shift.
  const digits = (BigInt(scaled) * 5n ** BigInt(shift)).toString();
  return { digits, exponent: digits.length - shift };
}

/**
 * The decimal with the fewest digits that reads back as a binary32 value that is neither negative nor infinite, and
 * the closest one of these; in the notation of `String(number)`.
 */
export function shortestFloat32(value: number): string {
  for (let length = 1; length < FLOAT32_DIGITS_MAX; length++) {
    const [mantissa, power] = value.toExponential(length - 1).split("e");
    const digits = Number(mantissa!.replace(".", ""));
    const exponent = Number(power) - length + 1;
    // Below a power of two the values lie closer, so the decimal above can read back where a closer one below does not.
    for (const candidate of [digits, digits + 1]) {
      if (readFloat32(`${candidate}.0e${exponent}`) === value)
        return String(Number(`${candidate}e${exponent}`));
    }
  }
  return String(Number(value.toPrecision(FLOAT32_DIGITS_MAX)));
}
