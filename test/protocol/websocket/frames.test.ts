// Frames that are wrong, too big or too many, peers that are slow, silent or gone, and owners that throw (RW44).
import { afterEach, describe, expect, test } from "bun:test";
import { CAPABILITIES, Codec, type Handler, type RequestMessage } from "../../../src/protocol/index.ts";
import {
  type CallbackName,
  type Connection,
  connect,
  type ListenerOptions,
  type TransportEvent,
} from "../../../src/protocol/websocket/index.ts";
import {
  acceptText,
  frame,
  INITIALIZE,
  Opcode,
  RawPeer,
  rawServer,
  readyPeer,
  request,
  upgradeText,
} from "../../support/raw-websocket.ts";
import { ask, type FakeHost, Seen, startClient, startHost, until } from "../../support/websocket.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function newHost(...given: Parameters<typeof startHost>): Promise<FakeHost> {
  const host = await startHost(...given);
  stops.push(() => host.listener.close());
  return host;
}

const status = (id: string) => request(id, "project/event.status", { event_id: "e" });
const last = <T>(list: readonly T[]) => list.at(-1);

describe("frames to a listener (RW23, RW24)", () => {
  const bound = 10_000;
  /** A request of exactly so many bytes, by a long correlation of the event id's query. */
  function sized(bytes: number): string {
    const base = JSON.stringify({ ...status("r-1"), x: "" });
    return JSON.stringify({ ...status("r-1"), x: "a".repeat(bytes - base.length) });
  }

  test("a message of exactly the bound is read, one byte more ends with 1009", async () => {
    const host = await newHost({ limits: { messageBytes: bound } });
    const peer = await readyPeer(host.listener.port, host.token);
    peer.text(sized(bound));
    await until("an answer", () => peer.messages.length === 2);
    // It was read: the member that fills it is unknown.
    expect(peer.messages[1]).toMatchObject({ id: "r-1", error: { code: "invalid_message" } });
    peer.text(sized(bound + 1));
    expect(await peer.closeFrame()).toMatchObject({ code: 1009 });
    await until("the end", () => last(host.log)?.type === "ended");
    expect(last(host.log)).toMatchObject({ code: 1006, reason: "closed" });
  });

  test("three fragments are one message, pings between them are answered", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    const text = JSON.stringify(status("r-1"));
    peer.write(frame(Opcode.Text, text.slice(0, 10), { final: false }));
    peer.write(frame(Opcode.Ping, "hi"));
    peer.write(frame(Opcode.Continuation, text.slice(10, 20), { final: false }));
    peer.write(frame(Opcode.Continuation, text.slice(20)));
    await until("an answer", () => peer.messages.length === 2);
    expect(peer.messages[1]).toMatchObject({ id: "r-1", error: { code: "not_found" } });
    const pong = peer.frames.find(({ opcode }) => opcode === Opcode.Pong);
    expect(pong?.payload.toString()).toBe("hi");
    peer.end();
  });

  test("fragments that together exceed the bound end the connection", async () => {
    const host = await newHost({ limits: { messageBytes: bound } });
    const peer = await readyPeer(host.listener.port, host.token);
    peer.write(frame(Opcode.Text, "a".repeat(bound - 10), { final: false }));
    peer.write(frame(Opcode.Continuation, "a".repeat(11), { final: false }));
    expect(await peer.closeFrame()).toMatchObject({ code: 1009 });
  });

  type Broken = readonly [name: string, bytes: Uint8Array, code: number | null];
  const broken: Broken[] = [
    ["a binary frame", frame(Opcode.Binary, JSON.stringify(status("r-1"))), 1003],
    ["an empty binary frame", frame(Opcode.Binary, ""), 1003],
    ["bad UTF-8", frame(Opcode.Text, new Uint8Array([0x22, 0xff, 0x22])), 1007],
    ["an encoded surrogate", frame(Opcode.Text, new Uint8Array([0xed, 0xa0, 0x80])), 1007],
    ["a frame without a mask", frame(Opcode.Text, "{}", { masked: false }), 1002],
    ["RSV1", frame(Opcode.Text, "{}", { reserved: 4 }), 1002],
    ["RSV2", frame(Opcode.Text, "{}", { reserved: 2 }), 1002],
    ["an unknown opcode", frame(3, "{}"), 1002],
    ["an unknown control opcode", frame(11, ""), 1002],
    ["a continuation of nothing", frame(Opcode.Continuation, "{}"), 1002],
    ["a ping in fragments", frame(Opcode.Ping, "", { final: false }), 1002],
    ["a ping of 126 bytes", frame(Opcode.Ping, "a".repeat(126)), 1002],
    ["text that is no JSON", frame(Opcode.Text, "hello"), 4400],
    ["an empty text", frame(Opcode.Text, ""), 4400],
    ["a byte order mark", frame(Opcode.Text, "\uFEFF{}"), 4400],
    ["a response to nothing", frame(Opcode.Text, JSON.stringify(answerTo("s-1"))), 4409],
    [
      "a response that is malformed",
      frame(Opcode.Text, JSON.stringify({ ...answerTo("s-1"), result: 1 })),
      4400,
    ],
  ];
  test.each(broken)("%s", async (_, bytes, code) => {
    const host = await newHost();
    const other = await startClient(host);
    const peer = await readyPeer(host.listener.port, host.token);
    peer.write(bytes);
    if (code !== null) expect((await peer.closeFrame())?.code).toBe(code);
    await until("the end", () => host.listener.status().ended === 1);
    expect(host.listener.status()).toMatchObject({ connections: 1, handshakes: 0 });
    expect(await ask(other, (core) => core.request("project/event.status", { event_id: "e" }))).toMatchObject(
      {
        error: { code: "not_found" },
      },
    );
  });

  function answerTo(id: string): object {
    return { schema_version: "1.0", type: "response", id, correlation_id: id, result: {} };
  }

  test("32 refused requests in a row are answered, the next ends with 4400; a good one begins anew (RW25)", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    const bad = (id: number) => request(`b-${id}`, "project/event.status", {});
    for (let id = 1; id <= 32; id++) peer.text(bad(id));
    peer.text(status("g-1"));
    for (let id = 33; id <= 64; id++) peer.text(bad(id));
    await until("the answers", () => peer.messages.length === 66);
    expect(
      peer.messages.filter(({ error }) => JSON.stringify(error)?.includes("invalid_message")),
    ).toHaveLength(64);
    peer.text(bad(65));
    expect(await peer.closeFrame()).toEqual({ code: 4400, reason: "protocol" });
    expect(peer.messages).toHaveLength(66);
    expect(host.log.filter(({ type }) => type === "rejected_message")).toHaveLength(65);
  });

  test("a cursor that skips ends with 4409 (RW25)", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    peer.text({
      schema_version: "1.0",
      type: "notification",
      method: "thread/closed",
      correlation_id: "x",
      params: { thread_id: "t" },
      stream_id: "s",
      cursor: 2,
    });
    expect(await peer.closeFrame()).toEqual({ code: 4409, reason: "disagreement" });
    expect(host.agent.counts().notifications).toBe(0);
  });

  test("a request before initialize is answered; who is never ready ends with 4408 (RW30)", async () => {
    const host = await newHost({ limits: { handshakeMs: 300 } });
    const peer = await RawPeer.open(host.listener.port, host.token);
    peer.text(status("r-1"));
    await until("an answer", () => peer.messages.length === 1);
    expect(peer.messages[0]).toMatchObject({ id: "r-1", error: { code: "not_initialized" } });
    expect(await peer.closeFrame()).toEqual({ code: 4408, reason: "timeout" });
    expect(host.listener.status()).toMatchObject({ connections: 0, handshakes: 0 });
  });

  test("who was ready in time is not ended by that bound", async () => {
    const host = await newHost({ limits: { handshakeMs: 1000 } });
    const peer = await readyPeer(host.listener.port, host.token);
    await Bun.sleep(1100);
    peer.text(status("r-1"));
    await until("an answer", () => peer.messages.length === 2);
    peer.end();
  });

  test("frames behind the close frame are not read", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    const event = {
      event_id: "e",
      delivery_attempt_id: "d",
      event_type: "a",
      created_at: "2030-01-01T00:00:00Z",
    };
    const params = { event: { ...event, correlation_id: "c", project_ref: "p", payload: {} } };
    const receive = JSON.stringify(request("r-1", "project/event.receive", params, "k-1"));
    const close = frame(Opcode.Close, new Uint8Array([0x03, 0xe8]));
    peer.write(Buffer.concat([close, frame(Opcode.Text, receive)]));
    await until("the end", () => host.listener.status().ended === 1);
    expect(host.agent.counts().events).toBe(0);
    expect(last(host.log)).toMatchObject({ type: "ended", code: 1000, reason: "closed" });
  });
});

