/** Pings, and when a peer is given up (RW29). Transport progress only: no protocol state is touched. */

import { STALL_MS, type TransportLimits } from "./limits.ts";

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
  /** When the timer should end. */
  #wakesAt = 0;

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
    if (now - this.#wakesAt > STALL_MS) this.#beginAnew(now);
    if (now >= this.#overdueAt()) {
      this.#silent();
      return;
    }
    if (now >= this.#pingAt) {
      this.#pingAt = now + this.#limits.pingMs;
      this.#pongBy ??= now + this.#limits.pongMs;
      this.#ping();
    }
    this.#sleep(now);
  }

  /** While this process did not run it could not hear its peer: what came meanwhile is still unread. */
  #beginAnew(now: number): void {
    this.#heardAt = now;
    if (this.#pongBy !== null) this.#pongBy = now + this.#limits.pongMs;
  }

  #sleep(now: number): void {
    if (this.#isStopped) return;
    this.#wakesAt = Math.min(this.#pingAt, this.#overdueAt());
    // A timer may end a little early by this clock; one that is never shorter than 1 ms does not spin.
    this.#timer = setTimeout(() => this.#tick(), Math.max(this.#wakesAt - now, 1));
  }

  #overdueAt(): number {
    return Math.min(this.#heardAt + this.#limits.idleMs, this.#pongBy ?? Number.POSITIVE_INFINITY);
  }
}
