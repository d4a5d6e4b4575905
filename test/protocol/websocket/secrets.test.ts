// Nothing that is secret or foreign shows anywhere: tokens, contents, exceptions (RW31, RW33-RW36).
import { expect, test } from "bun:test";
import { inspect } from "node:util";
import { CAPABILITIES } from "../../../src/protocol/index.ts";
import { bearerTokens, connect, createListener, hashToken } from "../../../src/protocol/websocket/index.ts";
import { frame, Opcode, RawPeer, readyPeer, request, upgradeText } from "../../support/raw-websocket.ts";
import { ask, Seen, startClient, startHost, until } from "../../support/websocket.ts";

const TOKEN = `token-marker-${"x".repeat(32)}`;
const CONTENT = "content-marker";
const THROWN = "thrown-marker";
const COOKIE = "cookie-marker";
const MARKERS = [TOKEN, CONTENT, THROWN, COOKIE, hashToken(TOKEN)];

/** Everything that can be seen of a value. */
function visible(value: unknown): string {
  const all = [
    Bun.inspect(value, { depth: 20 }),
    inspect(value, { depth: 20, showHidden: true }),
    String(JSON.stringify(value)),
    String(value),
    `${value}`,
  ];
  if (value instanceof Error) all.push(value.message, value.stack ?? "");
  return all.join("\n");
}

test("what is observable of a session holds no marker", async () => {
  const lines: string[] = [];
  const observe = (value: unknown) => void lines.push(visible(value));
  let isThrowing = false;
  const base = await startHost();
  const host = await startHost({
    authenticate: bearerTokens([{ id: "tester", sha256: hashToken(TOKEN) }]),
    handler: {
      ...base.agent.handler,
      handleRequest: (asked, state, context) => {
        if (isThrowing) throw new Error(THROWN);
        return base.agent.handler.handleRequest(asked, state, context);
      },
    },
    log: observe,
  });
  const seen = new Seen();
  const options = { token: () => TOKEN, log: observe, limits: { messageBytes: 100_000 } };
  const client = await startClient({ ...host, token: TOKEN }, options, seen);
  const { connection } = client;
  const params = { event_id: CONTENT };
  await ask(client, (core) => core.request("project/event.status", params));
  isThrowing = true;
  await ask(client, (core) => core.request("thread/start", { title: CONTENT }, { commandId: CONTENT }));
  for (const value of [
    host.listener,
    host.connections,
    connection,
    host.listener.status(),
    connection.status(),
  ]) {
    observe(value);
  }
  observe(connection.client);
  observe(host.connections[0]?.server);

  // Bad frames, of a peer with a cookie.
  const bad = [
    request("r-1", "thread/start", { title: CONTENT, [CONTENT]: 1 }, "k"),
    request("r-2", CONTENT, {}),
    CONTENT,
  ];
  for (const message of bad) {
    const raw = await readyPeer(host.listener.port, TOKEN);
    const before = raw.frames.length;
    raw.text(message);
    await until("an answer or an end", () => raw.frames.length > before);
    for (const { opcode, payload } of raw.frames.slice(before)) {
      if (opcode === Opcode.Close) lines.push(payload.subarray(2).toString());
      if (opcode === Opcode.Text) lines.push(JSON.stringify(JSON.parse(payload.toString()).error));
    }
    raw.end();
  }

  // HTTP answers, also to a request that has everything.
  for (const target of ["/app-server", `/app-server?token=${TOKEN}`, `/${CONTENT}`]) {
    const raw = await RawPeer.connect(host.listener.port);
    const headers = { Authorization: `Bearer ${TOKEN}${CONTENT}`, Cookie: COOKIE, Origin: null };
    raw.write(upgradeText(headers, { target }));
    const answer = await raw.answer();
    lines.push(raw.head, answer.body);
  }

  // Failed attempts and mistakes.
  const attempts = [
    { token: () => `${TOKEN}${CONTENT}` },
    { token: () => `${TOKEN} ${CONTENT}` },
    {
      token: (): string => {
        throw new Error(THROWN);
      },
    },
    { url: `ws://${TOKEN}@127.0.0.1:1/app-server` },
    { url: `ws://127.0.0.1:1/app-server?${TOKEN}` },
    { capabilities: JSON.parse(`["${CONTENT}"]`) },
    { requiredCapabilities: JSON.parse(`["${CONTENT}"]`) },
    { limits: JSON.parse(`{"${CONTENT}":1}`) },
    { tls: JSON.parse(`{"ca":"${CONTENT}"}`), url: "wss://127.0.0.1:1/app-server" },
  ];
  for (const attempt of attempts) {
    const error: unknown = await connect({
      url: host.listener.url,
      token: () => TOKEN,
      capabilities: [...CAPABILITIES],
      onEffects: () => undefined,
      onEnd: () => undefined,
      log: observe,
      ...attempt,
    }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Error);
    observe(error);
  }
  const listening = createListener({
    handler: base.agent.handler,
    initialState: () => null,
    authenticate: () => null,
    tls: { cert: CONTENT, key: TOKEN },
  });
  observe(await listening.catch((reason: unknown) => reason));
  expect(() => hashToken(`${TOKEN} `)).toThrow(expect.objectContaining({ code: "invalid_argument" }));

  // The end, with a mutation under way.
  isThrowing = false;
  connection.update((core) => core.request("thread/start", { title: CONTENT }, { commandId: "k-2" }));
  await host.listener.close();
  await until("the end", () => seen.ends.length === 1);
  for (const { code, reason, client: ended } of seen.ends)
    for (const value of [code, reason, ended]) observe(value);
  observe(connection);
  await base.listener.close();

  expect(lines.length).toBeGreaterThan(40);
  for (const marker of MARKERS) expect(lines.filter((line) => line.includes(marker))).toEqual([]);
});

test("inspection gives the status alone (RW33, RW34)", async () => {
  const host = await startHost();
  const { connection } = await startClient(host);
  const listener = {
    state: "listening" as const,
    hostname: "127.0.0.1",
    port: host.listener.port,
    encrypted: false,
    connections: 1,
    handshakes: 0,
    refused: 0,
    ended: 0,
  };
  expect(host.listener.status()).toEqual(listener);
  expect(JSON.parse(JSON.stringify(host.listener))).toEqual(listener);
  expect(Bun.inspect(host.listener)).toBe(Bun.inspect(listener));
  expect(inspect(host.listener)).toBe(inspect(listener));
  for (const value of [connection, ...host.connections]) {
    expect(Object.keys(value.status())).toEqual([
      "state",
      "connection_id",
      "phase",
      "negotiated",
      "pending",
      "uncertain",
      "incoming",
      "buffered",
      "queued",
      "since",
    ]);
    expect(Bun.inspect(value)).toBe(Bun.inspect(value.status()));
  }
  await host.listener.close();
});

test("a close reason of the peer is not repeated (RW31)", async () => {
  const host = await startHost();
  const peer = await readyPeer(host.listener.port, host.token);
  peer.write(frame(Opcode.Close, Buffer.concat([Buffer.from([0x0f, 0xa0]), Buffer.from(CONTENT)])));
  await until("the end", () => host.log.at(-1)?.type === "ended");
  expect(host.log.at(-1)).toEqual({
    type: "ended",
    connection_id: expect.any(String),
    code: 4000,
    reason: "closed",
  });
  await host.listener.close();
});
