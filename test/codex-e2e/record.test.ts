// The recording of conversations (RC45): the same course of events gives the same recording.
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { recordings } from "../protocol/codex/transcripts.ts";
import { Normalizer } from "./normalize.ts";
import { HOW_TO_INSTALL, PROGRAM } from "./program.ts";
import { record } from "./recorder.ts";

setDefaultTimeout(60_000);

describe("normalizing", () => {
  const [one, two] = ["0198a1b2-0000-7abc-8def-0123456789ab", "0198a1b2-0000-7abc-8def-ba9876543210"];
  const first = "00000000-0000-7000-8000-000000000001";
  const second = "00000000-0000-7000-8000-000000000002";

  test("RC45: ids are numbered as they appear, anywhere in a text, and can be restored", () => {
    const normalizer = new Normalizer("/tmp/x", 4000);
    expect(normalizer.normalize({ id: two, message: `thread ${one}, ${two}` })).toEqual({
      id: first,
      message: `thread ${second}, ${first}`,
    });
    expect(normalizer.restore({ threadId: second, cwd: "/codex-test/work" })).toEqual({
      threadId: one,
      cwd: "/tmp/x/work",
    });
    const { threadId } = normalizer.restore({ threadId: "00000000-0000-7000-8000-000000000009" }) as {
      threadId: string;
    };
    expect(threadId).toMatch(/^[0-9a-f-]{36}$/);
    expect(normalizer.normalize(threadId)).toBe("00000000-0000-7000-8000-000000000009");
  });

  test("RC45: times, durations, ports, paths, hosts and systems are constants", () => {
    const normalizer = new Normalizer("/tmp/x", 4000);
    const given = {
      createdAt: 1_800_000_001,
      completedAt: null,
      startedAtMs: 1_800_000_000_001,
      emittedAtMs: 1_800_000_000_002,
      durationMs: 77,
      limit: 5,
      serverName: "someones-machine",
      processId: "91827",
      userAgent: "probe/0.163.0 (Ubuntu 24.04; x86_64) xterm (probe; 0.0.0)",
      path: "/tmp/x/codexhome/sessions/2031/04/05/rollout-2031-04-05T06-07-08-a.jsonl",
      message: "url: http://127.0.0.1:4000/v1 and http://127.0.0.1:4001",
    };
    expect(normalizer.normalize(given)).toEqual({
      createdAt: 1_700_000_000,
      completedAt: null,
      startedAtMs: 1_700_000_000_000,
      emittedAtMs: 1_700_000_000_001,
      durationMs: 1,
      limit: 5,
      serverName: "host",
      processId: "1",
      userAgent: "probe/0.163.0 (Test OS; x86_64) unknown (probe; 0.0.0)",
      path: "/codex-test/codexhome/sessions/2000/01/01/rollout-2000-01-01T00-00-00-a.jsonl",
      message: "url: http://127.0.0.1:0/v1 and http://127.0.0.1:4001",
    });
  });
});

if (PROGRAM === null) test.skip(`the program is not installed: ${HOW_TO_INSTALL}`, () => undefined);

describe.skipIf(PROGRAM === null)("recording again", () => {
  test("RC45: the same messages, apart from the order of those that race", async () => {
    const recording = recordings().find(({ header }) => header.scenario === "19-steer")!;
    const again = await record(PROGRAM!, recording);
    expect(again.problem).toBeNull();
    const before = [recording.header, ...recording.lines];
    expect(steady(again.lines.slice(0, -1))).toEqual(steady(before));
  });
});

/** Lines in an order of their own, without times, and without those that depend on the machine. */
function steady(lines: readonly unknown[]): string[] {
  return lines
    .map((line) => JSON.stringify(line, (name, value) => (name.endsWith("AtMs") ? 0 : value)))
    .filter(
      (text) =>
        !text.includes('"method":"configWarning"') &&
        !text.includes('"method":"account/rateLimits/updated"') &&
        !text.includes('"method":"thread/tokenUsage/updated"'),
    )
    .sort();
}
