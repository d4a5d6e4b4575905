import { describe, expect, test } from "bun:test";
import { failureText } from "../../src/kernel/failure.ts";
import { checkTestLimits, runTest, type TestLimits } from "../../src/project/execution.ts";
import type { Snapshot } from "../../src/project/snapshot.ts";
import { verifyEnvelope } from "../../src/project/verify.ts";
import { fixtureSnapshot, recordedExecutions, snapshotOf } from "../support/snapshots.ts";

const DEFAULTS: TestLimits = { maxSteps: 1_000_000, maxBytes: 65_536 };

/** `succeeded` and the envelope's text, or the code of the refusal. */
function execute(snapshot: Snapshot, limits: Partial<TestLimits> = {}): readonly [boolean, string] | string {
  const report = runTest(snapshot, { ...DEFAULTS, ...limits });
  if (!report.ok) return failureText(report.failure).slice(0, "SPX-F104".length);
  return [report.value.succeeded, new TextDecoder().decode(report.value.envelope)];
}

describe("X61: recorded executions", () => {
  const recorded = recordedExecutions();
  expect(recorded.length).toBe(20);
  for (const { name, project, params, command_succeeded, envelope, min_max_bytes } of recorded) {
    test(name, () => {
      const snapshot = snapshotOf(project);
      const maxSteps = params.max_steps ?? DEFAULTS.maxSteps;
      const limits = { maxSteps, maxBytes: params.max_bytes ?? DEFAULTS.maxBytes };
      expect(execute(snapshot, limits)).toEqual([command_succeeded, envelope]);
      // X26: another bound with as many digits gives the same sum.
      const least = envelope.replace(/"max_bytes":\d+/, `"max_bytes":${min_max_bytes}`);
      const atLeast = execute(snapshot, { maxSteps, maxBytes: min_max_bytes });
      expect(withoutDigest(String(atLeast[1]))).toBe(withoutDigest(least));
      expect(execute(snapshot, { maxSteps, maxBytes: min_max_bytes - 1 })).toBe("SPX-F104");
      // X60
      for (const text of [envelope, String(atLeast[1])]) {
        expect(verifyEnvelope(new TextEncoder().encode(text)).accepted).toBe(true);
      }
    });
  }

  function withoutDigest(envelope: string): string {
    return envelope.slice(0, envelope.lastIndexOf(',"payload_digest"'));
  }
});

describe("the calculator", () => {
  const calculator = fixtureSnapshot("calculator");

  test("X23: the envelope of the specification", () => {
    expect(execute(calculator)).toEqual([
      true,
      '{"schema":"semaprax.project-execution.v1","project_schema":"semaprax.project.v1","project":"calculator","project_revision":"sha256:4e5523a07642469f20ba26ae7317c14ba4a378923d2b1dab6a20c4dd038c1e0f","workspace_revision":"sha256:2db57b64a2a20d1030bb3400fea14e2ce35a374e0f88d57090fc7ebf6c98477c","role":"test","module":"calculator.tests","stable_id":"calculator.tests.main","limits":{"max_bytes":65536,"max_steps":1000000},"fuel":{"steps_used":41,"max_steps":1000000},"outcome":{"kind":"returned","type":"i64","value":"0"},"nonclaims":["in_process_reference_interpreter_only","no_target_execution","no_filesystem_process_or_backend_authority","no_test_discovery","no_cache_or_persistence"],"payload_digest":"sha256:b127d805d43f03e23a33427b93f49bda8922eeaa1639aa9ee14fbb9509d8be32"}',
    ]);
  });

  test("X15: 41 steps are enough, 40 are not", () => {
    const [succeeded, envelope] = execute(calculator, { maxSteps: 41 });
    expect([succeeded, String(envelope).includes('"fuel":{"steps_used":41,"max_steps":41}')]).toEqual([
      true,
      true,
    ]);
    const [failed, exhausted] = execute(calculator, { maxSteps: 40 });
    expect(failed).toBe(false);
    expect(exhausted).toContain(
      '"fuel":{"steps_used":40,"max_steps":40},"outcome":{"kind":"fuel_exhausted"}',
    );
  });

  test("X26: 1838 bytes are enough, 1837 are not; a run that was refused leaves nothing behind", () => {
    expect(execute(calculator, { maxBytes: 1837 })).toBe("SPX-F104");
    expect(execute(calculator, { maxBytes: 1838 })[0]).toBe(true);
  });

  test("X24: one digit more of max_bytes costs two bytes", () => {
    // The digits stand in the payload and in the envelope, so a smaller bound is easier to keep.
    const [, four] = execute(calculator, { maxBytes: 9999 });
    const [, five] = execute(calculator, { maxBytes: 10_000 });
    expect(String(five).length - String(four).length).toBe(1);
  });
});

