// R124: the whole of it once through the WebSocket transport, and the example as a reader starts it.
import { afterAll, afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { createVerifyBridge, Reporter, type VerifyBridge } from "../../src/bridge/index.ts";
import type { Capability, JsonObject } from "../../src/protocol/index.ts";
import { copyProject, FIXTURES, removeTemporaryFolders } from "../support/projects.ts";
import { EVENT } from "../support/protocol.ts";
import { run } from "../support/daemon-process.ts";
import { type FakeHost, result, startClient, startHost, until } from "../support/websocket.ts";

/** The process is started on a machine that may be busy. */
const TIMEOUT_MS = 60_000;

const hosts: FakeHost[] = [];
const bridges: VerifyBridge[] = [];
afterEach(async () => {
  for (const bridge of bridges.splice(0)) await bridge.close();
  for (const host of hosts.splice(0)) await host.listener.close();
});
afterAll(removeTemporaryFolders);

test(
  "an event goes in at one socket, its report out at another (R123, R124)",
  async () => {
    const manifest = join(copyProject("calculator"), "semaprax.toml");
    const reporter = new Reporter();
    const bridge: VerifyBridge = createVerifyBridge({
      projects: { [EVENT.project_ref]: manifest },
      reporter,
      onQueued: () => void bridge.pump(),
    });
    bridges.push(bridge);
    const { handler, initialState } = bridge;
    const agent = await startHost({ handler, initialState });
    const reportingHost = await startHost();
    hosts.push(agent, reportingHost);
    const capabilities: Capability[] = ["project_events.v1"];
    const observer = await startClient(reportingHost, { capabilities });
    const deliver = { commandId: "deliver-1" };
    await result(observer, (core) => core.request("project/event.receive", { event: EVENT }, deliver));

    const { connection } = await startClient(reportingHost, {
      capabilities,
      onEffects: reporter.handle,
      onEnd: (end) => reporter.handle(end.effects, end),
    });
    reporter.attach(connection);
    const client = await startClient(agent, { capabilities });
    const received = await result<JsonObject>(client, (core) =>
      core.request("project/event.receive", { event: EVENT }, deliver),
    );
    expect(received).toMatchObject({ acceptance: "received", deduplicated: false });

    await until("the report is recorded", () => reporter.reports[0]?.state === "recorded");
    const ask = { event_id: EVENT.event_id };
    const verified = await result<JsonObject>(client, (core) => core.request("project/event.status", ask));
    expect(verified).toMatchObject({
      processing_status: "completed",
      details: { decision: { kind: "verification.passed" } },
    });
    const shown = await result<JsonObject>(observer, (core) => core.request("project/event.status", ask));
    expect(shown["report_id"]).toBe(verified["report_id"] ?? "none");
  },
  TIMEOUT_MS,
);

test(
  "fixtures/examples/verify-bridge.ts says what it says it does",
  async () => {
    const example = join(FIXTURES, "examples", "verify-bridge.ts");
    const { stdout, stderr, status } = await run([process.execPath, example], FIXTURES);
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(stdout).toBe(await Bun.file(join(FIXTURES, "examples", "verify-bridge.txt")).text());
  },
  TIMEOUT_MS,
);
