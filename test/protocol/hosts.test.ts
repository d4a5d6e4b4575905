// R47: no host of this package claims an inbox or an authority that it does not have.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { host, type Inbox } from "../../fixtures/examples/protocol/host.ts";
import { Server } from "../../src/protocol/index.ts";
import { EVENT, hello, must, request } from "../support/protocol.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** The only file that may spell the two words as values: they are values of the wire. */
const DEFINITION = "src/protocol/schema/event.ts";

function sources(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}

test("R47: the two strong words stand as strings in no source file but the definitions", () => {
  const strong = /(["'`])(durable|accepted)\1/;
  const files = [...sources("src"), ...sources("fixtures/examples")];
  expect(files.length).toBeGreaterThan(50);
  expect(files.filter((file) => strong.test(readFileSync(join(ROOT, file), "utf8")))).toEqual([DEFINITION]);
});

describe("R47: the example host", () => {
  const inbox: Inbox = new Map();
  const { server } = must(
    must(Server.create(host, inbox, { connectionId: "k-1" })).server.receive(hello(["project_events.v1"])),
  );
  const ask = (id: string, method: string, params: unknown, more: object = {}) =>
    must(server.receive(request(method, params, { id, ...more }))).messages[0];
  const report = {
    event_id: "ev-1",
    report_id: "r-1",
    outcome: "completed",
    decision: { kind: "a", summary: "s" },
  };

  test("it received the event, perhaps only in memory", () => {
    const answer = ask("c1-2", "project/event.receive", { event: EVENT }, { command_id: "cmd-1" });
    expect(answer).toMatchObject({ result: { acceptance: "received", deduplicated: false } });
    const again = { ...EVENT, delivery_attempt_id: "att-2" };
    expect(ask("c1-3", "project/event.receive", { event: again }, { command_id: "cmd-2" })).toMatchObject({
      result: { acceptance: "received", deduplicated: true, delivery_attempt_id: "att-2" },
    });
    const other = { ...again, payload: { a: 1 } };
    expect(ask("c1-4", "project/event.receive", { event: other }, { command_id: "cmd-3" })).toMatchObject({
      error: { code: "conflict" },
    });
  });

  test("it records a report; asked for a transition it says no, records the report and moves nothing", () => {
    expect(ask("c1-5", "project/event.report", report, { command_id: "cmd-4" })).toMatchObject({
      result: { report_status: "recorded", management_acceptance: "not_requested" },
    });
    const wish = {
      ...report,
      report_id: "r-2",
      management_request: { target: "project", transition: "release" },
    };
    const before = inbox.get("ev-1");
    expect(
      ask("c1-6", "project/event.report", wish, { command_id: "cmd-5", project_ref: "p" }),
    ).toMatchObject({
      result: {
        report_status: "recorded",
        management_acceptance: "rejected",
        reason: "no management authority",
      },
    });
    expect(inbox.get("ev-1")).toEqual({ ...before!, reportId: "r-2" });
    expect(ask("c1-7", "project/event.status", { event_id: "ev-1" })).toMatchObject({
      result: { report_id: "r-2" },
    });
  });
});