describe("X25: an id that needs escaping", () => {
  const id = 'é"\\\n\t\u0001\b\f\u007f\u0085/\u2028😀';
  const literal = id.replace(/["\\]/g, "\\$&");
  const snapshot = snapshotOf({
    "semaprax.toml":
      'schema = "semaprax.project.v1"\nname = "odd"\nentry = "o.app"\nsources = ["a.spx", "t.spx"]\nweb_exports = ["o.main"]\ntests = ["o.t"]\n',
    "a.spx": 'module o.app;\n\n@id("o.main")\nfn main() -> i64\n{\n    0\n}\n',
    "t.spx": `module o.t;\n\n@id("${literal}")\nfn main() -> i64\n{\n    0\n}\n`,
  });
  const quoted = '"é\\"\\\\\\n\\t\\u0001\\u0008\\u000c\\u007f\\u0085/\u2028😀"';

  test("is quoted, counted and verified", () => {
    const [, envelope] = execute(snapshot);
    expect(envelope).toContain(`"stable_id":${quoted},`);
    const bytes = new TextEncoder().encode(String(envelope));
    expect(verifyEnvelope(bytes, { stableId: id }).accepted).toBe(true);
    expect(sumOf(String(envelope), quoted)).toBe(leastMaxBytes(snapshot) + 2);
  });

  /** X24 by adding up, with the defaults. */
  function sumOf(envelope: string, stableId: string): number {
    const bytes = (text: string): number => new TextEncoder().encode(text).length;
    const payload = envelope.replace(/,"payload_digest":"[^"]*"/, "");
    const quotedWords = ["semaprax.project-execution.v1", "semaprax.project.v1", "odd", "test", "o.t"];
    return (
      bytes('"0"') +
      bytes('{"kind":"returned","type":"i64","value":"0"}') +
      quotedWords.reduce((sum, word) => sum + bytes(word) + 2, 0) +
      bytes(stableId) +
      73 * 3 +
      bytes(payload) +
      bytes(envelope)
    );
  }

  /** The least bound of four digits. */
  function leastMaxBytes(subject: Snapshot): number {
    let least = 1024;
    while (execute(subject, { maxBytes: least }) === "SPX-F104") least++;
    return least;
  }
});

describe("X1, D49: ranges", () => {
  const code = (limits: Partial<TestLimits>): string => {
    const outcome = checkTestLimits({ ...DEFAULTS, ...limits });
    return outcome.ok ? "ok" : failureText(outcome.failure);
  };
  test.each([
    [{ maxSteps: 0 }, "SPX-F101: max_steps is out of range"],
    [{ maxSteps: 1 }, "ok"],
    [{ maxSteps: 100_000_000 }, "ok"],
    [{ maxSteps: 100_000_001 }, "SPX-F101: max_steps is out of range"],
    [{ maxBytes: 1023 }, "SPX-F101: max_bytes is out of range"],
    [{ maxBytes: 1024 }, "ok"],
    [{ maxBytes: 16_777_216 }, "ok"],
    [{ maxBytes: 16_777_217 }, "SPX-F101: max_bytes is out of range"],
    [{ maxBytes: 0, maxSteps: 0 }, "SPX-F101: max_bytes is out of range"],
  ])("%o", (limits, expected) => {
    expect(code(limits)).toBe(expected);
  });
});
