import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DaemonOptions } from "../../src/daemon/args.ts";
import { questionMethod } from "../../src/daemon/method.ts";
import { RequestDecoder } from "../../src/daemon/request.ts";
import { concatenate, utf8 } from "../../src/kernel/bytes.ts";
import { success } from "../../src/kernel/failure.ts";
import { FIXTURES, removeTemporaryFolders } from "../support/projects.ts";
import { replyText, revisionsOf, startSession, type TestSession } from "../support/session.ts";

afterAll(removeTemporaryFolders);

const QUESTIONS = ["workspace/snapshot", "check", "graph", "context", "test"];
const ALWAYS = ["protocol", "ping", "workspace/status"];
const METHODS_V2 = [...QUESTIONS, ...ALWAYS, "shutdown", "workspace/open"].sort();

function opened(options: Partial<DaemonOptions> = {}): TestSession {
  const started = startSession(options);
  expect(started.ask({ method: "workspace/open" })).toContain('"opened":true');
  return started;
}

function invalidated(): TestSession {
  const started = opened();
  started.driftFromNext(1);
  expect(started.ask({ method: "workspace/open" })).toContain("SPX-J102");
  started.driftFromNext(0);
  started.systemCalls();
  return started;
}

/** The parameters with which a question is answered with a result. */
function goodParams(started: TestSession, method: string): Record<string, unknown> {
  const target = { target_kind: "declaration", target: "calculator.add" };
  return { ...revisionsOf(started), ...(method === "context" ? target : {}) };
}

const result = (text: string, id = "1") => `{"jsonrpc":"2.0","id":${id},"result":${text}}\n`;
const error = (code: number, message: string, id = "1") =>
  `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}\n`;

describe("recorded sessions, byte for byte", () => {
  test.each(["calculator-v2", "demo"])("%s", (name) => {
    const lines = readFileSync(join(FIXTURES, "sessions", `${name}.jsonl`), "utf8")
      .trimEnd()
      .split("\n");
    const started = startSession({}, name === "demo" ? "demo" : "calculator");
    for (let at = 0; at < lines.length; at += 2) {
      // The words of errors are the implementation's own (D29, D60); everything else is exact.
      const plain = (line: string) => line.replace(/"message":"(SPX-[A-Z0-9]+)?[^"]*"/, '"message":"$1"');
      expect(plain(started.send(lines[at]!))).toBe(`${plain(lines[at + 1]!)}\n`);
    }
  });
});

describe("the methods of every state (D37, D38)", () => {
  test.each([
    ["configured", startSession, "null", "null"],
    ["open", opened, null, null],
    ["invalidated", invalidated, null, null],
  ] as const)("%s: answered without a file", (state, start, project, workspace) => {
    const started = start();
    started.systemCalls();
    const { project_revision, workspace_revision } = revisionsOf(started);
    expect(started.ask({ method: "ping" })).toBe(result(`{"pong":true,"state":"${state}"}`));
    expect(started.ask({ method: "workspace/status" })).toBe(
      result(
        `{"state":"${state}","last_successful_project_revision":${project ?? `"${project_revision}"`},` +
          `"last_successful_workspace_revision":${workspace ?? `"${workspace_revision}"`}}`,
      ),
    );
    expect(JSON.parse(started.ask({ method: "protocol" })).result).toMatchObject({
      state,
      methods: METHODS_V2,
    });
    expect(started.lastEnd()).toBeNull();
    expect(started.ask({ method: "shutdown" })).toBe(result('{"ok":true}'));
    expect(started.lastEnd()).toEqual({ kind: "closed" });
    expect(started.systemCalls()).toBe(0);
  });

  test("a session that was invalidated before it was open names the loaded revisions (D36)", () => {
    const started = startSession();
    started.driftFromNext(1);
    expect(started.ask({ method: "workspace/open" })).toContain("SPX-J102");
    expect(started.ask({ method: "workspace/status" })).toContain(
      `"last_successful_project_revision":"${revisionsOf(started).project_revision}"`,
    );
  });

  test.each(["configured", "invalidated"])("%s refuses every question with J104 (D39)", (state) => {
    const started = state === "configured" ? startSession() : invalidated();
    started.systemCalls();
    for (const method of QUESTIONS) {
      const refusal = error(-32000, `SPX-J104: not possible while ${state}`);
      expect(started.ask({ method })).toBe(refusal);
      expect(started.ask({ method, params: { unknown: 1 } })).toBe(refusal);
      expect(started.ask({ method, params: goodParams(started, method) })).toBe(refusal);
    }
    expect(started.systemCalls()).toBe(0);
    expect(started.session.state).toBe(state === "configured" ? "configured" : "invalidated");
  });

  test("an invalidated session stays so though the bytes are back (D40)", () => {
    const started = invalidated();
    expect(started.ask({ method: "workspace/open" })).toBe(
      error(-32000, "SPX-J104: not possible while invalidated"),
    );
    expect(started.session.close()).toEqual({ ok: true, value: undefined });
  });

  test("opening again gives the same answer (D42)", () => {
    const started = startSession();
    const answer = started.ask({ method: "workspace/open" });
    expect(started.ask({ method: "workspace/open" })).toBe(answer);
  });
});

