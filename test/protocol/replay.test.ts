// The host's replay log: numbering, retention by count and bytes, pages by count and bytes (section 8).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  Codec,
  Replay,
  type SequencedNotification,
  type UnsequencedNotification,
} from "../../src/protocol/index.ts";
import { fuzz } from "../support/fuzz.ts";
import { codeOf, delta, must, readyClient, request, response, sequencedDelta } from "../support/protocol.ts";

const PAGE_BYTES = 1_048_576 - 4096;

function plain(text: string): UnsequencedNotification {
  return delta(text) as UnsequencedNotification;
}

function log(options: Partial<Parameters<typeof Replay.create>[0]> = {}): Replay {
  return must(Replay.create({ streamId: "st-1", ...options })).replay;
}

function append(replay: Replay, ...texts: readonly string[]): Replay {
  return texts.reduce((current, text) => must(current.append(plain(text))).replay, replay);
}

function size(message: unknown): number {
  return new TextEncoder().encode(JSON.stringify(message)).length;
}

/** A notification that has exactly that many bytes as event with this cursor. */
function eventOf(bytes: number, cursor: number, stream_id = "st-1"): UnsequencedNotification {
  const item = (diff: string) => ({
    item_id: "i",
    kind: "file_change",
    status: "completed",
    changes: diffs(diff),
  });
  const make = (diff: string) =>
    ({
      ...delta("x"),
      method: "item/completed",
      params: { thread_id: "t", turn_id: "u", item: item(diff) },
    }) as UnsequencedNotification;
  const empty = size({ ...make(""), stream_id, cursor });
  return make("x".repeat(bytes - empty));
}

/** As many changes as the text needs, each of them present from the start. */
function diffs(text: string) {
  return Array.from({ length: 10 }, (_, index) => ({
    path: "a",
    change: "add",
    diff: text.slice(index * 131_072, (index + 1) * 131_072),
  }));
}

describe("creation (R89)", () => {
  test.each<[object, string]>([
    [{}, "ok"],
    [{ capacity: 1 }, "ok"],
    [{ capacity: 65_536 }, "ok"],
    [{ capacity: 0 }, "invalid_argument"],
    [{ capacity: 65_537 }, "invalid_argument"],
    [{ capacity: 1.5 }, "invalid_argument"],
    [{ capacity: "9" }, "invalid_argument"],
    [{ maxBytes: 2 ** 20 }, "ok"],
    [{ maxBytes: 2 ** 30 }, "ok"],
    [{ maxBytes: 2 ** 20 - 1 }, "invalid_argument"],
    [{ maxBytes: 2 ** 30 + 1 }, "invalid_argument"],
    [{ streamId: "a b" }, "invalid_argument"],
    [{ streamId: undefined }, "invalid_argument"],
  ])("%j", (options, code) => {
    expect(codeOf(Replay.create({ streamId: "st-1", ...options }))).toBe(code);
  });

  test("no options", () => {
    expect(codeOf(Replay.create(undefined as never))).toBe("invalid_argument");
  });

  test("an empty log", () => {
    const empty = log();
    expect([empty.streamId, empty.first, empty.head]).toEqual(["st-1", 1, 0]);
    expect(must(empty.since(0)).result).toEqual({ stream_id: "st-1", cursor: 0, events: [] });
    expect(codeOf(empty.since(1))).toBe("replay_gap");
  });
});

