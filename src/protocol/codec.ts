/** From input to a message and back (section 2): every check runs in the order of R12, and the first failure decides. */

import type { z } from "zod";
import { utf8Length } from "../kernel/text.ts";
import { resultCheck } from "./binding.ts";
import { type Failure, fail, type Result } from "./error.ts";
import { canonical, digest } from "./json/canonical.ts";
import { countColons } from "./json/scan.ts";
import { snapshot, snapshotObject } from "./json/snapshot.ts";
import { countKeys, isJsonObject, type JsonObject, type JsonValue, plainCopy } from "./json/value.ts";
import { DEPTH_MAX, isCount, MESSAGE_BYTES_MAX, OBJECT_BYTES_MAX, RESULT_DEPTH_MAX } from "./limits.ts";
import {
  isNotificationMethod,
  isRequestMethod,
  type Message,
  type RequestMessage,
  type ResultOf,
} from "./message.ts";
import { SCHEMA_VERSION } from "./schema/connection.ts";
import { ErrorResponse, ResultResponse } from "./schema/envelope.ts";
import { describe } from "./schema/issue.ts";
import { NOTIFICATIONS, REQUESTS } from "./schema/methods.ts";

/** What was refused, and the object it was, where it is one that section 2 allows (R73). */
export type Refused = Failure & { readonly refused?: JsonObject };
export type Read = { ok: true; message: Message } | Refused;
/** `bytes` is the size of the encoded message. */
export type ReadObject = { ok: true; message: Message; bytes: number } | Refused;

export interface CodecOptions {
  /** Bound of the encoded message in bytes; 1 MiB unless given (R6). */
  messageBytes?: number;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads wire text, its bytes, or a program's object (sections 2 and 3). It throws on no input (R13). */
export function readMessage(input: unknown, messageBytes: number): Read {
  if (typeof input === "string") return readText(input, messageBytes);
  if (isBytes(input)) return readBytes(input, messageBytes);
  return readObject(input, messageBytes);
}

/** Not by `instanceof` alone, which asks a proxy, and a proxy may throw. */
function isBytes(input: unknown): input is Uint8Array {
  return ArrayBuffer.isView(input) && input instanceof Uint8Array;
}

function readBytes(bytes: Uint8Array, messageBytes: number): Read {
  if (bytes.byteLength > messageBytes) return tooLarge();
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return fail("invalid_message", "the bytes are not UTF-8");
  }
  return parse(text);
}

function readText(text: string, messageBytes: number): Read {
  if (text.length > messageBytes) return tooLarge();
  if (text.length * 3 > messageBytes && utf8Length(text) > messageBytes) return tooLarge();
  if (!text.isWellFormed()) return fail("invalid_message", "the text has a lone surrogate");
  return parse(text);
}

/** Reads a program's object. Its size is that of its encoded text, and judged last (R6). */
export function readObject(input: unknown, messageBytes: number): ReadObject {
  const taken = snapshot(input);
  if (taken === null || !isJsonObject(taken.value)) {
    return fail("invalid_message", "not a JSON object of at most 32 levels");
  }
  // The definitions write parts of an object out, so one that can never be sent is not shown to them.
  if (taken.bytes > OBJECT_BYTES_MAX) return tooLarge();
  const judged = judge(taken.value);
  if (!judged.ok) return judged;
  // Nothing is told of what was refused for its size: of text it could not be read either.
  if (taken.bytes > messageBytes) return tooLarge();
  return { ...judged, bytes: taken.bytes };
}

function tooLarge(): Failure {
  return fail("overflow", "the message is larger than the bound");
}

function parse(text: string): Read {
  const colons = countColons(text, DEPTH_MAX);
  if (colons < 0) return fail("invalid_message", `nested deeper than ${DEPTH_MAX} levels`);
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("invalid_message", "not one JSON value");
  }
  const keys = countKeys(value);
  if (keys < 0) return fail("invalid_message", "a string, key or number that the protocol refuses");
  if (keys !== colons) return fail("invalid_message", "an object has the same key twice");
  if (!isJsonObject(value)) return fail("invalid_message", "not a JSON object");
  return judge(value);
}

