/** The runtime's client socket, opened for one attempt (RW17, RW18, RW23). */

import { SUBPROTOCOL } from "./address.ts";
import { ENDING } from "./ending.ts";
import { CLOSING_MS } from "./limits.ts";
import type { Socket } from "./link.ts";
import { bearerHeader } from "./token.ts";

export interface ClientTls {
  /** PEM of a private authority, in place of the system's. */
  ca?: string;
  /** The name in the certificate, where it is not that of the URL. */
  serverName?: string;
}

export interface SocketEvents {
  opened(subprotocol: string): void;
  frame(data: unknown): void;
  heard(): void;
  pong(): void;
  /** Called once. `status` is that of an HTTP answer which was no upgrade. */
  lost(code: number, status: number | undefined): void;
}

/** A socket that was not asked to close ends by itself; one that was, after two seconds at most. */
export class ClientSocket implements Socket {
  /** Resolved when nothing of the socket is left. */
  readonly gone: Promise<void>;
  readonly #socket: WebSocket;
  #closing: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string, token: string, tls: ClientTls | null, events: SocketEvents) {
    const socket = new WebSocket(url, {
      protocols: [SUBPROTOCOL],
      headers: { Authorization: bearerHeader(token) },
      perMessageDeflate: false,
      // Said explicitly: otherwise an environment variable could switch the check off.
      ...(tls && { tls: { ...tls, rejectUnauthorized: true } }),
    });
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gone = promise;
    let status: number | undefined;
    socket.addEventListener("open", () => events.opened(socket.protocol));
    socket.addEventListener("message", ({ data }) => events.frame(data));
    socket.addEventListener("ping", () => events.heard());
    socket.addEventListener("pong", () => events.pong());
    socket.addEventListener("error", (event) => {
      status = statusIn(event);
    });
    socket.addEventListener("close", ({ code }) => {
      clearTimeout(this.#closing);
      events.lost(code, status);
      resolve();
    });
  }

  isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  send(text: string): "sent" {
    this.#socket.send(text);
    return "sent";
  }

  backlog(): number {
    return this.#socket.bufferedAmount;
  }

  ping(): void {
    this.#socket.ping();
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
    // Who did not finish the handshake in its time is not waited for once more (RW19).
    if (code === ENDING.late.code) this.#socket.terminate();
    else this.#closing = setTimeout(() => this.#socket.terminate(), CLOSING_MS);
  }

  terminate(): void {
    this.#socket.terminate();
  }
}

/** The runtime tells the status of an answer only as the last word of a message. */
function statusIn(event: Event): number | undefined {
  const words = "message" in event ? String(event.message) : "";
  const digits = /status code: ([1-5][0-9]{2})$/.exec(words)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
