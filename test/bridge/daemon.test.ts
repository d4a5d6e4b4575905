// R120, R124: the package's own daemon over temporary copies of a project.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, unlinkSync, writeFileSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import {
  createVerifyBridge,
  type DaemonProcess,
  type DaemonSession,
  openDaemon,
  type VerifyBridgeOptions,
} from "../../src/bridge/index.ts";
import { sha256Hex } from "../../src/kernel/digest.ts";
import { loadProject } from "../../src/project/load.ts";
import { runTest } from "../../src/project/execution.ts";
import { BridgeClient, PROJECT_REF } from "../support/bridge.ts";
import { inventory } from "../support/daemon-process.ts";
import { copyProject, removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

const manifestOf = (root: string) => join(root, "semaprax.toml");

/** A bridge whose daemons are watched: `between` is called before each request. */
function watchedBridge(
  root: string,
  between: (method: string, session: number) => void = () => {},
  options: Partial<VerifyBridgeOptions> = {},
) {
  const daemons: DaemonProcess[] = [];
  const open = (): DaemonSession => {
    const daemon = openDaemon(manifestOf(root));
    const session = daemons.push(daemon);
    return {
      ended: daemon.ended,
      close: daemon.close,
      ask(frame) {
        between(JSON.parse(new TextDecoder().decode(frame)).method, session);
        return daemon.ask(frame);
      },
    };
  };
  const bridge = createVerifyBridge({ projects: { [PROJECT_REF]: open }, ...options });
  return { bridge, client: new BridgeClient(bridge), daemons };
}

/** The revisions and the execution document that a daemon would give, found without one. */
function expected(root: string) {
  const loaded = loadProject(manifestOf(root));
  if (!loaded.ok) throw new Error("the project does not load");
  const { snapshot, held } = loaded.value;
  const report = runTest(snapshot, { maxSteps: 1_000_000, maxBytes: 65_536 });
  held.close();
  if (!report.ok) throw new Error("no test report");
  return {
    project_revision: snapshot.projectRevision as string,
    workspace_revision: snapshot.workspaceRevision as string,
    execution_digest: `sha256:${sha256Hex(report.value.envelope)}`,
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Replaces `42` in the tests, so that they return 1. */
function breakTest(root: string): void {
  const tests = join(root, "src", "tests.spx");
  writeFileSync(tests, readFileSync(tests, "utf8").replace("== 42", "== 43"));
}

describe("R124: the package's own daemon", () => {
  test("a good project passes, with the revisions of workspace/open; nothing is written or left", async () => {
    const root = copyProject("calculator");
    const before = inventory(root);
    const { bridge, client, daemons } = watchedBridge(root);
    client.deliver();
    await bridge.pump();
    const { status, kind, details } = client.decision();
    expect({ status, kind }).toEqual({ status: "completed", kind: "verification.passed" });
    expect(details).toEqual({
      project_ref: PROJECT_REF,
      ...expected(root),
      phase: "test",
      scope: "test",
      protocol: "semaprax.agent-transport.v2",
      attempts: 1,
      test: { command_succeeded: true },
    });
    expect(daemons.map(({ pid }) => isAlive(pid))).toEqual([false]);
    expect(inventory(root)).toEqual(before);
    await bridge.close();
  });

  test("an edit that breaks a test: verification.failed with other revisions; delivered twice, it runs once", async () => {
    const root = copyProject("calculator");
    const { bridge, client, daemons } = watchedBridge(root);
    client.deliver({ event_id: "1" });
    await bridge.pump();
    const { details: good } = client.decision("1");
    breakTest(root);
    client.deliver({ event_id: "2" });
    client.deliver({ event_id: "2", delivery_attempt_id: "att-2" });
    await bridge.pump();
    client.deliver({ event_id: "2", delivery_attempt_id: "att-3" });
    await bridge.pump();
    expect(daemons.length).toBe(2);
    const { kind, details } = client.decision("2");
    expect(kind).toBe("verification.failed");
    expect(details).toMatchObject({
      ...expected(root),
      phase: "test",
      test: { command_succeeded: false, reason: "returned_nonzero" },
    });
    expect(details["project_revision"]).not.toBe(good["project_revision"]);
    expect(details["workspace_revision"]).not.toBe(good["workspace_revision"]);
    expect(client.status("2")["deliveries"]).toBe(3);
    await bridge.close();
  });

  test.each(["test", "shutdown"])(
    "an edit before %s: the verdict is about what the edit made",
    async (held) => {
      const root = copyProject("calculator");
      const old = expected(root);
      const { bridge, client, daemons } = watchedBridge(root, (method, session) => {
        if (method === held && session === 1) breakTest(root);
      });
      client.deliver();
      await bridge.pump();
      const { kind, details } = client.decision();
      expect(kind).toBe("verification.failed");
      expect(details).toMatchObject({ ...expected(root), attempts: 2 });
      expect(details["project_revision"]).not.toBe(old.project_revision);
      expect(daemons.map(({ pid }) => isAlive(pid))).toEqual([false, false]);
      await bridge.close();
    },
  );

  test("edits to and fro: unstable after four sessions", async () => {
    const root = copyProject("calculator");
    const tests = join(root, "src", "tests.spx");
    const good = readFileSync(tests, "utf8");
    const { bridge, client, daemons } = watchedBridge(root, (method, session) => {
      if (method === "test") writeFileSync(tests, session % 2 === 1 ? good.replace("== 42", "== 43") : good);
    });
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      status: "failed",
      kind: "verification.unstable",
      details: { phase: "test", attempts: 4 },
    });
    expect(daemons.map(({ pid }) => isAlive(pid))).toEqual([false, false, false, false]);
    await bridge.close();
  });

  test("a source that does not parse: verification.failed in phase build, in the daemon's words", async () => {
    const root = copyProject("calculator");
    writeFileSync(join(root, "src", "core.spx"), "module calculator.core;\n\nfn ?\n");
    const bridge = createVerifyBridge({ projects: new Map([[PROJECT_REF, manifestOf(root)]]) });
    const client = new BridgeClient(bridge);
    client.deliver();
    await bridge.pump();
    const { kind, summary, details } = client.decision();
    expect(kind).toBe("verification.failed");
    expect(summary).toMatch(/^The project is not valid: SPX-P105: /);
    expect(summary).not.toContain(root);
    expect(details).toMatchObject({ phase: "build", attempts: 1 });
    expect(details).not.toHaveProperty("project_revision");
    await bridge.close();
  });

  test("a source that is missing is a state of the project, found out by looking again", async () => {
    const root = copyProject("calculator");
    unlinkSync(join(root, "src", "core.spx"));
    const { bridge, client } = watchedBridge(root);
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      kind: "verification.failed",
      details: { phase: "build", attempts: 4 },
    });
    await bridge.close();
  });

  test("max_steps of the payload: out of fuel", async () => {
    const root = copyProject("calculator");
    const { bridge, client } = watchedBridge(root);
    client.deliver({ payload: { max_steps: 40 } });
    client.deliver({ event_id: "ev-2", event_type: "verify.requested", payload: { max_steps: 41 } });
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      kind: "verification.failed",
      details: { test: { command_succeeded: false, reason: "fuel_exhausted" } },
    });
    expect(client.decision("ev-2").kind).toBe("verification.passed");
    await bridge.close();
  });

  test("max_bytes too low for the document is no verdict (F104)", async () => {
    const root = copyProject("calculator");
    const { bridge, client } = watchedBridge(root, undefined, { limits: { maxBytes: 1837 } });
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      kind: "verification.unavailable",
      details: { phase: "test" },
    });
    await bridge.close();
  });
});

