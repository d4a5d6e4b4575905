// What the transport relies on of its runtime, without the transport: a new version that behaves differently is noticed
// here (section 8). Refusals, redirects, close codes and proxies are held by the tests of the transport itself.
import { afterEach, describe, expect, test } from "bun:test";
import {
  type RawPeer,
  RawPeer as Peer,
  acceptText,
  frame,
  Opcode,
  rawServer,
  upgradeText,
} from "../../support/raw-websocket.ts";
import { until } from "../../support/websocket.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

type Handlers = Partial<Bun.WebSocketHandler<null>>;
interface ServeChange {
  fetch?: (request: Request, server: Bun.Server<null>) => Response | undefined;
  error?: () => Response;
}

function serve(handlers: Handlers = {}, change: ServeChange = {}): { port: number; url: string } {
  const server = Bun.serve<null>({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    reusePort: false,
    fetch: (request, own) =>
      own.upgrade(request, { data: null }) ? undefined : new Response(null, { status: 400 }),
    websocket: { idleTimeout: 0, sendPings: false, message: () => undefined, ...handlers },
    ...change,
  });
  stops.push(() => server.stop(true));
  const port = server.port ?? 0;
  return { port, url: `ws://127.0.0.1:${port}/app-server` };
}

interface Seen {
  code: number | null;
  errors: string[];
}

function opened(url: string, options: Bun.WebSocketOptions = {}): { socket: WebSocket; seen: Seen } {
  const socket = new WebSocket(url, options);
  const seen: Seen = { code: null, errors: [] };
  socket.addEventListener("close", ({ code }) => {
    seen.code = code;
  });
  socket.addEventListener("error", (event) =>
    seen.errors.push("message" in event ? String(event.message) : ""),
  );
  stops.push(() => socket.terminate());
  return { socket, seen };
}

async function upgraded(port: number, headers: Record<string, string | null> = {}): Promise<RawPeer> {
  const peer = await Peer.connect(port);
  peer.write(upgradeText(headers));
  await until("an upgrade", () => peer.head !== "");
  return peer;
}

