// The mapping tables (sections 3 to 6), value by value.
import { describe, expect, test } from "bun:test";
import { Codec } from "../../../src/protocol/index.ts";
import { readItem } from "../../../src/protocol/codex/schema/item.ts";
import { commandSubject, fileSubject, summarize } from "../../../src/protocol/codex/translate/approval.ts";
import { toFailure } from "../../../src/protocol/codex/translate/failure.ts";
import { type Sight, smaller, toItem } from "../../../src/protocol/codex/translate/item.ts";
import { type Failed, isFault, toError } from "../../../src/protocol/codex/translate/refusal.ts";
import { commandOfTurn, toThread, toTurn } from "../../../src/protocol/codex/translate/thread.ts";
import { Item } from "../../../src/protocol/schema/item.ts";
import { codexTurn, THREAD } from "./support.ts";

function item(value: object, sight: Sight = "completed") {
  const read = readItem({ id: "i", ...value });
  if (read === null) throw new Error("not an item");
  const shown = toItem(read, sight);
  expect(Item.safeParse(shown).success).toBe(true);
  return shown;
}

describe("threads and turns", () => {
  test.each([
    ["notLoaded", "not_loaded"],
    ["idle", "idle"],
    ["active", "active"],
    ["systemError", "failed"],
  ] as const)("RC15: status %s is %s", (type, status) => {
    expect(toThread({ ...THREAD, status: { type } }).status).toBe(status);
  });

  test("RC15: a name is the title, cut to 256 bytes; an empty one is none", () => {
    expect(toThread({ ...THREAD, name: "n".repeat(257) } as never).title).toBe("n".repeat(256));
    expect(toThread({ ...THREAD, name: "" } as never)).not.toHaveProperty("title");
    expect(toThread({ ...THREAD } as never)).toEqual({
      thread_id: THREAD.id,
      status: "idle",
      ephemeral: false,
      created_at: "2023-11-14T22:13:20Z",
      updated_at: "2023-11-14T22:13:20Z",
    });
  });

  test("RC16: states and times", () => {
    const base = { thread_id: "th", turn_id: "t", started_at: "2023-11-14T22:13:20Z" };
    const done = { completedAt: 1_700_000_001 };
    const finished_at = "2023-11-14T22:13:21Z";
    const of = (status: string, more: object = done) =>
      toTurn("th", codexTurn("t", status, more) as never, null);
    expect(of("inProgress")).toEqual({ ...base, status: "in_progress" });
    expect(of("completed")).toEqual({ ...base, status: "completed", finished_at });
    expect(of("interrupted", {})).toEqual({ ...base, status: "interrupted" });
    expect(of("failed", { ...done, error: { message: "m", codexErrorInfo: "unauthorized" } })).toEqual({
      ...base,
      status: "failed",
      finished_at,
      failure: { reason: "provider.unauthorized", message: "m" },
    });
    expect(toTurn("th", codexTurn("t", "completed", { startedAt: null }) as never, "c-1")).toEqual({
      thread_id: "th",
      turn_id: "t",
      command_id: "c-1",
      status: "completed",
    });
  });

  test("RC16: the command is that of the first user message, if it is an Id", () => {
    const message = (clientId: string | null) => ({ type: "userMessage", id: "u", clientId, content: [] });
    const of = (...items: object[]) => commandOfTurn(codexTurn("t", "completed", { items }) as never);
    expect(of({ type: "plan", id: "p", text: "" }, message("c-1"), message("c-2"))).toBe("c-1");
    expect(of(message(null), message("c-2"))).toBeNull();
    expect(of(message("not an id"))).toBeNull();
    expect(of()).toBeNull();
  });
});

