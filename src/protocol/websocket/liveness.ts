/** Pings, and when a peer is given up (RW29). Transport progress only: no protocol state is touched. */

import type { TransportLimits } from "./limits.ts";

export class Liveness {
  readonly #limits: Readonly<TransportLimits>;
  readonly #ping: () => void;
  readonly #silent: () => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #isStopped = false;
  /** Monotonic milliseconds. A frame only writes the number, so that it moves no timer. */
  #heardAt = 0;
  #pingAt = 0;
  /** When the pong must have come; null while none is awaited. */
  #pongBy: number | null = null;
  /** The peer is overdue, but its frames may lie unread behind a busy event loop. */
  #isSuspected = false;

  constructor(limits: Readonly<TransportLimits>, ping: () => void, silent: () => void) {
    this.#limits = limits;
    this.#ping = ping;
    this.#silent = silent;
  }

  start(): void {
    const now = performance.now();
    this.#heardAt = now;
    this.#pingAt = now + this.#limits.pingMs;
    this.#sleep(now);
  }

  stop(): void {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Any frame of the peer. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  pong(): void {
    this.heard();
    this.#pongBy = null;
  }

  #tick(): void {
    const now = performance.now();
    if (now >= this.#overdueAt()) {
      this.#suspect();
      return;
    }
    this.#isSuspected = false;
    if (now >= this.#pingAt) {
      this.#pingAt = now + this.#limits.pingMs;
      this.#pongBy ??= now + this.#limits.pongMs;
      this.#ping();
    }
    this.#sleep(now);
  }

  #suspect(): void {
    if (this.#isSuspected) {
      this.#silent();
      return;
    }
    // One more turn of the event loop reads what arrived while this process was busy.
    this.#isSuspected = true;
    this.#timer = setTimeout(() => this.#tick(), 0);
  }

  #sleep(now: number): void {
    if (this.#isStopped) return;
    const at = Math.min(this.#pingAt, this.#overdueAt());
    // A timer may end a little early by this clock; one that is never shorter than 1 ms does not spin.
    this.#timer = setTimeout(() => this.#tick(), Math.max(at - now, 1));
  }

  #overdueAt(): number {
    return Math.min(this.#heardAt + this.#limits.idleMs, this.#pongBy ?? Number.POSITIVE_INFINITY);
  }
}
