// JSON as the protocol allows it: depth, duplicate keys, forbidden values, the canonical form (section 2).
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { Codec, type JsonValue } from "../../src/protocol/index.ts";
import { countColons } from "../../src/protocol/json/scan.ts";
import { snapshot, snapshotObject } from "../../src/protocol/json/snapshot.ts";
import { countKeys } from "../../src/protocol/json/value.ts";
import { fuzz } from "../support/fuzz.ts";

/** Each of its members adds another one. */
function growing(): unknown[] {
  const list: unknown[] = [];
  const grow = (): void => {
    Object.defineProperty(list, list.length, {
      enumerable: true,
      get() {
        grow();
        return 1;
      },
    });
  };
  grow();
  return list;
}

function nested(levels: number): string {
  return `${"[".repeat(levels)}${"]".repeat(levels)}`;
}

describe("the scan before the parser (R8, R9)", () => {
  test.each([
    ["", 32, 0],
    ["{}", 32, 0],
    ['{"a":1,"b":{"c":[{"d":2}]}}', 32, 4],
    ['{"a:b":":::"}', 32, 1],
    ['{"a\\"b:":1}', 32, 1],
    ['{"a\\\\":1,"b":"\\\\\\":"}', 32, 2],
    ['["[[[[","{{{{","]]}}"]', 1, 0],
    ['"never ends: \\"', 32, 0],
    ["]]]][[[[", 4, 0],
    [nested(32), 32, 0],
    [nested(33), 32, -1],
    [`{"a":${nested(31)}}`, 32, 1],
    [`{"a":${nested(32)}}`, 32, -1],
    [`[${nested(31)},${nested(31)}]`, 32, 0],
  ])("%p at most %p deep has %p colons", (text, depth, colons) => {
    expect(countColons(text, depth)).toBe(colons);
  });

  test("R8: half a million brackets need no recursion", () => {
    expect(countColons("[".repeat(500_000), 32)).toBe(-1);
    expect(countColons("]".repeat(500_000), 32)).toBe(0);
  });

  test("R9: for any JSON, colons outside strings are the keys of the value", () => {
    fuzz(
      fc.property(fc.jsonValue({ maxDepth: 6, stringUnit: "binary" }), (value) => {
        const text = JSON.stringify(value);
        const keys = countKeys(JSON.parse(text));
        if (keys >= 0) expect(countColons(text, 32)).toBe(keys);
      }),
    );
  });
});

describe("values that a parser lets through (R7, R9, R10)", () => {
  test.each([
    ["9007199254740991", 0],
    ["-9007199254740991", 0],
    ["9007199254740992", -1],
    ["-9007199254740992", -1],
    ["1e308", -1],
    ["1e400", -1],
    ["-1e400", -1],
    ["1e-400", 0],
    ["0.1", 0],
    ["4503599627370495.5", 0],
    ['"\\ud83d\\ude00"', 0],
    ['"\\ud83d"', -1],
    ['{"\\ude00":1}', -1],
    ['{"__proto__":1}', -1],
    ['{"\\u005f_proto__":1}', -1],
    ['{"constructor":{"toString":1}}', 2],
    ['[[{"a":{}},{"a":1e999}]]', -1],
  ])("%p", (text, expected) => {
    expect(countKeys(JSON.parse(text))).toBe(expected);
  });
});

class Point {
  x = 1;
}

const cyclic: unknown[] = [];
cyclic.push({ cyclic });
const withSymbol = { a: 1, [Symbol("hidden")]: 2 };
const withHidden = Object.defineProperty({ a: 1 }, "b", { value: 2, enumerable: false });
const arrayWithName = Object.assign([1], { name: 2 });
const throwing = {
  get a(): never {
    throw new Error("no");
  },
};

