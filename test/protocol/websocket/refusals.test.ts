// What a listener refuses before the upgrade, byte by byte (RW5-RW12, RW42).
import { afterEach, describe, expect, test } from "bun:test";
import { authenticated } from "../../../src/protocol/websocket/authenticate.ts";
import { AUTHENTICATION_MS } from "../../../src/protocol/websocket/limits.ts";
import {
  type Authenticator,
  bearerTokens,
  createListener,
  hashToken,
  newToken,
  type Principal,
} from "../../../src/protocol/websocket/index.ts";
import { acceptText, RawPeer, readyPeer, upgradeText } from "../../support/raw-websocket.ts";
import { type FakeHost, startClient, startHost, until } from "../../support/websocket.ts";

const hosts: FakeHost[] = [];
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.listener.close();
});

async function newHost(...given: Parameters<typeof startHost>): Promise<FakeHost> {
  const host = await startHost(...given);
  hosts.push(host);
  return host;
}

async function answerTo(port: number, text: string) {
  const peer = await RawPeer.connect(port);
  peer.write(text);
  return await peer.answer();
}

describe("the checks of a request, in their order (RW6)", () => {
  type Case = readonly [
    name: string,
    status: number,
    headers: Record<string, string | null>,
    request: { method?: string; target?: string },
  ];
  // Each request has every mistake of the ones below it too, so that the order shows.
  const last = { "Sec-WebSocket-Protocol": "other", Authorization: "Bearer wrong" };
  const cases: Case[] = [
    ["another path", 404, { Origin: "https://a.example", ...last }, { method: "POST", target: "/other?x" }],
    ["a path below", 404, {}, { target: "/app-server/" }],
    ["an escaped path", 404, {}, { target: "/app%2Dserver" }],
    ["a doubled slash", 404, {}, { target: "//app-server" }],
    [
      "another method",
      405,
      { Origin: "https://a.example", ...last },
      { method: "POST", target: "/app-server?x" },
    ],
    ["a query", 400, { Origin: "https://a.example", ...last }, { target: "/app-server?x" }],
    ["the token in the query", 400, {}, { target: "/app-server?token=x" }],
    ["an origin", 403, { Origin: "https://a.example", ...last }, {}],
    ["an empty origin", 403, { Origin: "null", ...last }, {}],
    ["no token", 401, { "Sec-WebSocket-Protocol": "other", Upgrade: null }, {}],
  ];
  test.each(cases)("%s is %d", async (_, status, headers, request) => {
    const host = await newHost();
    const answer = await answerTo(host.listener.port, upgradeText(headers, request));
    expect(answer.status).toBe(status);
    expect(answer.body).toBe("");
    expect(answer.headers.get("connection")).toBe("close");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.headers.get("allow")).toBe(status === 405 ? "GET" : null);
    expect(answer.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
    expect(host.log.slice(1)).toEqual([{ type: "refused", status }]);
    expect(host.listener.status()).toMatchObject({ connections: 0, handshakes: 0, refused: 1 });
  });

  const authorized: Case[] = [
    ["no upgrade header", 426, { Upgrade: null, "Sec-WebSocket-Protocol": "other" }, {}],
    ["no connection header", 426, { Connection: "keep-alive" }, {}],
    ["another upgrade", 426, { Upgrade: "h2c" }, {}],
    ["another subprotocol", 400, { "Sec-WebSocket-Protocol": "samgita.agent.v2, SAMGITA.agent.v1" }, {}],
    ["no subprotocol", 400, { "Sec-WebSocket-Protocol": null }, {}],
    ["no key", 400, { "Sec-WebSocket-Key": null }, {}],
    ["a short key", 400, { "Sec-WebSocket-Key": "c2hvcnQ=" }, {}],
    ["another version", 426, { "Sec-WebSocket-Version": "12" }, {}],
  ];
  test.each(authorized)("with a token: %s is %d", async (_, status, headers, request) => {
    const host = await newHost();
    const text = upgradeText({ Authorization: `Bearer ${host.token}`, ...headers }, request);
    const answer = await answerTo(host.listener.port, text);
    expect(answer.status).toBe(status);
    expect(answer.body).toBe("");
    if (status === 426 && headers["Sec-WebSocket-Version"] === undefined) {
      expect(answer.headers.get("upgrade")).toBe("websocket");
    }
    expect(host.listener.status()).toMatchObject({ connections: 0, handshakes: 0, refused: 1 });
  });

  test.each([
    ["a bare ?", { target: "/app-server?" }],
    ["a path that is normalized", { target: "/x/../app-server" }],
  ])("%s is accepted (section 8)", async (_, request) => {
    const host = await newHost();
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(upgradeText({ Authorization: `Bearer ${host.token}` }, request));
    await until("the upgrade", () => peer.head !== "");
    expect(peer.head).toStartWith("HTTP/1.1 101");
    peer.end();
  });

  test("the subprotocol is chosen by name, among others and with any case of the header's names (RW7)", async () => {
    const host = await newHost();
    const peer = await RawPeer.connect(host.listener.port);
    const headers = {
      Authorization: `Bearer ${host.token}`,
      "Sec-WebSocket-Protocol": "first, samgita.agent.v1, last",
      Connection: "keep-alive, UPGRADE",
      Upgrade: "WebSocket",
      "Sec-WebSocket-Extensions": "permessage-deflate",
    };
    peer.write(upgradeText(headers));
    await until("the upgrade", () => peer.head !== "");
    const lines = peer.head.toLowerCase();
    expect(lines).toContain("sec-websocket-protocol: samgita.agent.v1\r\n");
    expect(lines).not.toContain("sec-websocket-extensions");
    expect(acceptText(upgradeText())).toContain(
      /sec-websocket-accept: (\S+)/i.exec(peer.head)?.[1] ?? "none",
    );
    peer.end();
  });

  test("an allowed origin, exactly, is accepted (RW12)", async () => {
    const host = await newHost({ allowedOrigins: ["https://a.example"] });
    const headers = { Authorization: `Bearer ${host.token}` };
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(upgradeText({ ...headers, Origin: "https://a.example" }));
    await until("the upgrade", () => peer.head !== "");
    expect(peer.head).toStartWith("HTTP/1.1 101");
    peer.end();
    for (const Origin of [
      "https://a.example:443",
      "https://A.example",
      "http://a.example",
      "https://a.example/",
    ]) {
      expect((await answerTo(host.listener.port, upgradeText({ ...headers, Origin }))).status).toBe(403);
    }
  });

  test("bytes behind the request before its answer end it (section 8)", async () => {
    const authenticate: Authenticator = async () => {
      await Bun.sleep(20);
      return { id: "a" };
    };
    const host = await newHost({ authenticate });
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(`${upgradeText()}{}`);
    await until("the end", () => peer.isClosed);
    await until("the place", () => host.listener.status().handshakes === 0);
    expect(peer.head).not.toContain(" 101 ");
    expect(host.listener.status()).toMatchObject({ connections: 0 });
  });
});