describe("floods and slow readers (RW27)", () => {
  test("a flood of requests is answered in order, one at a time (RW13)", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    const count = 3000;
    const frames = Array.from({ length: count }, (_, at) =>
      frame(Opcode.Text, JSON.stringify(status(`r-${at}`))),
    );
    peer.write(Buffer.concat(frames));
    await until("every answer", () => peer.frames.length === count + 1);
    expect(peer.messages.slice(1).map(({ id }) => id)).toEqual(
      Array.from({ length: count }, (_, at) => `r-${at}`),
    );
    peer.end();
  });

  test("deferred requests are bounded, and the bound is an answer (R101)", async () => {
    const host = await newHost({}, { defer: ["project/event.status"] });
    const peer = await readyPeer(host.listener.port, host.token);
    for (let id = 0; id < 65; id++) peer.text(status(`r-${id}`));
    await until("the refusal", () => peer.messages.length === 2);
    expect(peer.messages[1]).toMatchObject({ id: "r-64", error: { code: "overflow" } });
    expect(host.connections[0]?.status().incoming).toBe(64);
    peer.end();
  });

  test("a reader that never reads is ended, what waits for it stays within the bound", async () => {
    const limits = { messageBytes: 100_000, queueBytes: 300_000 };
    const host = await newHost({ limits });
    const peer = await readyPeer(host.listener.port, host.token);
    peer.pause();
    const connection = host.connections[0];
    if (connection === undefined) throw new Error("no connection");
    const notice = {
      schema_version: "1.0",
      type: "notification",
      method: "item/delta",
      correlation_id: "x",
      params: { thread_id: "t", turn_id: "u", item_id: "i", channel: "text", delta: "a".repeat(90_000) },
    } as const;
    let sent = 0;
    while (connection.update((server) => server.notify(notice)).ok) {
      sent++;
      expect(connection.status().queued).toBeLessThanOrEqual(3);
      if (sent > 1000) throw new Error("the kernel takes everything");
      if (sent % 10 === 0) await Bun.sleep(1);
    }
    expect(sent).toBeGreaterThan(3);
    expect(last(host.log)).toMatchObject({ type: "ended", reason: "congested" });
    expect(connection.server.phase).toBe("closed");
    peer.end();
  });

  test("messages are bounded in number too", async () => {
    const host = await newHost({ limits: { queueMessages: 5, queueBytes: 10_000_000 } });
    const peer = await readyPeer(host.listener.port, host.token);
    peer.pause();
    const connection = host.connections[0];
    if (connection === undefined) throw new Error("no connection");
    const notice = {
      schema_version: "1.0",
      type: "notification",
      method: "item/delta",
      correlation_id: "x",
      params: { thread_id: "t", turn_id: "u", item_id: "i", channel: "text", delta: "a".repeat(200_000) },
    } as const;
    let most = 0;
    while (connection.update((server) => server.notify(notice)).ok)
      most = Math.max(most, connection.status().queued);
    expect(most).toBe(5);
    expect(last(host.log)).toMatchObject({ type: "ended", code: 4413, reason: "congested" });
    peer.end();
  });

  test("a reader that goes on reading gets everything in order", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    peer.pause();
    const connection = host.connections[0];
    if (connection === undefined) throw new Error("no connection");
    let sent = 0;
    while (connection.status().queued < 20) {
      sent++;
      const params = { thread_id: "t", turn_id: "u", item_id: `i-${sent}`, channel: "text" as const };
      const step = connection.update((server) =>
        server.notify({
          schema_version: "1.0",
          type: "notification",
          method: "item/delta",
          correlation_id: "x",
          params: { ...params, delta: "a".repeat(100_000) },
        }),
      );
      if (!step.ok) throw step.error;
    }
    peer.resume();
    await until("everything", () => peer.frames.length === sent + 1);
    const ids = peer.messages.slice(1).map(({ params }) => (params as { item_id: string }).item_id);
    expect(ids).toEqual(Array.from({ length: sent }, (_, at) => `i-${at + 1}`));
    expect(connection.status()).toMatchObject({ queued: 0, state: "open" });
    peer.end();
  });

  test("a flood of pings is answered, and does not count as protocol progress (RW29)", async () => {
    const host = await newHost();
    const peer = await readyPeer(host.listener.port, host.token);
    const pings = Array.from({ length: 2000 }, () => frame(Opcode.Ping, "x".repeat(100)));
    peer.write(Buffer.concat(pings));
    await until(
      "the pongs",
      () => peer.frames.filter(({ opcode }) => opcode === Opcode.Pong).length === 2000,
    );
    expect(host.log.map(({ type }) => type)).toEqual(["listening", "opened", "ready"]);
    peer.end();
  });

  test("a client that is not drained ends with 4409 at the 129th notification (RW28)", async () => {
    const host = await newHost();
    const client = await startClient(host, { onEffects: () => undefined });
    const [connection] = host.connections;
    await until("ready", () => connection?.server.phase === "ready");
    const notice = {
      schema_version: "1.0",
      type: "notification",
      method: "turn/notice",
      correlation_id: "x",
      params: { thread_id: "t", level: "info", reason: "fake", message: "m", will_retry: false },
    } as const;
    for (let at = 0; at < 128; at++) connection?.update((server) => server.notify(notice));
    await until("a full buffer", () => client.connection.status().buffered === 128);
    connection?.update((server) => server.notify(notice));
    await until("the end", () => client.seen.ends.length === 1);
    expect(client.seen.ends[0]).toMatchObject({ code: 4409, reason: "disagreement" });
    expect(client.seen.ends[0]?.client.counts.buffered).toBe(128);
  });

  test("a host that does not read ends a client's connection with 4413, and its step is not applied (RW27)", async () => {
    const { server, connection, seen } = await rawConnection({ queueBytes: 200_000 });
    server.pause();
    const input = [{ type: "text" as const, text: "a".repeat(200_000) }];
    let sent = 0;
    for (;;) {
      const step = connection.update((core) =>
        core.request("turn/start", { thread_id: "t", input }, { commandId: `k-${sent}` }),
      );
      if (!step.ok) {
        expect(step.error.code).toBe("disconnected");
        break;
      }
      sent++;
    }
    expect(seen.ends[0]).toMatchObject({ code: 4413, reason: "congested" });
    // What was handed over is uncertain; what was refused is not.
    expect(seen.ends[0]?.client.uncertain.size).toBe(sent);
  });
});

