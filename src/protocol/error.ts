/** Failures of the agent protocol as values: the closed list of codes (section 10), and the result of a step. */

import type { JsonObject } from "./json/value.ts";

/** Codes that may stand in an error response. */
export const WIRE_CODES = [
  "invalid_message",
  "unsupported_version",
  "unsupported_capability",
  "unsupported_method",
  "not_initialized",
  "conflict",
  "not_found",
  "invalid_state",
  "unauthorized",
  "unavailable",
  "cancelled",
  "deadline_expired",
  "overflow",
  "replay_gap",
  "cursor_gap",
  "foreign_stream",
  "internal",
  "ambiguous_disconnect",
  "timeout",
] as const;

/** Codes that only the API returns. */
export const LOCAL_CODES = [
  "disconnected",
  "unknown_response",
  "conflicting_response",
  "unknown_request",
  "invalid_argument",
] as const;

export type WireCode = (typeof WIRE_CODES)[number];
export type ErrorCode = WireCode | (typeof LOCAL_CODES)[number];

/** An error inside a message or an effect. In a message only a {@link WireCode} may stand (R17). */
export interface ErrorObject {
  code: ErrorCode;
  /** 1 to 1024 bytes, for people. */
  message: string;
  details?: JsonObject;
}

/**
 * An expected failure. It is returned and never thrown by this package, with one exception: `Codec.canonical`
 * and `Codec.digest` throw a `TypeError` for a value that is no JSON (R14). `message` is for people; it holds
 * names of the protocol's own fields and bounds, and nothing of any input.
 */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: ErrorCode;
  // Declared only: an error without details has no such member.
  declare readonly details?: JsonObject;

  constructor(code: ErrorCode, message: string, details?: JsonObject) {
    super(message);
    this.code = code;
    if (details !== undefined) this.details = details;
  }
}

export type Failure = { ok: false; error: ProtocolError };
export type Result<T> = ({ ok: true } & T) | Failure;

export function fail(code: ErrorCode, message: string, details?: JsonObject): Failure {
  return { ok: false, error: new ProtocolError(code, message, details) };
}
