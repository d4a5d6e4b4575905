// A program that says anything at all (RC3, RC8): no exception, no invalid native message, nothing left behind.
import { expect, test } from "bun:test";
import fc from "fast-check";
import { fuzzAsync } from "../../support/fuzz.ts";
import {
  type CodexMessage,
  NativeConnection,
  readyWorld,
  settled,
  startThread,
  startTurn,
  THREAD,
} from "./support.ts";
import { transcripts } from "./transcripts.ts";

/** One message of each kind that the program was ever seen to send by itself. */
const SAMPLES: readonly CodexMessage[] = (() => {
  const kinds = new Map<string, CodexMessage>();
  for (const { lines } of transcripts()) {
    for (const { dir, msg } of lines) {
      if (dir !== "s2c" || typeof msg === "string" || msg.method === undefined) continue;
      const item = (msg.params as { item?: { type?: string } } | undefined)?.item?.type ?? "";
      kinds.set(`${msg.method} ${item}`, msg);
    }
  }
  return [...kinds.values()];
})();

const STRANGE = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  "",
  "\0",
  "\ud800",
  "x".repeat(300_000),
  "__proto__",
  "turn-1",
  [],
  [[]],
  {},
  { type: "x" },
];

/** The message with its thread and turn made those of the test, and one member somewhere replaced or taken away. */
function bent(message: CodexMessage, path: readonly number[], how: number): object {
  const copy = JSON.parse(
    JSON.stringify(message).replaceAll(
      /"(threadId|turnId)":"[^"]*"/g,
      (_, name) => `"${name}":"${name === "threadId" ? THREAD.id : "turn-1"}"`,
    ),
  ) as object;
  let place = copy as Record<string, unknown>;
  for (const step of path) {
    const names = Object.keys(place);
    const name = names[step % Math.max(1, names.length)];
    const inner = name === undefined ? null : place[name];
    if (name === undefined || name === "method") break;
    if (typeof inner === "object" && inner !== null && step % 3 !== 0) {
      place = inner as Record<string, unknown>;
      continue;
    }
    if (how >= STRANGE.length) delete place[name];
    else place[name] = STRANGE[how];
    break;
  }
  return copy;
}

const bend = fc.tuple(
  fc.constantFrom(...SAMPLES),
  fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 }),
  fc.nat({ max: STRANGE.length + 2 }),
);

test("every kind of message, with something wrong in it", async () => {
  expect(SAMPLES.length).toBeGreaterThan(25);
  let malformed = 0;
  const property = fc.asyncProperty(
    fc.array(bend, { minLength: 5, maxLength: 30, size: "max" }),
    async (script) => {
      const world = await readyWorld();
      const connection = new NativeConnection(world);
      const threadId = await startThread(world, connection);
      await startTurn(world, connection, threadId);
      for (const [message, path, how] of script) {
        expect(world.peer.say(bent(message, path, how))).toBe(true);
        await settled();
      }
      expect(connection.refused).toEqual([]);
      expect(world.host.status().state).toBe("ready");
      malformed += world.log.filter(({ type }) => type === "malformed").length;
      world.peer.end(0);
      await settled();
      expect(world.timers.waiting).toBe(0);
    },
  );
  await fuzzAsync(property, 60);
  expect(malformed).toBeGreaterThan(20);
});

test("a mistake in the handling of a line ends the process, and nothing goes on with half of it", async () => {
  const world = await readyWorld();
  const connection = new NativeConnection(world);
  const threadId = await startThread(world, connection);
  // Nothing that the program says can do this: the connection itself cannot be looked at any more.
  Object.defineProperty(connection, "server", {
    get() {
      throw new Error("a mistake");
    },
  });
  const name = { method: "thread/name/updated", params: { threadId, threadName: "n" } };
  try {
    world.peer.say(name);
  } catch {
    // The fake process ends within the call, so that its end fails for the same reason.
  }
  expect(world.peer.isKilled).toBe(true);
  expect(world.host.status().state).toBe("lost");
  expect(world.peer.say(name)).toBe(false);
});
