/** A frame to a request, or to the error it is answered with (D20 to D26). */
import { isUtf8 } from "node:buffer";
import { JsonKind, JsonScanner, NONE } from "../kernel/json-scan.ts";
import { ESCAPED_BYTES_MAX } from "../kernel/json-string.ts";
import { clip, hasControl, utf8Length } from "../kernel/text.ts";
import { NAME_BYTES_MAX } from "./limits.ts";
import { Parameters } from "./parameters.ts";
import { NULL_ID, numericId, RpcCode, textId, type WireId } from "./response.ts";

export type Decoded =
  | {
      readonly kind: "request";
      readonly id: WireId;
      readonly method: string;
      readonly parameters: Parameters;
    }
  /** `isBare`: `params` are absent or empty. */
  | { readonly kind: "notification"; readonly method: string; readonly isBare: boolean }
  | { readonly kind: "refused"; readonly id: WireId; readonly code: RpcCode; readonly words: string };

const CR = 0x0d;
/** The members of a request are at depth 1, its parameters at depth 2. */
const RECORDED_DEPTH = 2;

/** One per session: it keeps the scanner's room. */
export class RequestDecoder {
  readonly #scanner = new JsonScanner(RECORDED_DEPTH);

  /** Decodes a frame without its LF. The result refers to the frame and ends with the next call. */
  decode(frame: Uint8Array): Decoded {
    const scanner = this.#scanner;
    if (frame.indexOf(CR) >= 0) return refused(RpcCode.Parse, "carriage return in the request");
    if (!isUtf8(frame)) return refused(RpcCode.Parse, "request is not UTF-8");
    const fault = scanner.scan(frame);
    if (fault === "syntax") return refused(RpcCode.Parse, "request is not JSON");
    if (scanner.rootKind() !== JsonKind.Object) return refused(RpcCode.InvalidRequest, "not one JSON object");
    if (fault === "duplicate") return refused(RpcCode.InvalidRequest, "an object has a key twice");
    return this.#decodeMembers();
  }

  /** Rows 4 to 9 of D20, given an object without duplicate keys. */
  #decodeMembers(): Decoded {
    const scanner = this.#scanner;
    let [version, id, method, params] = [NONE, NONE, NONE, NONE];
    for (let member = 0; member < scanner.memberCount; member++) {
      if (scanner.parent(member) !== NONE) continue;
      if (scanner.keyIs(member, "jsonrpc")) version = member;
      else if (scanner.keyIs(member, "id")) id = member;
      else if (scanner.keyIs(member, "method")) method = member;
      else if (scanner.keyIs(member, "params")) params = member;
      else return refused(RpcCode.InvalidRequest, `unknown member ${clip(scanner.key(member))}`);
    }
    if (version === NONE || !scanner.stringIs(version, "2.0"))
      return refused(RpcCode.InvalidRequest, 'jsonrpc must be "2.0"');
    const name = this.#shortText(method);
    if (name === null) return refused(RpcCode.InvalidRequest, "method must be 1 to 128 bytes of text");
    const wire = id === NONE ? null : this.#wireId(id);
    if (id !== NONE && wire === null) {
      return refused(RpcCode.InvalidRequest, "id must be an integer or short text");
    }
    const isObject = params === NONE || scanner.kind(params) === JsonKind.Object;
    const parameters = new Parameters(scanner, params);
    if (wire === null) {
      return { kind: "notification", method: name, isBare: isObject && parameters.isEmpty };
    }
    if (!isObject) return refused(RpcCode.InvalidParams, "params must be an object", wire);
    return { kind: "request", id: wire, method: name, parameters };
  }

  /** A value that is a string of 1 to 128 bytes without control characters (D20 row 6, D24), else null. */
  #shortText(member: number): string | null {
    const scanner = this.#scanner;
    if (member === NONE || scanner.kind(member) !== JsonKind.String) return null;
    // Longer than this with its quotation marks it has too many bytes however it is escaped: do not materialise it.
    if (scanner.rawLength(member) > NAME_BYTES_MAX * ESCAPED_BYTES_MAX + 2) return null;
    const text = scanner.string(member);
    return text !== "" && utf8Length(text) <= NAME_BYTES_MAX && !hasControl(text) ? text : null;
  }

  #wireId(member: number): WireId | null {
    if (this.#scanner.isUnsigned(member)) return numericId(this.#scanner.rawValue(member));
    const text = this.#shortText(member);
    return text === null ? null : textId(text);
  }
}

function refused(code: RpcCode, words: string, id: WireId = NULL_ID): Decoded {
  return { kind: "refused", id, code, words };
}
