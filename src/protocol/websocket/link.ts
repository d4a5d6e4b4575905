/**
 * What both sides do with one open socket: frames within bounds, sending with a queue, liveness, deadlines, and one end.
 * Every protocol decision is made by its owner, around `Client` or `Server` (RW3).
 */

import { utf8Length } from "../../kernel/text.ts";
import type { ProtocolError } from "../error.ts";
import type { Message } from "../message.ts";
import { Alarm } from "./alarm.ts";
import { ABRUPT, ENDING, type Ending, endingAfter } from "./ending.ts";
import { REFUSALS_MAX, type TransportLimits } from "./limits.ts";
import { Liveness } from "./liveness.ts";
import { Outbox } from "./outbox.ts";

/** What became of a message: 'congested' was taken, but the next one has to wait (RW27). */
export type Sent = "sent" | "congested" | "dropped";

/** One side's socket of the runtime. */
export interface Socket {
  isOpen(): boolean;
  send(text: string): Sent;
  /** Bytes that were handed over and wait, where the runtime itself does not bound them; otherwise 0. */
  backlog(): number;
  ping(): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** What the core made of one frame. */
export type Verdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly error: ProtocolError; readonly answers: readonly Message[] };

export interface LinkOwner {
  /** A text frame within the bound, in the order of arrival. What a good frame is answered, the owner sends. */
  receive(text: string, now: number): Verdict;
  /** The earliest deadline, in the owner's time. */
  deadline(): number | null;
  /** A deadline is reached. */
  expire(now: number): void;
  /** When the peer's authentication ends, in the owner's time; null if never (RW10). */
  readonly expiresAt: number | null;
  /** The owner's time in whole milliseconds. Null where its clock failed: the owner then ended the connection. */
  now(): number | null;
  rejected(error: ProtocolError): void;
  late(): void;
  /** Called exactly once (RW32). */
  ended(ending: Ending): void;
}

export class Link {
  readonly #socket: Socket;
  readonly #limits: Readonly<TransportLimits>;
  readonly #owner: LinkOwner;
  readonly #outbox: Outbox;
  readonly #liveness: Liveness;
  readonly #alarm: Alarm;
  readonly #handshake: ReturnType<typeof setTimeout>;
  #isCongested = false;
  #isEnded = false;
  #refusals = 0;

  /** For a socket that is open. `handshakeMs` is what is left of it (RW30). */
  constructor(
    socket: Socket,
    limits: Readonly<TransportLimits>,
    owner: LinkOwner,
    handshakeMs = limits.handshakeMs,
  ) {
    this.#socket = socket;
    this.#limits = limits;
    this.#owner = owner;
    this.#outbox = new Outbox(limits);
    this.#alarm = new Alarm(
      () => owner.now(),
      (now) => this.#guard(() => this.#due(now)),
    );
    this.#liveness = new Liveness(
      limits,
      () => this.#guard(() => this.#ping()),
      () => this.end(ENDING.silent),
    );
    this.#handshake = setTimeout(() => this.end(ENDING.late), Math.max(handshakeMs, 0));
    this.#liveness.start();
  }

  /** Whether a message could be handed over now. */
  get isOpen(): boolean {
    return !this.#isEnded && this.#socket.isOpen();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get queued(): number {
    return this.#outbox.size;
  }

  /** One frame of the peer as the runtime delivers it. */
  frame(data: unknown): void {
    if (this.#isEnded) return;
    this.#liveness.heard();
    this.#guard(() => this.#frame(data));
  }

  /** A ping of the peer, which the runtime answers. */
  heard(): void {
    this.#liveness.heard();
  }

  pong(): void {
    this.#liveness.pong();
  }

  /** The peer reads again. */
  drained(): void {
    this.#isCongested = false;
    this.#guard(() => {
      while (!this.#isCongested && !this.#isEnded) {
        const text = this.#outbox.take();
        if (text === null) return;
        this.#hand(text);
      }
    });
  }

  /** The protocol's handshake is done (RW30). */
  ready(): void {
    clearTimeout(this.#handshake);
  }

  /** Sends a message that the core let out, or ends the connection. */
  send(message: Message): void {
    if (!this.isOpen) return;
    const text = JSON.stringify(message);
    if (!this.#isCongested && this.#outbox.size === 0) this.#hand(text);
    else if (!this.#outbox.push(text)) this.end(ENDING.full);
  }

  /** False ends the connection: the peer reads too slowly for one more message (RW27). */
  hasRoom(): boolean {
    if (this.#socket.backlog() <= this.#limits.queueBytes) return true;
    this.end(ENDING.full);
    return false;
  }

  /** Looks at the deadlines again; to be called after each step of the core. */
  settle(): void {
    if (this.#isEnded) return;
    this.#alarm.set(this.#nextAt());
  }

  /** The socket is gone, with the code of its close event. */
  lost(ending: Ending): void {
    this.#finish(ending);
  }

  end(ending: Ending): void {
    if (this.#isEnded) return;
    this.#finish(ending);
    if (ending.code === ABRUPT) this.#socket.terminate();
    else this.#socket.close(ending.code, ending.reason);
  }

  #finish(ending: Ending): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#handshake);
    this.#alarm.set(null);
    this.#liveness.stop();
    this.#outbox.clear();
    this.#owner.ended(ending);
  }

  #frame(data: unknown): void {
    const now = this.#owner.now();
    if (now === null) return;
    if (this.#isExpired(now)) this.end(ENDING.expired);
    else if (typeof data !== "string") this.end(ENDING.binary);
    else if (isLonger(data, this.#limits.messageBytes)) this.end(ENDING.unreadable);
    else this.#judge(this.#owner.receive(data, now));
    this.settle();
  }

  /** RW25. */
  #judge(verdict: Verdict): void {
    if (verdict.ok) {
      this.#refusals = 0;
    } else if (verdict.answers.length > 0) {
      this.#owner.rejected(verdict.error);
      this.#refusals++;
      if (this.#refusals > REFUSALS_MAX) this.end(ENDING.unreadable);
      for (const answer of verdict.answers) this.send(answer);
    } else {
      this.#refused(verdict.error);
    }
  }

  #refused(error: ProtocolError): void {
    const ending = endingAfter(error);
    if (ending === null) {
      this.#owner.late();
      return;
    }
    this.#owner.rejected(error);
    this.end(ending);
  }

  #hand(text: string): void {
    if (!this.hasRoom()) return;
    switch (this.#socket.send(text)) {
      case "sent":
        return;
      case "congested":
        this.#isCongested = true;
        return;
      case "dropped":
        this.end(ENDING.dropped);
    }
  }

  #due(now: number): void {
    if (this.#isEnded) return;
    if (this.#isExpired(now)) this.end(ENDING.expired);
    else this.#owner.expire(now);
    this.settle();
  }

  #ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  #isExpired(now: number): boolean {
    return this.#owner.expiresAt !== null && now >= this.#owner.expiresAt;
  }

  #nextAt(): number | null {
    const deadline = this.#owner.deadline();
    const { expiresAt } = this.#owner;
    return deadline === null || expiresAt === null ? (deadline ?? expiresAt) : Math.min(deadline, expiresAt);
  }

  /** An exception that escaped a socket handler or a timer would end the process (RW1). */
  #guard(step: () => void): void {
    try {
      step();
    } catch {
      this.end(ENDING.fault);
    }
  }
}

/** Whether a text takes more UTF-8 bytes than the bound; it is measured only where its length leaves that open. */
function isLonger(text: string, bytesMax: number): boolean {
  if (text.length > bytesMax) return true;
  return text.length * 3 > bytesMax && utf8Length(text) > bytesMax;
}
