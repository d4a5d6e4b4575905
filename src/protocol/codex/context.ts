/** What the parts of a session share: one Codex process, its threads, and those who watch them. */

import type { Connections } from "./connections.ts";
import type { CodexCounts, CodexEvent } from "./event.ts";
import type { Link } from "./link.ts";
import type { Config } from "./options.ts";
import type { Timers } from "./peer.ts";
import type { Threads } from "./threads.ts";

export interface Context {
  readonly config: Config;
  /** A value that no other process of Codex had: part of every name that is ours (RC9). */
  readonly generation: string;
  readonly link: Link;
  readonly threads: Threads;
  readonly connections: Connections;
  readonly timers: Timers;
  readonly counts: CodexCounts;
  readonly report: (event: CodexEvent) => void;
  /** Whole milliseconds since the epoch. */
  readonly now: () => number;
}