describe("appending (R89, R93)", () => {
  test.each<[string, unknown, string]>([
    ["a numbered one", sequencedDelta(1), "conflict"],
    ["a numbered one of this stream's next cursor", sequencedDelta(1), "conflict"],
    ["half a number", { ...delta("x"), stream_id: "st-1" }, "invalid_argument"],
    ["a numbered one that is wrong besides", { ...sequencedDelta(1), extra: 1 }, "invalid_argument"],
    ["an unknown name", { ...delta("x"), method: "item/paused" }, "invalid_argument"],
    ["a request", request("thread/read", { thread_id: "t" }), "invalid_argument"],
    ["a response", response("x", { result: {} }), "invalid_argument"],
    ["text", JSON.stringify(delta("x")), "invalid_argument"],
    ["nothing", undefined, "invalid_argument"],
  ])("%s", (_, given, code) => {
    expect(codeOf(log().append(given as UnsequencedNotification))).toBe(code);
  });

  test("the message is what a page has, frozen, and shares nothing with the argument", () => {
    const given = structuredClone(plain("a")) as { params: { delta: string } };
    const { message, replay } = must(log().append(given as unknown as UnsequencedNotification));
    given.params.delta = "changed";
    expect(message).toEqual(sequencedDelta(1, "a") as SequencedNotification);
    expect(Object.isFrozen(message) && Object.isFrozen(message.params)).toBe(true);
    const page = must(replay.since(0)).result;
    expect(page.events[0]).toBe(message);
    page.events.length = 0;
    expect(must(replay.since(0)).result.events).toEqual([message]);
  });

  test.each([
    [PAGE_BYTES, "ok"],
    [PAGE_BYTES + 1, "overflow"],
  ])("R93: an event of %p bytes", (bytes, code) => {
    const event = eventOf(bytes, 1);
    const appended = log().append(event);
    expect(codeOf(appended)).toBe(code);
    if (appended.ok) expect(size(appended.message)).toBe(bytes);
  });

  test("R93: an event that nobody could write out", () => {
    const change = { path: "a", change: "add", diff: "x".repeat(131_072) };
    const changes = Array.from({ length: 256 }, () => change);
    const item = { item_id: "i", kind: "file_change", status: "completed", changes };
    const turn = { thread_id: "t", turn_id: "u", status: "completed", items: [item, item, item] };
    const event = { ...delta("x"), method: "turn/completed", params: { turn } };
    expect(codeOf(log().append(event as unknown as UnsequencedNotification))).toBe("overflow");
  });

  test.each(["s", '"\\"', "x".repeat(128)])(
    "R93: the size is that of the encoding: stream %p, cursor 10",
    (streamId) => {
      let replay = log({ streamId });
      for (let cursor = 1; cursor < 10; cursor++) replay = append(replay, "a");
      const fitting = replay.append(eventOf(PAGE_BYTES, 10, streamId));
      expect(size(must(fitting).message)).toBe(PAGE_BYTES);
      expect(codeOf(replay.append(eventOf(PAGE_BYTES + 1, 10, streamId)))).toBe("overflow");
    },
  );
});

describe("retention (R92)", () => {
  test("capacity: the oldest events leave", () => {
    const replay = append(log({ capacity: 2 }), "a", "b", "c");
    expect([replay.first, replay.head]).toEqual([2, 3]);
    expect(codeOf(replay.since(0))).toBe("replay_gap");
    expect(must(replay.since(1)).result.events.map(({ cursor }) => cursor)).toEqual([2, 3]);
    expect(codeOf(replay.since(4))).toBe("replay_gap");
  });

  test("capacity 1: the newest always stays", () => {
    const replay = append(log({ capacity: 1 }), "a", "b");
    expect([replay.first, replay.head]).toEqual([2, 2]);
  });

  test("bytes: exactly the bound stays, one byte more does not", () => {
    const half = 2 ** 19;
    for (const [extra, first] of [
      [0, 1],
      [1, 2],
    ] as const) {
      let replay = log({ maxBytes: 2 ** 20 });
      replay = must(replay.append(eventOf(half, 1))).replay;
      replay = must(replay.append(eventOf(half + extra, 2))).replay;
      expect([replay.first, replay.head]).toEqual([first, 2]);
    }
  });

  test.each([-1, 0.5, Number.NaN, "1", undefined])("since(%p) is a mistake", (cursor) => {
    expect(codeOf(log().since(cursor as number))).toBe("invalid_argument");
  });

  test("a log is a value: two successors of one know nothing of each other", () => {
    let base = log({ capacity: 200 });
    for (let count = 1; count <= 63; count++) base = append(base, "a");
    const [left, right] = [append(base, "left", "l"), append(base, "right", "r")];
    expect([base.head, left.head, right.head]).toEqual([63, 65, 65]);
    expect(must(left.since(63)).result.events.map(({ params }) => params)).toEqual([
      delta("left").params,
      delta("l").params,
    ]);
    expect(must(right.since(63)).result.events.map(({ params }) => params)).toEqual([
      delta("right").params,
      delta("r").params,
    ]);
  });
});

