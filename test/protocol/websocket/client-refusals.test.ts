// What a client does not open, and hosts that it does not accept (RW16-RW19, RW43).
import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CAPABILITIES, Client } from "../../../src/protocol/index.ts";
import {
  ConnectError,
  type ConnectOptions,
  connect,
  newToken,
  reconnectDelay,
} from "../../../src/protocol/websocket/index.ts";
import { acceptText, Opcode, type RawServer, rawServer, request } from "../../support/raw-websocket.ts";
import { type FakeHost, startClient, startHost, until } from "../../support/websocket.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function newServer(...given: Parameters<typeof rawServer>): RawServer {
  const server = rawServer(...given);
  stops.push(() => server.stop());
  return server;
}

async function newHost(...given: Parameters<typeof startHost>): Promise<FakeHost> {
  const host = await startHost(...given);
  stops.push(() => host.listener.close());
  return host;
}

const token = newToken();

function attempt(url: string, options: Partial<ConnectOptions> = {}): Promise<unknown> {
  return connect({
    url,
    token: () => token,
    capabilities: [...CAPABILITIES],
    onEffects: () => undefined,
    onEnd: () => {
      throw new Error("there was no connection to end");
    },
    ...options,
  });
}

async function failure(url: string, options: Partial<ConnectOptions> = {}): Promise<ConnectError> {
  const error = await attempt(url, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw new Error(`no ConnectError but ${String(error)}`);
  expect(error.client.phase).toBe("disconnected");
  return error;
}

const invalid = { name: "ProtocolError", code: "invalid_argument" };

describe("URLs that are not opened (RW16)", () => {
  test.each([
    "ws://user@127.0.0.1:1/app-server",
    "ws://user:secret-word@127.0.0.1:1/app-server",
    "ws://@127.0.0.1:1/app-server",
    "ws://:@127.0.0.1:1/app-server",
    "ws://127.0.0.1:1/app-server?",
    "ws://127.0.0.1:1/app-server?token=secret-word",
    "ws://127.0.0.1:1/app-server#",
    "ws://127.0.0.1:1/app-server#secret-word",
    "ws://127.0.0.1:1/app-server/",
    "ws://127.0.0.1:1/",
    "ws://127.0.0.1:1",
    "ws://127.0.0.1:1/x/../app-server",
    "ws://127.0.0.1:1/%61pp-server",
    "ws://127.0.0.1:1//app-server",
    "ws:\\\\127.0.0.1:1\\app-server",
    "ws:127.0.0.1:1/app-server",
    "ws:/127.0.0.1:1/app-server",
    "ws:///app-server",
    " ws://127.0.0.1:1/app-server",
    "ws://127.0.0.1:1/app-server\n",
    "ws://127.0.\t0.1:1/app-server",
    "ws://127.0.0.1:1/app-server\u0000",
    "ws://127.0.0.1:99999/app-server",
    "http://127.0.0.1:1/app-server",
    "https://127.0.0.1:1/app-server",
    "ws://example.com/app-server",
    "ws://localhost.example.com/app-server",
    "ws://localhost./app-server",
    "ws://127.0.0.1.example.com/app-server",
    "ws://128.0.0.1/app-server",
    "ws://0.0.0.0/app-server",
    "ws://[::]/app-server",
    "ws://[::ffff:127.0.0.1]/app-server",
    "ws://10.0.0.1/app-server",
    "",
  ])("%j", async (url) => {
    let calls = 0;
    const error: unknown = await attempt(url, {
      token: () => {
        calls++;
        return token;
      },
    }).catch((reason: unknown) => reason);
    expect(error).toMatchObject(invalid);
    expect(String(error)).not.toContain("secret-word");
    expect(calls).toBe(0);
  });

  test.each([
    "WS://127.0.0.1:1/app-server",
    "ws://127.255.255.254:1/app-server",
    "ws://localhost:1/app-server",
    "ws://[::1]:1/app-server",
    "wss://127.0.0.1:1/app-server",
  ])("%j is tried, and nobody is there", async (url) => {
    expect(await failure(url)).toMatchObject({ reason: "refused" });
  });

  test("an insecure way to elsewhere is an event of its own", async () => {
    const log: unknown[] = [];
    const options = { allowInsecureRemote: true, log: (event: unknown) => log.push(event) };
    await failure("ws://0.0.0.0:1/app-server", options);
    expect(log).toEqual([
      { type: "insecure_remote", port: 1 },
      { type: "ended", connection_id: null, code: 1006, reason: "refused" },
    ]);
  });
});

describe("tokens and other options (RW17, RW19)", () => {
  test.each([
    "short",
    "a".repeat(31),
    "a".repeat(513),
    `${"a".repeat(32)}===`,
    `${"a".repeat(32)}\n`,
    `${"a".repeat(32)} ${"b".repeat(32)}`,
    "ä".repeat(40),
  ])("%j is no token", async (bad) => {
    const server = newServer();
    const error: unknown = await attempt(server.url, { token: () => bad }).catch((reason: unknown) => reason);
    expect(error).toMatchObject(invalid);
    expect(String(error)).not.toContain(bad);
    expect(server.requests).toEqual([]);
  });

  test.each([
    [
      "throws",
      () => {
        throw new Error("marker");
      },
    ],
    ["rejects", () => Promise.reject(new Error("marker"))],
  ] as const)("a token function that %s ends the attempt", async (_, given) => {
    const server = newServer();
    expect(await failure(server.url, { token: given })).toMatchObject({ reason: "internal" });
    expect(server.requests).toEqual([]);
  });

  test("a token function that never answers ends the attempt in its time", async () => {
    const server = newServer();
    const options = { token: () => new Promise<string>(() => undefined), limits: { handshakeMs: 20 } };
    expect(await failure(server.url, options)).toMatchObject({ reason: "timeout" });
  });

  test("the token function is called for every attempt, and its token is in the header alone", async () => {
    const server = newServer(() => "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    const tokens = [newToken(), newToken()];
    for (const next of tokens) await failure(server.url, { token: async () => next });
    for (const [at, text] of server.requests.entries()) {
      expect(text).toContain(`Bearer ${tokens[at]}\r\n`);
      expect(text).toStartWith("GET /app-server HTTP/1.1\r\n");
      expect(text.toLowerCase()).not.toContain("sec-websocket-extensions");
      expect(text.toLowerCase()).not.toContain("\r\norigin:");
    }
  });

  test.each([
    ["groups that are none", { capabilities: JSON.parse('["all.v1"]') }],
    [
      "required groups that are not offered",
      { capabilities: [], requiredCapabilities: ["sessions.v1" as const] },
    ],
    ["checkpoints that are none", { checkpoints: { s: -1 } }],
    ["an unknown bound", { limits: JSON.parse('{"pings":1}') }],
    ["an authority that is no text", { tls: JSON.parse('{"ca":1}') }],
    ["an authority that is empty", { tls: { ca: "" } }],
    ["an authority that is null", { tls: JSON.parse('{"ca":null}') }],
    ["a server name that is empty", { tls: { serverName: "" } }],
    ["a server name with U+0000", { tls: { serverName: "a\0b" } }],
    ["no onEffects", { onEffects: JSON.parse("null") }],
  ])("%s are refused before anything is opened", async (_, options) => {
    const server = newServer();
    await expect(attempt(server.url, options)).rejects.toMatchObject(invalid);
    await Bun.sleep(0);
    expect(server.requests).toEqual([]);
  });

  test("reconnectDelay doubles up to 30 s and strays by a fifth (RW20)", () => {
    const middle = [0, 1, 2, 3, 6, 7, 100, 2000].map((at) => reconnectDelay(at, () => 0.5));
    expect(middle).toEqual([250, 500, 1000, 2000, 16_000, 30_000, 30_000, 30_000]);
    expect(reconnectDelay(0, () => 0)).toBe(200);
    expect(reconnectDelay(0, () => 1 - 2 ** -53)).toBe(300);
    expect(reconnectDelay(9, () => 0)).toBe(24_000);
  });
});

describe("hosts that are not accepted (RW18, RW19, RW43)", () => {
  test("a redirect is not followed", async () => {
    const target = newServer();
    const server = newServer(
      () =>
        `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${target.port}/app-server\r\nContent-Length: 0\r\n\r\n`,
    );
    expect(await failure(server.url)).toMatchObject({ reason: "refused", status: 302 });
    expect(server.requests).toHaveLength(1);
    expect(target.requests).toEqual([]);
  });

  test.each([200, 401, 404, 426, 500, 503])("%d is refused, without its body", async (status) => {
    const server = newServer(() => `HTTP/1.1 ${status} Any\r\nContent-Length: 6\r\n\r\nmarker`);
    const error = await failure(server.url);
    expect(error).toMatchObject({ reason: "refused", status });
    expect(Bun.inspect(error) + JSON.stringify(error) + error.stack).not.toContain("marker");
  });

  test.each([
    ["another", "other"],
    ["none", null],
  ])("%s subprotocol is refused", async (_, selected) => {
    const server = newServer((text) => acceptText(text, selected));
    expect(await failure(server.url)).toMatchObject({ reason: "refused" });
    expect(server.messages).toEqual([]);
  });

  test("compression that was not asked for is refused (RW23)", async () => {
    const server = newServer((text) =>
      acceptText(text, "samgita.agent.v1", "Sec-WebSocket-Extensions: permessage-deflate\r\n"),
    );
    expect(await failure(server.url)).toMatchObject({ reason: "refused" });
  });

  test.each([
    ["HTTP", () => null],
    ["the protocol", undefined],
  ])("one that is silent in %s: timeout, and the socket goes", async (_, answer) => {
    const server = newServer(answer);
    const error = await failure(server.url, { limits: { handshakeMs: 30 } });
    expect(error).toMatchObject({ reason: "timeout" });
    await until("the end of the socket", () => server.isClosed());
    // The host is told why, where there is a frame to tell it with (RW30).
    const codes = server.frames
      .filter(({ opcode }) => opcode === Opcode.Close)
      .map(({ payload }) => payload.readUInt16BE(0));
    expect(codes).toEqual(answer === undefined ? [4408] : []);
  });

  test("an error answer to initialize is refused, with its code", async () => {
    const host = await newHost();
    const options: Partial<ConnectOptions> = {
      capabilities: ["sessions.v1"],
      requiredCapabilities: ["sessions.v1"],
    };
    const client = await startClient(host, options);
    expect(client.connection.client.negotiated).toEqual(["sessions.v1"]);
    const server = newServer();
    const trying = failure(server.url);
    await until("the first request", () => server.messages.length === 1);
    const { id } = server.messages[0] ?? {};
    server.text({
      schema_version: "1.0",
      type: "response",
      id,
      correlation_id: id,
      error: { code: "unsupported_version", message: "marker" },
    });
    const error = await trying;
    expect(error).toMatchObject({ reason: "refused", code: "unsupported_version" });
    expect(Bun.inspect(error)).not.toContain("marker");
  });

  test.each([
    ["a version that was not offered", { version: "1.1", capabilities: [] }, "unsupported_version"],
    [
      "a group that was not offered",
      { version: "1.0", capabilities: ["sessions.v1"] },
      "unsupported_capability",
    ],
  ])("an answer with %s ends with 4400", async (_, result, code) => {
    const server = newServer();
    const trying = failure(server.url, { capabilities: ["project_events.v1"] });
    await until("the first request", () => server.messages.length === 1);
    const { id } = server.messages[0] ?? {};
    server.text({
      schema_version: "1.0",
      type: "response",
      id,
      correlation_id: id,
      result: { ...result, connection_id: "k" },
    });
    expect(await trying).toMatchObject({ reason: "protocol", code });
    await until("the close frame", () => server.frames.some(({ opcode }) => opcode === 8));
    expect(server.frames.at(-1)?.payload.readUInt16BE(0)).toBe(4400);
  });

  test("a request of the host before the answer is answered, a notification ends the attempt", async () => {
    const server = newServer();
    const trying = failure(server.url);
    await until("the first request", () => server.messages.length === 1);
    server.text(request("s-1", "request/cancel", { request_id: "x" }));
    await until("its answer", () => server.messages.length === 2);
    expect(server.messages[1]).toMatchObject({ id: "s-1", error: { code: "not_initialized" } });
    server.text({
      schema_version: "1.0",
      type: "notification",
      method: "thread/closed",
      correlation_id: "x",
      params: { thread_id: "t" },
    });
    expect(await trying).toMatchObject({ reason: "protocol", code: "not_initialized" });
  });

  test("the client of a failed attempt goes on with the next one", async () => {
    const host = await newHost();
    const error = await failure(host.listener.url);
    expect(error).toMatchObject({ status: 401 });
    const again = error.client.reconnect();
    if (!again.ok) throw again.error;
    const { connection } = await startClient(host, { client: again.client });
    expect(connection.client.generation).toBe(2);
    expect(connection.client).toBeInstanceOf(Client);
  });
});

const openssl = Bun.which("openssl");
const folder = openssl === null ? null : mkdtempSync(join(tmpdir(), "semaprax-tls-"));
afterAll(() => {
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
});

/** A self-signed certificate of this run. */
function certificate(): { cert: string; key: string } {
  if (openssl === null || folder === null) throw new Error("openssl is not installed");
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = Bun.spawnSync([
    openssl,
    ..."req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost".split(
      " ",
    ),
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-keyout",
    key,
    "-out",
    cert,
  ]);
  if (!made.success) throw new Error(made.stderr.toString());
  return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
}

describe.skipIf(openssl === null)("TLS, where openssl makes a certificate (RW17, RW43)", () => {
  test("a self-signed certificate is refused without its authority, and accepted with it", async () => {
    const tls = certificate();
    const host = await newHost({ tls });
    expect(host.listener.url).toBe(`wss://127.0.0.1:${host.listener.port}/app-server`);
    expect(host.listener.status().encrypted).toBe(true);
    expect(await failure(host.listener.url)).toMatchObject({ reason: "refused" });
    expect(host.connections).toEqual([]);
    const client = await startClient(host, { tls: { ca: tls.cert } });
    expect(client.connection.status().state).toBe("open");
    const named = await startClient(host, { tls: { ca: tls.cert, serverName: "localhost" } });
    expect(named.connection.status().state).toBe("open");
    const wrong = { tls: { ca: tls.cert, serverName: "other.example" } };
    await expect(startClient(host, wrong)).rejects.toMatchObject({ reason: "refused" });
  });

  test("an environment that switches verification off changes nothing (section 8)", async () => {
    const host = await newHost({ tls: certificate() });
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "..", "..", "support", "connect-once.ts")],
      {
        env: {
          ...process.env,
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
          CONNECT_URL: host.listener.url,
          CONNECT_TOKEN: host.token,
        },
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const [text] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    expect(text.trim()).toBe("refused");
    expect(host.connections).toEqual([]);
  });
});

test("proxies of the environment are not used (RW2, section 8)", async () => {
  const host = await newHost();
  const proxy = newServer();
  const via = `http://127.0.0.1:${proxy.port}`;
  const child = Bun.spawn(
    [process.execPath, join(import.meta.dir, "..", "..", "support", "connect-once.ts")],
    {
      env: {
        ...process.env,
        ...{
          HTTP_PROXY: via,
          HTTPS_PROXY: via,
          ALL_PROXY: via,
          http_proxy: via,
          https_proxy: via,
          NO_PROXY: "",
        },
        CONNECT_URL: host.listener.url,
        CONNECT_TOKEN: host.token,
      },
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const [text, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  // It ended by itself after close (RW1).
  expect(child.exitCode).toBe(0);
  expect(text.trim()).toBe("ready");
  expect(errors).toBe("");
  expect(proxy.requests).toEqual([]);
});
