/** The bytes of RFC 6455 by hand: a peer that may do anything, and a server that may do anything. */
import { createHash } from "node:crypto";
import { until } from "./websocket.ts";

export const enum Opcode {
  Continuation = 0,
  Text = 1,
  Binary = 2,
  Close = 8,
  Ping = 9,
  Pong = 10,
}

export interface FrameOptions {
  final?: boolean;
  masked?: boolean;
  /** RSV1 to RSV3. */
  reserved?: number;
}

/** One frame; a client's are masked. */
export function frame(
  opcode: number,
  payload: string | Uint8Array,
  { final = true, masked = true, reserved = 0 }: FrameOptions = {},
): Uint8Array {
  const body = typeof payload === "string" ? new TextEncoder().encode(payload) : payload;
  const { length } = body;
  const extended = length < 126 ? 0 : length < 65_536 ? 2 : 8;
  const head = new Uint8Array(2 + extended + (masked ? 4 : 0));
  head[0] = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  head[1] = (masked ? 0x80 : 0) | (extended === 0 ? length : extended === 2 ? 126 : 127);
  const view = new DataView(head.buffer);
  if (extended === 2) view.setUint16(2, length);
  if (extended === 8) view.setBigUint64(2, BigInt(length));
  const bytes = new Uint8Array(head.length + length);
  bytes.set(head);
  bytes.set(body, head.length);
  // The mask is zero: the payload stays as it is.
  return bytes;
}

export interface ReadFrame {
  readonly opcode: number;
  readonly payload: Buffer;
  /** The frame as it came. */
  readonly bytes: Buffer;
}

/** Takes whole frames off the front of a buffer. */
export function readFrames(buffer: Buffer): { frames: ReadFrame[]; rest: Buffer } {
  const frames: ReadFrame[] = [];
  let at = 0;
  while (buffer.length - at >= 2) {
    const second = buffer[at + 1] ?? 0;
    const short = second & 0x7f;
    const extended = short < 126 ? 0 : short === 126 ? 2 : 8;
    const start = at + 2 + extended + (second & 0x80 ? 4 : 0);
    if (buffer.length < start) break;
    const length =
      extended === 0
        ? short
        : extended === 2
          ? buffer.readUInt16BE(at + 2)
          : Number(buffer.readBigUInt64BE(at + 2));
    if (buffer.length < start + length) break;
    const payload = Buffer.from(buffer.subarray(start, start + length));
    if (second & 0x80) {
      const mask = buffer.subarray(start - 4, start);
      for (let i = 0; i < length; i++) payload[i] = (payload[i] ?? 0) ^ (mask[i % 4] ?? 0);
    }
    const bytes = Buffer.from(buffer.subarray(at, start + length));
    frames.push({ opcode: (buffer[at] ?? 0) & 0x0f, payload, bytes });
    at = start + length;
  }
  return { frames, rest: buffer.subarray(at) };
}

/** A TCP connection to a listener. */
export class RawPeer {
  readonly frames: ReadFrame[] = [];
  head = "";
  isClosed = false;
  #socket: Bun.Socket | null = null;
  #received: Buffer = Buffer.alloc(0);
  #unsent: Uint8Array[] = [];

  static async connect(port: number): Promise<RawPeer> {
    const peer = new RawPeer();
    peer.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, data) => peer.#take(data),
        drain: () => peer.#flush(),
        close: () => {
          peer.isClosed = true;
        },
        error: () => {
          peer.isClosed = true;
        },
      },
    });
    return peer;
  }

  /** A WebSocket to `/app-server`, upgraded. */
  static async open(port: number, token: string): Promise<RawPeer> {
    const peer = await RawPeer.connect(port);
    peer.write(upgradeText({ Authorization: `Bearer ${token}` }));
    await until("an upgrade", () => peer.head !== "");
    return peer;
  }

  write(bytes: string | Uint8Array): void {
    this.#unsent.push(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
    this.#flush();
  }

  text(message: object | string): void {
    this.write(frame(Opcode.Text, typeof message === "string" ? message : JSON.stringify(message)));
  }

  /** Reads nothing more. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  end(): void {
    this.#socket?.terminate();
  }

  /** Texts of the peer so far, parsed. */
  get messages(): { [key: string]: unknown }[] {
    return this.frames
      .filter(({ opcode }) => opcode === Opcode.Text)
      .map(({ payload }) => JSON.parse(payload.toString()));
  }

  /** The code and reason of the close frame. */
  async closeFrame(): Promise<{ code: number; reason: string } | null> {
    const find = () => this.frames.find(({ opcode }) => opcode === Opcode.Close);
    await until("a close frame or the end", () => find() !== undefined || this.isClosed);
    const payload = find()?.payload;
    if (payload === undefined) return null;
    return { code: payload.readUInt16BE(0), reason: payload.subarray(2).toString() };
  }

  /** The whole HTTP answer, after the connection was closed. */
  async answer(): Promise<{ status: number; headers: Headers; body: string }> {
    await until("the end of the answer", () => this.isClosed);
    return parseAnswer(this.head + this.#received.toString("latin1"));
  }

  #take(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data]);
    if (this.head === "") {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end < 0) return;
      this.head = this.#received.subarray(0, end + 4).toString("latin1");
      this.#received = this.#received.subarray(end + 4);
    }
    if (!this.head.startsWith("HTTP/1.1 101")) return;
    const { frames, rest } = readFrames(this.#received);
    this.frames.push(...frames);
    this.#received = rest;
  }

  #flush(): void {
    for (let bytes = this.#unsent.shift(); bytes !== undefined; bytes = this.#unsent.shift()) {
      const written = Math.max(this.#socket?.write(bytes) ?? 0, 0);
      if (written === bytes.length) continue;
      this.#unsent.unshift(bytes.subarray(written));
      return;
    }
  }
}

