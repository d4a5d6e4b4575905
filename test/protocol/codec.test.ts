// From input to a message and back: order of checks, sizes to the byte, and nothing that could throw (R6-R13, R22-R24).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  Codec,
  type ErrorCode,
  Event,
  type ProjectEvent,
  type RequestMessage,
} from "../../src/protocol/index.ts";
import { fuzz } from "../support/fuzz.ts";
import {
  codeOf,
  delta,
  EVENT,
  hello,
  must,
  request,
  response,
  sequencedDelta,
  status,
} from "../support/protocol.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const MIB = 1_048_576;

function decode(input: unknown): string {
  return codeOf(Codec.decode(input as string));
}

/** A response of exactly that many bytes. */
function sized(bytes: number, filler = "x"): string {
  const empty = JSON.stringify(response("x", { result: { a: "" } }));
  const room = bytes - empty.length;
  const unit = utf8(filler).length;
  const text = filler.repeat(Math.floor(room / unit)) + "x".repeat(room % unit);
  return JSON.stringify(response("x", { result: { a: text } }));
}

describe("size (R6)", () => {
  test.each([["x"], ["é"], ["€"], ["\u{1f600}"]])("1 MiB of %p passes, one byte more does not", (filler) => {
    for (const [bytes, code] of [
      [MIB, "ok"],
      [MIB + 1, "overflow"],
    ] as const) {
      const text = sized(bytes, filler);
      expect(utf8(text).length).toBe(bytes);
      expect(decode(text)).toBe(code);
      expect(decode(utf8(text))).toBe(code);
      expect(codeOf(Codec.encode(JSON.parse(text)))).toBe(code);
    }
  });

  test("it is an instance's own bound, and counts bytes that are no JSON too", () => {
    const text = JSON.stringify(hello());
    for (const [messageBytes, code] of [
      [text.length, "ok"],
      [text.length - 1, "overflow"],
    ] as const) {
      expect(codeOf(Codec.decode(text, { messageBytes }))).toBe(code);
      expect(codeOf(Codec.decode(utf8(text), { messageBytes }))).toBe(code);
      expect(codeOf(Codec.encode(hello(), { messageBytes }))).toBe(code);
    }
    expect(codeOf(Codec.decode(`${text} `, { messageBytes: text.length }))).toBe("overflow");
    expect(codeOf(Codec.decode(new Uint8Array(5), { messageBytes: 4 }))).toBe("overflow");
  });

  test("R6, R12: for text it comes first, for an object last", () => {
    const bad = { ...JSON.parse(sized(MIB + 1)), extra: 1 };
    expect(decode(JSON.stringify(bad))).toBe("overflow");
    expect(codeOf(Codec.encode(bad))).toBe("invalid_message");
  });

  test.each([0, -1, 1.5, Number.NaN, "9", null])("a bound of %p is a mistake of the program", (given) => {
    const options = { messageBytes: given as number };
    expect(codeOf(Codec.decode(JSON.stringify(hello()), options))).toBe("invalid_argument");
    expect(codeOf(Codec.encode(hello(), options))).toBe("invalid_argument");
  });

  test("what is small in memory and large in writing is not read on", () => {
    let payload: object = {};
    for (let level = 1; level < 29; level++) payload = { a: payload, b: payload };
    const event = { ...EVENT, payload } as ProjectEvent;
    const receive = request("project/event.receive", { event }, { command_id: "cmd-1" });
    expect(codeOf(Codec.encode(receive))).toBe("overflow");
    expect(codeOf(Codec.checkResult(receive as RequestMessage, {}))).toBe("invalid_argument");
    expect(codeOf(Event.retry(event, "attempt-2"))).toBe("invalid_argument");
    expect(Event.sameOriginal(event, event)).toBe(false);
  });
});

