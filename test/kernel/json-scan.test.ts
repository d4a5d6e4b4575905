import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { utf8 } from "../../src/kernel/bytes.ts";
import { JSON_DEPTH_MAX, type JsonFault, JsonKind, JsonScanner, NONE } from "../../src/kernel/json-scan.ts";
import { fuzz, numbers } from "../support/fuzz.ts";

const scanner = new JsonScanner(2);

function scan(text: string): JsonFault | null {
  return scanner.scan(utf8(text));
}

/** A second opinion: the engine's parser for the grammar, then one look at the tokens for what it lets pass. */
function secondOpinion(text: string): JsonFault | null {
  try {
    JSON.parse(text);
  } catch {
    return "syntax";
  }
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:]|[^\s{}[\]:,"]+/g) ?? [];
  const open: (Set<string> | null)[] = [];
  let duplicate = false;
  for (const [at, token] of tokens.entries()) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (/^[-0-9]/.test(token) && !Number.isFinite(Number(token))) return "syntax";
    else if (token.startsWith('"')) {
      const value: string = JSON.parse(token);
      if (!value.isWellFormed()) return "syntax";
      if (tokens[at + 1] !== ":") continue;
      const keys = open.at(-1);
      duplicate ||= keys?.has(value) ?? false;
      keys?.add(value);
    }
    if (open.length > JSON_DEPTH_MAX) return "syntax";
  }
  return duplicate ? "duplicate" : null;
}

describe("grammar (D22)", () => {
  test.each([
    "null",
    "true",
    "false",
    "0",
    "-0",
    "-0.0e-0",
    "10.25E+3",
    '""',
    "[]",
    "{}",
    " \t\r\n[ 1 , 2 ] ",
    '{"a":{"b":[{},[]]},"c":"d"}',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00"',
    '"\x7f\u2028é😀"',
  ])("accepts %j", (text) => {
    expect(scan(text)).toBeNull();
    expect(secondOpinion(text)).toBeNull();
  });

  test.each([
    "",
    " ",
    "nul",
    "nulll",
    "True",
    "tru",
    "+1",
    "01",
    "-",
    "-01",
    "1.",
    ".5",
    "1.e1",
    "1e",
    "1e+",
    "1e1.0",
    "0x10",
    "Infinity",
    "NaN",
    "[",
    "]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[1}",
    "{",
    "}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{,"a":1}',
    '{"a":1]',
    '{"a" 1}',
    "{a:1}",
    "{1:1}",
    "{'a':1}",
    "1 1",
    "{}{}",
    "[]\0",
    "\0[]",
    "\ufeff[]",
    "\v[]",
    "\u00a0[]",
    "//\n1",
    '"',
    '"\\',
    '"\\"',
    '"\\u',
    '"\\u12"',
    '"\\u123',
    '"\\u123g"',
    '"\\x41"',
    '"\\U0041"',
    '"\\a"',
    '"\n"',
    '"\0"',
    '"\x1f"',
    "'a'",
  ])("refuses %j", (text) => {
    expect(scan(text)).toBe("syntax");
    expect(secondOpinion(text)).toBe("syntax");
  });

  test.each([
    ['"\\ud800"'],
    ['"\\udfff"'],
    ['"\\ud800\\ud800"'],
    ['"\\ud800x\\udc00"'],
    ['"\\udc00\\ud800"'],
    ['"\\ud800\\n"'],
    ['"\\ud800\\u0041"'],
    ['"\\ud800\\udc0"'],
    ['"\\ud800\\u'],
    ['"\\ud800\\'],
    ['{"\\udc00":1}'],
  ])("refuses the lone surrogate in %s", (text) => {
    expect(scan(text)).toBe("syntax");
  });

  test.each([
    ["1e308", null],
    ["1e309", "syntax"],
    ["1e999", "syntax"],
    ["-1e999", "syntax"],
    ["1e-999", null],
    ["0e999", null],
    ["-0.000e99999999999999999999", null],
    ["0.1e309", null],
    ["0.1e310", "syntax"],
    ["1.7976931348623157e308", null],
    ["1.7976931348623158e308", null],
    ["1.7976931348623159e308", "syntax"],
    ["17976931348623157e292", null],
    ["17976931348623159e292", "syntax"],
    ["1e00000000000000000000308", null],
    ["1e-00000000000000000000999999999999999999999", null],
    ["1".repeat(309), null],
    ["2".repeat(309), "syntax"],
    ["1".repeat(400), "syntax"],
    [`${"1".repeat(400)}e-200`, null],
    [`${"1".repeat(400)}e-91`, null],
    [`${"2".repeat(400)}e-91`, "syntax"],
    [`${"2".repeat(400)}e-92`, null],
    [`0.${"0".repeat(400)}1e709`, null],
    [`0.${"0".repeat(400)}1e710`, "syntax"],
    [`0.${"0".repeat(4000)}`, null],
  ] as const)("the range of binary64: %s", (text, fault) => {
    expect(scan(text)).toBe(fault);
    expect(secondOpinion(text)).toBe(fault);
  });

  test("the least literal that rounds to infinity is exact, however it is written", () => {
    const bound = 2n ** 1024n - 2n ** 970n;
    for (const shift of [0, 1, 100]) {
      const spell = (value: bigint) => `${value}${"0".repeat(shift)}e-${shift}`;
      expect(scan(spell(bound))).toBe("syntax");
      expect(scan(spell(bound - 1n))).toBeNull();
    }
    const digits = String(bound);
    expect(scan(`${digits}.0`)).toBe("syntax");
    expect(scan(`${bound - 1n}.${"9".repeat(100)}`)).toBeNull();
    expect(scan(`${digits[0]}.${digits.slice(1)}e308`)).toBe("syntax");
    expect(scan(`0.00${digits}e311`)).toBe("syntax");
    expect(scan(`0.00${bound - 1n}e311`)).toBeNull();
  });
});

