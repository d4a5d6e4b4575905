/** Reading JSON number literals: the grammar, the range of binary64 (D22), and unsigned 64-bit integers (D24). */

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;

/** The decimal exponent of the largest binary64: 1.79…e308. */
const EXPONENT_MAX = 308;
/** Where the value of an exponent stops growing: far beyond what any literal's digits can make up for. */
const EXPONENT_CLAMP = 1e12;
/** The digits of the smallest magnitude that rounds to infinity, half a unit above the largest binary64. */
const OVERFLOW_DIGITS = String(2n ** 1024n - 2n ** 970n);

const U64_MAX_DIGITS = "18446744073709551615";

/** Where the number literal at `start` ends; -1 if it is malformed or its value rounds to infinity. */
export function scanNumber(bytes: Uint8Array, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start;
  const wholeEnd = digitsEnd(bytes, whole);
  if (wholeEnd === whole || (bytes[whole] === ZERO && wholeEnd > whole + 1)) return -1;
  let end = wholeEnd;
  if (end < bytes.length && bytes[end] === 0x2e) {
    end = digitsEnd(bytes, wholeEnd + 1);
    if (end === wholeEnd + 1) return -1;
  }
  const mantissaEnd = end;
  let exponent = 0;
  if (end < bytes.length && (bytes[end]! | 0x20) === 0x65) {
    const sign = end + 1 < bytes.length ? bytes[end + 1]! : 0;
    const digits = sign === MINUS || sign === 0x2b ? end + 2 : end + 1;
    end = digitsEnd(bytes, digits);
    if (end === digits) return -1;
    for (let at = digits; at < end; at++) {
      exponent = Math.min(exponent * 10 + bytes[at]! - ZERO, EXPONENT_CLAMP);
    }
    if (sign === MINUS) exponent = -exponent;
  }
  // Nearly every number is short and has no exponent.
  if (exponent === 0 && wholeEnd - whole <= EXPONENT_MAX) return end;
  return overflows(bytes, whole, wholeEnd, mantissaEnd, exponent) ? -1 : end;
}

/**
 * Whether the digits from `whole` to `mantissaEnd`, with the decimal point at `wholeEnd`, times ten to the power of
 * `exponent` round to infinity. Compares digit by digit: exact, without a number.
 */
function overflows(
  bytes: Uint8Array,
  whole: number,
  wholeEnd: number,
  mantissaEnd: number,
  exponent: number,
): boolean {
  let at = whole;
  while (at < mantissaEnd && (bytes[at] === ZERO || at === wholeEnd)) at++;
  if (at >= mantissaEnd) return false;
  // The power of ten that the first digit that is not zero stands for.
  const magnitude = (at < wholeEnd ? wholeEnd - at - 1 : wholeEnd - at) + exponent;
  if (magnitude !== EXPONENT_MAX) return magnitude > EXPONENT_MAX;
  for (let digit = 0; digit < OVERFLOW_DIGITS.length; digit++) {
    if (at === wholeEnd) at++;
    const difference = (at < mantissaEnd ? bytes[at]! : ZERO) - OVERFLOW_DIGITS.charCodeAt(digit);
    if (difference !== 0) return difference > 0;
    at++;
  }
  return true;
}

/** Whether a number literal of accepted form is an unsigned integer of at most 64 bits (D24, D26). */
export function isUnsigned64(bytes: Uint8Array, start: number, end: number): boolean {
  const length = end - start;
  if (digitsEnd(bytes, start) < end || length > U64_MAX_DIGITS.length) return false;
  if (length < U64_MAX_DIGITS.length) return true;
  for (let at = 0; at < length; at++) {
    const difference = bytes[start + at]! - U64_MAX_DIGITS.charCodeAt(at);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** The value of a literal that {@link isUnsigned64} accepts; 2^53 - 1 stands for everything above it. */
export function readUnsigned(bytes: Uint8Array, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at++) value = value * 10 + bytes[at]! - ZERO;
  return Math.min(value, Number.MAX_SAFE_INTEGER);
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
  return at;
}