describe("the client's socket", () => {
  test("user information becomes an Authorization header (RW16)", async () => {
    const server = rawServer();
    stops.push(() => server.stop());
    opened(server.url.replace("ws://", "ws://user:word@"));
    await until("the request", () => server.requests.length === 1);
    expect(server.requests[0]).toContain(`Basic ${btoa("user:word")}`);
  });

  test("a fragment and a header of two lines make the constructor throw; the latter is not repeated (RW16, RW17)", () => {
    expect(() => new WebSocket("ws://127.0.0.1:1/app-server#x")).toThrow(SyntaxError);
    for (const word of ["mar\nker", "маркер"]) {
      const open = () => opened("ws://127.0.0.1:1/app-server", { headers: { Authorization: word } });
      expect(open).toThrow();
      expect(open).not.toThrow(word);
    }
  });

  test("a subprotocol that was not offered is an error (RW19)", async () => {
    const server = rawServer();
    stops.push(() => server.stop());
    const { seen } = opened(server.url);
    await until("the end", () => seen.code !== null);
    expect(seen.code).toBe(1006);
    expect(seen.errors).toHaveLength(1);
  });

  test("compression is offered unless it is switched off (RW23)", async () => {
    const server = rawServer();
    stops.push(() => server.stop());
    opened(server.url);
    await until("the request", () => server.requests.length === 1);
    opened(server.url, { perMessageDeflate: false });
    await until("the request", () => server.requests.length === 2);
    expect(server.requests.map((text) => /sec-websocket-extensions: permessage-deflate/i.test(text))).toEqual(
      [true, false],
    );
  });

  test("the status of an answer that is no upgrade is the last word of the error (RW18)", async () => {
    const server = rawServer(() => "HTTP/1.1 418 Any\r\nContent-Length: 0\r\n\r\n");
    stops.push(() => server.stop());
    const { seen } = opened(server.url);
    await until("the end", () => seen.code !== null);
    expect(seen).toEqual({ code: 1006, errors: [expect.stringMatching(/status code: 418$/)] });
  });

  test("a message of 20 MB is delivered whatever the options say (RW24)", async () => {
    const server = rawServer((text) => acceptText(text, null));
    stops.push(() => server.stop());
    const { socket } = opened(server.url);
    let bytes = 0;
    socket.addEventListener("message", ({ data }) => {
      bytes = String(data).length;
    });
    await until("open", () => socket.readyState === WebSocket.OPEN);
    const piece = "a".repeat(2_000_000);
    for (let at = 0; at < 10; at++) {
      const opcode = at === 0 ? Opcode.Text : Opcode.Continuation;
      server.write(frame(opcode, piece, { masked: false, final: at === 9 }));
    }
    await until("the message", () => bytes === 20_000_000);
  });

  test("it pings without a return value, and tells of pings and pongs (RW29)", async () => {
    const server = rawServer((text) => acceptText(text, null));
    stops.push(() => server.stop());
    const { socket } = opened(server.url);
    const seen: string[] = [];
    socket.addEventListener("ping", () => seen.push("ping"));
    socket.addEventListener("pong", () => seen.push("pong"));
    await until("open", () => socket.readyState === WebSocket.OPEN);
    socket.ping();
    await until("the ping", () => server.frames.some(({ opcode }) => opcode === Opcode.Ping));
    server.write(frame(Opcode.Pong, "", { masked: false }));
    server.write(frame(Opcode.Ping, "", { masked: false }));
    await until("both", () => seen.length === 2);
    expect(seen).toEqual(["pong", "ping"]);
    await until("the answer", () => server.frames.some(({ opcode }) => opcode === Opcode.Pong));
  });

  test("what a host does not read is counted, and terminating ends it at once (RW27)", async () => {
    const server = rawServer((text) => acceptText(text, null));
    stops.push(() => server.stop());
    const { socket, seen } = opened(server.url);
    await until("open", () => socket.readyState === WebSocket.OPEN);
    server.pause();
    const piece = "a".repeat(1_000_000);
    for (let at = 0; at < 100 && socket.bufferedAmount === 0; at++) socket.send(piece);
    expect(socket.bufferedAmount).toBeGreaterThan(0);
    socket.close(4413, "x");
    expect(socket.readyState).toBe(WebSocket.CLOSING);
    socket.terminate();
    await until("the end", () => seen.code !== null);
    expect(seen.code).toBe(1006);
  });

  test("the header that it was given is not shown (RW33)", () => {
    const { socket } = opened("ws://127.0.0.1:1/app-server", { headers: { Authorization: "marker" } });
    expect(Bun.inspect(socket, { depth: 9 })).not.toContain("marker");
  });
});