describe("depth (D22, D65)", () => {
  const arrays = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const objects = (depth: number) => `${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`;

  test.each([
    [arrays(127), null],
    [arrays(128), "syntax"],
    [objects(127), null],
    [objects(128), "syntax"],
    [`[${arrays(126)},${arrays(126)}]`, null],
    [`[${arrays(126)},${arrays(127)}]`, "syntax"],
    ["[".repeat(500_000), "syntax"],
  ] as const)("%#", (text, fault) => {
    expect(scan(text)).toBe(fault);
  });

  test("another bound", () => {
    const shallow = new JsonScanner(1, 32);
    expect(shallow.scan(utf8(arrays(32)))).toBeNull();
    expect(shallow.scan(utf8(arrays(33)))).toBe("syntax");
    expect(new JsonScanner(1, 0).scan(utf8("[]"))).toBe("syntax");
    expect(new JsonScanner(1, 0).scan(utf8("1"))).toBeNull();
  });
});

describe("duplicate keys (D23)", () => {
  test.each([
    ['{"a":1,"a":1}', "duplicate"],
    ['{"a":1,"\\u0061":1}', "duplicate"],
    ['{"":1,"":1}', "duplicate"],
    ['{"\\n":1,"\\u000a":1}', "duplicate"],
    ['{"😀":1,"\\ud83d\\ude00":1}', "duplicate"],
    ['{"é":1,"e\u0301":1}', null],
    ['{"a":1,"A":1}', null],
    ['{"__proto__":1,"constructor":2}', null],
    ['{"__proto__":1,"__proto__":2}', "duplicate"],
    ['[{"a":1,"a":1}]', "duplicate"],
    ['{"x":[[{"b":{"a":1,"c":2,"a":1}}]]}', "duplicate"],
    ['{"a":{"a":{"a":1}}}', null],
    ['[{"a":1},{"a":1}]', null],
    ['{"a":"a","b":"a"}', null],
    ['{"a":1,"a":2,', "syntax"],
    ['[{"a":1,"a":2},1e999]', "syntax"],
    ['{"a":{"b":1},"a":2}', "duplicate"],
  ] as const)("%s", (text, fault) => {
    expect(scan(text)).toBe(fault);
  });

  const object = (keys: readonly string[]) => `{${keys.map((key) => `${key}:0`).join(",")}}`;
  const distinct = (count: number, spell: (n: number) => string) =>
    Array.from({ length: count }, (_, n) => JSON.stringify(spell(n)));

  test.each([
    ["short keys", (n: number) => n.toString(36)],
    ["keys that are prefixes of each other", (n: number) => "a".repeat(n)],
    ["a long common beginning", (n: number) => "x".repeat(100) + n],
    ["a long common end", (n: number) => n + "x".repeat(100)],
    ["numbers of three bytes", (n: number) => String(n).padStart(3, "0")],
    ["characters beyond ASCII", (n: number) => String.fromCodePoint(0x10000 + n)],
  ] as const)("one pair among many: %s", (_, spell) => {
    const random = numbers();
    for (const count of [2, 3, 15, 16, 17, 18, 40, 300]) {
      const keys = distinct(count, spell);
      expect(scan(object(keys))).toBeNull();
      const first = random(count);
      const again = spell(first);
      const spellings = [
        JSON.stringify(again),
        `"${[...again].map((c) => c.replace(/^[\0-\uffff]$/, (u) => `\\u${u.charCodeAt(0).toString(16).padStart(4, "0")}`)).join("")}"`,
      ];
      for (const spelling of spellings) {
        const other = keys.slice();
        other.splice(random(count + 1), 0, spelling);
        expect(scan(object(other))).toBe("duplicate");
      }
    }
  });

  test("keys of which there are many end in time and are told apart", () => {
    const many = distinct(20_000, (n) => ((n * 2_654_435_761) % 2 ** 32).toString(36));
    expect(scan(object(many))).toBeNull();
    expect(scan(object([...many, many[777]!]))).toBe("duplicate");
    // Nothing of the long text is left for the next one.
    expect(scan('{"a":1}')).toBeNull();
    expect(scanner.memberCount).toBe(1);
  });
});

