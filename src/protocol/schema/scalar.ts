/** The types of section 3 that every definition is made of. */

import { z } from "zod";
import { utf8Length } from "../../kernel/text.ts";
import type { Digest as DigestText } from "../json/canonical.ts";
import type { JsonObject as JsonObjectValue } from "../json/value.ts";
import { isCalendarDay } from "./time.ts";

/** 1 to 128 characters U+0021 to U+007E. */
export const Id = z.string().regex(/^[\x21-\x7E]{1,128}$/);

/** 1 to 256 bytes without control characters. */
export const Ref = textOf(1, 256, /^[^\x00-\x1F\x7F]*$/);

/** Dotted lower-case words, at most 128 characters. */
export const Name = z
  .string()
  .max(128)
  .regex(/^[a-z][a-z0-9_]{0,63}(\.[a-z][a-z0-9_]{0,63}){0,7}$/);

/** `YYYY-MM-DDTHH:MM:SS[.f]Z` on a real calendar day; kept exactly as it was spelled (R29). */
export const Timestamp = z
  .string()
  .regex(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?Z$/)
  .refine(isCalendarDay);

export const Cursor = z.int().min(1);
export const Position = z.int().min(0);

/** SHA-256 of a canonical form (R14). */
export const Digest: z.ZodType<DigestText> = z.templateLiteral([
  "sha256:",
  z.string().regex(/^[0-9a-f]{64}$/),
]);

/**
 * Free JSON. Section 2 was checked before any definition is consulted, so what is inside is JSON (R11). Not a loose
 * zod object: that copies member by member, 100 ms for a message of 1 MiB that is one object of many keys.
 */
export const JsonObject = z.custom<JsonObjectValue>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** `Text(min, max)`: that many UTF-8 bytes, without U+0000 (R11). */
export function text(min: number, max: number) {
  return textOf(min, max, /^[^\0]*$/);
}

function textOf(min: number, max: number, allowed: RegExp) {
  // The length in characters is what the schema document can say; bytes are never fewer.
  return z
    .string()
    .min(min)
    .max(max)
    .regex(allowed)
    .refine((value) => value.length * 3 <= max || utf8Length(value) <= max);
}

/** A list of bounded length. The length is judged before any member: of a million bad ones each would cost an issue. */
export function list<T extends z.ZodType>(item: T, min: number, max: number) {
  return z.array(z.unknown()).max(max).pipe(z.array(item).min(min).max(max));
}

/** A list without equal members. */
export function distinct<T extends z.ZodType<string>>(item: T, min: number, max: number) {
  return list(item, min, max).refine((items) => new Set(items).size === items.length);
}