describe("the server", () => {
  test("open runs inside upgrade, close inside close (RW6, RW32)", async () => {
    const order: string[] = [];
    const { port } = serve(
      {
        open: (socket) => {
          order.push("open");
          socket.close(4400, "x");
          order.push("closed");
        },
        close: (_, code) => void order.push(`close ${code}`),
      },
      {
        fetch: (request, server) => {
          const hasUpgraded = server.upgrade(request, { data: null });
          order.push(`upgrade ${hasUpgraded}`);
          return undefined;
        },
      },
    );
    const peer = await upgraded(port);
    expect(await peer.closeFrame()).toEqual({ code: 4400, reason: "x" });
    expect(order).toEqual(["open", "close 4400", "closed", "upgrade true"]);
  });

  test("without a choice it selects the first offered subprotocol, and any that it is told (RW7)", async () => {
    const first = await upgraded(serve().port, { "Sec-WebSocket-Protocol": "first, second" });
    expect(first.head).toMatch(/sec-websocket-protocol: first\r\n/i);
    const { port } = serve(
      {},
      {
        fetch: (request, server) => {
          server.upgrade(request, { data: null, headers: { "Sec-WebSocket-Protocol": "never-offered" } });
          return undefined;
        },
      },
    );
    expect((await upgraded(port)).head).toMatch(/sec-websocket-protocol: never-offered\r\n/i);
    first.end();
  });

  test("a reader that stops: sends are taken, then buffered, then dropped for ever (RW27)", async () => {
    const statuses: number[] = [];
    let socket: Bun.ServerWebSocket<null> | null = null;
    let drains = 0;
    const { port } = serve({
      backpressureLimit: 1_000_000,
      open: (own) => {
        socket = own;
      },
      drain: () => void drains++,
    });
    const peer = await upgraded(port);
    peer.pause();
    const piece = "a".repeat(100_000);
    while (statuses.length < 1000 && statuses.at(-1) !== 0) {
      statuses.push((socket as Bun.ServerWebSocket<null> | null)?.send(piece) ?? Number.NaN);
    }
    const kinds = statuses.map((status) => Math.sign(status));
    expect(kinds).toEqual([...kinds].sort((a, b) => order(a) - order(b)));
    expect(new Set(kinds)).toEqual(new Set([1, -1, 0]));
    peer.resume();
    await until("the drain", () => drains > 0);
    peer.end();
    function order(kind: number): number {
      return [1, -1, 0].indexOf(kind);
    }
  });

  test("with closeOnBackpressureLimit the socket ends where a send is dropped (RW27)", async () => {
    let socket: Bun.ServerWebSocket<null> | null = null;
    let code: number | null = null;
    const { port } = serve({
      backpressureLimit: 1_000_000,
      closeOnBackpressureLimit: true,
      open: (own) => {
        socket = own;
      },
      close: (_, given) => {
        code = given;
      },
    });
    const peer = await upgraded(port);
    peer.pause();
    const piece = "a".repeat(100_000);
    for (let at = 0; at < 1000; at++) {
      if ((socket as Bun.ServerWebSocket<null> | null)?.send(piece) === 0) break;
    }
    await until("the end", () => code !== null);
    expect(code as number | null).toBe(1006);
    peer.end();
  });

  test("its idle timeout has a bound, and 0 is allowed (RW29)", () => {
    expect(() => serve({ idleTimeout: 961 })).toThrow();
    serve({ idleTimeout: 0 });
  });

  test("two Authorization headers are one value (RW9)", async () => {
    let header: string | null = null;
    const { port } = serve(
      {},
      {
        fetch: (request) => {
          header = request.headers.get("authorization");
          return new Response(null, { status: 401, headers: { Connection: "close" } });
        },
      },
    );
    const peer = await Peer.connect(port);
    peer.write(upgradeText({ Authorization: "a\r\nAuthorization: b" }));
    await peer.answer();
    expect(header as string | null).toBe("a, b");
  });

  test("an exception in fetch is answered by the error function, and its words go nowhere (RW6)", async () => {
    const { port } = serve(
      {},
      {
        fetch: () => {
          throw new Error("marker");
        },
        error: () => new Response(null, { status: 500, headers: { Connection: "close" } }),
      },
    );
    const peer = await Peer.connect(port);
    peer.write(upgradeText());
    const answer = await peer.answer();
    expect(answer).toMatchObject({ status: 500, body: "" });
  });

  test("a body that nobody reads is not kept: the sender has to wait", async () => {
    const { promise, resolve } = Promise.withResolvers<Response>();
    const server = Bun.serve({ hostname: "127.0.0.1", port: 0, development: false, fetch: () => promise });
    stops.push(() => server.stop(true));
    let sent = 0;
    const bytes = new Uint8Array(1 << 20);
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: server.port ?? 0,
      socket: {
        data: () => undefined,
        drain: (own) => {
          sent += own.write(bytes);
        },
      },
    });
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n");
    for (let round = 0; round < 50; round++) {
      const written = socket.write(bytes);
      if (written > 0) sent += written;
      await Bun.sleep(2);
    }
    expect(sent).toBeLessThan(40_000_000);
    resolve(new Response(null, { status: 405 }));
    socket.terminate();
  });

  test("a port is shared unless that is forbidden (section 2)", () => {
    const options = { hostname: "127.0.0.1", development: false, fetch: () => new Response(null) };
    const shared = Bun.serve({ ...options, port: 0 });
    stops.push(() => shared.stop(true));
    const second = Bun.serve({ ...options, port: shared.port ?? 0 });
    stops.push(() => second.stop(true));
    expect(second.port).toBe(shared.port);
    const { port } = serve();
    expect(() => Bun.serve({ ...options, port, reusePort: false })).toThrow(
      expect.objectContaining({ code: "EADDRINUSE" }),
    );
  });
});
