/** Literals: where they end, and what they stand for (language.md 1.4 to 1.7). */
import type { Code } from "../kernel/failure.ts";
import { readFloat32 } from "./float32.ts";

/** A lexical error inside a literal; its span goes from the first byte of the literal to `end`. */
export interface LiteralError {
  readonly code: Code;
  readonly end: number;
  readonly message: string;
}

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const POINT = 0x2e;
const LEFT_BRACE = 0x7b;
const RIGHT_BRACE = 0x7d;
const LOWER_N = 0x6e;
const LOWER_R = 0x72;
const LOWER_T = 0x74;
const LOWER_U = 0x75;
const DIGIT_ZERO = 0x30;

/** The most hex digits of `\u{…}`. */
const UNICODE_DIGITS_MAX = 6;
const INTEGER_MAX_DIGITS = "9223372036854775807";

// A string value may begin with U+FEFF, which is a character of it and no byte-order mark.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= DIGIT_ZERO && byte <= 0x39;
}

export function isIdentifierStart(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f;
}

export function isIdentifierPart(byte: number | undefined): boolean {
  return isIdentifierStart(byte) || isDigit(byte);
}

/** The scalar value at an offset of valid UTF-8. */
export function scalarAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return first;
  let scalar = first < 0xe0 ? first & 0x1f : first < 0xf0 ? first & 0x0f : first & 0x07;
  for (let next = at + 1; next < scalarEnd(bytes, at); next++) scalar = (scalar << 6) | (bytes[next]! & 0x3f);
  return scalar;
}

/** Where the scalar value at an offset of valid UTF-8 ends. */
export function scalarEnd(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  return at + (first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4);
}

/** The text of an ASCII or string token. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** The end of the integer or float that begins at a digit. `SPX-P003`. */
export function scanNumber(bytes: Uint8Array, start: number): number | LiteralError {
  let at = digitsEnd(bytes, start);
  if (bytes[at] !== POINT || !isDigit(bytes[at + 1])) {
    if (exceedsInteger(bytes, start, at)) return badNumber(at, "integer above 9223372036854775807");
    return at;
  }
  at = digitsEnd(bytes, at + 1);
  if (isExponentMark(bytes[at])) {
    const sign = bytes[at + 1];
    const digits = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    if (!isDigit(bytes[digits])) return badNumber(at, "float exponent without digits");
    at = digitsEnd(bytes, digits);
  }
  if (!isIdentifierStart(bytes[at])) {
    return Number.isFinite(floatValue(bytes, start, at)) ? at : badNumber(at, "float out of range");
  }
  if (bytes[at] !== 0x66) return badNumber(at, "unknown number suffix");
  const isF32 = bytes[at + 1] === 0x33 && bytes[at + 2] === 0x32;
  const isF64 = bytes[at + 1] === 0x36 && bytes[at + 2] === 0x34;
  if (!isF32 && !isF64) return badNumber(at, "unknown number suffix");
  at += 3;
  if (isIdentifierPart(bytes[at])) return badNumber(at, "unknown number suffix");
  if (isF64) return badNumber(at, "a float takes no suffix f64");
  return Number.isFinite(floatValue(bytes, start, at)) ? at : badNumber(at, "float out of range");
}

/** The value of an integer token: a number up to 2^53 - 1, a bigint beyond. */
export function integerValue(bytes: Uint8Array, start: number, end: number): number | bigint {
  const first = significantStart(bytes, start, end);
  let value = 0;
  if (end - first <= 15) {
    for (let at = first; at < end; at++) value = value * 10 + (bytes[at]! - DIGIT_ZERO);
    return value;
  }
  const exact = BigInt(textOf(bytes, first, end));
  return exact <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(exact) : exact;
}

/** Whether a float token is single precision. */
export function isFloat32(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start > 3 && bytes[end - 3] === 0x66;
}

/** The value of a float token, rounded once to its precision. */
export function floatValue(bytes: Uint8Array, start: number, end: number): number {
  return isFloat32(bytes, start, end)
    ? readFloat32(textOf(bytes, start, end - 3))
    : Number(textOf(bytes, start, end));
}

/** The end of the char literal that begins at a quote. `SPX-P006` to `SPX-P008`. */
export function scanChar(bytes: Uint8Array, start: number): number | LiteralError {
  let at = start + 1;
  if (at >= bytes.length) return unterminatedChar(at);
  if (bytes[at] === APOSTROPHE) return badChar("SPX-P008", at + 1, "a char literal cannot be empty");
  if (bytes[at] === BACKSLASH) {
    const end = scanCharEscape(bytes, at);
    if (typeof end !== "number") return end;
    at = end;
  } else {
    at = scalarEnd(bytes, at);
  }
  if (at >= bytes.length) return unterminatedChar(at);
  if (bytes[at] !== APOSTROPHE) return badChar("SPX-P008", at, "char literal has one character");
  at++;
  if (isIdentifierPart(bytes[at])) return badChar("SPX-P008", at, "name directly after a char");
  return at;
}

