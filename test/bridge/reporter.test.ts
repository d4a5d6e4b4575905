// R123: verdicts as reports to another host, over a connection in memory.
import { describe, expect, test } from "bun:test";
import { Reporter, type ReportLink } from "../../src/bridge/index.ts";
import { OUTGOING_REPORTS_MAX } from "../../src/bridge/limits.ts";
import type {
  Client,
  ErrorCode,
  JsonObject,
  Limits,
  RequestMessage,
  Step,
} from "../../src/protocol/index.ts";
import { PROJECT_REF, revisionsOf, scriptedBridge } from "../support/bridge.ts";
import { EVENT, initialize, must, readyClient, response, STATUS_RESULT } from "../support/protocol.ts";

const NOW = 1_000_000;

/** A connection whose host is the test. As a transport does, it ends what is too late before it makes a step. */
class MemoryLink implements ReportLink {
  readonly sent: RequestMessage[] = [];
  client: Client;
  now = NOW;
  readonly #reporter: Reporter;

  constructor(reporter: Reporter, client: Client) {
    this.#reporter = reporter;
    this.client = client;
  }

  update<T>(step: (client: Client) => Step<T>): Step<T> {
    const late = must(this.client.expire(this.now));
    this.client = late.client;
    if (late.effects.length > 0) this.#reporter.handle(late.effects, this);
    const made = step(this.client);
    if (!made.ok) return made;
    this.client = made.client;
    if ("message" in made) this.sent.push(made.message as RequestMessage);
    return made;
  }

  /** Answers the nth request that was sent. */
  answer(n: number, body: { result: JsonObject } | { error: { code: ErrorCode } }): void {
    const { id, type: _, method: __, params: ___, ...identity } = this.#request(n);
    const given = "error" in body ? { error: { message: "no", ...body.error } } : body;
    const step = must(this.client.receive(response(id, given, identity)));
    this.client = step.client;
    this.#reporter.handle(step.effects, this);
  }

  /** Answers a report as a host does that has recorded it. */
  record(n: number): void {
    const request = this.#request(n);
    if (request.method !== "project/event.report") throw new Error(`not a report: ${request.method}`);
    const { event_id, report_id } = request.params;
    const management_acceptance = "not_requested";
    this.answer(n, { result: { event_id, report_id, report_status: "recorded", management_acceptance } });
  }

  /** Answers a status query with the given report, or with none. */
  show(n: number, reportId: string | null): void {
    const request = this.#request(n);
    if (request.method !== "project/event.status") throw new Error(`not a query: ${request.method}`);
    const { event_id } = request.params;
    const shown = reportId === null ? {} : { report_id: reportId };
    this.answer(n, { result: { ...STATUS_RESULT, event_id, ...shown } });
  }

  #request(n: number): RequestMessage {
    const request = this.sent[n];
    if (request === undefined) throw new Error(`nothing was sent as number ${n}`);
    return request;
  }

  expire(afterMs: number): void {
    this.now += afterMs;
    const step = must(this.client.expire(this.now));
    this.client = step.client;
    this.#reporter.handle(step.effects, this);
  }

  end(): void {
    const step = must(this.client.disconnect());
    this.client = step.client;
    this.#reporter.handle(step.effects, step);
  }
}

function connected(limits: Partial<Limits> = {}) {
  const reporter = new Reporter({ clock: () => NOW });
  const link = new MemoryLink(reporter, readyClient({ limits }));
  return { reporter, link };
}

/** A bridge that has verified one event and reported it. */
async function reported(limits: Partial<Limits> = {}, event: JsonObject = {}) {
  const { reporter, link } = connected(limits);
  reporter.attach(link);
  const { bridge, client } = scriptedBridge([{}], { reporter });
  client.deliver(event);
  await bridge.pump();
  const reportId = client.status()["report_id"] as string;
  return { reporter, link, client, reportId, commandId: reportId.replace("verify-", "report-") };
}

const statesOf = (reporter: Reporter) => reporter.reports.map(({ state }) => state);