describe("protocol (D35)", () => {
  test("says what it was started with", () => {
    const path = 'a"b\x7f\b\x85\\é/semaprax.toml';
    const answer = startSession({
      manifestPath: path,
      requestBytesMax: 4711,
      responseBytesMax: 8192,
      allowProjectRename: true,
    }).ask({ method: "protocol" });
    expect(answer).toContain('"protocol":"semaprax.agent-transport.v3","version":"');
    expect(answer).toContain('"limits":{"max_request_bytes":4711,"max_response_bytes":8192}');
    expect(answer).toContain('"bound_manifest":{"path":"a\\"b\\u007f\\u0008\\u0085\\\\é/semaprax.toml",');
    expect(JSON.parse(answer).result.nonclaims).toHaveLength(7);
  });

  test("lists exactly the methods that are routed", () => {
    for (const allowProjectRename of [false, true]) {
      const started = startSession({ allowProjectRename });
      const { methods } = JSON.parse(started.ask({ method: "protocol" })).result;
      expect(methods).toEqual(methods.toSorted());
      for (const method of methods) expect(started.ask({ method })).not.toContain('"code":-32601');
    }
  });
});

describe("routing", () => {
  test.each([
    "nope",
    "Ping",
    "ping ",
    "__proto__",
    "constructor",
    "toString",
    "rename/preview",
    "rename/apply",
  ])("%s is unknown on v2, before params and state are looked at (D33)", (method) => {
    for (const started of [startSession(), opened(), invalidated()]) {
      expect(started.ask({ method })).toBe(error(-32601, `unknown method ${method}`));
      expect(started.ask({ method, params: { a: 1 } })).toBe(error(-32601, `unknown method ${method}`));
    }
  });

  test("params that are no object come before the name (D21)", () => {
    const started = startSession();
    expect(started.send('{"jsonrpc":"2.0","id":1,"method":"nope","params":[]}')).toBe(
      error(-32602, "params must be an object"),
    );
  });

  test("parameterless methods refuse parameters in every state (D34)", () => {
    for (const started of [startSession(), opened(), invalidated()]) {
      started.systemCalls();
      for (const method of [...ALWAYS, "shutdown", "workspace/open"]) {
        expect(started.ask({ method, params: { a: 1 } })).toBe(
          error(-32602, "this method takes no parameters"),
        );
        expect(started.lastEnd()).toBeNull();
      }
      expect(started.systemCalls()).toBe(0);
      expect(started.ask({ method: "ping", params: {} })).toContain('"pong":true');
    }
  });
});

describe("notifications (D32)", () => {
  const notify = (started: TestSession, method: string, params?: unknown) =>
    started.send(JSON.stringify({ jsonrpc: "2.0", method, params }));

  test("are never answered, execute nothing and change nothing", () => {
    for (const started of [startSession(), opened(), invalidated()]) {
      const { state } = started.session;
      started.systemCalls();
      for (const method of [
        ...QUESTIONS,
        ...ALWAYS,
        "workspace/open",
        "nope",
        "rename/preview",
        "rename/apply",
      ]) {
        for (const params of [undefined, {}, goodParams(started, method), { a: 1 }, [], null, 1]) {
          expect(notify(started, method, params)).toBe("");
          expect(started.lastEnd()).toBeNull();
        }
      }
      expect(started.session.state).toBe(state);
      expect(started.systemCalls()).toBe(0);
    }
  });

  test("shutdown ends silently, unless it has parameters", () => {
    for (const started of [startSession(), opened(), invalidated()]) {
      for (const params of [{ a: 1 }, [], null, "x"]) {
        expect(notify(started, "shutdown", params)).toBe("");
        expect(started.lastEnd()).toBeNull();
      }
      for (const params of [undefined, {}]) {
        expect(notify(started, "shutdown", params)).toBe("");
        expect(started.lastEnd()).toEqual({ kind: "closed" });
      }
    }
  });
});