describe("failures", () => {
  test.each([
    ["contextWindowExceeded", "provider.context_window"],
    ["sessionBudgetExceeded", "provider.budget"],
    ["usageLimitExceeded", "provider.usage_limit"],
    ["rateLimitExceeded", "provider.rate_limit"],
    ["flexUnavailable", "provider.overloaded"],
    ["serverOverloaded", "provider.overloaded"],
    ["cyberPolicy", "provider.policy"],
    ["misalignmentPolicyViolation", "provider.policy"],
    ["tooManyDenials", "provider.policy"],
    ["internalServerError", "provider.internal"],
    ["unauthorized", "provider.unauthorized"],
    ["badRequest", "provider.bad_request"],
    ["sandboxError", "host.sandbox"],
    ["threadRollbackFailed", "host.rollback"],
    [{ httpConnectionFailed: { httpStatusCode: null } }, "provider.http"],
    [{ responseStreamConnectionFailed: {} }, "provider.stream_connect"],
    [{ responseStreamDisconnected: null }, "provider.stream_lost"],
    [{ responseTooManyFailedAttempts: {} }, "provider.retries"],
    [{ activeTurnNotSteerable: { turnKind: "review" } }, "host.not_steerable"],
    [null, "provider.other"],
    ["other", "provider.other"],
    ["newInTheNextRelease", "provider.other"],
    [{}, "provider.other"],
    [{ httpConnectionFailed: {}, another: {} }, "provider.other"],
    [{ constructor: {} }, "provider.other"],
  ])("RC28: %j is %s", (codexErrorInfo, reason) => {
    expect(toFailure({ message: "m", codexErrorInfo } as never)).toEqual({ reason, message: "m" });
  });

  test.each([
    [100, 100],
    [599, 599],
    [99, undefined],
    [600, undefined],
    [401.5, undefined],
    ["401", undefined],
  ])("RC28: the provider's status %p is told as %p", (httpStatusCode, http_status) => {
    const codexErrorInfo = { httpConnectionFailed: { httpStatusCode } };
    expect(toFailure({ message: "m", codexErrorInfo }).http_status).toBe(http_status!);
  });

  test("RC28: a failure without words or facts", () => {
    expect(toFailure(null)).toEqual({
      reason: "provider.other",
      message: "the turn failed without a message",
    });
  });
});