describe("authentication (RW5, RW8, RW9, RW42)", () => {
  const good = newToken();
  const cases: readonly (readonly [string, string])[] = [
    ["a wrong token", `Bearer ${newToken()}`],
    ["another case", `Bearer ${good.toLowerCase() === good ? good.toUpperCase() : good.toLowerCase()}`],
    ["another scheme", `Basic ${good}`],
    ["a scheme in lower case", `bearer ${good}`],
    ["two spaces", `Bearer  ${good}`],
    ["the bare token", good],
    ["a longer token", `Bearer ${good}A`],
    ["a padded token", `Bearer ${good}=`],
    ["a token of 31 characters", `Bearer ${"a".repeat(31)}`],
    ["a token of 513 characters", `Bearer ${"a".repeat(513)}`],
    ["two tokens", `Bearer ${good}\r\nAuthorization: Bearer ${good}`],
  ];
  test.each(cases)("%s is 401", async (_, value) => {
    const authenticate = bearerTokens([{ id: "a", sha256: hashToken(good) }]);
    const host = await newHost({ authenticate });
    const answer = await answerTo(host.listener.port, upgradeText({ Authorization: value }));
    expect(answer.status).toBe(401);
    expect(host.listener.status().connections).toBe(0);
  });

  test.each([
    ["32 characters", "~".repeat(32)],
    ["512 characters and padding", `${"/".repeat(512)}==`],
  ])("a token of %s is accepted, beside others", async (_, token) => {
    const others = [newToken(), newToken()].map((other, at) => ({
      id: `other-${at}`,
      sha256: hashToken(other),
    }));
    const [first, second] = others;
    if (first === undefined || second === undefined) throw new Error("two entries");
    const authenticate = bearerTokens([first, { id: "me", sha256: hashToken(token) }, second]);
    const host = await newHost({ authenticate });
    const peer = await RawPeer.open(host.listener.port, token);
    expect(peer.head).toStartWith("HTTP/1.1 101");
    expect(host.log).toContainEqual(expect.objectContaining({ type: "opened", principal_id: "me" }));
    peer.end();
  });

  const refusing: readonly (readonly [string, Authenticator])[] = [
    ["gives null", () => null],
    [
      "throws",
      () => {
        throw new Error("marker");
      },
    ],
    ["rejects", () => Promise.reject(new Error("marker"))],
    ["gives a principal without a name", () => ({ id: "" })],
    ["gives something else", () => JSON.parse("true")],
    ["gives an end that is no number", () => JSON.parse('{"id":"a","expiresAt":"later"}')],
    ["gives a principal whose time is over", () => ({ id: "a", expiresAt: Date.now() })],
  ];
  test.each(refusing)("an authenticator that %s is 401", async (_, authenticate) => {
    const host = await newHost({ authenticate });
    expect((await answerTo(host.listener.port, upgradeText())).status).toBe(401);
    expect(host.log.slice(1)).toEqual([{ type: "refused", status: 401 }]);
  });

  test("an authenticator that never answers is a no after its time, and told to stop (RW8)", async () => {
    let signal: AbortSignal | undefined;
    const request = { headers: new Headers(), remoteAddress: "", encrypted: false };
    const authenticate: Authenticator = (given) => {
      signal = given.signal;
      return new Promise<null>(() => undefined);
    };
    expect(await authenticated(authenticate, request, [], 1)).toBeNull();
    expect(signal?.aborted).toBe(true);
    expect(AUTHENTICATION_MS).toBe(5000);
  });

  test("it is told the headers, the address, and whether the way is encrypted", async () => {
    const asked: [string | null, string, boolean][] = [];
    const host = await newHost({
      authenticate: ({ headers, remoteAddress, encrypted }) => {
        asked.push([headers.get("x-any"), remoteAddress, encrypted]);
        return null;
      },
    });
    await answerTo(host.listener.port, upgradeText({ "X-Any": "thing" }));
    expect(asked).toEqual([["thing", "127.0.0.1", false]]);
  });

  test("a peer that leaves during it frees its place at once (RW6, RW44)", async () => {
    let aborted = false;
    const host = await newHost({
      limits: { handshakes: 1 },
      authenticate: ({ signal }) => {
        signal.addEventListener("abort", () => {
          aborted = true;
        });
        return new Promise<Principal>(() => undefined);
      },
    });
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(upgradeText());
    await until("the handshake", () => host.listener.status().handshakes === 1);
    expect((await answerTo(host.listener.port, upgradeText())).status).toBe(503);
    peer.end();
    await until("the free place", () => host.listener.status().handshakes === 0);
    expect(aborted).toBe(true);
    expect(host.connections).toEqual([]);
  });

  test("a peer that left before an authenticator said yes is no connection (section 8)", async () => {
    const { promise, resolve } = Promise.withResolvers<Principal>();
    const host = await newHost({ authenticate: () => promise });
    const peer = await RawPeer.connect(host.listener.port);
    peer.write(upgradeText());
    await until("the handshake", () => host.listener.status().handshakes === 1);
    peer.end();
    await until("the free place", () => host.listener.status().handshakes === 0);
    resolve({ id: "a" });
    await Bun.sleep(10);
    expect(host.listener.status()).toMatchObject({ connections: 0, handshakes: 0, ended: 0 });
  });

  test("a revoked token is refused at reconnect; the old connection lives until it expires (RW10, RW42)", async () => {
    let now = 1_000_000;
    let isRevoked = false;
    const host = await newHost({
      clock: () => now,
      authenticate: () => (isRevoked ? null : { id: "a", expiresAt: 1_060_000 }),
    });
    const client = await startClient(host);
    isRevoked = true;
    await expect(startClient(host)).rejects.toMatchObject({ reason: "refused", status: 401 });
    now = 1_059_999;
    const step = client.connection.update((core) => core.request("project/event.status", { event_id: "e" }));
    if (!step.ok) throw step.error;
    await until("an answer", () => client.seen.outcome(step.message.id) !== undefined);
    now = 1_060_000;
    await until("the end", () => client.seen.ends.length === 1);
    expect(client.seen.ends[0]).toMatchObject({ code: 4401, reason: "authentication" });
  });

  test("an authentication that is over at a message ends the connection before the message is read (RW10)", async () => {
    let now = 1_000_000;
    const host = await newHost({ clock: () => now, authenticate: () => ({ id: "a", expiresAt: 1_060_000 }) });
    const client = await startClient(host);
    now = 1_060_000;
    const event = {
      event_id: "event-1",
      delivery_attempt_id: "attempt-1",
      event_type: "a",
      created_at: "2030-01-01T00:00:00Z",
      correlation_id: "c",
      project_ref: "p",
      payload: {},
    };
    client.connection.update((core) => core.request("project/event.receive", { event }, { commandId: "k" }));
    await until("the end", () => client.seen.ends.length === 1);
    expect(client.seen.ends[0]).toMatchObject({ code: 4401 });
    expect(host.agent.counts().events).toBe(0);
  });
});

