// A process of its own: importing opens nothing, closing leaves nothing, and nothing is written by the runtime (RW1).
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../support/daemon-process.ts";
import { startHost, until } from "../../support/websocket.ts";

const PACKAGE = join(import.meta.dir, "..", "..", "..");
const MODULE = JSON.stringify(join(PACKAGE, "src", "protocol", "websocket", "index.ts"));
const SUPPORT = JSON.stringify(join(PACKAGE, "test", "support", "websocket.ts"));

function runScript(text: string) {
  return run([process.execPath, "-e", text], PACKAGE);
}

describe("a process ends by itself", () => {
  test("after the import alone, which opens no socket", async () => {
    const ended = await runScript(`
      const { readdirSync, readlinkSync } = await import("node:fs");
      const target = (fd) => { try { return readlinkSync("/proc/self/fd/" + fd); } catch { return ""; } };
      const sockets = () => readdirSync("/proc/self/fd").map(target).filter((kind) => kind.startsWith("socket:")).length;
      const before = sockets();
      await import(${MODULE});
      console.log(sockets() - before);
    `);
    expect(ended).toEqual({ stdout: "0\n", stderr: "", status: 0 });
  });

  test("after the listener was closed, with a client that was cut off, and with requests open", async () => {
    const ended = await runScript(`
      const { startHost, startClient } = await import(${SUPPORT});
      const host = await startHost({}, { defer: ["thread/start"] });
      const client = await startClient(host);
      client.connection.update((core) => core.request("thread/start", {}, { commandId: "k" }));
      await host.listener.close();
      console.log(host.listener.status().state);
    `);
    expect(ended).toEqual({ stdout: "closed\n", stderr: "", status: 0 });
  });

  test("after close with a host that never answers the close frame", async () => {
    const ended = await runScript(`
      const { rawServer } = await import(${JSON.stringify(join(PACKAGE, "test", "support", "raw-websocket.ts"))});
      const { connect } = await import(${MODULE});
      const server = rawServer();
      const trying = connect({ url: server.url, token: () => "a".repeat(32), capabilities: [], onEffects() {}, onEnd() {} });
      while (server.messages.length === 0) await Bun.sleep(1);
      server.text({ schema_version: "1.0", type: "response", id: "c1-1", correlation_id: "c1-1",
        result: { version: "1.0", capabilities: [], connection_id: "k" } });
      const connection = await trying;
      await connection.close();
      console.log(connection.status().state);
      server.stop();
    `);
    expect(ended).toEqual({ stdout: "ended\n", stderr: "", status: 0 });
  });

  test("and writes nothing of its own about callbacks that throw", async () => {
    const ended = await runScript(`
      const { startHost, startClient } = await import(${SUPPORT});
      const fails = () => { throw new Error("marker"); };
      const host = await startHost({ initialState: fails, log: fails });
      await startClient(host, { log: fails }).catch((error) => console.log(error.reason));
      await host.listener.close();
    `);
    expect(ended).toEqual({ stdout: "internal\n", stderr: "", status: 0 });
  });
});

const PYTHON = "/usr/bin/python3";
const hasPeer = Bun.spawnSync([PYTHON, "-c", "import websockets"], { stderr: "ignore" }).success;

describe.skipIf(!hasPeer)("an independent peer: python3-websockets, where it is installed", () => {
  test("a whole session, with compression offered and not taken", async () => {
    const host = await startHost();
    const child = Bun.spawn([PYTHON, join(import.meta.dir, "peer.py"), host.listener.url, host.token], {
      stdout: "pipe",
      stderr: "pipe",
    });
    let hasExited = false;
    const exited = child.exited.then((code) => {
      hasExited = true;
      return code;
    });
    await until("the end of the peer", () => {
      host.agent.advance(1);
      return hasExited;
    });
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    expect(stderr).toBe("");
    expect(await exited).toBe(0);
    expect(stdout.trim().split("\n")).toEqual([
      "samgita.agent.v1 []",
      "refused 401",
      "thread fake-thread-1",
      "1 thread/started",
      "2 turn/started",
      "3 item/completed",
      "4 item/started",
      "5 item/delta h",
      "6 item/delta é",
      "7 item/delta 🎉",
      "8 item/completed",
      "9 turn/completed",
      "resumed 9",
      "pong",
      "closed 1003",
    ]);
    await host.listener.close();
  });
});
