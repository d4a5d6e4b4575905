// Conversations with the real program, played against the host (RC46).
import { describe, expect, test } from "bun:test";
import { expectations, play, transcripts } from "./transcripts.ts";
import { bodies } from "./support.ts";

const ALL = transcripts();

/** Marks of mutations that the recorded client did not give, but a native one must. */
function withoutMadeUp(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (key, member) =>
    key === "command_id" && String(member).startsWith("made-up-") ? undefined : member,
  );
}

describe("transcripts with native expectations", () => {
  test.each(expectations().map((one) => [one.transcript, one.process, one] as const))(
    "RC46: %s, process %d",
    async (name, process, expected) => {
      const transcript = ALL.find((one) => one.name === name)!;
      const { connection } = await play(transcript, process);
      expect(connection.refused).toEqual([]);
      // What a host says of the end of its process is no part of the recording.
      const events = bodies(connection.events).slice(0, expected.events.length);
      expect(withoutMadeUp(events)).toEqual(expected.events as never);
      const rest = bodies(connection.events).slice(expected.events.length);
      expect(rest.every(({ method, params }) => isLoss(method, params))).toBe(true);
      const approvals = connection.approvals.map(({ request, afterEvents }) => {
        const { approval_id, deadline: _, ...params } = request.params;
        return { codex_id: Number(approval_id.split("-").at(-1)), after_events: afterEvents, params };
      });
      expect(approvals).toEqual(expected.approvals as never);
    },
  );
});

function isLoss(method: string, params: object): boolean {
  if (method === "turn/notice") return (params as { reason: string }).reason === "host.lost";
  return (
    method === "thread/updated" && (params as { thread: { status: string } }).thread.status === "not_loaded"
  );
}

describe("every transcript", () => {
  const processes = ALL.flatMap((transcript) =>
    [...new Set(transcript.lines.map(({ process }) => process))].map(
      (process) => [transcript.name, process, transcript] as const,
    ),
  );

  test("there are 38 of them", () => expect(ALL).toHaveLength(38));

  test.each(processes)(
    "RC46: %s, process %d: nothing invalid and nothing unknown",
    async (_, process, transcript) => {
      const { connection, world } = await play(transcript, process);
      expect(connection.refused).toEqual([]);
      expect(
        world.log.filter(({ type }) =>
          ["unknown_notification", "malformed", "callback_failed"].includes(type),
        ),
      ).toEqual([]);
      expect(world.host.status()).toMatchObject({ state: "lost", unknown: 0 });
      expect(world.timers.waiting).toBe(0);
    },
  );
});