describe("items", () => {
  test("section 5: kinds and their fields", () => {
    const text = { type: "text", text: "a" };
    const user = {
      type: "userMessage",
      clientId: "c-1",
      content: [text, { type: "image", url: "u" }, { ...text, text: "b" }],
    };
    const base = { item_id: "i", status: "completed" } as const;
    expect(item(user)).toEqual({
      ...base,
      kind: "user_message",
      text: "a\nb",
      command_id: "c-1",
      truncated: true,
    });
    expect(item({ type: "agentMessage", text: "" })).toEqual({ ...base, kind: "agent_message", text: "" });
    expect(item({ type: "plan", text: "p" })).toEqual({ ...base, kind: "plan", text: "p" });
    expect(item({ type: "reasoning", summary: ["a", "b"], content: ["c"] })).toEqual({
      ...base,
      kind: "reasoning",
      text: "a\n\nb",
    });
    expect(item({ type: "reasoning", summary: [], content: ["c", "d"] })).toEqual({
      ...base,
      kind: "reasoning",
      text: "c\n\nd",
    });
    expect(item({ type: "reasoning" })).toEqual({ ...base, kind: "reasoning", text: "" });
    expect(item({ type: "mcpToolCall", status: "failed", tool: "t", server: "s" })).toEqual({
      item_id: "i",
      kind: "tool_call",
      status: "failed",
      tool: { name: "t", server: "s" },
    });
    expect(item({ type: "dynamicToolCall", status: "completed", tool: "t", namespace: null })).toEqual({
      ...base,
      kind: "tool_call",
      tool: { name: "t" },
    });
    expect(item({ type: "webSearch", query: "q" })).toEqual({ ...base, kind: "other", label: "webSearch" });
  });

  test("section 5: a command", () => {
    const run = {
      type: "commandExecution",
      status: "completed",
      command: "c",
      cwd: "/w",
      exitCode: 0,
      aggregatedOutput: "o",
    };
    const command = { line: "c", working_directory: "/w", exit_code: 0, output: "o" };
    expect(item(run)).toEqual({ item_id: "i", kind: "command", status: "completed", command });
    expect(item({ ...run, cwd: "", exitCode: null, aggregatedOutput: null })).toMatchObject({
      command: { line: "c" },
    });
    expect(item({ ...run, command: "" })).toMatchObject({ command: { line: "(empty)" } });
    for (const [exitCode, shown] of [
      [-(2 ** 31), true],
      [-(2 ** 31) - 1, false],
      [2 ** 32 - 1, true],
      [2 ** 32, false],
    ] as const) {
      expect("exit_code" in (item({ ...run, exitCode }) as unknown as { command: object }).command).toBe(
        shown,
      );
    }
  });

  test.each([
    ["inProgress", null, "started", "in_progress"],
    ["completed", 0, "started", "in_progress"],
    ["inProgress", null, "completed", "completed"],
    ["inProgress", null, "stored", "in_progress"],
    ["completed", 0, "completed", "completed"],
    ["completed", 3, "completed", "failed"],
    ["completed", 3, "stored", "failed"],
    ["failed", null, "completed", "failed"],
    ["declined", null, "completed", "declined"],
    ["declined", 1, "completed", "declined"],
  ] as const)("RC29: a command that is %s with exit code %p, %s: %s", (status, exitCode, sight, expected) => {
    expect(item({ type: "commandExecution", status, command: "c", cwd: "/", exitCode }, sight).status).toBe(
      expected,
    );
  });

  test("RC29: a type without status has that of its event", () => {
    expect(item({ type: "plan", text: "" }, "started").status).toBe("in_progress");
    expect(item({ type: "plan", text: "" }, "completed").status).toBe("completed");
    expect(item({ type: "plan", text: "" }, "stored").status).toBe("completed");
  });

  test("section 5: a file change; a move names its target in the first line", () => {
    const changes = [
      { path: "a", kind: { type: "add" }, diff: "x\n" },
      { path: "b", kind: { type: "update", move_path: "c" }, diff: "-1\n" },
      { path: "d", kind: { type: "update", move_path: null }, diff: "" },
      { path: "e", kind: { type: "delete" }, diff: "y" },
    ];
    expect(item({ type: "fileChange", status: "declined", changes })).toEqual({
      item_id: "i",
      kind: "file_change",
      status: "declined",
      changes: [
        { path: "a", change: "add", diff: "x\n" },
        { path: "b", change: "update", diff: "rename to c\n-1\n" },
        { path: "d", change: "update", diff: "" },
        { path: "e", change: "delete", diff: "y" },
      ],
    });
  });

  test("RC30: each bound, and one more", () => {
    const change = { path: "a", kind: { type: "add" }, diff: "" };
    const bounds: [(n: number) => object, number][] = [
      [(n) => ({ type: "agentMessage", text: "x".repeat(n) }), 262_144],
      [(n) => ({ type: "commandExecution", status: "completed", command: "x".repeat(n), cwd: "/" }), 65_536],
      [(n) => ({ type: "commandExecution", status: "completed", command: "c", cwd: "x".repeat(n) }), 4096],
      [
        (n) => ({
          type: "commandExecution",
          status: "completed",
          command: "c",
          cwd: "",
          aggregatedOutput: "x".repeat(n),
        }),
        262_144,
      ],
      [
        (n) => ({ type: "fileChange", status: "completed", changes: [{ ...change, diff: "x".repeat(n) }] }),
        131_072,
      ],
      [
        (n) => ({ type: "fileChange", status: "completed", changes: [{ ...change, path: "x".repeat(n) }] }),
        4096,
      ],
      [(n) => ({ type: "fileChange", status: "completed", changes: Array(n).fill(change) }), 256],
      [(n) => ({ type: "mcpToolCall", status: "completed", tool: "x".repeat(n), server: "s" }), 256],
      [(n) => ({ type: "mcpToolCall", status: "completed", tool: "t", server: "x".repeat(n) }), 256],
      [(n) => ({ type: "x".repeat(n) }), 256],
    ];
    for (const [make, max] of bounds) {
      expect(item(make(max))).not.toHaveProperty("truncated");
      expect(item(make(max + 1))).toMatchObject({ truncated: true });
    }
  });

  test("RC30: what is too large loses its diffs, then its output, then its text, then changes", () => {
    const change = { path: "p", change: "add", diff: "d" } as const;
    const changed = {
      item_id: "i",
      kind: "file_change",
      status: "completed",
      text: "t",
      changes: [change, change, change],
    } as const;
    const bare = { path: "p", change: "add" };
    const { text: _, ...silent } = changed;
    expect([...smaller({ ...changed, changes: [...changed.changes] })] as unknown).toEqual([
      { ...changed, truncated: true, changes: [bare, bare, bare] },
      { ...silent, truncated: true, changes: [bare, bare, bare] },
      { ...silent, truncated: true, changes: [bare] },
    ]);
    const ran = {
      item_id: "i",
      kind: "command",
      status: "failed",
      command: { line: "l", output: "o" },
    } as const;
    expect([...smaller({ ...ran })]).toEqual([{ ...ran, truncated: true, command: { line: "l" } }]);
  });
});

