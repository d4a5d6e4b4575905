// R116, R121: jobs that must stop: their time is over, or the bridge is closed. The clock is the test's.
import { describe, expect, test } from "bun:test";
import { createVerifyBridge, type DaemonSession, Reporter, type ReportLink } from "../../src/bridge/index.ts";
import { BridgeClient, PROJECT_REF, type Script, scripted, scriptedBridge } from "../support/bridge.ts";
import { readyClient } from "../support/protocol.ts";

const TIMEOUT_MS = 5000;

/** A clock that stands until it is moved. */
function manualClock(nowMs = 1_000_000) {
  const clock = () => nowMs;
  const move = (byMs: number) => {
    nowMs += byMs;
  };
  return { clock, move };
}

describe("the time of a job", () => {
  const hanging: [what: string, phase: string, script: Script][] = [
    ["loading the project", "build", { "workspace/open": "hang" }],
    ["check", "check", { check: "hang" }],
    ["test", "test", { test: "hang" }],
    ["shutdown", "test", { shutdown: "hang" }],
    ["its end", "test", { end: "hang" }],
    ["the end of a load that failed", "build", { "workspace/open": "end", end: "hang" }],
  ];
  test.each(hanging)("is over during %s: failed, verification.unavailable", async (what, phase, script) => {
    const { clock, move } = manualClock();
    // Each script hangs at or after its last request, so the clock moves when that one is made.
    const last =
      { build: "workspace/open", check: "check" }[phase] ?? (what === "test" ? "test" : "shutdown");
    const before = (method: string) => {
      if (method === last) move(TIMEOUT_MS);
    };
    const options = { clock, jobTimeoutMs: TIMEOUT_MS };
    const { bridge, client, record } = scriptedBridge([{ ...script, before }], options);
    client.deliver();
    await bridge.pump();
    const { status, kind, summary, details } = client.decision();
    expect({ status, kind, summary, phase: details["phase"] }).toEqual({
      status: "failed",
      kind: "verification.unavailable",
      summary: "There is no verdict: the daemon took too long.",
      phase,
    });
    expect(record.closed).toBe(1);
  });

  test("lasts to its last millisecond", async () => {
    const { clock, move } = manualClock();
    const before = (method: string) => {
      if (method === "shutdown") move(TIMEOUT_MS - 1);
    };
    const { bridge, client } = scriptedBridge([{ before }], { clock, jobTimeoutMs: TIMEOUT_MS });
    client.deliver();
    await bridge.pump();
    expect(client.decision().kind).toBe("verification.passed");
  });

  test("is that of all its sessions together", async () => {
    const { clock, move } = manualClock();
    const before = (method: string) => {
      if (method === "check") move(TIMEOUT_MS / 2);
    };
    const drift = { check: { error: [-32_000, "SPX-J102: x"] }, before } as const;
    const { bridge, client } = scriptedBridge([drift, { check: "hang", before }], {
      clock,
      jobTimeoutMs: TIMEOUT_MS,
    });
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({ kind: "verification.unavailable", details: { attempts: 2 } });
  });

  test("is over while the session starts: one that comes too late is closed", async () => {
    const { clock, move } = manualClock();
    const late = Promise.withResolvers<DaemonSession>();
    const closed = Promise.withResolvers<void>();
    const { open } = scripted([{}]);
    const start = () => {
      move(TIMEOUT_MS);
      return late.promise;
    };
    const bridge = createVerifyBridge({
      projects: { [PROJECT_REF]: start },
      clock,
      jobTimeoutMs: TIMEOUT_MS,
    });
    const client = new BridgeClient(bridge);
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      kind: "verification.unavailable",
      details: { phase: "build" },
    });
    late.resolve({ ...open(), close: async () => closed.resolve() });
    await closed.promise;
  });
});

describe("closing", () => {
  test("ends what runs and what waits; the inbox can still be asked, and takes nothing", async () => {
    const reached = Promise.withResolvers<void>();
    const { bridge, client, record } = scriptedBridge([
      {
        test: "hang",
        before: (method) => {
          if (method === "test") reached.resolve();
        },
      },
    ]);
    client.deliver({ event_id: "1" });
    const pumping = bridge.pump();
    await reached.promise;
    client.deliver({ event_id: "2" });
    await bridge.close();
    await pumping;
    expect(record.closed).toBe(1);
    expect(client.decision("1")).toMatchObject({
      status: "failed",
      kind: "verification.unavailable",
      summary: "There is no verdict: the bridge was closed.",
      details: { phase: "test", attempts: 1 },
    });
    expect(client.decision("2")).toMatchObject({
      status: "failed",
      kind: "verification.unavailable",
      summary: "There is no verdict: the bridge was closed.",
      details: { phase: "inbox", attempts: 0 },
    });
    expect(client.deliver({ event_id: "3" })).toBe("unavailable");
    expect(client.deliver({ event_id: "1" })).toBe("unavailable");
    await bridge.close();
    await bridge.pump();
    expect(record.asked.length).toBe(1);
  });

  test("refuses reports", async () => {
    const { bridge, client } = scriptedBridge([{}]);
    client.deliver();
    await bridge.close();
    const report = {
      event_id: "ev-1",
      report_id: "r-1",
      outcome: "completed",
      decision: { kind: "a", summary: "s" },
    };
    expect(client.ask("project/event.report", report, { command_id: "cmd-2" })).toBe("unavailable");
  });

  test("while the session starts", async () => {
    const bridge = createVerifyBridge({
      projects: { [PROJECT_REF]: () => new Promise<never>(() => {}) },
    });
    const client = new BridgeClient(bridge);
    client.deliver();
    const pumping = bridge.pump();
    await bridge.close();
    await pumping;
    expect(client.decision()).toMatchObject({
      kind: "verification.unavailable",
      details: { phase: "build" },
    });
  });

  test("a session that cannot be closed does not stop the bridge", async () => {
    const { open } = scripted([{}]);
    const broken = () => ({ ...open(), close: () => Promise.reject(new Error("marker")) });
    const bridge = createVerifyBridge({ projects: { [PROJECT_REF]: broken } });
    const client = new BridgeClient(bridge);
    client.deliver();
    await bridge.pump();
    expect(client.decision().kind).toBe("verification.passed");
  });
});

