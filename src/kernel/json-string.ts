/** Reading JSON strings out of valid UTF-8: where one ends, and what it says (D22). */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;

/** The most bytes of a string that one byte of its value can take: `\u0061` for `a`. */
export const ESCAPED_BYTES_MAX = 6;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Checks the string whose opening quotation mark stands before `start`. Returns twice the place of the closing one,
 * plus 1 if there is an escape in between; -1 for a raw control character, a bad escape, an escaped lone surrogate or
 * a missing end.
 */
export function scanString(bytes: Uint8Array, start: number): number {
  let escaped = 0;
  let at = start;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at * 2 + escaped;
    if (byte === BACKSLASH) {
      escaped = 1;
      at = escapeEnd(bytes, at);
      if (at < 0) return -1;
    } else if (byte < 0x20) {
      return -1;
    } else {
      at++;
    }
  }
  return -1;
}

/** The text of a string that {@link scanString} has accepted, given the range between its quotation marks. */
export function readString(bytes: Uint8Array, start: number, end: number): string {
  const raw = bytes.subarray(start, end);
  if (raw.indexOf(BACKSLASH) < 0) return decoder.decode(raw);
  const plain = new Uint8Array(end - start);
  return decoder.decode(plain.subarray(0, unescapeInto(bytes, start, end, plain, 0)));
}

/** Whether a string of accepted form says `text`, which is ASCII without a backslash. Read in place. */
export function saysAscii(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  let at = start;
  for (let index = 0; index < text.length; index++) {
    if (at === end) return false;
    const byte = bytes[at]!;
    const unit = text.charCodeAt(index);
    if (byte === unit) {
      at++;
    } else {
      if (byte !== BACKSLASH || scalarAt(bytes, at) !== unit) return false;
      at += scalarWidth(bytes, at);
    }
  }
  return at === end;
}

/**
 * Negative, zero or positive as what the first of two strings of accepted form says sorts before, with or after what the
 * second says, by scalar values, which is by UTF-8 bytes. Read in place.
 */
export function compareStrings(
  bytes: Uint8Array,
  aStart: number,
  aEnd: number,
  bStart: number,
  bEnd: number,
): number {
  let a = aStart;
  let b = bStart;
  while (a < aEnd && b < bEnd) {
    const difference = scalarAt(bytes, a) - scalarAt(bytes, b);
    if (difference !== 0) return difference;
    a += scalarWidth(bytes, a);
    b += scalarWidth(bytes, b);
  }
  return aEnd - a - (bEnd - b);
}

/**
 * Writes the UTF-8 bytes that a string of accepted form says into `target`, from `at` on, and returns where they end.
 * They are never more than the bytes between the quotation marks.
 */
export function unescapeInto(
  bytes: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
): number {
  let write = at;
  let read = start;
  while (read < end) {
    const byte = bytes[read]!;
    if (byte !== BACKSLASH) {
      target[write++] = byte;
      read++;
      continue;
    }
    write = writeScalar(target, write, escapedScalar(bytes, read));
    read += escapeWidth(bytes, read);
  }
  return write;
}

/** The scalar value at an offset of a string of accepted form, where a character or an escape begins. */
function scalarAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first === BACKSLASH) return escapedScalar(bytes, at);
  if (first < 0x80) return first;
  const width = scalarWidth(bytes, at);
  // The first byte has one high bit for each byte, then a 0, then the highest bits of the value.
  let scalar = first & (0x7f >> width);
  for (let next = at + 1; next < at + width; next++) scalar = (scalar << 6) | (bytes[next]! & 0x3f);
  return scalar;
}

/** How many bytes of the string that scalar value takes. */
function scalarWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first === BACKSLASH) return escapeWidth(bytes, at);
  if (first < 0x80) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** What an accepted escape stands for. */
function escapedScalar(bytes: Uint8Array, at: number): number {
  const kind = bytes[at + 1]!;
  if (kind !== LOWER_U) return simpleEscape(kind);
  const unit = hexUnit(bytes, at + 2);
  if (!isHighSurrogate(unit)) return unit;
  return 0x10000 + ((unit - 0xd800) << 10) + (hexUnit(bytes, at + 8) - 0xdc00);
}

function escapeWidth(bytes: Uint8Array, at: number): number {
  if (bytes[at + 1] !== LOWER_U) return 2;
  return isHighSurrogate(hexUnit(bytes, at + 2)) ? 12 : 6;
}

/** Where the escape at `at` ends, a pair of surrogates being one escape; -1 if it is none. */
function escapeEnd(bytes: Uint8Array, at: number): number {
  if (at + 1 >= bytes.length) return -1;
  const kind = bytes[at + 1]!;
  if (kind !== LOWER_U) return simpleEscape(kind) < 0 ? -1 : at + 2;
  const unit = hexUnit(bytes, at + 2);
  if (unit < 0 || isLowSurrogate(unit)) return -1;
  if (!isHighSurrogate(unit)) return at + 6;
  if (at + 12 > bytes.length || bytes[at + 6] !== BACKSLASH || bytes[at + 7] !== LOWER_U) return -1;
  return isLowSurrogate(hexUnit(bytes, at + 8)) ? at + 12 : -1;
}

/** The byte that an escape of two characters stands for, or -1. */
function simpleEscape(kind: number): number {
  switch (kind) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // /
      return kind;
    case 0x62: // b
      return 0x08;
    case 0x66: // f
      return 0x0c;
    case 0x6e: // n
      return 0x0a;
    case 0x72: // r
      return 0x0d;
    case 0x74: // t
      return 0x09;
    default:
      return -1;
  }
}

/** The value of four hex digits, or -1. */
function hexUnit(bytes: Uint8Array, start: number): number {
  if (start + 4 > bytes.length) return -1;
  let unit = 0;
  for (let at = start; at < start + 4; at++) {
    const digit = hexDigit(bytes[at]!);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x61 + 10 : -1;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function writeScalar(target: Uint8Array, at: number, scalar: number): number {
  let write = at;
  if (scalar < 0x80) {
    target[write++] = scalar;
    return write;
  }
  if (scalar < 0x800) {
    target[write++] = 0xc0 | (scalar >> 6);
  } else {
    if (scalar < 0x10000) {
      target[write++] = 0xe0 | (scalar >> 12);
    } else {
      target[write++] = 0xf0 | (scalar >> 18);
      target[write++] = 0x80 | ((scalar >> 12) & 0x3f);
    }
    target[write++] = 0x80 | ((scalar >> 6) & 0x3f);
  }
  target[write++] = 0x80 | (scalar & 0x3f);
  return write;
}
