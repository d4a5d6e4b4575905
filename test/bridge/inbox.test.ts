// R117, R118, R119, R123: what the bridge answers at once, and in which order it works.
import { describe, expect, test } from "bun:test";
import { createVerifyBridge } from "../../src/bridge/index.ts";
import { Codec, type JsonObject } from "../../src/protocol/index.ts";
import { BridgeClient, PROJECT_REF, revisionsOf, scripted, scriptedBridge } from "../support/bridge.ts";
import { EVENT } from "../support/protocol.ts";

const RECEIVED = {
  event_id: "ev-1",
  delivery_attempt_id: "att-1",
  acceptance: "received",
  deduplicated: false,
};

function ticking(startMs = Date.UTC(2031, 0, 2, 3, 4, 5)) {
  let now = startMs;
  return () => now++;
}

describe("R118: receiving", () => {
  test("is answered at once, and the event waits", () => {
    const { client, record } = scriptedBridge([{}], { clock: () => Date.UTC(2031, 0, 2, 3, 4, 5, 6) });
    expect(client.deliver()).toEqual(RECEIVED);
    expect(client.status()).toEqual({
      event_id: "ev-1",
      acceptance: "received",
      processing_status: "pending",
      deliveries: 1,
      updated_at: "2031-01-02T03:04:05.006Z",
    });
    expect(record.asked).toEqual([]);
  });

  test("the event is in progress while its job runs, then shows its verdict (R123)", async () => {
    const seen: unknown[] = [];
    const { bridge, client } = scriptedBridge([
      { before: () => void seen.push(client.status()["processing_status"]) },
    ]);
    client.deliver();
    await bridge.pump();
    expect(seen).toEqual(["in_progress", "in_progress", "in_progress", "in_progress"]);
    const { project_revision, workspace_revision } = revisionsOf(1);
    const digest = Codec.digest(["ev-1", "verification.passed", project_revision, workspace_revision]);
    const status = client.status();
    expect(status).toMatchObject({
      acceptance: "received",
      processing_status: "completed",
      report_id: `verify-${digest.slice(7, 39)}`,
      summary: "The project is valid and the test returned 0.",
    });
    expect(Object.keys(status["details"] as JsonObject)).toEqual(["decision"]);
  });

  test("the same event again counts a delivery and runs nothing", async () => {
    const { bridge, client, record } = scriptedBridge([{}], { clock: ticking() });
    client.deliver();
    const again = { ...RECEIVED, delivery_attempt_id: "att-2", deduplicated: true };
    expect(client.deliver({ delivery_attempt_id: "att-2" })).toEqual(again);
    await bridge.pump();
    expect(client.deliver({ delivery_attempt_id: "att-3" })).toMatchObject({ deduplicated: true });
    await bridge.pump();
    expect(record.asked.length).toBe(1);
    expect(client.status()).toMatchObject({ deliveries: 3, processing_status: "completed" });
  });

  test("R116: the inbox belongs to the bridge: an event is known on another connection", async () => {
    const { bridge, client } = scriptedBridge([{}]);
    client.deliver();
    await bridge.pump();
    const another = new BridgeClient(bridge, "k-2");
    expect(another.deliver({ delivery_attempt_id: "att-2" })).toMatchObject({ deduplicated: true });
    expect(another.status()).toMatchObject({ deliveries: 2, processing_status: "completed" });
  });

  test.each<[string, JsonObject]>([
    ["payload", { payload: { scope: "check" } }],
    ["type", { event_type: "verify.requested" }],
    ["time", { created_at: "2031-04-05T06:07:08.0Z" }],
    ["correlation", { correlation_id: "flow-9" }],
    ["cause", { causation_id: "flow-9" }],
    ["task", { task_ref: "task-1" }],
    ["project, which need not be known", { project_ref: "projects/other" }],
  ])("the same event id with another %s is a conflict (R28)", (_, change) => {
    const { client } = scriptedBridge([{}]);
    client.deliver();
    expect(client.deliver({ delivery_attempt_id: "att-2", ...change })).toBe("conflict");
    expect(client.status()).toMatchObject({ deliveries: 1 });
  });

  test("R117: an unknown project is not_found, and nothing is recorded", () => {
    const { client } = scriptedBridge([{}]);
    for (const project_ref of ["projects/other", "__proto__", "constructor"]) {
      expect(client.deliver({ project_ref })).toBe("not_found");
      expect(client.ask("project/event.status", { event_id: "ev-1" })).toBe("not_found");
    }
    expect(client.deliver()).toEqual(RECEIVED);
  });

  test("full of unfinished events it refuses; finished ones leave, the first finished first", async () => {
    const { bridge, client } = scriptedBridge([{}], { maxEvents: 2 });
    const verify = (event_id: string) => client.deliver({ event_id, event_type: "verify.requested" });
    const known = () =>
      ["a", "b", "c", "d"].filter(
        (event_id) => client.ask("project/event.status", { event_id }) !== "not_found",
      );
    verify("a");
    verify("b");
    expect(verify("c")).toBe("overflow");
    expect(known()).toEqual(["a", "b"]);
    expect(verify("b")).toMatchObject({ deduplicated: true });
    await bridge.pump();
    expect(verify("c")).toMatchObject({ deduplicated: false });
    expect(known()).toEqual(["b", "c"]);
    expect(verify("d")).toMatchObject({ deduplicated: false });
    expect(known()).toEqual(["c", "d"]);
    expect(verify("a")).toBe("overflow");
    // It left and is unknown, so it is an event like any other.
    await bridge.pump();
    expect(verify("a")).toMatchObject({ deduplicated: false });
  });

  test("an event that is not supported takes a place, but never keeps it", () => {
    const { client } = scriptedBridge([{}], { maxEvents: 1 });
    expect(client.deliver({ event_type: "other" })).toMatchObject({ deduplicated: false });
    expect(client.deliver({ event_id: "ev-2" })).toMatchObject({ deduplicated: false });
    expect(client.ask("project/event.status", { event_id: "ev-1" })).toBe("not_found");
    expect(client.deliver({ event_id: "ev-3", event_type: "other" })).toBe("overflow");
  });
});

