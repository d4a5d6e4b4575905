// The example of the README: one command, two cuts, and everything shown once.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { run } from "../../support/daemon-process.ts";

const PACKAGE = join(import.meta.dir, "..", "..", "..");

test("the example host and client survive two cuts and resume by checkpoint", async () => {
  const ended = await run([process.execPath, "fixtures/examples/agent-client.ts"], PACKAGE);
  expect(ended.stderr).toBe("");
  expect(ended.status).toBe(0);
  const lines = ended.stdout.split("\n");
  expect(lines.filter((line) => line.includes("cuts the connection"))).toHaveLength(2);
  expect(lines).toContain("client: command-1 was applied: the host knows event-1");
  const shown = lines.flatMap((line) => /^client: +(\d+) /.exec(line)?.[1] ?? []);
  expect(shown).toEqual(Array.from({ length: 17 }, (_, at) => String(at + 1)));
  expect(lines).toContain("client: approves: semaprax check");
  expect(lines).toContain('client: checkpoints: {"fake-stream-1":17}');
}, 30_000);
