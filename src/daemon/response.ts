/**
 * Responses (D27 to D31). A response is a list of slices that are written one after the other: a large result is never
 * copied, and whether it fits is known from lengths alone.
 */
import { totalLength, utf8 } from "../kernel/bytes.ts";
import type { Diagnostic } from "../kernel/failure.ts";
import { wireString, wireStringBytes } from "../kernel/json-write.ts";

declare const wireIdBrand: unique symbol;

/** An id as it stands in the response: digits, a JSON string, or `null`. */
export type WireId = Uint8Array & { readonly [wireIdBrand]: true };

/** The bytes of one JSON value, or of one response, in pieces. */
export type Slices = readonly Uint8Array[];

/** A RESULT whose length is known. `render` is called only if it will be written, and at most once (D31). */
export interface Result {
  readonly length: number;
  readonly render: () => Slices;
}

/** A RESULT that is rendered already. */
export function rendered(...slices: Slices): Result {
  return { length: totalLength(slices), render: () => slices };
}

/** The JSON-RPC codes of section 9. */
export const enum RpcCode {
  Parse = -32700,
  InvalidRequest = -32600,
  UnknownMethod = -32601,
  InvalidParams = -32602,
  Overflow = -32001,
  Refused = -32000,
}

export const NULL_ID = wireId(utf8("null"));

const OVERFLOW_MESSAGE = "response exceeds configured byte limit";

const HEAD = utf8('{"jsonrpc":"2.0","id":');
const RESULT = utf8(',"result":');
const END = utf8("}\n");

/** The id that is a number, given its digits as they were sent. They are copied: the frame buffer is used again. */
export function numericId(digits: Uint8Array): WireId {
  return wireId(digits.slice());
}

export function textId(text: string): WireId {
  return wireId(wireStringBytes(text));
}

function wireId(bytes: Uint8Array): WireId {
  return bytes as WireId;
}

/** `{"jsonrpc":"2.0","id":ID,"result":RESULT}` and LF. */
export function resultResponse(id: WireId, result: Result): Slices {
  return [HEAD, id, RESULT, ...result.render(), END];
}

/** How long {@link resultResponse} will be. */
export function resultResponseLength(id: WireId, result: Result): number {
  return HEAD.length + id.length + RESULT.length + result.length + END.length;
}

/** `{"jsonrpc":"2.0","id":ID,"error":{"code":C,"message":M}}` and LF. */
export function errorResponse(id: WireId, code: RpcCode, message: string): Slices {
  return [HEAD, id, utf8(`,"error":{"code":${code},"message":${wireString(message)}}}\n`)];
}

/** What is answered in place of a response that does not fit (D30): with the request's id if that fits. */
export function overflowResponse(id: WireId, bytesMax: number): Slices {
  const response = errorResponse(id, RpcCode.Overflow, OVERFLOW_MESSAGE);
  if (totalLength(response) <= bytesMax) return response;
  return errorResponse(NULL_ID, RpcCode.Overflow, OVERFLOW_MESSAGE);
}

/** The JSON-RPC code of an answer that consists of diagnostics (D52). */
export function codeOf(diagnostics: readonly Diagnostic[]): RpcCode {
  return diagnostics.every(blamesParameters) ? RpcCode.InvalidParams : RpcCode.Refused;
}

function blamesParameters({ code }: Diagnostic): boolean {
  return code === "SPX-J105" || code === "SPX-G176" || code === "SPX-G178" || code === "SPX-F101";
}
