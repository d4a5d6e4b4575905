import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { runTest } from "../../src/project/execution.ts";
import { type ExpectedEnvelope, verifyEnvelope } from "../../src/project/verify.ts";
import { fixtureSnapshot, recordedExecutions } from "../support/snapshots.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function calculatorEnvelope(): string {
  const report = runTest(fixtureSnapshot("calculator"), { maxSteps: 1_000_000, maxBytes: 65_536 });
  if (!report.ok) throw new Error("the calculator runs");
  return new TextDecoder().decode(report.value.envelope);
}

const CALCULATOR = calculatorEnvelope();
const DIGEST = /,"payload_digest":"[^"]*"/;

/** Gives a changed envelope the digest of its payload, so that no step stops at the digest. */
function seal(text: string): string {
  const payload = bytesOf(text.replace(DIGEST, ""));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(payload.length));
  const digest = createHash("sha256")
    .update("semaprax.project-execution.payload.v1\0")
    .update(length)
    .update(payload)
    .digest("hex");
  return text.replace(DIGEST, `,"payload_digest":"sha256:${digest}"`);
}

/** The step that refuses, or 0. */
function step(text: string | Uint8Array, expected?: ExpectedEnvelope): number {
  const verdict = verifyEnvelope(typeof text === "string" ? bytesOf(text) : text, expected);
  if (!verdict.accepted) expect(verdict.code).toBe("SPX-F106");
  return verdict.accepted ? 0 : verdict.step;
}

/** A change to the calculator's envelope that must have found what it replaces. */
function changed(from: string | RegExp, to: string): string {
  const text = CALCULATOR.replace(from, to);
  expect(text).not.toBe(CALCULATOR);
  return text;
}

const OUTCOME = '{"kind":"returned","type":"i64","value":"0"}';

test("X42: the calculator's envelope is accepted as it reads", () => {
  const verdict = verifyEnvelope(bytesOf(CALCULATOR));
  expect(verdict.accepted && verdict.envelope).toEqual(JSON.parse(CALCULATOR));
  expect(seal(CALCULATOR)).toBe(CALCULATOR);
});

