// R120 to R122: what a session comes to, over daemons that follow a script.
import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { RunOutcome } from "../../src/lang/interpret.ts";
import type { JsonObject } from "../../src/protocol/index.ts";
import {
  type Line,
  opened,
  PROJECT_REF,
  revisionsOf,
  envelope,
  type Script,
  scriptedBridge,
  tested,
} from "../support/bridge.ts";

const PROTOCOL = "semaprax.agent-transport.v2";

async function decide(scripts: readonly (Script | "unavailable")[], payload: JsonObject = {}) {
  const { bridge, client, record } = scriptedBridge(scripts);
  client.deliver({ payload });
  await bridge.pump();
  return { ...client.decision(), record };
}

const methodsOf = (asked: readonly { method: string }[] = []) => asked.map(({ method }) => method);

function details(phase: string, more: JsonObject = {}, session = 1): JsonObject {
  return {
    project_ref: PROJECT_REF,
    ...revisionsOf(session),
    phase,
    scope: "test",
    protocol: PROTOCOL,
    attempts: session,
    ...more,
  };
}

function digest(document: string): string {
  return `sha256:${createHash("sha256").update(document).digest("hex")}`;
}

describe("R121: a verdict", () => {
  test("all good: verification.passed, after exactly the requests of R120", async () => {
    const { record, ...decision } = await decide([{}]);
    const document = envelope(1, { kind: "returned", value: 0n });
    expect(decision).toEqual({
      status: "completed",
      kind: "verification.passed",
      summary: "The project is valid and the test returned 0.",
      details: details("test", { execution_digest: digest(document), test: { command_succeeded: true } }),
    });
    const revisions = revisionsOf(1);
    expect(record).toEqual({
      asked: [
        [
          { id: "session1-1", method: "workspace/open", params: undefined },
          { id: "session1-2", method: "check", params: revisions },
          {
            id: "session1-3",
            method: "test",
            params: { ...revisions, max_steps: 1_000_000, max_bytes: 65_536 },
          },
          { id: "session1-4", method: "shutdown", params: undefined },
        ],
      ],
      closed: 1,
    });
  });

  test("scope check asks for no test and names none", async () => {
    const { record, ...decision } = await decide([{}], { scope: "check" });
    expect(decision).toEqual({
      status: "completed",
      kind: "verification.passed",
      summary: "The project is valid.",
      details: { ...details("check"), scope: "check" },
    });
    expect(methodsOf(record.asked[0])).toEqual(["workspace/open", "check", "shutdown"]);
  });

  test("the limits of the payload reach the daemon, and the answer must be within exactly these", async () => {
    const limits = { max_steps: 700, max_bytes: 2048 };
    const { kind, record } = await decide([{}], limits);
    expect(kind).toBe("verification.passed");
    expect(record.asked[0]?.[2]?.params).toEqual({ ...revisionsOf(1), ...limits });
  });

  const failures: [outcome: RunOutcome, reason: string, words: string][] = [
    [{ kind: "returned", value: -3n }, "returned_nonzero", "the test returned -3"],
    [{ kind: "arithmetic_failure", code: 4 }, "language_failure", "the test ended with arithmetic failure 4"],
    [{ kind: "contract_failure", code: 1 }, "language_failure", "the test ended with contract failure 1"],
    [{ kind: "fuel_exhausted" }, "fuel_exhausted", "the test did not end within 1000000 steps"],
    [{ kind: "call_depth_exceeded" }, "call_depth_exceeded", "the test called too deep"],
  ];
  for (const [outcome, reason, words] of failures) {
    test(`command_succeeded false, ${words}: verification.failed`, async () => {
      const document = envelope(1, outcome);
      const { record, ...decision } = await decide([{ test: { result: tested(document, false) } }]);
      const test = { command_succeeded: false, reason };
      expect(decision).toEqual({
        status: "completed",
        kind: "verification.failed",
        summary: `The project is valid, but ${words}.`,
        details: details("test", { execution_digest: digest(document), test }),
      });
      expect(methodsOf(record.asked[0]).at(-1)).toBe("shutdown");
    });
  }

  test("the daemon refuses the project: verification.failed in phase build, without revisions (D8)", async () => {
    const words = "SPX-T104: main must return i64; SPX-S103: automatic id";
    const end = { status: 1, words: `${words}\n` };
    const { record, ...decision } = await decide([{ "workspace/open": "end", end }]);
    expect(decision).toEqual({
      status: "completed",
      kind: "verification.failed",
      summary: `The project is not valid: ${words}`,
      details: { project_ref: PROJECT_REF, phase: "build", scope: "test", protocol: PROTOCOL, attempts: 1 },
    });
    expect(record.closed).toBe(1);
  });

  test.each([
    ["workspace/open", "open", {}],
    ["check", "check", revisionsOf(1)],
  ])("%s refuses the project: verification.failed", async (method, phase, revisions) => {
    const { record, ...decision } = await decide([
      { [method]: { error: [-32_000, "SPX-G172: no such id"] } },
    ]);
    expect(decision).toEqual({
      status: "completed",
      kind: "verification.failed",
      summary: "The project is not valid: SPX-G172: no such id",
      details: {
        project_ref: PROJECT_REF,
        ...revisions,
        phase,
        scope: "test",
        protocol: PROTOCOL,
        attempts: 1,
      },
    });
    expect(methodsOf(record.asked[0]).at(-1)).toBe("shutdown");
  });

  test.each([
    ["expected_project_revision", revisionsOf(2).project_revision],
    ["expected_workspace_revision", revisionsOf(2).workspace_revision],
    ["expected_project_revision", "?"],
  ])("%s differs: rejected, verification.superseded, nothing checked", async (member, value) => {
    const { record, ...decision } = await decide([{}], { [member]: value });
    expect(decision).toEqual({
      status: "rejected",
      kind: "verification.superseded",
      summary: "The project is not at the revision that the event expects.",
      details: details("open"),
    });
    expect(methodsOf(record.asked[0])).toEqual(["workspace/open", "shutdown"]);
  });

  test("expected revisions that are met do not matter", async () => {
    const { project_revision, workspace_revision } = revisionsOf(1);
    const payload = {
      expected_project_revision: project_revision,
      expected_workspace_revision: workspace_revision,
    };
    expect((await decide([{}], payload)).kind).toBe("verification.passed");
  });
});

