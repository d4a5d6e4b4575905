// Positions, the buffer, replay pages and the queue under them (section 7).
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Client, JsonObject, NotificationMessage, Step } from "../../src/protocol/index.ts";
import { emptyQueue, push, type Queue, take } from "../../src/protocol/connection/queue.ts";
import { fuzz } from "../support/fuzz.ts";
import { codeOf, delta, must, readyClient, response, sequencedDelta } from "../support/protocol.ts";

function receiveAll(client: Client, messages: readonly NotificationMessage[]): Client {
  return messages.reduce((current, message) => must(current.receive(message)).client, client);
}

function deltas(from: number, to: number, stream = "st-1"): NotificationMessage[] {
  return Array.from({ length: to - from + 1 }, (_, index) => sequencedDelta(from + index, undefined, stream));
}

function refused(client: Client, step: Step<unknown>, code: string): void {
  expect(codeOf(step)).toBe(code);
  expect(step.client).toBe(client);
}

function drained(step: Step<{ effects: { type: string }[] }>): (number | null)[] {
  return must(step).effects.map((effect) =>
    "message" in effect ? ((effect.message as { cursor?: number }).cursor ?? null) : 0,
  );
}

/** Asks for a page and accepts it. */
function accept(client: Client, cursor: number, page: JsonObject): Client {
  const asked = must(client.request("stream/resume", { stream_id: "st-1", cursor }));
  return must(asked.client.receive(response(asked.message.id, { result: page }))).client;
}

function page(from: number, to: number): JsonObject {
  return { stream_id: "st-1", cursor: to, events: deltas(from, to) as unknown as JsonObject[] };
}

describe("receiving (R74-R79)", () => {
  test("R79: the buffer's bound counts ephemeral and numbered notifications together", () => {
    const client = receiveAll(readyClient({ limits: { buffer: 3 } }), [delta("a"), ...deltas(1, 2)]);
    refused(client, client.receive(sequencedDelta(3)), "overflow");
    refused(client, client.receive(delta("b")), "overflow");
    expect(client.counts.buffered).toBe(3);
    expect(codeOf(client.receive(sequencedDelta(2)))).toBe("ok");
    expect(drained(client.drain(9))).toEqual([null, 1, 2]);
  });

  test("R79: 128 unprocessed events of a stream, 64 streams, by default", () => {
    let client = readyClient({ limits: { buffer: 1000 } });
    client = receiveAll(client, deltas(1, 128));
    refused(client, client.receive(sequencedDelta(129)), "overflow");
    for (let stream = 2; stream <= 64; stream++) client = receiveAll(client, deltas(1, 1, `st-${stream}`));
    refused(client, client.receive(sequencedDelta(1, "x", "st-65")), "overflow");
    expect(client.counts.streams).toBe(64);
  });

  test("R78 comes before R79: what skips an event is a gap even where there is no room", () => {
    const client = receiveAll(readyClient({ limits: { streams: 1, hashes: 1, buffer: 1 } }), deltas(1, 1));
    refused(client, client.receive(sequencedDelta(3)), "cursor_gap");
    refused(client, client.receive(sequencedDelta(2, "x", "st-2")), "cursor_gap");
  });

  test("R76, R77: the same content in another order of keys is the same", () => {
    const client = receiveAll(readyClient(), deltas(1, 1));
    const turned = Object.fromEntries(Object.entries(sequencedDelta(1)).reverse());
    expect(codeOf(client.receive(turned))).toBe("ok");
    refused(client, client.receive({ ...turned, correlation_id: "other" }), "conflict");
  });

  test("the last cursor there is", () => {
    const last = Number.MAX_SAFE_INTEGER;
    const client = readyClient({ checkpoints: { "st-1": last - 1 } });
    expect(must(client.receive(sequencedDelta(last))).client.counts.buffered).toBe(1);
  });
});

describe("draining and acknowledging (R80-R82)", () => {
  const client = receiveAll(readyClient(), deltas(1, 3));

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])("drain(%p) is a mistake", (max) => {
    refused(client, client.drain(max), "invalid_argument");
  });

  test("only what was drained can be acknowledged, in any steps", () => {
    refused(client, client.ackCursor("st-1", 1), "cursor_gap");
    const two = must(client.drain(2)).client;
    refused(two, two.ackCursor("st-1", 3), "cursor_gap");
    expect(must(must(two.ackCursor("st-1", 1)).client.ackCursor("st-1", 2)).client.checkpoints()).toEqual({
      "st-1": 2,
    });
    expect(must(two.ackCursor("st-1", 0)).client).toBe(two);
    refused(two, two.ackCursor("st-2", 0), "foreign_stream");
    for (const cursor of [-1, 0.5, Number.NaN])
      refused(two, two.ackCursor("st-1", cursor), "invalid_argument");
  });

  test("R82: all streams, sorted, whatever their names are", () => {
    const checkpoints = JSON.parse('{"b":2,"__proto__":3,"a":1}');
    const restored = readyClient({ checkpoints });
    expect(Object.entries(restored.checkpoints())).toEqual([
      ["__proto__", 3],
      ["a", 1],
      ["b", 2],
    ]);
    expect(JSON.stringify(restored.checkpoints())).toBe('{"__proto__":3,"a":1,"b":2}');
  });
});

test("R14, R82: no position is -0", () => {
  const client = readyClient({ checkpoints: { a: -0 } });
  const adopted = must(client.adoptCheckpoint("b", -0)).client;
  expect(Object.values(adopted.checkpoints())).toEqual([0, 0]);
});