describe("members", () => {
  test("those of the outermost object and of its objects, in the order of the text", () => {
    const text =
      ' {"a":1,"b":{"c":"x\\ny","d":{"e":1},"f":[{"g":1}]},"\\u0068":[1],"i":{},"j":null, "k" : true }';
    expect(scan(text)).toBeNull();
    expect(scanner.rootKind()).toBe(JsonKind.Object);
    const decoder = new TextDecoder();
    const found = Array.from({ length: scanner.memberCount }, (_, member) => [
      scanner.key(member),
      scanner.kind(member),
      decoder.decode(scanner.rawValue(member)),
      scanner.parent(member),
      scanner.previous(member),
    ]);
    expect(found).toEqual([
      ["a", JsonKind.Number, "1", NONE, NONE],
      ["b", JsonKind.Object, '{"c":"x\\ny","d":{"e":1},"f":[{"g":1}]}', NONE, 0],
      ["c", JsonKind.String, '"x\\ny"', 1, NONE],
      ["d", JsonKind.Object, '{"e":1}', 1, 2],
      ["f", JsonKind.Array, '[{"g":1}]', 1, 3],
      ["h", JsonKind.Array, "[1]", NONE, 1],
      ["i", JsonKind.Object, "{}", NONE, 5],
      ["j", JsonKind.Null, "null", NONE, 6],
      ["k", JsonKind.Boolean, "true", NONE, 7],
    ]);
    expect(scanner.string(2)).toBe("x\ny");
    expect(["h", "a", "hh", ""].map((name) => scanner.keyIs(5, name))).toEqual([true, false, false, false]);
    expect(["b", "a", "bb", ""].map((name) => scanner.keyIs(1, name))).toEqual([true, false, false, false]);
    expect(scanner.isUnsigned(0)).toBe(true);
    expect(scanner.isUnsigned(1)).toBe(false);
    expect(scanner.unsigned(0)).toBe(1);
  });

  test.each([
    ["[]", JsonKind.Array],
    ["{}", JsonKind.Object],
    ['"a"', JsonKind.String],
    ["-1", JsonKind.Number],
    ["7", JsonKind.Number],
    ["true", JsonKind.Boolean],
    ["false", JsonKind.Boolean],
    [" null", JsonKind.Null],
  ])("the kind of %s", (text, kind) => {
    expect(scan(text)).toBeNull();
    expect(scanner.rootKind()).toBe(kind);
    expect(scanner.memberCount).toBe(0);
  });

  test("none are kept of objects inside arrays, or beyond the depth asked for", () => {
    expect(scan('[{"a":1}]')).toBeNull();
    expect(scanner.memberCount).toBe(0);
    const flat = new JsonScanner(1);
    expect(flat.scan(utf8('{"a":{"b":1},"c":2}'))).toBeNull();
    expect(flat.memberCount).toBe(2);
    expect(flat.key(1)).toBe("c");
    expect(flat.previous(1)).toBe(0);
  });
});