describe("places (RW6)", () => {
  test("one more handshake than the bound is 503, until one is ready", async () => {
    const host = await newHost({ limits: { handshakes: 2 } });
    const { port } = host.listener;
    const [a, b] = [await RawPeer.open(port, host.token), await RawPeer.open(port, host.token)];
    expect(host.listener.status()).toMatchObject({ connections: 2, handshakes: 2 });
    const third = upgradeText({ Authorization: `Bearer ${host.token}` });
    expect((await answerTo(port, third)).status).toBe(503);
    a.end();
    await until("a place", () => host.listener.status().handshakes === 1);
    const c = await readyPeer(port, host.token);
    expect(host.listener.status()).toMatchObject({ connections: 2, handshakes: 1 });
    for (const peer of [b, c]) peer.end();
    await until("no places", () => host.listener.status().connections === 0);
    expect(host.listener.status()).toMatchObject({ handshakes: 0, ended: 3 });
  });

  test("one more connection than the bound is 503, before any authentication", async () => {
    let asked = 0;
    const host = await newHost({
      limits: { connections: 1 },
      authenticate: () => {
        asked++;
        return { id: "a" };
      },
    });
    const { port } = host.listener;
    const first = await readyPeer(port, "");
    expect((await answerTo(port, upgradeText())).status).toBe(503);
    expect(asked).toBe(1);
    first.end();
    await until("the end", () => host.listener.status().connections === 0);
    const next = await readyPeer(port, "");
    next.end();
  });
});