describe("object input (R11)", () => {
  test.each<[string, unknown]>([
    ["undefined", { a: undefined }],
    ["a function", { a: () => 1 }],
    ["a symbol", { a: Symbol("a") }],
    ["a bigint", { a: 1n }],
    ["a Date", { a: new Date(0) }],
    ["a Map", new Map()],
    ["an instance of a class", { a: new Point() }],
    ["a boxed text", { a: Object("a") }],
    ["a hole in an array", { a: Object.assign([1], { 2: 3 }) }],
    ["a huge sparse array", { a: Object.assign([], { length: 2 ** 32 - 1 }) }],
    ["an array with a name", { a: arrayWithName }],
    ["a typed array", { a: new Uint8Array(2) }],
    ["a cycle", { cyclic }],
    ["an accessor that throws", throwing],
    ["an array that grows while it is read", { a: growing() }],
    ["a proxy that throws", new Proxy({}, { ownKeys: () => Reflect.ownKeys(throwing.a) })],
    ["a symbol as key", withSymbol],
    ["a hidden property", withHidden],
    ["NaN", { a: Number.NaN }],
    ["infinity", { a: Number.POSITIVE_INFINITY }],
    ["2^53", { a: 2 ** 53 }],
    ["a lone surrogate", { a: "\ud800" }],
    ["a lone surrogate in a key", { "\udc00": 1 }],
    ["__proto__ as own key", JSON.parse('{"__proto__":1}')],
    ["33 levels", JSON.parse(`{"a":${nested(32)}}`)],
  ])("%s is refused", (_, value) => {
    expect(snapshotObject(value)).toBeNull();
    expect(Codec.encode(value)).toMatchObject({ ok: false, error: { code: "invalid_message" } });
    expect(() => Codec.canonical(value)).toThrow(TypeError);
    expect(() => Codec.digest(value)).toThrow(TypeError);
  });

  test("32 levels, a null prototype and a shared member are fine", () => {
    const shared = { b: [1] };
    expect(snapshotObject(JSON.parse(`{"a":${nested(31)}}`))?.height).toBe(32);
    expect(snapshotObject(Object.assign(Object.create(null), { a: 1 }))?.value).toEqual({ a: 1 });
    expect(snapshotObject({ a: shared, c: [shared] })).toEqual({
      value: { a: { b: [1] }, c: [{ b: [1] }] },
      height: 4,
      bytes: JSON.stringify({ a: shared, c: [shared] }).length,
    });
  });

  test("an object that doubles at each level costs its levels and weighs what its text would", () => {
    let doubled: object = {};
    for (let level = 1; level < 32; level++) doubled = { a: doubled, b: doubled };
    // 2^31 - 1 objects with two members, 2^31 empty ones.
    expect(snapshot(doubled)?.bytes).toBe((2 ** 31 - 1) * 11 + 2 ** 31 * 2);
    expect(snapshot({ a: doubled })).toBeNull();
    // Nobody could write it out.
    expect(snapshotObject(doubled)).toBeNull();
  });

  test("it is read once, so that what was checked is what is used", () => {
    let reads = 0;
    const shifting = {
      get a() {
        return ++reads;
      },
    };
    expect(snapshotObject(shifting)?.value).toEqual({ a: 1 });
    expect(reads).toBe(1);
  });

  test("any value is refused, or copied with its height and the size of its text", () => {
    fuzz(
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true, maxDepth: 4 }), (value) => {
        const taken = snapshot(value);
        if (taken === null) return;
        const text = JSON.stringify(value);
        expect(JSON.stringify(taken.value)).toBe(text);
        expect(taken.bytes).toBe(Buffer.byteLength(text));
        expect(taken.height).toBe(heightOf(JSON.parse(text)));
      }),
    );
  });
});

function heightOf(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(heightOf));
}

/** The canonical form by another way: keys sorted by `JSON.stringify`'s own list of keys, level by level. */
function sortedText(value: JsonValue): string {
  return JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === "object" && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

describe("the canonical form (R14)", () => {
  test.each<[JsonValue, string]>([
    [{}, "{}"],
    [[], "[]"],
    [null, "null"],
    [{ b: 1, a: [2, { d: null, c: "é" }] }, '{"a":[2,{"c":"é","d":null}],"b":1}'],
    [{ "\ufb33": 1, "\u{1f600}": 2, "€": 3 }, '{"€":3,"\u{1f600}":2,"\ufb33":1}'],
    [-0, "0"],
    [[1e-7, 0.1, 1e21 / 1e6, 123456789.125], "[1e-7,0.1,1000000000000000,123456789.125]"],
    ['\u2028\u0007\n"\\/', '"\u2028\\u0007\\n\\"\\\\/"'],
  ])("%j", (value, text) => {
    expect(Codec.canonical(value)).toBe(text);
    expect(Codec.digest(value)).toBe(`sha256:${createHash("sha256").update(text).digest("hex")}`);
  });

  test("integer-like keys are sorted as text, which no JavaScript object keeps", () => {
    expect(Codec.canonical({ b: 0, 10: 1, 9: 2, "-1": 3 })).toBe('{"-1":3,"10":1,"9":2,"b":0}');
  });

  test("it does not depend on the order of keys, and parses to the same value", () => {
    fuzz(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        if (snapshot(value) === null) return;
        const text = Codec.canonical(value);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        const isPlain = !/"(0|[1-9]\d*)":/.test(text);
        if (isPlain) expect(text).toBe(sortedText(value as JsonValue));
      }),
    );
  });
});