describe("keys in place (D76)", () => {
  /** The ways to write a character. */
  const spelled = (character: string) => {
    const units = [...character.split("")].map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
    return fc.constantFrom(
      JSON.stringify(character).slice(1, -1),
      units.map((unit) => `\\u${unit}`).join(""),
      units.map((unit) => `\\u${unit.toUpperCase()}`).join(""),
    );
  };
  const key = fc
    .array(
      fc.constantFrom(
        "a",
        "b",
        "/",
        "\n",
        '"',
        "\\",
        "\x7f",
        "é",
        "\u07ff",
        "\u0800",
        "\uffff",
        "\u{10000}",
        "\u{10ffff}",
      ),
      {
        maxLength: 4,
      },
    )
    .chain((characters) =>
      fc
        .tuple(...characters.map(spelled))
        .map((spellings) => ({ text: characters.join(""), spelling: spellings.join("") })),
    );

  test("are compared as their UTF-8 bytes are, however they are spelled", () => {
    fuzz(
      fc.property(key, key, (a, b) => {
        const fault = scan(`{"${a.spelling}":1,"${b.spelling}":2}`);
        expect(fault).toBe(a.text === b.text ? "duplicate" : null);
        if (fault !== null) return;
        expect(Math.sign(scanner.compareKeys(0, 1))).toBe(
          Buffer.compare(Buffer.from(a.text), Buffer.from(b.text)),
        );
        expect(scanner.compareKeys(1, 1)).toBe(0);
        for (const name of ["", "a", "ab", '"', "\n/"]) expect(scanner.keyIs(0, name)).toBe(name === a.text);
      }),
    );
  });
});

describe("unsigned integers (D24, D26)", () => {
  test.each([
    ["0", 0],
    ["9007199254740990", 9007199254740990],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
    ["9007199254740992", Number.MAX_SAFE_INTEGER],
    ["9007199254740993", Number.MAX_SAFE_INTEGER],
    ["18446744073709551615", Number.MAX_SAFE_INTEGER],
    ["18446744073709551616", null],
    ["20000000000000000000", null],
    ["100000000000000000000", null],
    ["-0", null],
    ["-1", null],
    ["1.0", null],
    ["1e0", null],
    ['"1"', null],
    ["null", null],
  ])("%s", (text, value) => {
    expect(scan(`{"a":${text}}`)).toBeNull();
    expect(scanner.isUnsigned(0)).toBe(value !== null);
    if (value !== null) expect(scanner.unsigned(0)).toBe(value);
  });
});

describe("a second opinion", () => {
  const key = fc.oneof(fc.constantFrom("a", "b", "__proto__", ""), fc.string({ unit: "binary" }));
  const json = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => String(number)),
      fc.constantFrom("1e999", "null", "true", " false", '"\\ud800"', '"\\u0061"', "0.0e7"),
      fc.array(tie("value"), { maxLength: 4 }).map((items) => `[${items.join(" ,")}]`),
      fc
        .array(fc.tuple(key, tie("value")), { maxLength: 4 })
        .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join()}}`),
    ),
  })).value;

  test("on valid texts", () => {
    fuzz(
      fc.property(json, (text) => {
        expect(scan(text)).toBe(secondOpinion(text));
      }),
    );
  });

  test("on texts with one character changed, added or left out", () => {
    const damage = fc.tuple(
      json,
      fc.nat(),
      fc.constantFrom(...'{}[]:,"\\0e-.+ \n\0tu'),
      fc.nat(1),
      fc.nat(1),
    );
    fuzz(
      fc.property(damage, ([text, place, character, removed, added]) => {
        const at = place % (text.length + 1);
        const damaged = text.slice(0, at) + character.repeat(added) + text.slice(at + removed);
        // Cutting a surrogate pair in half gives no UTF-8, which is not the scanner's business.
        if (damaged.isWellFormed()) expect(scan(damaged)).toBe(secondOpinion(damaged));
      }),
      2000,
    );
  });

  test("every beginning of a text", () => {
    const text = '{"a":[1,-2.5e+3,{"b\\n":"\\ud83d\\ude00","c":null}],"d":{"e":true,"f":false}}';
    for (let end = 0; end <= text.length; end++) {
      expect(scan(text.slice(0, end))).toBe(end === text.length ? null : "syntax");
    }
  });

  test("random bytes of the alphabet never throw", () => {
    const alphabet = utf8('{}[]:,"\\u0eE+-.1 atrufalsn\n');
    fuzz(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 60 }), (bytes) => {
        const text = String.fromCharCode(...bytes);
        expect(scan(text)).toBe(secondOpinion(text));
      }),
      2000,
    );
  });
});