describe("errors of Codex", () => {
  const refused = (code: number, message: string, data?: unknown): Failed => ({
    kind: "refused",
    error: data === undefined ? { code, message } : { code, message, data },
  });

  test.each([
    [-32600, "thread not found: x", "not_found"],
    [-32600, "thread not loaded: x", "not_found"],
    [-32600, "no rollout found for thread id x", "not_found"],
    [-32600, "invalid thread id: y", "not_found"],
    [-32600, "no active turn to steer", "invalid_state"],
    [-32600, "expected active turn id `a` but found `b`", "invalid_state"],
    [-32600, "ephemeral threads do not support includeTurns", "unavailable"],
    [-32600, "Invalid request: missing field", "unavailable"],
    [-32600, "Not initialized", "unavailable"],
    [-32600, "Already initialized", "unavailable"],
    [-32600, "a thread not found", "internal"],
    [-32602, "thread not found: x", "internal"],
    [-32601, "list_turns is not supported yet", "internal"],
    [-32603, "whatever", "internal"],
    [-32000, "", "internal"],
  ] as const)("section 7: %d %j is %s", (code, message, native) => {
    for (const purpose of ["read", "mutation"] as const) {
      const error = toError(refused(code, message), purpose);
      expect(error.code).toBe(native);
      if (message !== "") expect(error.message).not.toContain(message);
    }
  });

  test("section 7: input that is too large", () => {
    expect(toError(refused(-32602, "m", { input_error_code: "input_too_large" }), "mutation").code).toBe(
      "overflow",
    );
    for (const data of [null, "input_too_large", { input_error_code: "x" }, undefined]) {
      expect(toError(refused(-32602, "m", data), "mutation").code).toBe("internal");
    }
  });

  test("section 7: no answer", () => {
    expect(toError({ kind: "timeout" }, "read").code).toBe("timeout");
    expect(toError({ kind: "timeout" }, "mutation").code).toBe("ambiguous_disconnect");
    expect(toError({ kind: "lost" }, "read").code).toBe("unavailable");
    expect(toError({ kind: "lost" }, "mutation").code).toBe("ambiguous_disconnect");
    expect(toError({ kind: "malformed" }, "mutation").code).toBe("internal");
    expect(toError({ kind: "full" }, "mutation").code).toBe("overflow");
  });

  test("section 7: what Codex should not have had to refuse is a fault of ours", () => {
    expect(isFault(refused(-32600, "Invalid request: x"))).toBe(true);
    expect(isFault(refused(-32600, "thread not found"))).toBe(false);
    expect(isFault({ kind: "timeout" })).toBe(false);
  });
});