describe("revisions (D44)", () => {
  test.each(QUESTIONS)("%s: in order, without a code, without a file, also after a drift", (method) => {
    const started = opened();
    const good = goodParams(started, method);
    const { project_revision: project, workspace_revision: workspace } = revisionsOf(started);
    started.driftFromNext(1);
    started.systemCalls();
    const cases: readonly [Record<string, unknown>, string][] = [
      [{ project_revision: undefined, workspace_revision: undefined }, "project_revision is missing"],
      [{ project_revision: null, workspace_revision: 1 }, "project_revision must be text"],
      [{ project_revision: "" }, "project_revision is empty"],
      [{ project_revision: "a\n" }, "controls in project_revision"],
      [{ workspace_revision: undefined }, "workspace_revision is missing"],
      [{ project_revision: "x", workspace_revision: [] }, "workspace_revision must be text"],
      [{ workspace_revision: "" }, "workspace_revision is empty"],
      [{ workspace_revision: "\u009f" }, "controls in workspace_revision"],
      [{ project_revision: "x" }, "project_revision is not the open one"],
      [{ project_revision: `${project} ` }, "project_revision is not the open one"],
      [{ project_revision: project.toUpperCase() }, "project_revision is not the open one"],
      [{ workspace_revision: project }, "workspace_revision is not the open one"],
      [{ project_revision: workspace, workspace_revision: project }, "project_revision is not the open one"],
    ];
    for (const [change, words] of cases) {
      const params = { ...good, ...change, zzz: "unknown parameters come later" };
      expect(started.ask({ method, params })).toBe(error(-32602, words));
    }
    expect(started.ask({ method })).toBe(error(-32602, "project_revision is missing"));
    expect(started.systemCalls()).toBe(0);
    expect(started.session.state).toBe("open");
  });
});

describe("authentication around the question (D45 to D47)", () => {
  const drift = /^\{"jsonrpc":"2.0","id":1,"error":\{"code":-32000,"message":"(.*)"\}\}\n$/;

  test.each(QUESTIONS)("%s: a drift before", (method) => {
    const started = opened();
    started.driftFromNext(1);
    const params = { ...goodParams(started, method), unknown: 1 };
    expect(started.ask({ method, params }).match(drift)?.[1]).toStartWith("SPX-J102: ");
    expect(started.session.state).toBe("invalidated");
  });

  test.each(QUESTIONS)("%s: a drift after drops the result", (method) => {
    const started = opened();
    started.driftFromNext(2);
    const params = goodParams(started, method);
    expect(started.ask({ method, params }).match(drift)?.[1]).toStartWith("SPX-J102: ");
    expect(started.session.state).toBe("invalidated");
    // Nothing of it comes back.
    started.driftFromNext(0);
    expect(started.ask({ method, params })).toContain("SPX-J104");
  });

  test.each(QUESTIONS)("%s: a drift after a refusal comes behind it", (method) => {
    const started = opened();
    started.driftFromNext(2);
    const params = { ...goodParams(started, method), unknown: 1 };
    expect(started.ask({ method, params }).match(drift)?.[1]).toMatch(
      /^SPX-J105: unknown parameter unknown; SPX-J102: /,
    );
    expect(started.session.state).toBe("invalidated");
  });

  test.each(QUESTIONS)("%s: an unknown parameter is named, the session stays open", (method) => {
    const started = opened();
    const params = { ...goodParams(started, method), b: 1, a: 2 };
    expect(started.ask({ method, params })).toBe(error(-32602, "SPX-J105: unknown parameter a"));
    expect(started.session.state).toBe("open");
  });

  test("both authentications are complete, whatever the question (D59)", () => {
    const started = opened();
    started.systemCalls();
    started.ask({ method: "workspace/open" });
    const once = started.systemCalls();
    expect(once).toBeGreaterThan(10);
    for (const method of QUESTIONS) {
      started.ask({ method, params: goodParams(started, method) });
      expect(started.systemCalls()).toBe(2 * once);
    }
  });
});