describe("text (R6, R7)", () => {
  const good = JSON.stringify(hello());
  test.each<[string, unknown, string]>([
    ["white space around", ` \t\r\n${good}\n`, "ok"],
    ["a byte order mark as bytes", Uint8Array.of(0xef, 0xbb, 0xbf, ...utf8(good)), "invalid_message"],
    ["a byte order mark as text", `\ufeff${good}`, "invalid_message"],
    ["a lone surrogate in the text", good.replace("flow-1", "flow\ud800"), "invalid_message"],
    ["bytes cut inside a character", utf8(`${good}é`).subarray(0, -1), "invalid_message"],
    ["an overlong encoding", Uint8Array.of(0x22, 0xc0, 0x80, 0x22), "invalid_message"],
    ["a part of a larger buffer", utf8(`###${good}###`).subarray(3, -3), "ok"],
    ["no bytes", new Uint8Array(0), "invalid_message"],
    ["an array", "[]", "invalid_message"],
    ["a number", "1", "invalid_message"],
    ["a comment", `/**/${good}`, "invalid_message"],
    ["a trailing comma", good.replace(/}$/, ",}"), "invalid_message"],
    ["undefined", undefined, "invalid_message"],
    ["an object", hello(), "invalid_message"],
    ["an ArrayBuffer", utf8(good).buffer, "invalid_message"],
  ])("%s", (_, input, code) => {
    expect(decode(input)).toBe(code);
  });

  test("bad bytes leave nothing behind for the next message", () => {
    expect(decode(Uint8Array.of(0xe2, 0x82))).toBe("invalid_message");
    expect(decode(utf8(good))).toBe("ok");
  });
});

describe("the order of checks (R12)", () => {
  const base = { ...status("c1-2") };
  test.each<[string, string, ErrorCode]>([
    ["depth before JSON", "[".repeat(33), "invalid_message"],
    ["a number out of range before the version", '{"schema_version":"2.0","a":1e999}', "invalid_message"],
    [
      "a duplicate key before the version",
      '{"schema_version":"2.0","schema_version":"2.0"}',
      "invalid_message",
    ],
    ["the version before the type", '{"schema_version":"2.0"}', "unsupported_version"],
    ["an empty version is another version", '{"schema_version":""}', "unsupported_version"],
    ["a version that is no text", '{"schema_version":null,"type":"request"}', "invalid_message"],
    ["no type", '{"schema_version":"1.0","method":"a"}', "invalid_message"],
    ["the type before the method", '{"schema_version":"1.0","type":"a","method":"a"}', "invalid_message"],
    [
      "the method before everything else",
      '{"schema_version":"1.0","type":"request","method":"a"}',
      "unsupported_method",
    ],
    ["no method", JSON.stringify({ ...base, method: undefined }), "invalid_message"],
    ["a method that is no text", JSON.stringify({ ...base, method: 1 }), "invalid_message"],
    ["a name that every object has", JSON.stringify({ ...base, method: "toString" }), "unsupported_method"],
    [
      "a request's name in a notification",
      JSON.stringify({ ...delta("x"), method: "turn/start" }),
      "unsupported_method",
    ],
    [
      "a notification's name in a request",
      JSON.stringify({ ...base, method: "item/delta" }),
      "unsupported_method",
    ],
  ])("%s", (_, text, code) => {
    expect(decode(text)).toBe(code);
    expect(decode(utf8(text))).toBe(code);
  });

  test.each(["toString", "constructor", "hasOwnProperty", "valueOf"])(
    "R11: %s is an unknown field",
    (name) => {
      expect(decode(JSON.stringify({ ...base, [name]: 1 }))).toBe("invalid_message");
      expect(decode(JSON.stringify({ ...base, params: { event_id: "ev-1", [name]: 1 } }))).toBe(
        "invalid_message",
      );
    },
  );
});