describe("options of a listener", () => {
  const invalid = { name: "ProtocolError", code: "invalid_argument" };

  test.each([
    ["an address that is not loopback", { hostname: "0.0.0.0" }],
    ["every address", { hostname: "::" }],
    ["a name", { hostname: "example.com" }],
    ["a shortened loopback address", { hostname: "127.1" }],
    ["a port that is none", { port: 65_536 }],
    ["an unknown bound", { limits: JSON.parse('{"pings":1}') }],
    ["a bound of 0", { limits: { handshakes: 0 } }],
    ["a bound beyond what timers hold", { limits: { idleMs: 2 ** 31 } }],
    ["tls that is null", { hostname: "0.0.0.0", tls: JSON.parse("null") }],
    ["tls without a certificate", { hostname: "0.0.0.0", tls: JSON.parse("{}") }],
    ["tls that is a text", { hostname: "0.0.0.0", tls: JSON.parse('"marker"') }],
    ["tls with an empty key", { tls: { cert: "marker", key: "" } }],
    ["a certificate that is none", { tls: { cert: "marker", key: "marker" } }],
  ])("%s is invalid_argument (RW11)", async (_, options) => {
    const started = startHost(options);
    await expect(started).rejects.toMatchObject(invalid);
    await started.catch((error) => expect(String(error)).not.toContain("marker"));
  });

  test("an insecure listener that others reach is said to be one (RW11)", async () => {
    const host = await newHost({ hostname: "0.0.0.0", allowInsecureRemote: true });
    expect(host.log).toEqual([
      { type: "listening", port: host.listener.port },
      { type: "insecure_remote", port: host.listener.port },
    ]);
  });

  test("an address in use is unavailable", async () => {
    const host = await newHost();
    await expect(startHost({ port: host.listener.port })).rejects.toMatchObject({
      code: "unavailable",
      details: { cause: "EADDRINUSE" },
    });
  });

  test("a handler must have exactly the methods of its groups (R41)", async () => {
    const handler = {
      capabilities: ["sessions.v1" as const],
      methods: [],
      handleRequest: () => ({ result: {} }),
    };
    const options = { handler, initialState: () => null, authenticate: () => null };
    await expect(createListener(options)).rejects.toMatchObject(invalid);
  });

  test.each([
    ["an id that is empty", { id: "", sha256: "0".repeat(64) }],
    ["a token in place of its hash", { id: "a", sha256: "a".repeat(63) }],
    ["a hash in upper case", { id: "a", sha256: "A".repeat(64) }],
  ])("bearerTokens refuses %s", (_, entry) => {
    expect(() => bearerTokens([entry])).toThrow(expect.objectContaining(invalid));
  });
});