describe("R123: a report", () => {
  test("has the ids of its verdict and the correlation and references of its event", async () => {
    const { link, client, reporter, reportId, commandId } = await reported({}, { task_ref: "task-1" });
    const { kind, summary, details } = client.decision();
    expect(link.sent).toEqual([
      {
        schema_version: "1.0",
        type: "request",
        id: "c1-2",
        method: "project/event.report",
        correlation_id: EVENT.correlation_id,
        command_id: commandId,
        project_ref: PROJECT_REF,
        task_ref: "task-1",
        params: {
          event_id: EVENT.event_id,
          report_id: reportId,
          outcome: "completed",
          decision: { kind, summary, details },
        },
      },
    ]);
    expect(details).toMatchObject(revisionsOf(1));
    const status = { eventId: "ev-1", reportId, commandId };
    expect(reporter.reports).toEqual([{ ...status, state: "sent" }]);
    link.record(0);
    expect(reporter.reports).toEqual([{ ...status, state: "recorded" }]);
    expect(link.client.uncertain.size).toBe(0);
  });

  test("is sent for decisions without a session too", async () => {
    const { link } = await reported({}, { event_type: "other" });
    expect(link.sent[0]?.params).toMatchObject({
      outcome: "rejected",
      decision: { kind: "event.unsupported" },
    });
    expect(link.sent[0]).not.toHaveProperty("task_ref");
  });

  test("waits for a connection, and for room among the client's requests", async () => {
    const { reporter, link } = connected({ outstanding: 1 });
    const { bridge, client } = scriptedBridge([{}], { reporter });
    client.deliver({ event_id: "1" });
    client.deliver({ event_id: "2", event_type: "other" });
    await bridge.pump();
    expect(statesOf(reporter)).toEqual(["waiting", "waiting"]);
    reporter.attach(link);
    expect(statesOf(reporter)).toEqual(["sent", "waiting"]);
    link.record(0);
    expect(statesOf(reporter)).toEqual(["recorded", "sent"]);
    link.record(1);
    expect(statesOf(reporter)).toEqual(["recorded", "recorded"]);
    expect(link.sent.length).toBe(2);
  });

  test("that a host refuses with nothing done is refused, and not held", async () => {
    const { reporter, link } = await reported();
    link.answer(0, { error: { code: "not_found" } });
    expect(statesOf(reporter)).toEqual(["refused"]);
    expect(link.client.uncertain.size).toBe(0);
    expect(link.sent.length).toBe(1);
  });

  test("to a host without project events is refused by the client", () => {
    const reporter = new Reporter();
    reporter.attach(new MemoryLink(reporter, readyClient({ capabilities: ["sessions.v1"] })));
    const { client } = scriptedBridge([{}], { reporter });
    client.deliver({ event_type: "other" });
    expect(statesOf(reporter)).toEqual(["refused"]);
  });
});

