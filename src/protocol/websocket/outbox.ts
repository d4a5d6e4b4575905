/** Encoded messages that wait because the peer reads slowly (RW27). */

import { utf8Length } from "../../kernel/text.ts";
import type { TransportLimits } from "./limits.ts";

interface Entry {
  readonly text: string;
  readonly bytes: number;
}

export class Outbox {
  readonly #limits: Readonly<TransportLimits>;
  #entries: Entry[] = [];
  #next = 0;
  #bytes = 0;

  constructor(limits: Readonly<TransportLimits>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.length - this.#next;
  }

  /** False where it would hold more than its bounds; then nothing was added. */
  push(text: string): boolean {
    const bytes = utf8Length(text);
    const { queueMessages, queueBytes } = this.#limits;
    if (this.size >= queueMessages || this.#bytes + bytes > queueBytes) return false;
    this.#entries.push({ text, bytes });
    this.#bytes += bytes;
    return true;
  }

  /** The oldest, or null. */
  take(): string | null {
    const entry = this.#entries[this.#next];
    if (entry === undefined) return null;
    this.#next++;
    this.#bytes -= entry.bytes;
    if (this.#next === this.#entries.length) this.clear();
    return entry.text;
  }

  clear(): void {
    this.#entries = [];
    this.#next = 0;
    this.#bytes = 0;
  }
}