/** A client that is ready, and the server by hand behind it. */
async function rawConnection(limits = {}, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const server = rawServer();
  stops.push(() => server.stop());
  const seen = new Seen();
  const connecting = connect({
    url: server.url,
    token: () => "a".repeat(32),
    capabilities: [...CAPABILITIES],
    onEffects: (effects, from) => seen.take(effects, from),
    onEnd: (end) => seen.ends.push(end),
    log: (event) => seen.log.push(event),
    limits,
    ...options,
  });
  await until("initialize", () => server.messages.length === 1);
  server.text(initialized());
  return { server, seen, connection: await connecting };
}

function initialized(id = "c1-1"): object {
  const result = { version: "1.0", capabilities: [...CAPABILITIES].sort(), connection_id: "k" };
  return { schema_version: "1.0", type: "response", id, correlation_id: id, result };
}

describe("frames to a client (RW23-RW25)", () => {
  type Broken = readonly [name: string, bytes: Uint8Array, code: number];
  const unmasked = { masked: false };
  const cases: Broken[] = [
    ["a binary frame", frame(Opcode.Binary, "{}", unmasked), 1003],
    ["text that is no JSON", frame(Opcode.Text, "hello", unmasked), 4400],
    ["a message over the bound", frame(Opcode.Text, "a".repeat(2001), unmasked), 4400],
    ["a message over the bound in bytes alone", frame(Opcode.Text, "ä".repeat(1001), unmasked), 4400],
    ["an answer to nothing", frame(Opcode.Text, JSON.stringify(initialized("c1-9")), unmasked), 4409],
    [
      "an answer that contradicts an earlier one",
      frame(Opcode.Text, JSON.stringify({ ...initialized(), correlation_id: "x" }), unmasked),
      4409,
    ],
  ];
  test.each(cases)("%s", async (_, bytes, code) => {
    const { server, seen } = await rawConnection({ messageBytes: 2000 });
    server.write(bytes);
    await until("the end", () => seen.ends.length === 1);
    expect(seen.ends[0]?.code).toBe(code);
    await until("the close frame", () => server.frames.some(({ opcode }) => opcode === Opcode.Close));
    expect(last(server.frames)?.payload.readUInt16BE(0)).toBe(code);
  });

  test("an equal answer again is nothing", async () => {
    const { server, seen, connection } = await rawConnection();
    server.text(initialized());
    server.text(request("s-1", "request/cancel", { request_id: "x" }));
    await until("the request", () => seen.effects.some(({ type }) => type === "request"));
    expect(connection.status()).toMatchObject({ state: "open", incoming: 1 });
  });

  test("frames right behind the answer to initialize find an owner", async () => {
    const server = rawServer();
    stops.push(() => server.stop());
    const seen = new Seen();
    const order: string[] = [];
    const connecting = connect({
      url: server.url,
      token: () => "a".repeat(32),
      capabilities: [...CAPABILITIES],
      onEffects: (effects, from) => {
        order.push(...effects.map(({ type }) => type));
        seen.take(effects, from);
      },
      onEnd: () => undefined,
    });
    await until("initialize", () => server.messages.length === 1);
    const both = [initialized(), request("s-1", "request/cancel", { request_id: "x" })];
    server.write(
      Buffer.concat(both.map((message) => frame(Opcode.Text, JSON.stringify(message), { masked: false }))),
    );
    const connection = await connecting;
    await until("the request", () => order.length === 2);
    expect(order).toEqual(["response", "request"]);
    expect(connection.status().incoming).toBe(1);
  });

  test("a message that comes together with the 101 is read after it", async () => {
    const early = request("s-1", "request/cancel", { request_id: "x" });
    const server = rawServer((text) => acceptText(text));
    stops.push(() => server.stop());
    const trying = connect({
      url: server.url,
      token: () => "a".repeat(32),
      capabilities: [],
      onEffects: () => undefined,
      onEnd: () => undefined,
    }).catch(() => null);
    await until("the upgrade", () => server.requests.length === 1);
    server.text(early);
    await until("its refusal", () => server.messages.length === 2);
    expect(server.messages[0]).toMatchObject({ method: "connection/initialize" });
    expect(server.messages[1]).toMatchObject({ id: "s-1", error: { code: "not_initialized" } });
    server.cut();
    expect(await trying).toBeNull();
  });

  test.each([
    [1000, "closed"],
    [1001, "shutdown"],
    [1002, "protocol"],
    [1011, "internal"],
    [4400, "protocol"],
    [4401, "authentication"],
    [4408, "timeout"],
    [4409, "disagreement"],
    [4413, "congested"],
    [4500, "internal"],
    [4999, "closed"],
  ])("the host's close code %d is told as %s", async (code, reason) => {
    const { server, seen } = await rawConnection();
    const payload = Buffer.from([code >> 8, code & 0xff, ...Buffer.from("marker")]);
    server.write(frame(Opcode.Close, payload, { masked: false }));
    await until("the end", () => seen.ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ code, reason });
  });

  test("a cut without a close frame is 1006", async () => {
    const { server, seen, connection } = await rawConnection();
    server.cut();
    await until("the end", () => seen.ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ code: 1006, reason: "closed" });
    expect(connection.client.phase).toBe("disconnected");
  });
});