/** The end of the escape that begins at a backslash. */
function scanCharEscape(bytes: Uint8Array, start: number): number | LiteralError {
  let at = start + 1;
  if (at >= bytes.length) return unterminatedChar(at);
  if (bytes[at] !== LOWER_U) {
    if (simpleEscape(bytes[at]!) < 0) {
      return badChar("SPX-P007", scalarEnd(bytes, at), "unknown escape in char literal");
    }
    return at + 1;
  }
  at++;
  if (at >= bytes.length) return unterminatedChar(at);
  if (bytes[at] !== LEFT_BRACE) return badChar("SPX-P007", at, 'expected "{" after "\\u"');
  at++;
  const digits = at;
  let scalar = 0;
  while (at - digits < UNICODE_DIGITS_MAX && hexDigit(bytes[at]) >= 0)
    scalar = scalar * 16 + hexDigit(bytes[at++]);
  if (at >= bytes.length) return unterminatedChar(at);
  if (at === digits || bytes[at] !== RIGHT_BRACE)
    return badChar("SPX-P007", at, '"\\u{}" takes 1 to 6 hex digits');
  at++;
  if (scalar > 0x10ffff || (scalar >= 0xd800 && scalar <= 0xdfff)) {
    return badChar("SPX-P007", at, "no Unicode scalar value");
  }
  return at;
}

/** The scalar value of a char token. */
export function charValue(bytes: Uint8Array, start: number): number {
  const at = start + 1;
  if (bytes[at] !== BACKSLASH) return scalarAt(bytes, at);
  if (bytes[at + 1] !== LOWER_U) return simpleEscape(bytes[at + 1]!);
  let scalar = 0;
  for (let digit = at + 3; bytes[digit] !== RIGHT_BRACE; digit++)
    scalar = scalar * 16 + hexDigit(bytes[digit]);
  return scalar;
}

/** The end of the string that begins at a quote. `SPX-P004`, `SPX-P005`. */
export function scanString(bytes: Uint8Array, start: number): number | LiteralError {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) continue;
    at++;
    if (at < bytes.length && stringEscape(bytes[at]!) < 0) {
      return { code: "SPX-P005", end: scalarEnd(bytes, at), message: "unknown escape in a string" };
    }
  }
  return { code: "SPX-P004", end: bytes.length, message: "unterminated string" };
}

/** The value of a string token. */
export function stringValue(bytes: Uint8Array, start: number, end: number): string {
  const raw = bytes.subarray(start + 1, end - 1);
  if (!raw.includes(BACKSLASH)) return decoder.decode(raw);
  const value = new Uint8Array(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) {
    const byte = raw[at]!;
    value[length++] = byte === BACKSLASH ? stringEscape(raw[++at]!) : byte;
  }
  return decoder.decode(value.subarray(0, length));
}

/** What the byte after a backslash stands for in a string, or -1. */
function stringEscape(byte: number): number {
  if (byte === LOWER_N) return 0x0a;
  if (byte === LOWER_R) return 0x0d;
  if (byte === LOWER_T) return 0x09;
  return byte === QUOTE || byte === BACKSLASH ? byte : -1;
}

/** What the byte after a backslash stands for in a char literal, `\u` aside, or -1. */
function simpleEscape(byte: number): number {
  if (byte === LOWER_N) return 0x0a;
  if (byte === LOWER_R) return 0x0d;
  if (byte === LOWER_T) return 0x09;
  if (byte === DIGIT_ZERO) return 0;
  return byte === APOSTROPHE || byte === BACKSLASH ? byte : -1;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (isDigit(byte)) return byte - DIGIT_ZERO;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

function digitsEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at++;
  return at;
}

/** The first digit that is not a leading zero; the last digit of zero itself. */
function significantStart(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end - 1 && bytes[at] === DIGIT_ZERO) at++;
  return at;
}

/** Whether the digits stand for more than 2^63 - 1. */
function exceedsInteger(bytes: Uint8Array, start: number, end: number): boolean {
  const first = significantStart(bytes, start, end);
  const digits = end - first;
  if (digits !== INTEGER_MAX_DIGITS.length) return digits > INTEGER_MAX_DIGITS.length;
  for (let at = 0; at < digits; at++) {
    const difference = bytes[first + at]! - INTEGER_MAX_DIGITS.charCodeAt(at);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function isExponentMark(byte: number | undefined): boolean {
  return byte === 0x65 || byte === 0x45;
}

function badNumber(end: number, message: string): LiteralError {
  return { code: "SPX-P003", end, message };
}

function badChar(code: Code, end: number, message: string): LiteralError {
  return { code, end, message };
}

function unterminatedChar(end: number): LiteralError {
  return badChar("SPX-P006", end, "unterminated char literal");
}