describe("subjects of approvals", () => {
  const params = { threadId: "th", turnId: "t", itemId: "i", kind: "command" as const };

  test("RC31: a command, with its reason and network", () => {
    const given = { ...params, command: "c", cwd: "/w", environmentId: "local" };
    const details = { codex_kind: "command", environment_id: "local" };
    expect(commandSubject(given)).toEqual({
      action: { kind: "command", summary: "c", command: "c", working_directory: "/w", details },
      reason: null,
    });
    const network = { host: "h", protocol: "https" as const };
    expect(commandSubject({ ...given, reason: "r", networkApprovalContext: network })).toEqual({
      action: {
        kind: "command",
        summary: "r",
        command: "c",
        working_directory: "/w",
        details: { ...details, network },
      },
      reason: "r",
    });
    expect(commandSubject({ ...given, command: "x".repeat(5000) })?.action.summary).toBe("x".repeat(4096));
    expect(commandSubject({ ...given, reason: "r".repeat(5000) })?.reason).toBe("r".repeat(4096));
  });

  test("RC31: input for a running command, or no command, is a permission", () => {
    const details = { codex_kind: "command", environment_id: null };
    expect(commandSubject(params)?.action).toEqual({
      kind: "permission",
      summary: "permission for command",
      details,
    });
    expect(commandSubject({ ...params, kind: "writeStdin", command: "yes", cwd: "/" })?.action).toEqual({
      kind: "permission",
      summary: "yes",
      command: "yes",
      working_directory: "/",
      details: { ...details, codex_kind: "writeStdin" },
    });
  });

  test("RC31: what cannot be shown whole is not asked", () => {
    expect(commandSubject({ ...params, command: "x".repeat(65_536) })).not.toBeNull();
    for (const wrong of [
      { command: "x".repeat(65_537) },
      { command: "a\0b" },
      { command: "\ud800" },
      { command: "c", cwd: "x".repeat(4097) },
    ]) {
      expect(commandSubject({ ...params, ...wrong })).toBeNull();
    }
  });

  test("RC32: a file change, from the item that was started", () => {
    const changes = summarize([
      { path: "a", kind: { type: "add" }, diff: "hello\n" },
      { path: "b", kind: { type: "update", move_path: "c" }, diff: "" },
    ]);
    const empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const subject = fileSubject({ ...params, reason: null, grantRoot: null }, changes);
    expect(subject).toEqual({
      action: {
        kind: "file_change",
        summary: "change 2 file(s)",
        paths: ["a", "b", "c"],
        details: {
          changes: [
            {
              path: "a",
              change: "add",
              diff_digest: "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03",
            },
            { path: "b", change: "update", diff_digest: empty, move_to: "c" },
          ],
        },
      },
      reason: null,
    });
    expect(Codec.digest(subject?.action)).toStartWith("sha256:");
    expect(fileSubject({ ...params, reason: "why" }, changes)?.action.summary).toBe("why");
  });

  test("RC32: nothing to name, too much of it, or a whole folder is not asked", () => {
    const change = { path: "a", kind: { type: "add" as const }, diff: "" };
    const moved = { path: "a", kind: { type: "update" as const, move_path: "b" }, diff: "" };
    const one = summarize([change]);
    expect(fileSubject(params, undefined)).toBeNull();
    expect(fileSubject({ ...params, grantRoot: "/" }, one)).toBeNull();
    expect(fileSubject({ ...params, grantRoot: "" }, one)).toBeNull();
    expect(summarize([])).toBeNull();
    expect(summarize(Array(256).fill(change))).toHaveLength(256);
    expect(summarize(Array(257).fill(change))).toBeNull();
    expect(summarize(Array(128).fill(moved))).toHaveLength(128);
    expect(summarize(Array(129).fill(moved))).toBeNull();
    expect(summarize([{ ...change, path: "x".repeat(4097) }])).toBeNull();
    expect(summarize([{ ...change, path: "" }])).toBeNull();
  });
});