describe("R121: a session that became invalidated", () => {
  const drift: Line = { error: [-32_000, "SPX-J102: src/core.spx changed"] };
  const changes: [what: string, script: Script][] = [
    ["workspace/open", { "workspace/open": drift }],
    ["check", { check: drift }],
    ["test", { test: drift }],
    [
      "test with a refusal of its own",
      { test: { error: [-32_000, "SPX-F104: too long; SPX-J102: changed"] } },
    ],
    ["the last look at the inputs (D14)", { end: { status: 1, words: "SPX-J102: manifest changed\n" } }],
    ["loading", { "workspace/open": "end", end: { status: 1, words: "SPX-J102: src/core.spx changed\n" } }],
  ];
  test.each(changes)("in %s: a fresh session decides, about its own revisions", async (_, script) => {
    const { kind, details, record } = await decide([script, script, {}]);
    expect({ kind, details }).toMatchObject({
      kind: "verification.passed",
      details: { ...revisionsOf(3), attempts: 3, phase: "test" },
    });
    expect(record.asked.length).toBe(3);
    expect(record.closed).toBe(3);
    expect(record.asked[2]?.[0]?.id).toBe("session3-1");
  });

  test("one fresh session after the other, three times: then failed, verification.unstable", async () => {
    const { record, ...decision } = await decide([{ check: drift }]);
    expect(decision).toEqual({
      status: "failed",
      kind: "verification.unstable",
      summary: "The project's files changed again and again while it was verified.",
      details: details("check", {}, 4),
    });
    expect(record.closed).toBe(4);
    expect((await decide([{ check: drift }, { check: drift }, { check: drift }, {}])).kind).toBe(
      "verification.passed",
    );
  });

  test("an input that cannot be read at each loading is the state of the project", async () => {
    const end = { status: 1, words: "SPX-J102: src/core.spx is missing\n" };
    const { status, kind, details } = await decide([{ "workspace/open": "end", end }]);
    expect({ status, kind }).toEqual({ status: "completed", kind: "verification.failed" });
    expect(details).toMatchObject({ phase: "build", attempts: 4 });
    expect(details).not.toHaveProperty("project_revision");
  });
});

