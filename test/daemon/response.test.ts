import { describe, expect, test } from "bun:test";
import {
  codeOf,
  errorResponse,
  NULL_ID,
  numericId,
  overflowResponse,
  RpcCode,
  rendered,
  resultResponse,
  resultResponseLength,
  type Slices,
  textId,
} from "../../src/daemon/response.ts";
import { concatenate, totalLength, utf8 } from "../../src/kernel/bytes.ts";
import type { Code, Diagnostic } from "../../src/kernel/failure.ts";

function text(slices: Slices): string {
  return new TextDecoder().decode(concatenate(slices));
}

describe("D27, D28", () => {
  test("a result, and its length before it is rendered", () => {
    const id = textId('a"\\/\n\x7f\x85\b\u2028é');
    const result = rendered(utf8('{"a":'), utf8("1}"));
    const response = resultResponse(id, result);
    expect(text(response)).toBe('{"jsonrpc":"2.0","id":"a\\"\\\\/\\n\x7f\x85\\b\u2028é","result":{"a":1}}\n');
    expect(resultResponseLength(id, result)).toBe(totalLength(response));
  });

  test("an error", () => {
    expect(text(errorResponse(NULL_ID, RpcCode.Parse, 'a "b"\n\f'))).toBe(
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a \\"b\\"\\n\\f"}}\n',
    );
  });

  test("a numeric id is copied out of the frame", () => {
    const frame = utf8("18446744073709551615");
    const id = numericId(frame.subarray(0, 20));
    frame.fill(0);
    expect(text([id])).toBe("18446744073709551615");
  });
});

describe("overflow (D30)", () => {
  const overflow = (id: string) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32001,"message":"response exceeds configured byte limit"}}\n`;

  test("with null it takes 103 bytes, the least limit", () => {
    expect(totalLength(overflowResponse(NULL_ID, 103))).toBe(103);
  });

  test.each([
    [109, '"abcdefgh"'],
    [110, '"abcdefgh"'],
    [108, "null"],
    [105, "null"],
    [103, "null"],
  ])("limit %d keeps the id %s", (limit, id) => {
    expect(text(overflowResponse(textId("abcdefgh"), limit))).toBe(overflow(id));
  });
});

describe("the code of diagnostics (D52)", () => {
  const diagnostic = (code: Code): Diagnostic => ({
    code,
    severity: "error",
    path: null,
    span: null,
    message: "",
  });

  test.each<[Code[], RpcCode]>([
    [["SPX-J105"], RpcCode.InvalidParams],
    [["SPX-G176"], RpcCode.InvalidParams],
    [["SPX-G178"], RpcCode.InvalidParams],
    [["SPX-F101"], RpcCode.InvalidParams],
    [["SPX-J105", "SPX-F101"], RpcCode.InvalidParams],
    [["SPX-J105", "SPX-J102"], RpcCode.Refused],
    [["SPX-J102"], RpcCode.Refused],
    [["SPX-J104"], RpcCode.Refused],
    [["SPX-G177"], RpcCode.Refused],
    [["SPX-F104"], RpcCode.Refused],
  ])("%j is %d", (codes, code) => {
    expect(codeOf(codes.map(diagnostic))).toBe(code);
  });
});
