/** Ids and times of the fake agent: no clock and no randomness, the same in each run (RW37). */

const START = Date.UTC(2030, 0, 1);
const SECOND_MS = 1000;

export type Kind = "thread" | "turn" | "item" | "approval" | "command";

export class Mint {
  readonly #counters = new Map<string, number>();
  #ticks = 0;

  /** `fake-thread-1`, `fake-thread-2` and so on. */
  id(kind: Kind): string {
    return `fake-${this.#next(kind)}`;
  }

  /** Names its agent, so that another agent's checkpoints never match (R94). */
  streamId(label: string): string {
    return `${label}-${this.#next("stream")}`;
  }

  /** One second after the last one. */
  time(): string {
    this.#ticks++;
    return new Date(START + this.#ticks * SECOND_MS).toISOString();
  }

  #next(kind: string): string {
    const count = (this.#counters.get(kind) ?? 0) + 1;
    this.#counters.set(kind, count);
    return `${kind}-${count}`;
  }
}