describe("rendering", () => {
  /** What happens, in order, while a question whose RESULT has so many bytes is answered. */
  function happenings(resultBytes: number): string[] {
    const started = opened({ responseBytesMax: 1000 });
    const happened: string[] = [];
    const method = questionMethod({
      name: "question",
      parameters: [],
      compute: () =>
        success({
          length: resultBytes,
          render() {
            happened.push("render");
            return [new Uint8Array(resultBytes)];
          },
        }),
    });
    const authenticate = started.session.authenticate.bind(started.session);
    started.session.authenticate = () => {
      happened.push("authenticate");
      return authenticate();
    };
    const frame = utf8(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "question", params: revisionsOf(started) }),
    );
    const decoded = new RequestDecoder().decode(frame);
    if (decoded.kind !== "request") throw new Error("the frame is a request");
    method.answer(started.session, decoded.parameters, decoded.id);
    return happened;
  }

  const envelopeBytes = result("").length;

  test("is over when the inputs are authenticated again (D46, D47)", () => {
    expect(happenings(1000 - envelopeBytes)).toEqual(["authenticate", "render", "authenticate"]);
  });

  test("of what does not fit is not begun (D31, C25)", () => {
    expect(happenings(1001 - envelopeBytes)).toEqual(["authenticate", "authenticate"]);
  });
});

describe("the order of parameters (D49)", () => {
  const context = { target_kind: "declaration", target: "calculator.add" };

  test.each<[string, Record<string, unknown>, number, string]>([
    ["context", { target_kind: undefined, target: 1 }, -32602, "SPX-J105: target_kind is missing"],
    ["context", { target_kind: 1, target: 1 }, -32602, "SPX-J105: target_kind must be text"],
    ["context", { target_kind: "module", target: 1 }, -32602, "SPX-J105: target_kind is no known word"],
    ["context", { target: "", direction: 1 }, -32602, "SPX-J105: target is empty"],
    ["context", { target: "a\u0001", direction: 1 }, -32602, "SPX-J105: controls in target"],
    ["context", { direction: 1, depth: "x" }, -32602, "SPX-J105: direction must be text"],
    ["context", { direction: null, depth: "x" }, -32602, "SPX-J105: direction must be text"],
    ["context", { direction: "up", depth: "x" }, -32602, "SPX-J105: direction is no known word"],
    ["context", { depth: "1", max_bytes: null }, -32602, "SPX-J105: depth is no integer"],
    ["context", { max_bytes: -1, max_nodes: null }, -32602, "SPX-J105: max_bytes is no integer"],
    ["context", { max_nodes: 1.5, x: 1 }, -32602, "SPX-J105: max_nodes is no integer"],
    ["context", { depth: 1025, x: 1 }, -32602, "SPX-J105: unknown parameter x"],
    ["context", { depth: 1025, max_bytes: 1 }, -32602, "SPX-G178"],
    ["context", { max_bytes: 4095, max_nodes: 0 }, -32602, "SPX-G176"],
    ["context", { max_bytes: 16_777_217, max_nodes: 0 }, -32602, "SPX-G178"],
    ["context", { max_nodes: 0, target: "t".repeat(4097) }, -32602, "SPX-G176"],
    ["context", { max_nodes: 8209, target: "t".repeat(4097) }, -32602, "SPX-G178"],
    ["context", { target: "t".repeat(4097) }, -32602, "SPX-G178"],
    ["context", { target: "t".repeat(4096) }, -32000, "SPX-G177"],
    ["context", { target_kind: "capability" }, -32000, "SPX-G177"],
    ["test", { max_steps: "1", max_bytes: "1" }, -32602, "SPX-J105: max_steps is no integer"],
    ["test", { max_steps: 0, max_bytes: "1" }, -32602, "SPX-J105: max_bytes is no integer"],
    ["test", { max_steps: 0, max_bytes: 0, x: 1 }, -32602, "SPX-J105: unknown parameter x"],
    ["test", { max_steps: 0, max_bytes: 1023 }, -32602, "SPX-F101: max_bytes"],
    ["test", { max_steps: 0, max_bytes: 16_777_217 }, -32602, "SPX-F101: max_bytes"],
    ["test", { max_steps: 0 }, -32602, "SPX-F101: max_steps"],
    ["test", { max_steps: 100_000_001 }, -32602, "SPX-F101: max_steps"],
    ["test", { max_bytes: 1024 }, -32000, "SPX-F104"],
  ])("%s %j", (method, change, code, message) => {
    const started = opened();
    const base = method === "context" ? context : {};
    const answer = started.ask({ method, params: { ...revisionsOf(started), ...base, ...change } });
    expect(answer).toStartWith(`{"jsonrpc":"2.0","id":1,"error":{"code":${code},"message":"${message}`);
    expect(started.session.state).toBe("open");
  });

  test("integers beyond 2^53 are compared exactly enough (D26)", () => {
    const started = opened();
    const { project_revision, workspace_revision } = revisionsOf(started);
    const ask = (more: string) =>
      started.send(
        `{"jsonrpc":"2.0","id":1,"method":"context","params":{"project_revision":"${project_revision}",` +
          `"workspace_revision":"${workspace_revision}","target_kind":"declaration","target":"calculator.add",${more}}}`,
      );
    expect(ask('"depth":18446744073709551615')).toContain("SPX-G178");
    expect(ask('"depth":18446744073709551616')).toContain("SPX-J105: depth is no integer");
    expect(ask('"depth":1e1')).toContain("SPX-J105: depth is no integer");
    expect(ask('"depth":-0')).toContain("SPX-J105: depth is no integer");
  });
});

