/** One timer for the earliest deadline, in the owner's time (RW22). */

import { ALARM_MS_MAX } from "./limits.ts";

/**
 * It looks at the clock at least once a second while a deadline is set, so that it is never later than that, also
 * where the clock jumps or the machine slept.
 */
export class Alarm {
  readonly #clock: () => number | null;
  readonly #due: (now: number) => void;
  #at: number | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** When the running timer ends, in the owner's time. */
  #wakesAt = 0;

  /** `due` must set the next deadline; a clock that gives null has failed, and nothing is due any more. */
  constructor(clock: () => number | null, due: (now: number) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  set(at: number | null): void {
    this.#at = at;
    if (at === null) this.#stop();
    else if (this.#timer === null || at < this.#wakesAt) this.#sleep(at);
  }

  #sleep(at: number): void {
    this.#stop();
    const now = this.#clock();
    if (now === null) return;
    const delay = Math.min(Math.max(at - now, 0), ALARM_MS_MAX);
    this.#wakesAt = now + delay;
    this.#timer = setTimeout(() => this.#wake(), delay);
  }

  #wake(): void {
    this.#timer = null;
    const now = this.#clock();
    if (now === null || this.#at === null) return;
    if (now >= this.#at) this.#due(now);
    else this.#sleep(this.#at);
  }

  #stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
