/** The canonical form and its hash (R14): what "the same content" means. */

import { sha256Hex } from "../../kernel/digest.ts";
import { snapshot } from "./snapshot.ts";
import type { JsonObject, JsonValue } from "./value.ts";

/** `sha256:` and 64 lower-case hex digits. */
export type Digest = `sha256:${string}`;

/** For a value that was already checked: no white space, keys by UTF-16 unit, the rest as `JSON.stringify`. */
export function canonicalText(value: JsonValue): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  return canonicalObject(value);
}

function canonicalObject(object: JsonObject): string {
  let text = "";
  for (const key of Object.keys(object).sort()) {
    const value = object[key] ?? null;
    text += `${text === "" ? "{" : ","}${JSON.stringify(key)}:${canonicalText(value)}`;
  }
  return text === "" ? "{}" : `${text}}`;
}

export function digestOf(value: JsonValue): Digest {
  return `sha256:${sha256Hex(canonicalText(value))}`;
}

/** `Codec.canonical`: throws a `TypeError` for a value that section 2 does not allow. */
export function canonical(value: unknown): string {
  const taken = snapshot(value);
  if (taken === null) throw new TypeError("the value is not JSON as the protocol allows it");
  return canonicalText(taken.value);
}

/** `Codec.digest`: throws as {@link canonical}. */
export function digest(value: unknown): Digest {
  return `sha256:${sha256Hex(canonical(value))}`;
}
