/** What the bridge needs of a daemon, whoever runs it. */

/** How a daemon ended by itself. */
export interface SessionEnd {
  /** Exit status; null where a signal ended it, or it was ended because it broke the frame bound. */
  readonly status: number | null;
  /** What it wrote to stderr, at most `STDERR_BYTES_MAX` bytes of it. */
  readonly words: string;
}

/** One session with one daemon over one project (daemon.md). It belongs to one job and is never used again (R120). */
export interface DaemonSession {
  /** Sends a request frame and resolves with the response frame, both without LF; null where the output ended instead. */
  ask(frame: Uint8Array): Promise<Uint8Array | null>;
  readonly ended: Promise<SessionEnd>;
  /** Ends it at once if it still runs. Resolves when nothing of it is left. */
  close(): Promise<void>;
}

/** Starts a fresh session. Where it throws or rejects, the daemon is unavailable (R121). */
export type OpenSession = () => DaemonSession | Promise<DaemonSession>;
