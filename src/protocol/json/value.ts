/** JSON values as the protocol allows them (R7, R9, R10). */

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [key: string]: JsonValue;
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
  return keys.every(isKey) ? sum(Object.values(value), keys.length) : -1;
}

export function isKey(key: string): boolean {
  return key !== "__proto__" && key.isWellFormed();
}

function sum(values: readonly JsonValue[], start: number): number {
  let count = start;
  for (const value of values) {
    const inner = countKeys(value);
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
