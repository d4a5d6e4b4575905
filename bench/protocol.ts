// The agent protocol's hot paths (R114): one sequenced delta through receive, drain and acknowledge; decoding a message of
// 1 MiB; appending to a full replay log. Goals on the project's machine: 40 µs a delta, 50 ms a message, 40 µs an append.
import { createHash } from "node:crypto";
import { z } from "zod";
import {
  Client,
  Codec,
  Replay,
  type Result,
  type Step,
  type UnsequencedNotification,
} from "../src/protocol/index.ts";
import type { Case, HotPath } from "./harness.ts";

const PARAMS = {
  thread_id: "th-1",
  turn_id: "tu-1",
  item_id: "it-1",
  channel: "text",
  delta: "some words ",
} as const;
const ENVELOPE = { schema_version: "1.0", type: "notification", correlation_id: "flow-1" } as const;
const DELTA: UnsequencedNotification = { ...ENVELOPE, method: "item/delta", params: PARAMS };

function good<T>(result: Result<T> | Step<T>): T {
  if (!result.ok) throw result.error;
  return result as T;
}

function readyClient(): Client {
  const capabilities = ["streaming.v1"] as const;
  let { client } = good(Client.create({ capabilities: [...capabilities] }));
  const offer = { versions: ["1.0"], capabilities: [...capabilities] };
  client = good<{ client: Client }>(client.request("connection/initialize", offer)).client;
  const identity = { schema_version: "1.0", type: "response", id: "c1-1", correlation_id: "c1-1" };
  const result = { version: "1.0", capabilities, connection_id: "k-1" };
  return good<{ client: Client }>(client.receive(JSON.stringify({ ...identity, result }))).client;
}

/** Everything that a delta goes through at an agent's client. */
function follow(start: Client, texts: readonly string[]): Client {
  let client = start;
  for (const [index, text] of texts.entries()) {
    client = client.receive(text).client;
    client = client.drain(1).client;
    client = client.ackCursor("st-1", index + 1).client;
  }
  if (client.checkpoints()["st-1"] !== texts.length) throw new Error("a delta was lost");
  return client;
}

const RivalDelta = z.strictObject({
  schema_version: z.literal("1.0"),
  type: z.literal("notification"),
  correlation_id: z.string(),
  method: z.literal("item/delta"),
  params: z.strictObject({
    thread_id: z.string(),
    turn_id: z.string(),
    item_id: z.string(),
    channel: z.enum(["text", "output"]),
    delta: z.string().min(1),
  }),
  stream_id: z.string(),
  cursor: z.int().min(1),
});

/** What a user would write: parse, validate, hash with node:crypto, keep everything in mutable maps. */
function followPlainly(texts: readonly string[]): number {
  const hashes = new Map<number, string>();
  const buffer: z.output<typeof RivalDelta>[] = [];
  let processed = 0;
  for (const text of texts) {
    const message = RivalDelta.parse(JSON.parse(text));
    const sorted = JSON.stringify(message, Object.keys({ ...message, ...message.params }).sort());
    hashes.set(message.cursor, createHash("sha256").update(sorted).digest("hex"));
    buffer.push(message);
    const drained = buffer.shift();
    processed = drained?.cursor ?? processed;
    hashes.delete(processed);
  }
  return processed;
}

function deltas(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    JSON.stringify({ ...DELTA, stream_id: "st-1", cursor: index + 1 }),
  );
}

function response(result: string): string {
  return `{"schema_version":"1.0","type":"response","id":"x","correlation_id":"x","result":{"a":${result}}}`;
}

function decodeCase(name: string, text: string): Case {
  good(Codec.decode(text));
  return {
    name,
    ours: { name: "Codec.decode", run: () => Codec.decode(text) },
    rivals: [{ name: "JSON.parse, which checks nothing", run: () => JSON.parse(text) }],
    work: { amount: text.length, unit: "bytes" },
  };
}

const FULL = 65_536;

function appendCase(short: boolean): Case {
  const capacity = short ? 128 : FULL;
  let log = good(Replay.create({ streamId: "st-1", capacity })).replay;
  let copied: unknown[] = [];
  for (let count = 0; count < capacity; count++) {
    const { message, replay } = good(log.append(DELTA));
    log = replay;
    copied.push(message);
  }
  return {
    name: `append to a full log of ${capacity}`,
    ours: {
      name: "Replay.append",
      run: () => {
        log = good(log.append(DELTA)).replay;
        return log;
      },
    },
    rivals: [
      {
        name: "copy the array, validating nothing",
        run: () => {
          copied = [...copied.slice(1), { ...DELTA, stream_id: "st-1", cursor: 1 }];
          return copied;
        },
      },
    ],
  };
}

const path: HotPath = {
  name: "agent protocol",
  prepare({ short }) {
    const count = short ? 100 : 100_000;
    const texts = deltas(count);
    const client = readyClient();
    const bytes = short ? 1000 : 1_048_000;
    return [
      {
        name: `${count} deltas: receive, drain, acknowledge`,
        ours: { name: "Client", run: () => follow(client, texts) },
        rivals: [{ name: "zod, node:crypto and mutable maps", run: () => followPlainly(texts) }],
        work: { amount: count, unit: "requests" },
      },
      decodeCase("a message of 1 MiB that is one text", response(`"${"x".repeat(bytes)}"`)),
      decodeCase(
        "a message of 1 MiB of small objects",
        response(`[${'{"a":1},'.repeat(Math.floor(bytes / 8))}0]`),
      ),
      appendCase(short),
    ];
  },
};

export default path;
