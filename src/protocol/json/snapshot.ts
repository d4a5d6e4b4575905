/** A program's value as JSON (R11): copied once, so that what was checked is what is used. */

import { utf8Length } from "../../kernel/text.ts";
import { DEPTH_MAX, OBJECT_BYTES_MAX } from "../limits.ts";
import { isJsonObject, isKey, isPlainObject, isScalar, type JsonObject, type JsonValue } from "./value.ts";

export interface Snapshot<T extends JsonValue = JsonValue> {
  /** Shares nothing with the source. */
  readonly value: T;
  /** 0 for a primitive, 1 for an array or object of primitives, and so on. */
  readonly height: number;
  /** Length of `JSON.stringify(value)` in UTF-8. */
  readonly bytes: number;
}

/** Objects seen so far, so that one that occurs in many places costs and weighs no more than one. */
type Seen = Map<object, Snapshot>;

/**
 * Copies primitives, dense arrays and plain objects; null for anything else, for what is nested deeper than
 * `depthMax`, for a cycle, and where an accessor or a proxy throws.
 */
export function snapshot(source: unknown, depthMax: number = DEPTH_MAX): Snapshot | null {
  try {
    return copy(source, depthMax, new Map());
  } catch {
    return null;
  }
}

/** As {@link snapshot}, for a value that must be an object, and one that can be written out. */
export function snapshotObject(source: unknown, depthMax?: number): Snapshot<JsonObject> | null {
  const taken = snapshot(source, depthMax);
  if (taken === null || taken.bytes > OBJECT_BYTES_MAX) return null;
  return isJsonObject(taken.value) ? { ...taken, value: taken.value } : null;
}

/** `room` is how many levels may still follow; recursion ends with it, so a cycle does too. */
function copy(source: unknown, room: number, seen: Seen): Snapshot | null {
  if (typeof source !== "object" || source === null) return copyScalar(source);
  const known = seen.get(source);
  if (known !== undefined) return known.height <= room ? known : null;
  if (room === 0) return null;
  const taken = Array.isArray(source) ? copyArray(source, room, seen) : copyObject(source, room, seen);
  if (taken !== null) seen.set(source, taken);
  return taken;
}

function copyScalar(source: unknown): Snapshot | null {
  if (!isScalar(source)) return null;
  return { value: source, height: 0, bytes: utf8Length(JSON.stringify(source)) };
}

function copyArray(source: readonly unknown[], room: number, seen: Seen): Snapshot | null {
  if (Object.getPrototypeOf(source) !== Array.prototype) return null;
  const value: JsonValue[] = [];
  let height = 0;
  // Read once: an accessor could make the array longer with each of its members.
  const { length } = source;
  let bytes = 2 + Math.max(0, length - 1);
  for (let index = 0; index < length; index++) {
    // A hole ends the work here, so an array of huge length and little content costs nothing.
    if (!Object.hasOwn(source, index)) return null;
    const inner = copy(source[index], room - 1, seen);
    if (inner === null) return null;
    value.push(inner.value);
    height = Math.max(height, inner.height);
    bytes += inner.bytes;
  }
  if (Reflect.ownKeys(source).length !== length + 1) return null;
  return { value, height: height + 1, bytes };
}

function copyObject(source: object, room: number, seen: Seen): Snapshot | null {
  if (!isPlainObject(source)) return null;
  const entries = Object.entries(source);
  // Symbols and hidden properties would be lost in the encoding.
  if (Reflect.ownKeys(source).length !== entries.length) return null;
  const value: JsonObject = {};
  let height = 0;
  let bytes = 2 + Math.max(0, entries.length - 1);
  for (const [key, member] of entries) {
    if (!isKey(key)) return null;
    const inner = copy(member, room - 1, seen);
    if (inner === null) return null;
    value[key] = inner.value;
    height = Math.max(height, inner.height);
    bytes += utf8Length(JSON.stringify(key)) + 1 + inner.bytes;
  }
  return { value, height: height + 1, bytes };
}