describe("liveness (RW29)", () => {
  test("a client pings, and a host that does not answer is unresponsive", async () => {
    const { server, seen } = await rawConnection({ pingMs: 200, pongMs: 100 });
    await until("the end", () => seen.ends.length === 1);
    expect(server.frames.some(({ opcode }) => opcode === Opcode.Ping)).toBe(true);
    expect(seen.ends[0]).toMatchObject({ code: 1006, reason: "unresponsive" });
    await until("the end of the socket", () => server.isClosed());
  });

  test("a listener pings, and a client that does not answer is unresponsive", async () => {
    const host = await newHost({ limits: { pingMs: 200, pongMs: 100 } });
    const peer = await readyPeer(host.listener.port, host.token);
    await until("the end", () => last(host.log)?.type === "ended");
    expect(peer.frames.some(({ opcode }) => opcode === Opcode.Ping)).toBe(true);
    expect(last(host.log)).toMatchObject({ code: 1006, reason: "unresponsive" });
    await until("the end of the socket", () => peer.isClosed);
  });

  test("a peer that sends nothing at all is unresponsive, whatever the pings", async () => {
    const host = await newHost({ limits: { idleMs: 300 } });
    const peer = await readyPeer(host.listener.port, host.token);
    await until("the end", () => last(host.log)?.type === "ended");
    expect(last(host.log)).toMatchObject({ code: 1006, reason: "unresponsive" });
    peer.end();
  });

  test("two that answer live on, also through a busy event loop", async () => {
    const limits = { pingMs: 20, pongMs: 300, idleMs: 300 };
    const host = await newHost({ limits });
    const client = await startClient(host, { limits });
    for (let round = 0; round < 2; round++) {
      await Bun.sleep(60);
      // Busy for longer than every bound: what arrived meanwhile counts.
      Bun.sleepSync(700);
    }
    await Bun.sleep(100);
    expect(client.connection.status().state).toBe("open");
    expect(host.connections[0]?.status().state).toBe("open");
  });
});