describe("overflow (D30, D31)", () => {
  const overflow = (id: string) =>
    `{"jsonrpc":"2.0","id":${id},"error":{"code":-32001,"message":"response exceeds configured byte limit"}}\n`;

  test.each(QUESTIONS)("%s fits exactly, and not with one byte less", (method) => {
    // The id makes the shortest result longer than the least limit.
    const id = "i".repeat(128);
    const wide = opened();
    const params = goodParams(wide, method);
    const exact = wide.ask({ id, method, params });
    expect(exact).toContain('"result":');
    const length = utf8(exact).length;
    const limited = (responseBytesMax: number) => {
      const started = startSession({ responseBytesMax });
      // The answer to workspace/open would be longer than that to check.
      started.session.state = "open";
      return started;
    };
    const fits = limited(length);
    expect(fits.ask({ id, method, params })).toBe(exact);
    expect(fits.lastEnd()).toBeNull();
    const overflows = limited(length - 1);
    const kept = overflow(`"${id}"`);
    expect(overflows.ask({ id, method, params })).toBe(kept.length < length ? kept : overflow("null"));
    expect(overflows.lastEnd()).toEqual({ kind: "closed" });
  });

  test("an answer that ends the session for a reason of its own ends for that reason", () => {
    const started = startSession({ responseBytesMax: 103 });
    expect(started.ask({ id: "i".repeat(128), method: "shutdown" })).toBe(overflow("null"));
    expect(started.lastEnd()).toEqual({ kind: "closed" });
  });

  test("errors overflow too", () => {
    const started = startSession({ responseBytesMax: 103 });
    expect(started.ask({ method: "m".repeat(64) })).toBe(overflow("1"));
    expect(started.lastEnd()).toEqual({ kind: "closed" });
  });

  test.each([
    ["not UTF-8 or JSON", "\r", -32700],
    ["not JSON", "{", -32700],
    ["no object", "[]", -32600],
    ["a key twice", '{"a":1,"a":1}', -32600],
    ["no version", "{}", -32600],
    ["no method", '{"jsonrpc":"2.0"}', -32600],
    ["no id", '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ["params", '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32602],
    ["parameters", '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1}}', -32602],
    ["state", '{"jsonrpc":"2.0","id":1,"method":"check"}', -32000],
  ])("the common errors fit the least limit: %s (D29)", (_, frame, code) => {
    const started = startSession({ responseBytesMax: 103 });
    expect(started.send(frame)).toContain(`"code":${code},`);
    expect(started.lastEnd()).toBeNull();
  });

  test("the answer to an oversized frame fits the least limit (D18)", () => {
    const { session } = startSession({ responseBytesMax: 103 });
    const reply = session.handleOversized();
    expect(replyText(reply)).toBe(error(-32700, "request is longer than the limit", "null"));
    expect(reply.end).toEqual({ kind: "closed" });
  });
});

describe("responses", () => {
  test("the artifact of the graph is not copied (D75)", () => {
    const started = opened();
    const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "graph", params: revisionsOf(started) });
    const { response } = started.session.handle(utf8(frame));
    expect(response).toContain(started.project.snapshot.graph.artifact);
    expect(JSON.parse(new TextDecoder().decode(concatenate(response ?? [])))).toHaveProperty(
      "result.graph.edges",
    );
  });

  test("a request with any byte changed is answered with at most one line, whatever it asks for", () => {
    const started = opened();
    const frame = utf8(
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "check", params: revisionsOf(started) }),
    );
    for (let at = 0; at < frame.length; at++) {
      for (const byte of [
        0,
        0x0d,
        0x20,
        0x22,
        0x2c,
        0x5c,
        0x7d,
        0x80,
        0xff,
        frame[at]! ^ 1,
        frame[at]! ^ 0x20,
      ]) {
        const damaged = frame.slice();
        damaged[at] = byte;
        const text = replyText(started.session.handle(damaged));
        expect(text).toMatch(/^(?:[^\n]+\n)?$/);
        if (text !== "") expect(JSON.parse(text)).toHaveProperty("jsonrpc", "2.0");
      }
    }
    expect(started.session.state).toBe("open");
  });
});