describe("pages (R90, R91)", () => {
  test("128 events and no more", () => {
    let replay = log();
    for (let count = 1; count <= 129; count++) replay = append(replay, "a");
    expect(must(replay.since(0)).result).toMatchObject({ cursor: 128 });
    expect(must(replay.since(128)).result.events.map(({ cursor }) => cursor)).toEqual([129]);
    expect(must(replay.since(129)).result).toEqual({ stream_id: "st-1", cursor: 129, events: [] });
  });

  test("exactly the bytes of a page, and one byte more", () => {
    for (const [extra, events] of [
      [0, 2],
      [1, 1],
    ] as const) {
      let replay = must(log().append(eventOf(500_000, 1))).replay;
      replay = must(replay.append(eventOf(PAGE_BYTES - 500_000 + extra, 2))).replay;
      expect(must(replay.since(0)).result.events).toHaveLength(events);
    }
  });

  test("R91: a full page fits a message with the longest envelope", () => {
    let replay = log({ streamId: '"'.repeat(128) });
    for (let cursor = 1; cursor <= 200; cursor++) replay = append(replay, "x".repeat(8000));
    const page = must(replay.since(0)).result;
    expect(page.events.length).toBeLessThan(128);
    const ids = {
      id: '"'.repeat(128),
      correlation_id: '"'.repeat(128),
      project_ref: '"'.repeat(256),
      task_ref: '"'.repeat(256),
    };
    expect(codeOf(Codec.encode(response("x", { result: page }, ids)))).toBe("ok");
  });

  test("a client follows a log page by page", () => {
    let replay = log({ capacity: 300 });
    for (let count = 1; count <= 300; count++) replay = append(replay, String(count));
    let client = readyClient();
    const texts: string[] = [];
    for (let cursor = 0, more = true; more; ) {
      const asked = must(client.request("stream/resume", { stream_id: "st-1", cursor }));
      const { result } = must(replay.since(cursor));
      client = must(asked.client.receive(JSON.stringify(response(asked.message.id, { result })))).client;
      client = must(client.receiveReplay(JSON.parse(JSON.stringify(result)))).client;
      more = result.events.length > 0;
      cursor = result.cursor;
      while (client.counts.buffered > 0) {
        const step = must(client.drain(50));
        client = step.client;
        for (const effect of step.effects)
          if (effect.type === "notification" && effect.message.method === "item/delta")
            texts.push(effect.message.params.delta);
      }
      if (more) client = must(client.ackCursor("st-1", cursor)).client;
    }
    expect(texts).toEqual(Array.from({ length: 300 }, (_, index) => String(index + 1)));
  });
});

test("R89-R92: any log behaves as a list of its last events", () => {
  fuzz(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
      (capacity, bursts) => {
        let replay = log({ capacity });
        let model: string[] = [];
        let head = 0;
        for (const burst of bursts) {
          for (let count = 0; count < burst; count++) {
            const text = String(++head);
            replay = append(replay, text);
            model = [...model, text].slice(-capacity);
          }
          expect([replay.first, replay.head]).toEqual([head - model.length + 1, head]);
          for (let cursor = 0; cursor <= head + 1; cursor++) {
            const since = replay.since(cursor);
            const isKept = cursor >= head - model.length && cursor <= head;
            expect(codeOf(since)).toBe(isKept ? "ok" : "replay_gap");
            if (!since.ok) continue;
            const expected = model.slice(cursor - (head - model.length)).slice(0, 128);
            expect(
              since.result.events.map((event) => event.method === "item/delta" && event.params.delta),
            ).toEqual(expected);
            expect(since.result.cursor).toBe(cursor + expected.length);
          }
        }
      },
    ),
    30,
  );
});