describe("the end of a listener (RW15)", () => {
  test("connections close with 1001, requests that are being authenticated are refused", async () => {
    const host = await startHost({
      authenticate: ({ headers }) =>
        headers.has("x-slow") ? new Promise<null>(() => undefined) : { id: "a" },
    });
    const client = await startClient(host);
    const raw = await readyPeer(host.listener.port, "");
    const pending = await RawPeer.connect(host.listener.port);
    pending.write(upgradeText({ "X-Slow": "1" }));
    await until("the slow one", () => host.listener.status().handshakes === 1);
    const closing = host.listener.close();
    expect(host.listener.close()).toBe(closing);
    expect(host.listener.status().state).toBe("closing");
    await closing;
    expect(host.listener.status()).toMatchObject({
      state: "closed",
      connections: 0,
      handshakes: 0,
      ended: 2,
    });
    await until("the ends", () => client.seen.ends.length === 1 && raw.isClosed && pending.isClosed);
    expect(client.seen.ends[0]).toMatchObject({ code: 1001, reason: "shutdown" });
    expect(await raw.closeFrame()).toEqual({ code: 1001, reason: "shutdown" });
    expect(pending.head).not.toContain(" 101 ");
    expect(host.connections.map(({ server }) => server.phase)).toEqual(["closed", "closed"]);
    await expect(RawPeer.connect(host.listener.port)).rejects.toThrow();
  });
});