describe("R123: an uncertain report", () => {
  const causes: [cause: string, make: (link: MemoryLink) => void][] = [
    ["the host answered internal", (link) => link.answer(0, { error: { code: "internal" } })],
    ["the host answered timeout", (link) => link.answer(0, { error: { code: "timeout" } })],
    ["nobody answered in time", (link) => link.expire(30_000)],
  ];

  test.each(causes)("%s: the host is asked, and shows it: applied", async (_, make) => {
    const { reporter, link, reportId } = await reported();
    make(link);
    expect(statesOf(reporter)).toEqual(["uncertain"]);
    expect(link.client.uncertain.size).toBe(1);
    expect(link.sent[1]).toMatchObject({ method: "project/event.status", params: { event_id: "ev-1" } });
    link.show(1, reportId);
    expect(statesOf(reporter)).toEqual(["recorded"]);
    expect(link.client.uncertain.size).toBe(0);
    expect(link.sent.length).toBe(2);
  });

  test.each(causes)("%s: the host shows none: not applied, and not sent again", async (_, make) => {
    const { reporter, link } = await reported();
    make(link);
    link.show(1, null);
    expect(statesOf(reporter)).toEqual(["not_recorded"]);
    expect(link.client.uncertain.size).toBe(0);
    expect(link.sent.length).toBe(2);
  });

  const noEvidence: [answer: string, give: (link: MemoryLink) => void][] = [
    ["another report", (link) => link.show(1, "verify-other")],
    ["an error", (link) => link.answer(1, { error: { code: "not_found" } })],
    ["nothing in time", (link) => link.expire(30_000)],
  ];
  test.each(noEvidence)(
    "%s is no evidence: the hold stays, and is asked after on the next connection",
    async (_, give) => {
      const { reporter, link, reportId, commandId } = await reported();
      link.answer(0, { error: { code: "internal" } });
      give(link);
      expect(statesOf(reporter)).toEqual(["uncertain"]);
      expect([...link.client.uncertain.keys()]).toEqual([commandId]);
      // It is not asked for again and again.
      reporter.handle([], link);
      expect(link.sent.length).toBe(2);
      link.end();
      link.client = initialize(must(link.client.reconnect()).client);
      reporter.attach(link);
      expect(link.sent[2]).toMatchObject({ id: "c2-2", method: "project/event.status" });
      link.show(2, reportId);
      expect(statesOf(reporter)).toEqual(["recorded"]);
      expect(link.client.uncertain.size).toBe(0);
    },
  );

  test("whose connection ended is asked after on the next one", async () => {
    const { reporter, link } = await reported();
    link.end();
    expect(statesOf(reporter)).toEqual(["uncertain"]);
    expect(link.sent.length).toBe(1);
    link.client = initialize(must(link.client.reconnect()).client);
    reporter.attach(link);
    link.show(1, null);
    expect(statesOf(reporter)).toEqual(["not_recorded"]);
  });

  test("that somebody else has resolved is settled by what the host shows", async () => {
    const { reporter, link, reportId, commandId } = await reported();
    link.answer(0, { error: { code: "internal" } });
    const resolution = { outcome: "applied", source: "audit", evidence: "looked" } as const;
    link.client = must(link.client.resolveUncertain(commandId, resolution)).client;
    link.show(1, reportId);
    expect(statesOf(reporter)).toEqual(["recorded"]);
  });

  test("found out while the next one is sent: each is sent once and asked after once", async () => {
    const { reporter, link } = await reported();
    link.now += 30_000;
    const { client } = scriptedBridge([{}], { reporter });
    client.deliver({ event_id: "ev-2", event_type: "other" });
    expect(statesOf(reporter)).toEqual(["uncertain", "sent"]);
    expect(link.sent.map(({ method }) => method)).toEqual([
      "project/event.report",
      "project/event.report",
      "project/event.status",
    ]);
  });
});

describe("R123: what a reporter remembers", () => {
  const send = (reporter: Reporter, n: number) => {
    const event = { ...EVENT, event_id: `ev-${n}` };
    const decision = { kind: "verification.passed", summary: "s" };
    return reporter.send(event, {
      event_id: event.event_id,
      report_id: `verify-${n}`,
      outcome: "completed",
      decision,
    });
  };

  test("is bounded; settled reports make room, oldest first, others never", () => {
    const { reporter, link } = connected();
    for (let n = 1; n <= OUTGOING_REPORTS_MAX; n++) expect(send(reporter, n)).toBe(true);
    expect(send(reporter, 0)).toBe(false);
    expect(send(reporter, 1)).toBe(true);
    reporter.attach(link);
    link.record(1);
    expect(send(reporter, 0)).toBe(true);
    expect(reporter.reports.length).toBe(OUTGOING_REPORTS_MAX);
    expect(reporter.reports.slice(0, 2).map(({ reportId }) => reportId)).toEqual(["verify-1", "verify-3"]);
    expect(send(reporter, -1)).toBe(false);
  });

  test("effects of other requests are none of its business", () => {
    const { reporter, link } = connected();
    reporter.attach(link);
    send(reporter, 1);
    reporter.handle(
      [
        { type: "response", id: "c1-99", result: {} },
        { type: "error", id: "c1-98", error: { code: "internal", message: "x" } },
      ],
      link,
    );
    expect(statesOf(reporter)).toEqual(["sent"]);
  });
});