describe("what comes back (R13)", () => {
  test("a message of one's own: changing it changes nothing else", () => {
    const given = request(
      "project/event.receive",
      { event: { ...EVENT, payload: { a: [1] } } },
      { command_id: "cmd-1" },
    );
    const { message } = must(Codec.encode(given));
    (given["params"] as { event: { payload: { a: number[] } } }).event.payload.a.push(2);
    expect(message).toMatchObject({ params: { event: { payload: { a: [1] } } } });
  });

  test("-0 is encoded as 0", () => {
    const given = request(
      "project/event.receive",
      { event: { ...EVENT, payload: { a: -0 } } },
      { command_id: "cmd-1" },
    );
    expect(must(Codec.encode(given)).text).toContain('"payload":{"a":0}');
  });

  test("any text or bytes give a result, and a good one survives encoding", () => {
    const good = [
      hello(),
      status("c1-2"),
      delta("x"),
      sequencedDelta(1),
      response("x", { result: { a: [1, "é"] } }),
    ];
    const seeds = good.map((message) => utf8(JSON.stringify(message)));
    fuzz(
      fc.property(
        fc.constantFrom(...seeds),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }),
        (seed, edits) => {
          const bytes = Uint8Array.from(seed);
          for (const [at, byte] of edits) bytes[at % bytes.length] = byte;
          const decoded = Codec.decode(bytes);
          if (!decoded.ok) return;
          const encoded = must(Codec.encode(decoded.message));
          expect(Codec.canonical(must(Codec.decode(encoded.text)).message)).toBe(
            Codec.canonical(decoded.message),
          );
        },
      ),
      1000,
    );
  });

  test("no value at all makes it throw", () => {
    const anything = fc.anything({
      withBigInt: true,
      withMap: true,
      withSparseArray: true,
      withNullPrototype: true,
    });
    fuzz(
      fc.property(anything, anything, (a, b) => {
        expect(Codec.encode(a).ok).toBe(false);
        expect(Codec.encode({ ...hello(), params: a }).ok).toBe(false);
        expect(Codec.decode(a as string).ok).toBe(false);
        expect(codeOf(Codec.checkResult(a as RequestMessage, b))).toBe("invalid_argument");
        expect(Event.retry(a as ProjectEvent, b as string).ok).toBe(false);
        expect(Event.sameOriginal(a as ProjectEvent, b as ProjectEvent)).toBe(false);
      }),
    );
  });

  test("a proxy that throws when it is asked what it is", () => {
    const throwing = new Proxy(
      {},
      {
        getPrototypeOf: () => {
          throw new Error("words of a proxy");
        },
      },
    );
    expect(decode(throwing)).toBe("invalid_message");
    expect(codeOf(Codec.encode(throwing))).toBe("invalid_message");
    expect(codeOf(Codec.encode(hello(), throwing))).toBe("invalid_argument");
  });

  test("section 10: words of a refusal hold nothing of the input", () => {
    const marker = "marker_5f2c";
    const inputs = [
      JSON.stringify({ ...status("c1-2"), [marker]: 1 }),
      JSON.stringify({ ...status("c1-2"), method: marker }),
      JSON.stringify({ ...status("c1-2"), schema_version: marker }),
      JSON.stringify({ ...status("c1-2"), type: marker }),
      JSON.stringify(request("thread/read", { thread_id: { [marker]: marker } })),
      JSON.stringify(
        request("turn/start", { thread_id: "th-1", input: [{ type: marker }] }, { command_id: "c" }),
      ),
      JSON.stringify(response("x", { error: { code: marker, message: marker } })),
      `{"${marker}":`,
      `{"${marker}":1,"${marker}":1}`,
    ];
    for (const input of inputs) {
      const decoded = Codec.decode(input);
      if (decoded.ok) throw new Error("accepted");
      expect(decoded.error.message).not.toContain(marker);
      expect(JSON.stringify(decoded.error)).not.toContain(marker);
    }
  });

  test("they say which defined field is wrong", () => {
    const bad = request(
      "turn/start",
      { thread_id: "th-1", input: [{ type: "text", text: "" }] },
      { command_id: "c" },
    );
    const decoded = Codec.decode(JSON.stringify(bad));
    expect(decoded).toMatchObject({ error: { message: "params.input.0.text is missing or not as defined" } });
    const unknown = Codec.decode(JSON.stringify({ ...status("c1-2"), a: 1 }));
    expect(unknown).toMatchObject({ error: { message: "the message has a field that is not defined" } });
  });
});