describe("an owner's code that fails (R116)", () => {
  const broken: [what: string, clock: () => number][] = [
    [
      "throws",
      () => {
        throw new Error("marker");
      },
    ],
    ["tells no number", () => Number.NaN],
    ["tells a moment that no date has", () => 8.64e15 + 1],
  ];
  test.each(broken)(
    "a clock that %s in the middle of a job ends it: failed, unavailable",
    async (_, fails) => {
      let clock = () => 1_000_000;
      const before = (method: string) => {
        if (method === "check") clock = fails;
      };
      const { bridge, client, record } = scriptedBridge([{ check: "hang", before }], {
        clock: () => clock(),
      });
      client.deliver();
      await bridge.pump();
      expect(client.decision()).toMatchObject({
        status: "failed",
        kind: "verification.unavailable",
        summary: "There is no verdict: the bridge's clock failed.",
        details: { phase: "check", attempts: 1 },
      });
      expect(client.status()["updated_at"]).toBe("1970-01-01T00:16:40.000Z");
      expect(record.closed).toBe(1);
    },
  );

  test("a job without a time starts no session", async () => {
    const { bridge, client, record } = scriptedBridge([{}], { clock: () => Number.NaN });
    client.deliver();
    await bridge.pump();
    expect(client.decision()).toMatchObject({
      kind: "verification.unavailable",
      details: { phase: "build" },
    });
    expect(record.asked).toEqual([]);
  });

  test("a session that cannot be named is not started, and the project's next job runs", async () => {
    let calls = 0;
    const newId = () => {
      calls++;
      if (calls === 1) throw new Error("marker");
      return "named";
    };
    const { bridge, client, record } = scriptedBridge([{}], { newId });
    client.deliver({ event_id: "1", event_type: "verify.requested" });
    client.deliver({ event_id: "2", event_type: "verify.requested" });
    await bridge.pump();
    expect(client.decision("1")).toMatchObject({
      status: "failed",
      kind: "verification.unavailable",
      summary: "There is no verdict: the session could not be named.",
    });
    expect(client.decision("2").kind).toBe("verification.passed");
    expect(record.asked.length).toBe(1);
  });

  test("a reporter's link that throws takes no verdict away (R123)", async () => {
    const reporter = new Reporter();
    const { bridge, client } = scriptedBridge([{}], { reporter });
    const link: ReportLink = {
      client: readyClient({ capabilities: ["project_events.v1"] }),
      update: () => {
        throw new Error("marker");
      },
    };
    reporter.attach(link);
    client.deliver();
    await bridge.pump();
    expect(client.decision().kind).toBe("verification.passed");
    expect(reporter.reports.map(({ state }) => state)).toEqual(["waiting"]);
  });
});

describe("closing between two sessions of a job (R120)", () => {
  test("starts no other one, and waits for what there is", async () => {
    const { open, record } = scripted([{ check: { error: [-32_000, "SPX-J102: x"] } }]);
    const closing = Promise.withResolvers<void>();
    const mayClose = Promise.withResolvers<void>();
    const slow = () => {
      const close = async () => {
        closing.resolve();
        await mayClose.promise;
        record.closed++;
      };
      return { ...open(), close };
    };
    const bridge = createVerifyBridge({ projects: { [PROJECT_REF]: slow } });
    const client = new BridgeClient(bridge);
    client.deliver();
    const pumping = bridge.pump();
    await closing.promise;
    const closed = bridge.close();
    mayClose.resolve();
    await closed;
    expect({ opened: record.asked.length, closed: record.closed }).toEqual({ opened: 1, closed: 1 });
    await pumping;
    expect(client.decision()).toMatchObject({
      status: "failed",
      kind: "verification.unavailable",
      summary: "There is no verdict: the bridge was closed.",
    });
  });

  test("a session that starts at once is closed before the bridge is", async () => {
    const { open, record } = scripted([{}]);
    const mayClose = Promise.withResolvers<void>();
    const events: string[] = [];
    const start = () => {
      void bridge.close().then(() => events.push("bridge"));
      const close = async () => {
        await mayClose.promise;
        events.push("session");
      };
      return { ...open(), close };
    };
    const bridge = createVerifyBridge({ projects: { [PROJECT_REF]: start } });
    const client = new BridgeClient(bridge);
    client.deliver();
    const pumping = bridge.pump();
    await Bun.sleep(0);
    mayClose.resolve();
    await pumping;
    await bridge.close();
    expect(events).toEqual(["session", "bridge"]);
    expect(record.asked.length).toBe(1);
  });
});