describe("X44, X65: the step that refuses", () => {
  const table: readonly [name: string, step: number, change: () => string][] = [
    ["nothing at all", 1, () => ""],
    ["a byte order mark", 2, () => `\ufeff${CALCULATOR}`],
    ["no JSON", 3, () => CALCULATOR.slice(1)],
    ["a member twice", 3, () => changed('"role":"test"', '"role":"test","role":"test"')],
    ["a lone surrogate", 3, () => changed("calculator.tests.main", "\\ud800")],
    ["128 brackets", 3, () => `${"[".repeat(128)}${"]".repeat(128)}`],
    ["127 brackets", 4, () => `${"[".repeat(127)}${"]".repeat(127)}`],
    [
      "members swapped",
      4,
      () => changed('"role":"test","module":"calculator.tests"', '"module":"calculator.tests","role":"test"'),
    ],
    ["a member missing", 4, () => changed('"role":"test",', "")],
    ["the last member missing", 4, () => changed(DIGEST, "")],
    ["a member added", 4, () => changed('"role":"test"', '"role":"test","extra":1')],
    ["a member added at the end", 4, () => changed(/}$/, ',"extra":1}')],
    ["a member added in limits", 4, () => changed('"max_steps":1000000}', '"max_steps":1000000,"extra":1}')],
    ["a string for a number", 4, () => changed('"steps_used":41', '"steps_used":"41"')],
    ["a number for a string", 4, () => changed('"role":"test"', '"role":1')],
    ["null for an object", 4, () => changed(OUTCOME, "null")],
    ["an exponent", 4, () => changed('"max_steps":1000000}', '"max_steps":1e6}')],
    ["a fraction", 4, () => changed('"steps_used":41', '"steps_used":41.0')],
    ["a sign", 4, () => changed('"steps_used":41', '"steps_used":-41')],
    ["2^53", 4, () => changed('"steps_used":41', '"steps_used":9007199254740992')],
    ["2^53 - 1", 6, () => changed('"steps_used":41', '"steps_used":9007199254740991')],
    ["17 digits", 4, () => changed('"steps_used":41', '"steps_used":10000000000000000')],
    ["an outcome with a status too many", 4, () => changed(OUTCOME, `${OUTCOME.slice(0, -1)},"status":1}`)],
    ["a nonclaim missing", 4, () => changed(',"no_cache_or_persistence"', "")],
    ["a nonclaim too many", 4, () => changed('"no_cache_or_persistence"', '"no_cache_or_persistence","x"')],
    ["another nonclaim", 4, () => changed("no_test_discovery", "no_test_recovery")],
    ["an envelope in an array", 4, () => `[${CALCULATOR}]`],
    ["another schema", 5, () => seal(changed("project-execution.v1", "project-execution.v2"))],
    ["another project schema", 5, () => seal(changed("semaprax.project.v1", "semaprax.project.v2"))],
    ["another role", 5, () => seal(changed('"role":"test"', '"role":"entry"'))],
    ["a project in upper case", 5, () => seal(changed('"project":"calculator"', '"project":"Calculator"'))],
    ["an empty project", 5, () => seal(changed('"project":"calculator"', '"project":""'))],
    [
      "a project of 65 bytes",
      5,
      () => seal(changed('"project":"calculator"', `"project":"${"a".repeat(65)}"`)),
    ],
    [
      "a module that is none",
      5,
      () => seal(changed('"module":"calculator.tests"', '"module":"calculator."')),
    ],
    [
      "a module of 241 bytes",
      5,
      () => seal(changed('"module":"calculator.tests"', `"module":"${"a".repeat(241)}"`)),
    ],
    ["an id with NUL", 5, () => seal(changed("calculator.tests.main", "\\u0000"))],
    ["a compiler-owned id", 5, () => seal(changed("calculator.tests.main", "core.result.ok.value"))],
    [
      "a digest digit in upper case",
      5,
      () => changed(/"payload_digest":"sha256:b/, '"payload_digest":"sha256:B'),
    ],
    ["a revision in upper case", 5, () => seal(changed("sha256:4e", "sha256:4E"))],
    ["a revision of 63 digits", 5, () => seal(changed("sha256:4e", "sha256:4"))],
    ["max_bytes 1023", 5, () => seal(changed('"max_bytes":65536', '"max_bytes":1023'))],
    ["max_bytes 16777217", 5, () => seal(changed('"max_bytes":65536', '"max_bytes":16777217'))],
    ["max_steps 0", 5, () => seal(changed('"max_steps":1000000}', '"max_steps":0}'))],
    [
      "max_steps 100000001",
      5,
      () => seal(CALCULATOR.replaceAll('"max_steps":1000000}', '"max_steps":100000001}')),
    ],
    ["the value -0", 5, () => seal(changed('"value":"0"', '"value":"-0"'))],
    ["the value 01", 5, () => seal(changed('"value":"0"', '"value":"01"'))],
    ["the value +1", 5, () => seal(changed('"value":"0"', '"value":"+1"'))],
    ["no value", 5, () => seal(changed('"value":"0"', '"value":""'))],
    ["the value 2^63", 5, () => seal(changed('"value":"0"', '"value":"9223372036854775808"'))],
    ["the value -2^63 - 1", 5, () => seal(changed('"value":"0"', '"value":"-9223372036854775809"'))],
    ["another type", 5, () => seal(changed('"type":"i64"', '"type":"i32"'))],
    ["a kind without its members", 5, () => seal(changed(OUTCOME, '{"kind":"returned"}'))],
    ["an unknown kind", 5, () => seal(changed(OUTCOME, '{"kind":"crashed"}'))],
    [
      "a kind with members of another",
      5,
      () => seal(changed('"kind":"returned"', '"kind":"fuel_exhausted"')),
    ],
    [
      "two different max_steps",
      6,
      () => seal(changed('"steps_used":41,"max_steps":1000000', '"steps_used":41,"max_steps":5')),
    ],
    ["steps_used 1000001", 6, () => seal(changed('"steps_used":41', '"steps_used":1000001'))],
    ["steps_used 0", 6, () => seal(changed('"steps_used":41', '"steps_used":0'))],
    ["returned after 1 step", 6, () => seal(changed('"steps_used":41', '"steps_used":1'))],
    ["fuel exhausted with fuel left", 6, () => seal(changed(OUTCOME, '{"kind":"fuel_exhausted"}'))],
    [
      "depth after 511 steps",
      6,
      () =>
        seal(
          changed(OUTCOME, '{"kind":"call_depth_exceeded"}').replace('"steps_used":41', '"steps_used":511'),
        ),
    ],
    ["max_bytes 1024", 7, () => seal(changed('"max_bytes":65536', '"max_bytes":1024'))],
    ["max_bytes 1837", 7, () => seal(changed('"max_bytes":65536', '"max_bytes":1837'))],
    ["a blank after a comma", 8, () => seal(changed('"role":"test",', '"role":"test", '))],
    ["a blank at the start", 8, () => seal(` ${CALCULATOR}`)],
    ["LF at the end", 8, () => `${CALCULATOR}\n`],
    [
      "an escape that is not needed",
      8,
      () => seal(changed('"calculator.tests.main"', '"\\u0063alculator.tests.main"')),
    ],
    ["an escaped key", 8, () => seal(changed('"role"', '"r\\u006fle"'))],
    ["\\b where \\u0008 is canonical", 8, () => seal(changed("calculator.tests.main", "\\b"))],
    ["an escaped slash", 8, () => seal(changed("calculator.tests.main", "\\/"))],
    ["steps_used 42 under the old digest", 9, () => changed('"steps_used":41', '"steps_used":42')],
    ["another digest", 9, () => changed(/[0-9a-f]"}$/, '0"}')],
  ];
  test.each(table)("%s", (_, expected, change) => {
    expect(step(change())).toBe(expected);
  });

  const failure = (domain: string, className: string, code: number): string =>
    seal(
      changed(
        OUTCOME,
        `{"kind":"language_failure","status":{"schema":"semaprax.status.v1","domain_id":"semaprax.${domain}.v1","code":${code},"class":"${className}","retryable":false}}`,
      ),
    );
  test("X53: exactly the ten failures of the table", () => {
    const accepted: string[] = [];
    for (const domain of ["arithmetic", "contract", "toString"]) {
      for (const className of ["arithmetic", "contract"]) {
        for (let code = 0; code <= 10; code++) {
          const refusedBy = step(failure(domain, className, code));
          if (refusedBy === 0) accepted.push(`${domain} ${className} ${code}`);
          else expect(refusedBy).toBe(5);
        }
      }
    }
    const rows = [1, 2, 3, 4, 5, 6, 7, 8].map((code) => `arithmetic arithmetic ${code}`);
    expect(accepted).toEqual([...rows, "contract contract 1", "contract contract 2"]);
    expect(step(failure("contract", "contract", 1).replace("status.v1", "status.v2"))).toBe(5);
    expect(step(failure("contract", "contract", 1).replace("false}}", "true}}"))).toBe(5);
    expect(step(failure("contract", "contract", 1).replace("false}}", "0}}"))).toBe(4);
  });

  test("bounds that pass", () => {
    const accepted = [
      seal(changed('"max_bytes":65536', '"max_bytes":1838')),
      seal(changed('"max_bytes":65536', '"max_bytes":16777216')),
      seal(CALCULATOR.replaceAll('"max_steps":1000000}', '"max_steps":100000000}')),
      seal(CALCULATOR.replaceAll('"max_steps":1000000}', '"max_steps":41}')),
      seal(changed('"steps_used":41', '"steps_used":2')),
      seal(changed('"value":"0"', '"value":"9223372036854775807"')),
      seal(changed('"value":"0"', '"value":"-9223372036854775808"')),
      seal(changed('"project":"calculator"', `"project":"${"a".repeat(64)}"`)),
      seal(changed('"module":"calculator.tests"', `"module":"${"a".repeat(240)}"`)),
      seal(changed('"stable_id":"calculator.tests.main"', '"stable_id":""')),
      seal(changed("calculator.tests.main", '\\u0008\\u000c\\u007f\\u0085\\n\\r\\t\\"\\\\/\u2028')),
      seal(
        CALCULATOR.replace(OUTCOME, '{"kind":"fuel_exhausted"}').replaceAll(
          '"max_steps":1000000}',
          '"max_steps":41}',
        ),
      ),
      seal(
        CALCULATOR.replace(OUTCOME, '{"kind":"fuel_exhausted"}')
          .replace('"steps_used":41', '"steps_used":1')
          .replaceAll('"max_steps":1000000}', '"max_steps":1}'),
      ),
      seal(
        CALCULATOR.replace(OUTCOME, '{"kind":"call_depth_exceeded"}').replace(
          '"steps_used":41',
          '"steps_used":512',
        ),
      ),
    ];
    expect(accepted.map((text) => step(text))).toEqual(accepted.map(() => 0));
  });

  test("10: expected values, each compared only if given", () => {
    const { project_revision: projectRevision, workspace_revision: workspaceRevision } =
      JSON.parse(CALCULATOR);
    const right = {
      project: "calculator",
      projectRevision,
      workspaceRevision,
      module: "calculator.tests",
      stableId: "calculator.tests.main",
    };
    expect(step(CALCULATOR, {})).toBe(0);
    expect(step(CALCULATOR, right)).toBe(0);
    for (const name of Object.keys(right)) expect(step(CALCULATOR, { ...right, [name]: "other" })).toBe(10);
    const other = seal(changed(projectRevision, workspaceRevision));
    expect(step(other)).toBe(0);
    expect(step(other, right)).toBe(10);
  });
});

describe("X65: damage", () => {
  // Every recorded kind of outcome is damaged everywhere.
  const names = ["returned minimum", "add overflow", "fuel exhausted", "call depth"];
  const envelopes = recordedExecutions().filter(({ name }) => names.includes(name));
  test("every truncation is refused", () => {
    expect(envelopes.length).toBe(names.length);
    for (const { envelope } of envelopes) {
      const bytes = bytesOf(envelope);
      for (let length = 0; length < bytes.length; length++) {
        expect(step(bytes.subarray(0, length))).toBeGreaterThan(0);
      }
    }
  });

  test("every change of one byte is refused", () => {
    // All one-bit changes, and whatever means something to JSON or to UTF-8.
    const values = [0, 0x0a, 0x20, 0x22, 0x2c, 0x30, 0x39, 0x5c, 0x7d, 0x7f, 0xc3, 0xff];
    for (const [index, { envelope }] of envelopes.entries()) {
      const bytes = bytesOf(envelope);
      // What comes before is the same in all of them.
      const start = index === 0 ? 0 : envelope.indexOf('"fuel"');
      const end = index === 0 ? bytes.length : envelope.indexOf('"nonclaims"');
      for (let at = start; at < end; at++) {
        const original = bytes[at]!;
        for (const value of [...[1, 2, 4, 8, 16, 32, 64, 128].map((bit) => original ^ bit), ...values]) {
          if (value === original) continue;
          bytes[at] = value;
          if (verifyEnvelope(bytes).accepted) throw new Error(`byte ${at} may be ${value}`);
        }
        bytes[at] = original;
      }
      expect(step(bytes)).toBe(0);
    }
  });

  test("invalid UTF-8", () => {
    const bytes = bytesOf(CALCULATOR);
    bytes[100] = 0xff;
    expect(step(bytes)).toBe(2);
  });
});

describe("X58: hostile inputs end", () => {
  const MIB = 2 ** 20;
  const MAX = 16 * MIB;
  const table: readonly [name: string, step: number, text: () => string][] = [
    ["brackets", 3, () => "[".repeat(MAX)],
    ["nested objects", 3, () => '{"a":'.repeat(MAX / 5)],
    ["one byte too many", 1, () => " ".repeat(MAX + 1)],
    ["only blanks", 3, () => " ".repeat(MAX)],
    ["many elements", 4, () => `[${"0,".repeat(MAX / 2 - 2)}0]`],
    ["a long string", 4, () => `{"schema":${" ".repeat(MIB)}"${"\\u0061".repeat(2 * MIB)}"}`],
    ["a long number", 3, () => `{"schema":${"9".repeat(MIB)}}`],
  ];
  test.each(table)("%s", (_, expected, text) => {
    expect(step(text())).toBe(expected);
  });

  test("many members", () => {
    const members = Array.from({ length: 300_000 }, (_, at) => `"k${at}":0`).join(",");
    expect(step(`{${members}}`)).toBe(4);
  });

  test("an id of megabytes, which its max_bytes cannot cover or can", () => {
    const withId = (length: number): string =>
      seal(
        changed('"max_bytes":65536', '"max_bytes":16777216').replace(
          "calculator.tests.main",
          "x".repeat(length),
        ),
      );
    // The id stands in three of the pieces that are counted.
    const rest = 1838 + 2 * 4 - 3 * "calculator.tests.main".length;
    const most = Math.floor((MAX - rest) / 3);
    expect(step(withId(most))).toBe(0);
    expect(step(withId(most + 1))).toBe(7);
  });
});
