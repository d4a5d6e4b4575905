import { describe, expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { type Decoded, RequestDecoder } from "../../src/daemon/request.ts";
import { RpcCode } from "../../src/daemon/response.ts";
import { utf8 } from "../../src/kernel/bytes.ts";
import { fuzz } from "../support/fuzz.ts";

const decoder = new RequestDecoder();

/** A decoded frame as plain values. */
function shown(decoded: Decoded) {
  if (decoded.kind === "notification") return decoded;
  const id = new TextDecoder().decode(decoded.id);
  return decoded.kind === "refused"
    ? { kind: decoded.kind, id, code: decoded.code }
    : { kind: decoded.kind, id, method: decoded.method };
}

function decode(frame: string | Uint8Array) {
  return shown(decoder.decode(typeof frame === "string" ? utf8(frame) : frame));
}

const PARSE = { kind: "refused", id: "null", code: RpcCode.Parse } as const;
const INVALID = { kind: "refused", id: "null", code: RpcCode.InvalidRequest } as const;
const request = (id: string, method = "ping") => ({ kind: "request", id, method }) as const;

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const withId = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const withMethod = (method: string) => `{"jsonrpc":"2.0","id":1,"method":${method}}`;

describe("rows 1 to 3 of D20", () => {
  test.each<[string, string | number[]]>([
    ["CR at the end", `${PING}\r`],
    ["CR between", PING.replace(",", ",\r")],
    ["CR in a string", PING.replace("ping", "pi\rng")],
    ["a lone CR", "\r"],
    ["a byte that begins nothing", [...utf8(PING), 0xff]],
    ["overlong", [0x22, 0xc0, 0x80, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["beyond U+10FFFF", [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22]],
    ["cut in half", [0x22, 0xc3, 0x22]],
    ["a byte order mark", `\ufeff${PING}`],
    ["blanks", "  \t"],
    ["two requests", `${PING}${PING}`],
    ["NUL behind", `${PING}\0`],
    ["duplicate, then a syntax error (D23)", '{"a":1,"a":2,'],
    ["128 levels", `{"a":${"[".repeat(127)}${"]".repeat(127)}}`],
    ["a lone surrogate in a key", '{"\\ud800":1}'],
    ["an infinite number", `{"jsonrpc":"2.0","id":1e999,"method":"ping"}`],
  ])("%s", (_, frame) => {
    expect(decode(typeof frame === "string" ? frame : new Uint8Array(frame))).toEqual(PARSE);
  });
});

describe("row 4 of D20", () => {
  test.each([
    "[]",
    "null",
    "1",
    '"ping"',
    "true",
    `[${PING}]`,
    '[{"a":1,"a":1}]',
    "{}",
    PING.replace("}", ',"x":1}'),
    PING.replace("}", ',"__proto__":1}'),
    PING.replace("}", ',"ID":1}'),
    PING.replace("}", ',"id":1}'),
    PING.replace("}", ',"\\u0069d":1}'),
    PING.replace("}", ',"params":{"a":{"b":1,"b":1}}}'),
    PING.replace("}", ',"params":{"a":[{"b":1,"b":1}]}}'),
    `{"a":${"[".repeat(126)}${"]".repeat(126)}}`,
    PING.replace("}", `,"${"k".repeat(5000)}":1}`),
  ])("%s", (frame) => {
    expect(decode(frame)).toEqual(INVALID);
  });
});

describe("rows 5 to 7 of D20", () => {
  test.each([
    '{"id":1,"method":"ping"}',
    '{"jsonrpc":2.0,"id":1,"method":"ping"}',
    '{"jsonrpc":"2","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0 ","id":1,"method":"ping"}',
    '{"jsonrpc":null,"id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0"}',
    withMethod("null"),
    withMethod("1"),
    withMethod('["ping"]'),
    withMethod('""'),
    withMethod(`"${"m".repeat(129)}"`),
    withMethod(`"${"m".repeat(127)}é"`),
    withMethod(`"${"\\u006d".repeat(129)}"`),
    withMethod('"a\\u0000"'),
    withMethod('"a\\n"'),
    withMethod('"\x7f"'),
    withMethod('"\\u0085"'),
    withMethod('"\x9f"'),
    withId("null"),
    withId("true"),
    withId("[]"),
    withId("{}"),
    withId("-0"),
    withId("-1"),
    withId("1.0"),
    withId("1e0"),
    withId("0e999"),
    withId("18446744073709551616"),
    withId("99999999999999999999"),
    withId("1".repeat(300)),
    withId('""'),
    withId(`"${"i".repeat(129)}"`),
    withId(`"${"\u20ac".repeat(43)}"`),
    withId('"\\t"'),
    withId('"\x7f"'),
    withId('"\x80"'),
  ])("%s", (frame) => {
    expect(decode(frame)).toEqual(INVALID);
  });

  test.each([
    [withId("0"), "0"],
    [withId("9007199254740993"), "9007199254740993"],
    [withId("18446744073709551615"), "18446744073709551615"],
    [withId(`"${"i".repeat(128)}"`), `"${"i".repeat(128)}"`],
    [withId(`"${"\\u0069".repeat(128)}"`), `"${"i".repeat(128)}"`],
    [withId(`"${"\u20ac".repeat(42)}é"`), `"${"\u20ac".repeat(42)}é"`],
    [withId('" \xa0"'), '" \xa0"'],
    [withId('"a\\"\\\\/\\/\\u00e9\\u2028\\ud83d\\ude00"'), '"a\\"\\\\//é\u2028😀"'],
  ])("%s", (frame, id) => {
    expect(decode(frame)).toEqual(request(id));
  });

  test.each([
    ['"p\\u0069ng"', "ping"],
    [`"${"m".repeat(128)}"`, "m".repeat(128)],
    [`"${"m".repeat(126)}é"`, `${"m".repeat(126)}é`],
    ['"__proto__"', "__proto__"],
    ['" ping"', " ping"],
  ])("method %s", (text, method) => {
    expect(decode(withMethod(text))).toEqual(request("1", method));
  });

  test("in any order of members, with white space around", () => {
    expect(decode(' \t{ "params" : { } , "method":"ping","id" : 7,"jsonrpc":"2.0" } ')).toEqual(request("7"));
  });

  test("rows 4 to 7 are answered without an id too (D21)", () => {
    expect(decode('{"jsonrpc":"2.0","method":1}')).toEqual(INVALID);
    expect(decode('{"jsonrpc":"1","method":"ping"}')).toEqual(INVALID);
  });
});

describe("row 9 of D20", () => {
  const withParams = (params: string, id = '"id":"x",') =>
    `{"jsonrpc":"2.0",${id}"method":"nope","params":${params}}`;

  test.each(["null", "[]", "[1]", "0", '""', "false"])("%s is no object", (params) => {
    expect(decode(withParams(params))).toEqual({ kind: "refused", id: '"x"', code: RpcCode.InvalidParams });
    expect(decode(withParams(params, ""))).toEqual({ kind: "notification", method: "nope", isBare: false });
  });

  test("in a notification", () => {
    expect(decode(withParams("{}", ""))).toEqual({ kind: "notification", method: "nope", isBare: true });
    expect(decode(withParams('{"a":1}', ""))).toEqual({
      kind: "notification",
      method: "nope",
      isBare: false,
    });
    expect(decode('{"jsonrpc":"2.0","method":"nope"}')).toEqual({
      kind: "notification",
      method: "nope",
      isBare: true,
    });
  });
});

describe("parameters", () => {
  function bind(params: string, names: readonly string[] = ["text", "number"]) {
    const decoded = decoder.decode(utf8(`{"jsonrpc":"2.0","params":${params},"id":1,"method":"m"}`));
    if (decoded.kind !== "request") throw new Error("not a request");
    return { isEmpty: decoded.parameters.isEmpty, bound: decoded.parameters.bind(names) };
  }
  const words = (outcome: { ok: boolean; failure?: readonly { code: string; message: string }[] }) =>
    outcome.failure?.map(({ code, message }) => `${code}: ${message}`).join();

  test.each([
    ["{}", "SPX-J105: text is missing"],
    ['{"text":null}', "SPX-J105: text must be text"],
    ['{"text":1}', "SPX-J105: text must be text"],
    ['{"text":["a"]}', "SPX-J105: text must be text"],
    ['{"text":""}', "SPX-J105: text is empty"],
    ['{"text":"a\\u0000"}', "SPX-J105: controls in text"],
    ['{"text":"\\u009f"}', "SPX-J105: controls in text"],
    ['{"text":{"text":"a"}}', "SPX-J105: text must be text"],
  ])("text of %s (D50)", (params, message) => {
    expect(words(bind(params).bound.text("text"))).toBe(message);
  });

  test("text, under any spelling of its name", () => {
    expect(bind('{"text":"é"}').bound.text("text")).toEqual({ ok: true, value: "é" });
    expect(bind('{"t\\u0065xt":"\\u00e9"}').bound.text("text")).toEqual({ ok: true, value: "é" });
    expect(bind('{"other":{"text":"no"},"text":"yes"}').bound.text("text")).toEqual({
      ok: true,
      value: "yes",
    });
  });

  test.each([
    ["{}", 7],
    ['{"number":0}', 0],
    ['{"number":9007199254740991}', Number.MAX_SAFE_INTEGER],
    ['{"number":18446744073709551615}', Number.MAX_SAFE_INTEGER],
  ])("integer of %s (D26)", (params, value) => {
    expect(bind(params).bound.integer("number", 7)).toEqual({ ok: true, value });
  });

  test.each(["null", '"1"', "-1", "-0", "1.0", "1e1", "18446744073709551616", "true", "[1]"])(
    "%s is no integer (D26)",
    (value) => {
      expect(words(bind(`{"number":${value}}`).bound.integer("number", 7))).toBe(
        "SPX-J105: number is no integer",
      );
    },
  );

  test("words", () => {
    const { bound } = bind('{"text":"b"}');
    expect(bound.word("text", ["a", "b"])).toEqual({ ok: true, value: "b" });
    expect(words(bound.word("text", ["a", "c"]))).toBe("SPX-J105: text is no known word");
    expect(bound.word("number", ["a", "b"], "a")).toEqual({ ok: true, value: "a" });
    expect(words(bound.word("number", ["a", "b"]))).toBe("SPX-J105: number is missing");
    expect(words(bind('{"text":null}').bound.word("text", ["a"], "a"))).toBe("SPX-J105: text must be text");
  });

  test.each([
    ['{"text":1,"number":2}', null],
    ["{}", null],
    ['{"z":1,"y":{"a":1},"zz":2}', "y"],
    ['{"constructor":1,"__proto__":2,"toString":3}', "__proto__"],
    ['{"\uffff":1,"\u{10000}":2}', "\uffff"],
    ['{"Text":1}', "Text"],
    ['{"":1,"a":1}', ""],
    [`{"${"k".repeat(70)}":1}`, "k".repeat(64)],
    ['{"\\uffff":1,"\\ud800\\udc00":2}', "\uffff"],
    ['{"b":1,"\\u0061\\n":2,"\\u0061":3,"ab":4}', "a"],
    ['{"\\u0074ext":1,"\\u006eumbe\\u0072":2,"x":3}', "x"],
  ])("the unknown parameter of %s (D50)", (params, name) => {
    const expected = name === null ? undefined : `SPX-J105: unknown parameter ${name}`;
    expect(words(bind(params).bound.refuseUnknown())).toBe(expected);
  });

  test("a parameter may be called like any member", () => {
    const { bound, isEmpty } = bind('{"id":1,"method":2,"params":{"x":3}}', ["id", "method", "params"]);
    expect(isEmpty).toBe(false);
    expect(bound.integer("id", 0)).toEqual({ ok: true, value: 1 });
    expect(bound.integer("method", 0)).toEqual({ ok: true, value: 2 });
    expect(bound.refuseUnknown().ok).toBe(true);
  });

  test("100,000 unknown parameters end in time", () => {
    const params = Array.from({ length: 100_000 }, (_, n) => `"k${n}":0`).join();
    expect(words(bind(`{${params}}`).bound.refuseUnknown())).toBe("SPX-J105: unknown parameter k0");
  });

  test("no key becomes a string but the one that is named (D76)", () => {
    const params = Array.from({ length: 1000 }, (_, n) => `"\\n${n}":0,"${n}":0`).join();
    const decode = spyOn(TextDecoder.prototype, "decode");
    const found = words(bind(`{${params}}`).bound.refuseUnknown());
    const calls = decode.mock.calls.length;
    decode.mockRestore();
    expect(found).toBe("SPX-J105: unknown parameter ?0");
    // The method, and that one.
    expect(calls).toBe(2);
  });
});

describe("damage", () => {
  test("every beginning of a request is refused", () => {
    const frame = utf8('{"jsonrpc":"2.0","id":"é","method":"ping","params":{"a":[1,2]}}');
    for (let end = 0; end < frame.length; end++) {
      expect(decode(frame.subarray(0, end))).toEqual(PARSE);
    }
  });

  test("a request with any byte changed to any other is decoded or refused", () => {
    const frame = utf8('{"jsonrpc":"2.0","id":"é","method":"ping","params":{"a":[1,2]}}');
    for (let at = 0; at < frame.length; at++) {
      for (let byte = 0; byte < 256; byte++) {
        const damaged = frame.slice();
        damaged[at] = byte;
        const decoded = decode(damaged);
        const text = new TextDecoder().decode(damaged);
        if (decoded.kind === "refused" && decoded.code !== RpcCode.Parse) continue;
        let valid = byte !== 0x0d && text.isWellFormed() && !text.includes("\ufffd");
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(decoded.kind !== "refused").toBe(valid);
      }
    }
  });

  test("random bytes never throw", () => {
    fuzz(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        expect(decode(bytes).kind).toBe("refused");
      }),
      2000,
    );
  });
});