describe("R121: no verdict is failed, verification.unavailable", () => {
  const good = envelope(1, { kind: "returned", value: 0n });
  const bad = envelope(1, { kind: "returned", value: 1n });
  const head = (id: string) => `{"jsonrpc":"2.0","id":"${id}",`;
  const ok = '{"ok":true}';
  const cases: [what: string, phase: string, script: Script | "unavailable"][] = [
    ["the daemon cannot be started", "build", "unavailable"],
    [
      "it crashes while loading",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "Error: x\n" } },
    ],
    [
      "its only line while loading is about the session",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "SPX-J104: x\n" } },
    ],
    [
      "its only line while loading is about a run",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "SPX-F001: x\n" } },
    ],
    ["it is killed while loading", "build", { "workspace/open": "end", end: { status: null, words: "" } }],
    [
      "a load error has another status",
      "build",
      { "workspace/open": "end", end: { status: 2, words: "SPX-T104: x\n" } },
    ],
    [
      "a load error has no LF",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "SPX-T104: x" } },
    ],
    [
      "a load error has two lines",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "SPX-T104: x\ny\n" } },
    ],
    [
      "a usage error",
      "build",
      { "workspace/open": "end", end: { status: 1, words: "semapraxd: --stdio is missing\n" } },
    ],
    ["it ends silently with status 0", "build", { "workspace/open": "end" }],
    ["how it ended cannot be known", "build", { "workspace/open": "end", end: "throw" }],
    ["the session throws", "build", { "workspace/open": "throw" }],
    [
      "it ends in place of check's answer",
      "check",
      { check: "end", end: { status: 1, words: "SPX-T104: x\n" } },
    ],
    ["it ends in place of test's answer", "test", { test: "end" }],
    ["the session throws at check", "check", { check: "throw" }],
    [
      "response overflow (D30)",
      "test",
      { test: { error: [-32_001, "response exceeds configured byte limit"] } },
    ],
    [
      "open refused for its state",
      "open",
      { "workspace/open": { error: [-32_000, "SPX-J104: not possible while open"] } },
    ],
    [
      "check refused for its state",
      "check",
      { check: { error: [-32_000, "SPX-J104: not possible while configured"] } },
    ],
    ["check refused without a code", "check", { check: { error: [-32_000, "words"] } }],
    [
      "check refused for a parameter",
      "check",
      { check: { error: [-32_602, "SPX-J105: unknown parameter"] } },
    ],
    ["a project's refusal under another code", "check", { check: { error: [-32_602, "SPX-G172: x"] } }],
    ["check not known", "check", { check: { error: [-32_601, "unknown method check"] } }],
    [
      "an account over max_bytes (F104)",
      "test",
      { test: { error: [-32_000, "SPX-F104: result exceeds max_bytes"] } },
    ],
    ["test refused as if it were a build", "test", { test: { error: [-32_000, "SPX-G172: x"] } }],
    ["shutdown refused", "test", { shutdown: { error: [-32_000, "SPX-G172: x"] } }],
    ["shutdown answered with something else", "test", { shutdown: { result: "{}" } }],
    ["it ends in place of shutdown's answer", "test", { shutdown: "end" }],
    ["it ends with status 1 and other words", "test", { end: { status: 1, words: "Error: x\n" } }],
    ["it ends with words and status 0", "test", { end: { status: 0, words: "SPX-J102: x\n" } }],
    ["it ends by a signal after all answers", "test", { end: { status: null, words: "" } }],
    ["its end cannot be known", "test", { end: "throw" }],
    [
      "the answer to another request",
      "open",
      { "workspace/open": { frame: () => `${head("session1-2")}"result":${opened(1)}}` } },
    ],
    [
      "an answer with id null",
      "open",
      {
        "workspace/open": {
          frame: () => '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}',
        },
      },
    ],
    [
      "an answer in pretty print",
      "check",
      { check: { frame: (id) => `{"jsonrpc": "2.0","id":"${id}","result":${ok}}` } },
    ],
    [
      "an answer with a blank behind it",
      "check",
      { check: { frame: (id) => `${head(id)}"result":${ok}} ` } },
    ],
    [
      "an answer with a byte order mark",
      "check",
      { check: { frame: (id) => `\uFEFF${head(id)}"result":${ok}}` } },
    ],
    ["an answer that is not UTF-8", "check", { check: { frame: () => Uint8Array.of(0x7b, 0xff, 0x7d) } }],
    [
      "an answer with both result and error",
      "check",
      { check: { frame: (id) => `${head(id)}"result":${ok},"error":{"code":-32000,"message":"x"}}` } },
    ],
    [
      "an error with data",
      "check",
      { check: { frame: (id) => `${head(id)}"error":{"code":-32000,"message":"SPX-G172: x","data":1}}` } },
    ],
    [
      "an error with members in another order",
      "check",
      { check: { frame: (id) => `${head(id)}"error":{"message":"SPX-G172: x","code":-32000}}` } },
    ],
    [
      "an error with a code that is text",
      "check",
      { check: { frame: (id) => `${head(id)}"error":{"code":"-32000","message":"SPX-G172: x"}}` } },
    ],
    ["an error that is null", "check", { check: { frame: (id) => `${head(id)}"error":null}` } }],
    ["no JSON", "open", { "workspace/open": { frame: () => "hello" } }],
    ["an empty frame", "open", { "workspace/open": { frame: () => "" } }],
    ["opened false", "open", { "workspace/open": { result: opened(1).replace("true", "false") } }],
    ["a revision that is none", "open", { "workspace/open": { result: opened(1).replace(/1"/, '"') } }],
    ["a member more", "open", { "workspace/open": { result: opened(1).replace("}", ',"a":1}') } }],
    ["ok false", "check", { check: { result: '{"ok":false}' } }],
    [
      "a document that was tampered with",
      "test",
      { test: { result: tested(good.replace('"steps_used":600', '"steps_used":601')) } },
    ],
    [
      "a document of other revisions",
      "test",
      { test: { result: tested(envelope(2, { kind: "returned", value: 0n })) } },
    ],
    [
      "a document of other limits",
      "test",
      { test: { result: tested(envelope(1, { kind: "returned", value: 0n }, { max_steps: 999_999 })) } },
    ],
    ["success claimed for a failure", "test", { test: { result: tested(bad, true) } }],
    ["failure claimed for a success", "test", { test: { result: tested(good, false) } }],
    [
      "command_succeeded is no boolean",
      "test",
      { test: { result: `{"command_succeeded":1,"execution":${good}}` } },
    ],
    ["a result without its end", "test", { test: { result: tested(good).slice(0, -1) } }],
  ];
  test.each(cases)("%s (phase %s)", async (_, phase, script) => {
    const { record, ...decision } = await decide([script]);
    expect(decision).toMatchObject({ status: "failed", kind: "verification.unavailable" });
    expect(decision.details["phase"]).toBe(phase);
    expect(decision.details["attempts"]).toBe(1);
    expect("project_revision" in decision.details).toBe(phase === "check" || phase === "test");
    expect(decision.summary).not.toContain("marker");
    expect(record.closed).toBe(script === "unavailable" ? 0 : 1);
  });

  test("a daemon that is not there at the second attempt leaves no revisions of the first", async () => {
    const { kind, details } = await decide([{ test: { error: [-32_000, "SPX-J102: x"] } }, "unavailable"]);
    expect({ kind, details }).toEqual({
      kind: "verification.unavailable",
      details: { project_ref: PROJECT_REF, phase: "build", scope: "test", protocol: PROTOCOL, attempts: 2 },
    });
  });
});

describe("R45: a summary", () => {
  test("is cut to 4096 bytes at a character, on one line", async () => {
    const words = `SPX-S104: x${"é".repeat(4096)}`;
    const end = { status: 1, words: `${words}\n` };
    const { summary } = await decide([{ "workspace/open": "end", end }]);
    // 37 bytes stand before the letters of two bytes, so one byte is left over.
    expect(Buffer.byteLength(summary)).toBe(4095);
    expect(summary.endsWith("é")).toBe(true);
  });

  // The words are the daemon's, the summary is a text of the protocol: else its status could not be told (R7, R11).
  test.each([
    ["U+0000", "SPX-T001: a\0b"],
    ["half a surrogate pair", "SPX-T001: a\ud800b"],
  ])("with %s in it is told with U+FFFD in its place", async (_, message) => {
    for (const script of [
      { check: { error: [-32_000, message] } },
      { "workspace/open": "end", end: { status: 1, words: `${message}\n` } },
    ] satisfies Script[]) {
      const { kind, summary } = await decide([script]);
      expect({ kind, summary }).toEqual({
        kind: "verification.failed",
        summary: "The project is not valid: SPX-T001: a\ufffdb",
      });
    }
  });
});