export function parseAnswer(text: string): { status: number; headers: Headers; body: string } {
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers();
  for (const line of lines)
    headers.append(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1));
  return { status: Number(first.split(" ")[1]), headers, body };
}

export interface UpgradeRequest {
  method?: string;
  target?: string;
}

/** An upgrade request in which every header can be another one, or absent (null). */
export function upgradeText(
  headers: Record<string, string | null> = {},
  { method = "GET", target = "/app-server" }: UpgradeRequest = {},
): string {
  const all: Record<string, string | null> = {
    Host: "127.0.0.1",
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Protocol": "samgita.agent.v1",
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** Requests so far, as text. */
  readonly requests: string[];
  /** Texts of the client. */
  readonly messages: { [key: string]: unknown }[];
  readonly frames: ReadFrame[];
  write(bytes: string | Uint8Array): void;
  text(message: object): void;
  pause(): void;
  isClosed(): boolean;
  /** Ends the client's connection without a word. */
  cut(): void;
  stop(): void;
}

/** A server that answers the upgrade with `answer` (101 unless given), and then does what the test does. */
export function rawServer(answer?: (request: string) => string | null): RawServer {
  const requests: string[] = [];
  const frames: ReadFrame[] = [];
  const unsent: Uint8Array[] = [];
  let client: Bun.Socket | null = null;
  let closed = false;
  let received: Buffer = Buffer.alloc(0);
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket) {
        client = socket;
        closed = false;
        received = Buffer.alloc(0);
      },
      data(socket, data) {
        received = Buffer.concat([received, data]);
        const end = received.indexOf("\r\n\r\n");
        if (end >= 0 && received.toString("latin1", 0, 4) === "GET ") {
          const request = received.toString("latin1", 0, end + 4);
          received = received.subarray(end + 4);
          requests.push(request);
          const text = (answer ?? acceptText)(request);
          if (text !== null) socket.write(text);
        }
        const read = readFrames(received);
        frames.push(...read.frames);
        received = read.rest;
      },
      drain: () => flush(),
      close() {
        closed = true;
      },
    },
  });
  const flush = () => {
    for (let bytes = unsent.shift(); bytes !== undefined; bytes = unsent.shift()) {
      const written = Math.max(client?.write(bytes) ?? 0, 0);
      if (written === bytes.length) continue;
      unsent.unshift(bytes.subarray(written));
      return;
    }
  };
  const write = (bytes: string | Uint8Array) => {
    unsent.push(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
    flush();
  };
  return {
    port: server.port,
    url: `ws://127.0.0.1:${server.port}/app-server`,
    requests,
    frames,
    get messages() {
      return frames
        .filter(({ opcode }) => opcode === Opcode.Text)
        .map(({ payload }) => JSON.parse(payload.toString()));
    },
    write,
    text: (message) => write(frame(Opcode.Text, JSON.stringify(message), { masked: false })),
    pause: () => void client?.pause(),
    isClosed: () => closed,
    cut: () => void client?.terminate(),
    stop: () => server.stop(true),
  };
}

/** The 101 answer to a request, with the right key; `subprotocol` null selects none. */
export function acceptText(
  request: string,
  subprotocol: string | null = "samgita.agent.v1",
  extra = "",
): string {
  const key = /sec-websocket-key: *(\S+)/i.exec(request)?.[1] ?? "";
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  const selected = subprotocol === null ? "" : `Sec-WebSocket-Protocol: ${subprotocol}\r\n`;
  return `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${selected}${extra}\r\n`;
}

/** A request of the protocol as a raw peer writes it. */
export function request(id: string, method: string, params: object, commandId?: string): object {
  return {
    schema_version: "1.0",
    type: "request",
    id,
    correlation_id: id,
    method,
    params,
    ...(commandId !== undefined && { command_id: commandId }),
  };
}

export const INITIALIZE = request("i-1", "connection/initialize", {
  versions: ["1.0"],
  capabilities: ["project_events.v1", "sessions.v1", "streaming.v1", "approvals.v1", "cancellation.v1"],
});

/** A raw peer whose protocol handshake is done. */
export async function readyPeer(port: number, token: string): Promise<RawPeer> {
  const peer = await RawPeer.open(port, token);
  peer.text(INITIALIZE);
  await until("an answer to initialize", () => peer.messages.length > 0);
  return peer;
}