describe("R117: payload", () => {
  const caps = { maxSteps: 5000, maxBytes: 4096 };
  const accepted: JsonObject[] = [
    {},
    { scope: "test" },
    { scope: "check", max_steps: 1 },
    { max_steps: 1, max_bytes: 1024 },
    { max_steps: 5000, max_bytes: 4096 },
    { expected_project_revision: "x", expected_workspace_revision: "é".repeat(128) },
  ];
  test.each(accepted)("%j is taken", (payload) => {
    const { client } = scriptedBridge([{}], { limits: caps });
    client.deliver({ payload });
    expect(client.status()).toMatchObject({ processing_status: "pending" });
  });

  const refused: [payload: JsonObject, event_type: string][] = [
    [{}, "source.change"],
    [{}, "source"],
    [{}, "verify.requested.now"],
    [{ scopes: "test" }, "verify.requested"],
    [{ path: "semaprax.toml" }, "verify.requested"],
    [{ scope: "graph" }, "verify.requested"],
    [{ scope: null }, "verify.requested"],
    [{ scope: ["test"] }, "verify.requested"],
    [{ expected_project_revision: "" }, "verify.requested"],
    [{ expected_project_revision: "a\0" }, "verify.requested"],
    [{ expected_project_revision: "a".repeat(257) }, "verify.requested"],
    [{ expected_workspace_revision: `${"é".repeat(128)}a` }, "verify.requested"],
    [{ expected_workspace_revision: null }, "verify.requested"],
    [{ expected_workspace_revision: 1 }, "verify.requested"],
    [{ max_steps: 0 }, "verify.requested"],
    [{ max_steps: 5001 }, "verify.requested"],
    [{ max_steps: 1.5 }, "verify.requested"],
    [{ max_steps: "1" }, "verify.requested"],
    [{ max_steps: null }, "verify.requested"],
    [{ max_bytes: 1023 }, "verify.requested"],
    [{ max_bytes: 4097 }, "verify.requested"],
    [{ max_bytes: -0 }, "verify.requested"],
  ];
  test.each(refused)("%j %s is recorded and rejected as event.unsupported", async (payload, event_type) => {
    const { bridge, client, record } = scriptedBridge([{}], { limits: caps });
    const event = { payload, event_type };
    expect(client.deliver(event)).toEqual(RECEIVED);
    const { summary, ...decision } = client.decision();
    expect(decision).toEqual({
      status: "rejected",
      kind: "event.unsupported",
      details: {
        project_ref: PROJECT_REF,
        phase: "inbox",
        protocol: "semaprax.agent-transport.v2",
        attempts: 0,
      },
    });
    expect(summary).toStartWith("The event is not supported: ");
    await bridge.pump();
    expect(record.asked).toEqual([]);
    expect(client.deliver(event)).toMatchObject({ deduplicated: true });
  });
});

