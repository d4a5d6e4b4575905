/** JSON values as the protocol allows them (R7, R9, R10). */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Made by a literal, by `JSON.parse` or without a prototype; no array and no instance of a class. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** A copy of a plain object's own members, so that what is checked is what is used; null where it is none or throws. */
export function plainCopy<T extends object>(given: T): T | null {
  try {
    return isPlainObject(given) ? { ...given } : null;
  } catch {
    return null;
  }
}

/** A primitive that may stand in a message: no lone surrogate (R7), no number out of range (R10). */
export function isScalar(value: unknown): value is null | boolean | number | string {
  switch (typeof value) {
    case "string":
      return value.isWellFormed();
    case "number":
      return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
    case "boolean":
      return true;
    default:
      return value === null;
  }
}

/**
 * Counts the own keys of a parsed value, at every level, or returns -1 where it holds what the protocol refuses:
 * a bad primitive, or a key that is `__proto__` or has a lone surrogate (R7, R9). Recursion is bounded, because
 * the depth of the text was checked before it was parsed.
 */
export function countKeys(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return isScalar(value) ? 0 : -1;
  if (Array.isArray(value)) return sum(value, 0);
  const keys = Object.keys(value);
  // Indexed loops here and below: iterators and closures double the time for 1 MiB of small objects.
  for (let at = 0; at < keys.length; at++) {
    if (!isKey(keys[at] ?? "")) return -1;
  }
  return sum(Object.values(value), keys.length);
}

export function isKey(key: string): boolean {
  return key !== "__proto__" && key.isWellFormed();
}

function sum(values: readonly JsonValue[], start: number): number {
  let count = start;
  for (let at = 0; at < values.length; at++) {
    const inner = countKeys(values[at] ?? null);
    if (inner < 0) return -1;
    count += inner;
  }
  return count;
}

/** Freezes a value of bounded depth, inside out. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