describe("owners whose code fails (RW1, RW44)", () => {
  const failing = (): never => {
    throw new Error("marker");
  };
  const failed = (log: readonly TransportEvent[]) =>
    log.flatMap((event) => (event.type === "callback_failed" ? [event.callback] : []));

  function handlerOf(host: FakeHost, change: Partial<Handler<null>>): Handler<null> {
    return { ...host.agent.handler, ...change };
  }

  const callbacks: readonly (readonly [CallbackName, Partial<ListenerOptions<null>>])[] = [
    ["initialState", { initialState: () => failing() }],
    ["initialState", { initialState: () => Promise.reject(new Error("marker")) as unknown as null }],
    ["onConnection", { onConnection: () => failing() }],
    ["onConnection", { onConnection: () => Promise.reject(new Error("marker")) as unknown as undefined }],
    ["newId", { newId: () => failing() }],
    ["newId", { newId: () => "no id" }],
  ];
  test.each(callbacks)("%s of a listener ends that connection with 4500", async (callback, options) => {
    const host = await newHost(options);
    const peer = await RawPeer.open(host.listener.port, host.token);
    expect(await peer.closeFrame()).toEqual({ code: 4500, reason: "internal" });
    expect(failed(host.log)).toEqual([callback]);
    expect(host.listener.status()).toMatchObject({ connections: 0, handshakes: 0, ended: 1 });
  });

  test.each<[what: string, fails: () => unknown]>([
    ["tells no number", () => Number.NaN],
    ["throws", () => failing()],
    ["rejects", () => Promise.reject(new Error("marker"))],
  ])("a clock that %s ends what needs it with 4500", async (_, fails) => {
    let isBroken = false;
    const host = await newHost({ clock: () => (isBroken ? (fails() as number) : Date.now()) });
    const peer = await readyPeer(host.listener.port, host.token);
    isBroken = true;
    peer.text(status("r-1"));
    expect(await peer.closeFrame()).toEqual({ code: 4500, reason: "internal" });
    expect(failed(host.log)).toEqual(["clock"]);
  });

  test("a handler that throws answers internal, and the connection lives (R99)", async () => {
    const base = await newHost();
    const handler = handlerOf(base, { handleRequest: () => failing() });
    const host = await newHost({ handler });
    const client = await startClient(host);
    const answer = await ask(client, (core) => core.request("project/event.status", { event_id: "e" }));
    expect(answer).toMatchObject({ error: { code: "internal", message: "internal error" } });
    expect(failed(host.log)).toEqual(["handler"]);
    expect(client.connection.status().state).toBe("open");
  });

  test("a handler that throws for a notification ends with 4500 (R103)", async () => {
    const base = await newHost();
    const handler = handlerOf(base, { handleNotification: () => failing() });
    const host = await newHost({ handler });
    const client = await startClient(host);
    client.connection.update((core) =>
      core.notify({
        schema_version: "1.0",
        type: "notification",
        method: "thread/closed",
        correlation_id: "x",
        params: { thread_id: "t" },
      }),
    );
    await until("the end", () => client.seen.ends.length === 1);
    expect(client.seen.ends[0]).toMatchObject({ code: 4500, reason: "internal" });
    expect(failed(host.log)).toEqual(["handler"]);
  });

  test.each([
    ["throws", () => failing()],
    ["rejects", () => Promise.reject(new Error("marker")) as unknown as undefined],
  ])("an onEffects that %s ends the connection with 4500", async (_, fails) => {
    const host = await newHost();
    let isFailing = false;
    const seen = new Seen();
    const { connection } = await startClient(
      host,
      { onEffects: () => (isFailing ? fails() : undefined) },
      seen,
    );
    isFailing = true;
    connection.update((core) => core.request("project/event.status", { event_id: "e" }));
    await until("the end", () => seen.ends.length === 1);
    expect(seen.ends[0]).toMatchObject({ code: 4500, reason: "internal" });
    expect(failed(seen.log)).toEqual(["onEffects"]);
  });

  test("logs and ends that fail change nothing (RW1)", async () => {
    const host = await newHost({ log: () => failing() });
    let ends = 0;
    const options = {
      log: () => Promise.reject(new Error("marker")) as unknown as undefined,
      onEnd: () => {
        ends++;
        return failing();
      },
    };
    const client = await startClient(host, options);
    await client.connection.close();
    expect(ends).toBe(1);
    expect(client.connection.status().state).toBe("ended");
  });

  test("a handler that closes its own connection: nothing is sent after it (RW44)", async () => {
    let closing: Promise<void> | undefined;
    const base = await newHost();
    const handleRequest = (asked: RequestMessage, ...rest: [null, { connectionId: string; now: number }]) => {
      closing = host.connections[0]?.close();
      return base.agent.handler.handleRequest(asked, ...rest);
    };
    const host: FakeHost = await newHost({ handler: handlerOf(base, { handleRequest }) });
    const peer = await readyPeer(host.listener.port, host.token);
    peer.text(status("r-1"));
    expect(await peer.closeFrame()).toEqual({ code: 1000, reason: "closed" });
    await closing;
    expect(peer.messages).toHaveLength(1);
    expect(host.connections[0]?.server.phase).toBe("closed");
    expect(host.log.filter(({ type }) => type === "ended")).toHaveLength(1);
  });

  test.each([
    ["an answer", false],
    ["an expiry", true],
  ])("a handleResponse that closes its connection is told of %s once (R107, RW32)", async (_, isLate) => {
    const outcomes: string[] = [];
    const base = await newHost();
    const handleResponse = (_asked: RequestMessage, outcome: object) => {
      outcomes.push("error" in outcome ? (outcome.error as { code: string }).code : "answered");
      void host.connections[0]?.close();
    };
    const host: FakeHost = await newHost({ handler: handlerOf(base, { handleResponse }) });
    const peer = await readyPeer(host.listener.port, host.token);
    const action = { kind: "other", summary: "anything" } as const;
    const params = {
      approval_id: "a-1",
      action,
      action_digest: Codec.digest(action),
      deadline: "2100-01-01T00:00:00Z",
    };
    const step = host.connections[0]?.update((server) =>
      server.request("approval/request", params, { commandId: "k-1", ...(isLate && { waitMs: 1 }) }),
    );
    if (!step?.ok) throw new Error("the approval was not asked for");
    if (!isLate) {
      const { method: _, params: __, ...identity } = step.messages[0] as RequestMessage;
      const { approval_id, action_digest, deadline: decided_at } = params;
      const result = { approval_id, action_digest, decision: "deny", decided_at };
      peer.text(JSON.stringify({ ...identity, type: "response", result }));
    }
    expect(await peer.closeFrame()).toEqual({ code: 1000, reason: "closed" });
    expect(outcomes).toEqual([isLate ? "ambiguous_disconnect" : "answered"]);
    expect(host.connections[0]?.server.phase).toBe("closed");
    expect(host.connections[0]?.server.counts).toMatchObject({ pending: 0 });
  });

  test("an onEffects that closes is not called again for what came with it", async () => {
    let calls = 0;
    const { server, seen } = await rawConnection(
      {},
      {
        onEffects: (effects, from: Connection) => {
          calls++;
          if (effects.some(({ type }) => type === "request")) void from.close();
        },
      },
    );
    const two = ["s-1", "s-2"].map((id) => request(id, "request/cancel", { request_id: "x" }));
    server.write(
      Buffer.concat(two.map((message) => frame(Opcode.Text, JSON.stringify(message), { masked: false }))),
    );
    await until("the end", () => seen.ends.length === 1);
    expect(calls).toBe(2);
    expect(seen.ends[0]).toMatchObject({ code: 1000 });
    server.cut();
  });

  test("a frame sent together with the upgrade request is read after it, by whom was let in (RW44)", async () => {
    const host = await newHost();
    const both = (token: string) => {
      const text = upgradeText({ Authorization: `Bearer ${token}` });
      return Buffer.concat([Buffer.from(text), frame(Opcode.Text, JSON.stringify(INITIALIZE))]);
    };
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(both(host.token));
    await until("an answer", () => peer.messages.length === 1);
    expect(peer.messages[0]).toMatchObject({ id: "i-1", type: "response" });
    peer.end();
    const stranger = await RawPeer.connect(host.listener.port);
    stranger.write(both("a".repeat(32)));
    expect((await stranger.answer()).status).toBe(401);
    await until("no place", () => host.listener.status().connections === 0);
    expect(host.connections).toHaveLength(1);
  });
});