describe("events (R26-R30, R43)", () => {
  const receive = (event: object, more: object = {}) =>
    decode(JSON.stringify(request("project/event.receive", { event }, { command_id: "cmd-1", ...more })));

  test.each([
    ["é", 262_144, "ok"],
    ["é", 262_145, "invalid_message"],
    ["\n", 262_144, "ok"],
    ["\n", 262_145, "invalid_message"],
  ])("R43: a payload of %j whose canonical form has %p bytes", (filler, bytes, code) => {
    const unit = utf8(JSON.stringify(filler)).length - 2;
    const room = bytes - '{"k":""}'.length;
    const text = filler.repeat(Math.floor(room / unit)) + "x".repeat(room % unit);
    const payload = { k: text };
    expect(utf8(Codec.canonical(payload)).length).toBe(bytes);
    expect(receive({ ...EVENT, payload })).toBe(code);
  });

  test.each<[string, object, object, string]>([
    ["no references in the envelope", {}, {}, "ok"],
    ["the event's project", {}, { project_ref: EVENT.project_ref }, "ok"],
    ["another project", {}, { project_ref: "projects/other" }, "invalid_message"],
    ["the event's task", { task_ref: "t" }, { project_ref: EVENT.project_ref, task_ref: "t" }, "ok"],
    ["only the project of an event with a task", { task_ref: "t" }, { project_ref: EVENT.project_ref }, "ok"],
    ["another task", { task_ref: "t" }, { project_ref: EVENT.project_ref, task_ref: "u" }, "invalid_message"],
    [
      "a task that the event does not have",
      {},
      { project_ref: EVENT.project_ref, task_ref: "t" },
      "invalid_message",
    ],
  ])("R43: %s", (_, event, envelope, code) => {
    expect(receive({ ...EVENT, ...event }, envelope)).toBe(code);
  });

  test("R28: the same original in another order of keys, and none where anything else differs", () => {
    const same = Object.fromEntries(Object.entries(EVENT).reverse()) as unknown as ProjectEvent;
    expect(Event.sameOriginal(EVENT, { ...same, delivery_attempt_id: "att-2" })).toBe(true);
    for (const change of [
      { created_at: "2031-04-05T06:07:08.0Z" },
      { event_id: "ev-2" },
      { causation_id: "c" },
      { task_ref: "t" },
      { payload: { a: null } },
    ]) {
      expect(Event.sameOriginal(EVENT, { ...EVENT, ...change })).toBe(false);
    }
  });

  test("R27: a retry is a copy", () => {
    const payload = { a: [1] };
    const { event } = must(Event.retry({ ...EVENT, payload }, "att-2"));
    payload.a.push(2);
    expect(event).toEqual({ ...EVENT, payload: { a: [1] }, delivery_attempt_id: "att-2" });
  });
});

describe("results without a connection (R24)", () => {
  test("what is no request is a mistake of the program", () => {
    expect(codeOf(Codec.checkResult(delta("x") as unknown as RequestMessage, {}))).toBe("invalid_argument");
  });

  test("R8: a result stands at level 2 of its response", () => {
    const ask = status("c1-2") as unknown as RequestMessage;
    const base = { event_id: "ev-1", acceptance: "received", processing_status: "pending", deliveries: 1 };
    const at = (levels: number) => ({
      ...base,
      updated_at: "2031-04-05T06:07:08Z",
      details: JSON.parse(`${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`),
    });
    expect(codeOf(Codec.checkResult(ask, at(30)))).toBe("ok");
    expect(codeOf(Codec.checkResult(ask, at(31)))).toBe("invalid_message");
    expect(decode(JSON.stringify(response("x", { result: at(30) })))).toBe("ok");
    expect(decode(JSON.stringify(response("x", { result: at(31) })))).toBe("invalid_message");
  });
});
