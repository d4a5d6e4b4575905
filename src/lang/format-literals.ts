/** Literals in canonical form (language.md 3.1, 3.2). */
import { shortestFloat32 } from "./float32.ts";

/** A string literal: only `\` and `"` are escaped, everything else stands for itself. */
export function stringLiteral(value: string): string {
  return `"${value.replace(/["\\]/g, "\\$&")}"`;
}

/** The shortest positional decimal that reads back as the binary64 value. */
export function float64Literal(value: number): string {
  return positional(String(value));
}

/** The shortest positional decimal that reads back as the binary32 value. */
export function float32Literal(value: number): string {
  return `${positional(shortestFloat32(value))}f32`;
}

/** A char literal of a scalar value. */
export function charLiteral(scalar: number): string {
  switch (scalar) {
    case 0x00:
      return "'\\0'";
    case 0x09:
      return "'\\t'";
    case 0x0a:
      return "'\\n'";
    case 0x0d:
      return "'\\r'";
    case 0x27:
      return "'\\''";
    case 0x5c:
      return "'\\\\'";
    default:
      return scalar >= 0x20 && scalar <= 0x7e
        ? `'${String.fromCharCode(scalar)}'`
        : `'\\u{${scalar.toString(16)}}'`;
  }
}

/** `d[.d…][e±n]` without the exponent, with at least one digit on both sides of the point. */
function positional(decimal: string): string {
  const mark = decimal.indexOf("e");
  const mantissa = mark < 0 ? decimal : decimal.slice(0, mark);
  const power = mark < 0 ? 0 : Number(decimal.slice(mark + 1));
  const point = mantissa.indexOf(".");
  const whole = point < 0 ? mantissa : mantissa.slice(0, point);
  const fraction = point < 0 ? "" : mantissa.slice(point + 1);
  if (power === 0) return `${whole}.${fraction === "" ? "0" : fraction}`;
  const digits = whole + fraction;
  const wholeLength = whole.length + power;
  if (wholeLength <= 0) return `0.${"0".repeat(-wholeLength)}${digits}`;
  if (wholeLength >= digits.length) return `${digits}${"0".repeat(wholeLength - digits.length)}.0`;
  return `${digits.slice(0, wholeLength)}.${digits.slice(wholeLength)}`;
}