describe("R119: order", () => {
  const B = "projects/b";

  /** A bridge over two projects that notes when sessions begin and end. */
  function twoProjects() {
    const log: string[] = [];
    const watched = (name: string) => {
      const { open } = scripted([{}]);
      return () => {
        log.push(`${name} begins`);
        const session = open();
        return { ...session, close: async () => void log.push(`${name} ends`) };
      };
    };
    const bridge = createVerifyBridge({
      projects: new Map([
        [PROJECT_REF, watched("a")],
        [B, watched("b")],
      ]),
    });
    return { bridge, client: new BridgeClient(bridge), log };
  }

  test("jobs of one project run one after the other, those of two side by side", async () => {
    const { bridge, client, log } = twoProjects();
    client.deliver({ event_id: "1", event_type: "verify.requested" });
    client.deliver({ event_id: "2", event_type: "verify.requested" });
    client.deliver({ event_id: "3", event_type: "verify.requested", project_ref: B });
    await Promise.all([bridge.pump(), bridge.pump()]);
    expect(log.filter((line) => line.startsWith("a"))).toEqual(["a begins", "a ends", "a begins", "a ends"]);
    expect(log.slice(0, 2)).toEqual(["a begins", "b begins"]);
    expect(["1", "2", "3"].map((id) => client.status(id)["processing_status"])).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  test("at most four projects at the same time", async () => {
    let open = 0;
    let most = 0;
    const refs = ["1", "2", "3", "4", "5", "6"];
    const { open: start } = scripted([{ before: () => Bun.sleep(1) }]);
    const counted = () => {
      most = Math.max(most, ++open);
      const session = start();
      return { ...session, close: async () => void open-- };
    };
    const bridge = createVerifyBridge({
      projects: Object.fromEntries(refs.map((ref) => [ref, counted] as const)),
    });
    const client = new BridgeClient(bridge);
    for (const ref of refs) client.deliver({ event_id: ref, project_ref: ref });
    await bridge.pump();
    expect({ most, open }).toEqual({ most: 4, open: 0 });
    expect(refs.map((ref) => client.decision(ref).kind)).toEqual(refs.map(() => "verification.passed"));
  });

  test("a newer source.changed ends the one that waits, and nothing else", async () => {
    const { bridge, client } = twoProjects();
    client.deliver({ event_id: "1" });
    client.deliver({ event_id: "2", event_type: "verify.requested" });
    client.deliver({ event_id: "3", project_ref: B });
    client.deliver({ event_id: "4" });
    expect(client.decision("1")).toEqual({
      status: "rejected",
      kind: "verification.superseded",
      summary: "A newer change of the same project is verified in its place.",
      details: {
        project_ref: PROJECT_REF,
        phase: "inbox",
        scope: "test",
        protocol: "semaprax.agent-transport.v2",
        attempts: 0,
        superseded_by: "4",
      },
    });
    client.deliver({ event_id: "5", event_type: "verify.requested" });
    client.deliver({ event_id: "6", event_type: "other" });
    await bridge.pump();
    const kinds = ["1", "2", "3", "4", "5"].map((id) => client.decision(id).kind.split(".")[1]);
    expect(kinds).toEqual(["superseded", "passed", "passed", "passed", "passed"]);
  });

  test("an event delivered again supersedes nothing", async () => {
    const { bridge, client } = twoProjects();
    client.deliver({ event_id: "1" });
    client.deliver({ event_id: "2" });
    expect(client.deliver({ event_id: "1", delivery_attempt_id: "att-2" })).toMatchObject({
      deduplicated: true,
    });
    await bridge.pump();
    expect(client.decision("2").kind).toBe("verification.passed");
  });

  test("a job that has started is not ended, and what comes meanwhile is run by the same pump", async () => {
    let isDelivered = false;
    const { bridge, client, record } = scriptedBridge([
      {
        before() {
          if (isDelivered) return;
          isDelivered = true;
          client.deliver({ event_id: "2" });
          client.deliver({ event_id: "3" });
        },
      },
    ]);
    client.deliver({ event_id: "1" });
    await bridge.pump();
    expect(["1", "2", "3"].map((id) => client.decision(id).kind)).toEqual([
      "verification.passed",
      "verification.superseded",
      "verification.passed",
    ]);
    expect(record.asked.length).toBe(2);
  });

  test("onQueued is called for each job, and only for jobs", () => {
    let calls = 0;
    const { client } = scriptedBridge([{}], { onQueued: () => calls++ });
    client.deliver({ event_id: "1" });
    client.deliver({ event_id: "1", delivery_attempt_id: "att-2" });
    client.deliver({ event_id: "2", event_type: "other" });
    client.deliver({ event_id: "3" });
    expect(calls).toBe(2);
  });
});

describe("R123: reports that the bridge is sent", () => {
  const REPORT = {
    event_id: "ev-1",
    report_id: "r-1",
    outcome: "completed",
    decision: { kind: "looked.at", summary: "seen" },
  } as const;
  const send = (client: BridgeClient, report: JsonObject, more: JsonObject = {}) =>
    client.ask("project/event.report", report, { command_id: "cmd-2", ...more });

  test("are recorded and move nothing (R47)", async () => {
    const { bridge, client } = scriptedBridge([{}]);
    client.deliver();
    expect(send(client, { ...REPORT, outcome: "failed" })).toEqual({
      event_id: "ev-1",
      report_id: "r-1",
      report_status: "recorded",
      management_acceptance: "not_requested",
    });
    expect(client.status()).toMatchObject({ processing_status: "pending", report_id: "r-1" });
    await bridge.pump();
    const verified = client.status();
    expect(verified["report_id"]).toStartWith("verify-");
    const wish = { target: "project", transition: "release" };
    expect(
      send(client, { ...REPORT, report_id: "r-2", management_request: wish }, { project_ref: PROJECT_REF }),
    ).toEqual({
      event_id: "ev-1",
      report_id: "r-2",
      report_status: "recorded",
      management_acceptance: "rejected",
      reason: "no management authority",
    });
    const { updated_at: _, ...shown } = client.status();
    const { updated_at: __, ...before } = verified;
    expect(shown).toEqual({ ...before, report_id: "r-2" });
  });

  test("about unknown events are not_found", () => {
    expect(send(scriptedBridge([{}]).client, REPORT)).toBe("not_found");
  });

  test("again are the same report; with other content a conflict, also with the bridge's own", async () => {
    const { bridge, client } = scriptedBridge([{}]);
    client.deliver();
    send(client, REPORT);
    send(client, { ...REPORT, report_id: "r-2" });
    expect(send(client, REPORT)).toMatchObject({ report_status: "recorded" });
    expect(client.status()["report_id"]).toBe("r-2");
    expect(send(client, { ...REPORT, outcome: "failed" })).toBe("conflict");
    await bridge.pump();
    const { report_id, details } = client.status() as { report_id: string; details: JsonObject };
    expect(send(client, { ...REPORT, report_id })).toBe("conflict");
    const { decision = {} } = details;
    expect(send(client, { ...REPORT, report_id, decision })).toMatchObject({ report_status: "recorded" });
  });

  test("are bounded: 16 different ones about one event", () => {
    const { client } = scriptedBridge([{}]);
    client.deliver();
    for (let n = 1; n <= 16; n++) {
      expect(send(client, { ...REPORT, report_id: `r-${n}` })).toMatchObject({ report_status: "recorded" });
    }
    expect(send(client, { ...REPORT, report_id: "r-17" })).toBe("overflow");
    expect(send(client, { ...REPORT, report_id: "r-16" })).toMatchObject({ report_status: "recorded" });
  });
});

describe("R116: making a bridge", () => {
  const good = { projects: { a: "semaprax.toml" } };
  test.each<[string, object]>([
    ["limits.maxSteps", { limits: { maxSteps: 0 } }],
    ["limits.maxSteps", { limits: { maxSteps: 100_000_001 } }],
    ["limits.maxBytes", { limits: { maxBytes: 1023 } }],
    ["limits.maxBytes", { limits: { maxBytes: 16_777_217 } }],
    ["maxEvents", { maxEvents: 0 }],
    ["jobTimeoutMs", { jobTimeoutMs: 1.5 }],
    ["jobTimeoutMs", { jobTimeoutMs: Number.POSITIVE_INFINITY }],
    ["projects", { projects: { a: "" } }],
  ])("%s out of bounds is a mistake of the program", (name, options) => {
    expect(() => createVerifyBridge({ ...good, ...options })).toThrow(TypeError);
    expect(() => createVerifyBridge({ ...good, ...options })).toThrow(name);
  });

  test("the bounds themselves pass, and nothing starts", () => {
    createVerifyBridge({ ...good, limits: { maxSteps: 1, maxBytes: 1024 }, maxEvents: 1, jobTimeoutMs: 1 });
    createVerifyBridge({ ...good, limits: { maxSteps: 100_000_000, maxBytes: 16_777_216 } });
  });

  test("the handler serves project events and nothing else", () => {
    const { handler, initialState } = createVerifyBridge(good);
    expect(handler.capabilities).toEqual(["project_events.v1"]);
    expect([...handler.methods].sort()).toEqual([
      "project/event.receive",
      "project/event.report",
      "project/event.status",
    ]);
    expect(initialState()).toBeNull();
    expect(EVENT.project_ref).toBe(PROJECT_REF);
  });
});
