/** What the adapter needs of the world: a Codex process to talk to, and timers. `process.ts` has the real ones. */

export interface PeerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A running process. */
export interface Peer {
  /** Writes a line, without its LF; false if it cannot be taken, and then nothing of it is. */
  send(line: string): boolean;
  /** Ends the input, waits, kills; resolves when the process is gone (RC12). */
  stop(): Promise<void>;
  /** Ends the process at once. */
  kill(): void;
}

export interface PeerListener {
  /** A line without its LF, in order. False: it was unreadable, and no more lines are wanted. */
  line(bytes: Uint8Array): boolean;
  /** The process wrote a line over the bound; no more lines follow. */
  overlong(): void;
  /** Bytes of standard error, which nobody reads. */
  noise(bytes: number): void;
  /** Once, after the last line. */
  ended(end: PeerEnd): void;
}

export interface Timers {
  /** Calls back after `ms`; the result takes that back. */
  after(ms: number, callback: () => void): () => void;
}