/** Judges an object that section 2 allows by the definitions: version, type, method, everything else. */
function judge(value: JsonObject): Read {
  const version = value["schema_version"];
  if (typeof version !== "string") return refuse(value, "schema_version is missing or no text");
  if (version !== SCHEMA_VERSION) {
    return {
      ...fail("unsupported_version", `only schema_version ${SCHEMA_VERSION} is spoken`),
      refused: value,
    };
  }
  switch (value["type"]) {
    case "request":
      return judgeRequest(value);
    case "response":
      return conform(Object.hasOwn(value, "error") ? ErrorResponse : ResultResponse, value);
    case "notification":
      return judgeNotification(value);
    default:
      return refuse(value, "type is missing or none of request, response and notification");
  }
}

function judgeRequest(value: JsonObject): Read {
  const method = value["method"];
  if (typeof method !== "string") return refuse(value, "method is missing or no text");
  if (!isRequestMethod(method)) return { ...unknownMethod(), refused: value };
  return conform(REQUESTS[method].message, value);
}

function judgeNotification(value: JsonObject): Read {
  const method = value["method"];
  if (typeof method !== "string") return refuse(value, "method is missing or no text");
  if (!isNotificationMethod(method)) return { ...unknownMethod(), refused: value };
  return conform(NOTIFICATIONS[method].message, value);
}

function unknownMethod(): Failure {
  return fail("unsupported_method", "no such method for this type of message");
}

function conform(schema: z.ZodType<Message>, value: JsonObject): Read {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { ok: true, message: parsed.data }
    : refuse(value, describe(parsed.error, "the message"));
}

function refuse(value: JsonObject, words: string): Refused {
  return { ...fail("invalid_message", words), refused: value };
}

function boundOf(given: CodecOptions = {}): number | null {
  const { messageBytes = MESSAGE_BYTES_MAX } = plainCopy(given) ?? { messageBytes: null };
  return isCount(messageBytes) ? messageBytes : null;
}

function badBound(): Failure {
  return fail("invalid_argument", "messageBytes must be a positive integer");
}

function strip(read: Read): Result<{ message: Message }> {
  return read.ok ? read : { ok: false, error: read.error };
}

/** The codec (R13). `encode` and `decode` return a result and never throw. */
export const Codec = Object.freeze({
  /** Checks a message as `decode` does and encodes it. The returned message shares nothing with the argument. */
  encode(message: unknown, options?: CodecOptions): Result<{ text: string; message: Message }> {
    const bound = boundOf(options);
    if (bound === null) return badBound();
    const read = strip(readObject(message, bound));
    return read.ok ? { ...read, text: JSON.stringify(read.message) } : read;
  },

  /** Decodes wire text or its UTF-8 bytes. The message belongs to the caller. */
  decode(input: string | Uint8Array, options?: CodecOptions): Result<{ message: Message }> {
    const bound = boundOf(options);
    if (bound === null) return badBound();
    if (typeof input !== "string" && !isBytes(input)) {
      return fail("invalid_message", "neither text nor bytes");
    }
    return strip(readMessage(input, bound));
  },

  /**
   * Checks a result against the definition for the request's method and against the request's identities
   * (R24, R25). A request that is none is `invalid_argument`; codes for the result are those of `receive`.
   */
  checkResult<R extends RequestMessage>(
    request: R,
    result: unknown,
  ): Result<{ result: ResultOf<R["method"]> }> {
    const read = readObject(request, Number.MAX_SAFE_INTEGER);
    if (!read.ok || read.message.type !== "request") return fail("invalid_argument", "not a request");
    const taken = snapshotObject(result, RESULT_DEPTH_MAX);
    if (taken === null) return fail("invalid_message", "the result is not a JSON object");
    const checked = resultCheck(read.message)(taken.value);
    // The check ran the definition of exactly this method.
    return checked.ok ? { ok: true, result: checked.result as ResultOf<R["method"]> } : checked;
  },

  canonical,
  digest,
});