describe("a daemon process", () => {
  test("a relative manifest path is taken from the working directory at the start", async () => {
    const root = copyProject("calculator");
    const daemon = openDaemon(relative(process.cwd(), manifestOf(root)));
    const request = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const answer = await daemon.ask(new TextEncoder().encode(request));
    expect(new TextDecoder().decode(answer ?? new Uint8Array())).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"pong":true,"state":"configured"}}',
    );
    expect(isAlive(daemon.pid)).toBe(true);
    await daemon.close();
    expect(isAlive(daemon.pid)).toBe(false);
    expect(await daemon.ended).toEqual({ status: null, words: "" });
    await daemon.close();
  });

  test("is started read-only, whatever it is asked (R120)", async () => {
    const daemon = openDaemon(manifestOf(copyProject("calculator")));
    const answer = await daemon.ask(
      new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"method":"rename/preview"}'),
    );
    expect(new TextDecoder().decode(answer ?? new Uint8Array())).toContain('"code":-32601');
    await daemon.close();
  });

  test("files of the project's folder have no influence (D68)", async () => {
    const root = copyProject("calculator");
    writeFileSync(join(root, "bunfig.toml"), 'preload = ["./mark.ts"]\n');
    writeFileSync(join(root, "mark.ts"), 'require("node:fs").writeFileSync("marker", "");\n');
    const { bridge, client } = watchedBridge(root);
    client.deliver();
    await bridge.pump();
    expect(client.decision().kind).toBe("verification.passed");
    expect(readdirSync(root)).not.toContain("marker");
    await bridge.close();
  });

  test("that is gone with its manifest has no verdict to give but that", async () => {
    const root = temporaryFolder();
    rmSync(root, { recursive: true });
    const daemon = openDaemon(manifestOf(root));
    expect(await daemon.ask(new TextEncoder().encode("{}"))).toBeNull();
    const { status, words } = await daemon.ended;
    expect(status).toBe(1);
    expect(words).toMatch(/^SPX-J102: [^\n]+\n$/);
    await daemon.close();
  });

  test("closing the bridge ends a daemon in the middle of a job", async () => {
    const root = copyProject("calculator");
    const reached = Promise.withResolvers<void>();
    const { bridge, client, daemons } = watchedBridge(root, (method) => {
      if (method === "check") reached.resolve();
    });
    client.deliver();
    const pumping = bridge.pump();
    await reached.promise;
    await bridge.close();
    await pumping;
    expect(daemons.map(({ pid }) => isAlive(pid))).toEqual([false]);
  });
});