describe("replay pages (R84-R86)", () => {
  test("a page is ingested once for each time that it was accepted", () => {
    let client = accept(accept(readyClient(), 0, page(1, 0)), 0, page(1, 0));
    client = must(client.receiveReplay(page(1, 0))).client;
    client = must(client.receiveReplay(page(1, 0))).client;
    refused(client, client.receiveReplay(page(1, 0)), "foreign_stream");
  });

  test("as many pages are remembered as there may be streams, the oldest goes first", () => {
    let client = readyClient({ limits: { streams: 2 } });
    for (const end of [1, 2, 3]) client = accept(client, 0, page(1, end));
    refused(client, client.receiveReplay(page(1, 1)), "foreign_stream");
    client = must(client.receiveReplay(page(1, 2))).client;
    client = must(client.receiveReplay(page(1, 3))).client;
    expect(drained(client.drain(9))).toEqual([1, 2, 3]);
  });

  test("all or nothing: a page that contradicts what was received, or does not fit, can be ingested later", () => {
    const full = receiveAll(readyClient({ limits: { buffer: 4 } }), deltas(1, 2));
    const client = accept(full, 0, page(1, 5));
    refused(client, client.receiveReplay(page(1, 5)), "overflow");
    const roomy = must(client.drain(2)).client;
    expect(drained(must(roomy.receiveReplay(page(1, 5))).client.drain(9))).toEqual([3, 4, 5]);
    const changed = {
      ...page(1, 3),
      events: [sequencedDelta(1), sequencedDelta(2, "other"), sequencedDelta(3)],
    };
    const wrong = accept(full, 0, changed as unknown as JsonObject);
    refused(wrong, wrong.receiveReplay(changed as unknown as JsonObject), "conflict");
    expect(wrong.counts.buffered).toBe(2);
  });

  test.each<[string, JsonObject, string]>([
    ["128 events", page(1, 128), "ok"],
    ["129 events", page(1, 129), "invalid_message"],
    ["a page that starts too late", page(2, 3), "cursor_gap"],
    ["a page that ends elsewhere", { ...page(1, 3), cursor: 4 }, "cursor_gap"],
    [
      "an unnumbered event",
      { ...page(1, 1), events: [delta("x") as unknown as JsonObject] },
      "invalid_message",
    ],
    ["the pages of another stream", { ...page(1, 1), stream_id: "st-2" }, "foreign_stream"],
    [
      "an event of another stream",
      { ...page(1, 1), events: deltas(1, 1, "st-2") as unknown as JsonObject[] },
      "foreign_stream",
    ],
    ["both wrong: another stream first", { ...page(3, 4), stream_id: "st-2" }, "foreign_stream"],
  ])("%s", (_, result, code) => {
    const asked = must(readyClient().request("stream/resume", { stream_id: "st-1", cursor: 0 }));
    expect(codeOf(asked.client.receive(response(asked.message.id, { result })))).toBe(code);
  });

  test("R8: events nest no deeper in a page than a message may", () => {
    const changes = [{ path: "a", change: "add", diff: "+" }];
    const item = { item_id: "i", kind: "file_change", status: "completed", changes };
    const turn = { thread_id: "t", turn_id: "u", status: "completed", items: [item] };
    const deepest = {
      ...sequencedDelta(1),
      method: "turn/completed",
      params: { turn },
    } as unknown as JsonObject;
    const client = accept(readyClient(), 0, { stream_id: "st-1", cursor: 1, events: [deepest] });
    expect(client.counts.pending).toBe(0);
  });
});

describe("positions without history (R84, R125)", () => {
  test("the bound on streams holds, and a refusal changes nothing", () => {
    const client = readyClient({ limits: { streams: 1 }, checkpoints: { "st-1": 3 } });
    refused(client, client.adoptCheckpoint("st-2", 1), "overflow");
    refused(client, client.adoptCheckpoint("st-1", 2), "cursor_gap");
    refused(client, client.adoptCheckpoint("st-1", -1), "invalid_argument");
    refused(client, client.adoptCheckpoint("a b", 1), "invalid_argument");
    expect(must(client.adoptCheckpoint("st-1", 3)).client.checkpoints()).toEqual({ "st-1": 3 });
    const forgotten = must(client.forgetStream("st-1")).client;
    expect(must(forgotten.adoptCheckpoint("st-2", 0)).client.checkpoints()).toEqual({ "st-2": 0 });
    refused(forgotten, forgotten.forgetStream("st-1"), "foreign_stream");
  });

  test("a forgotten stream begins with 1 again", () => {
    const client = must(readyClient({ checkpoints: { "st-1": 3 } }).forgetStream("st-1")).client;
    refused(client, client.receive(sequencedDelta(4)), "cursor_gap");
    expect(codeOf(client.receive(sequencedDelta(1)))).toBe("ok");
  });
});

describe("the queue under the buffer", () => {
  test("it behaves as a list does, and old values stay as they were", () => {
    const step = fc.oneof(fc.constant("push"), fc.integer({ min: 1, max: 5 }), fc.constant("fork"));
    fuzz(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let queue: Queue<number> = emptyQueue();
        let model: number[] = [];
        let next = 0;
        const kept: { queue: Queue<number>; model: number[] }[] = [];
        for (const action of steps) {
          if (action === "push") {
            queue = push(queue, next);
            model = [...model, next++];
          } else if (action === "fork") kept.push({ queue, model });
          else {
            const { values, rest } = take(queue, Number(action));
            expect(values).toEqual(model.slice(0, Number(action)));
            queue = rest;
            model = model.slice(Number(action));
          }
          expect(queue.size).toBe(model.length);
        }
        for (const old of kept) {
          if (old.model.length > 0) expect(take(old.queue, 100).values).toEqual(old.model);
        }
      }),
    );
  });
});
