/** An agent that serves the daemon's checks (section 12 of agent-protocol.md). */
import type { Handler } from "../protocol/index.ts";
import { type BridgeState, bridgeHandler } from "./handler.ts";
import { Inbox } from "./inbox.ts";
import { settingsOf, type VerifyBridgeOptions } from "./options.ts";
import { JobQueue } from "./queue.ts";
import { Runner } from "./runner.ts";

export interface VerifyBridge {
  /** Serves `project_events.v1`. One inbox for all connections that use it (R116). */
  readonly handler: Handler<BridgeState>;
  /** The state of a new connection. */
  readonly initialState: () => BridgeState;
  /** Runs the waiting jobs, and those that come in the meantime; resolves when none is left. Never rejects. */
  readonly pump: () => Promise<void>;
  /**
   * Ends running jobs and waiting ones with `verification.unavailable`. Resolves when no process and no timer is left.
   * The inbox can still be asked; nothing new is taken.
   */
  readonly close: () => Promise<void>;
}

/**
 * A handler that turns an event into one fresh session with the daemon and a verdict that names the revisions it is about
 * (R116). Starts nothing before `pump`. Throws a `TypeError` for options that are not as they must be.
 */
export function createVerifyBridge(options: VerifyBridgeOptions): VerifyBridge {
  const { projects, caps, maxEvents, jobTimeoutMs, clock, newId, onQueued, reporter } = settingsOf(options);
  const closing = new AbortController();
  const { signal } = closing;
  const inbox = new Inbox(maxEvents, clock);
  const queue = new JobQueue();
  const runner = new Runner(
    inbox,
    queue,
    { projects, jobTimeoutMs, clock, newId, closing: signal },
    reporter,
  );
  const projectRefs = new Set(projects.keys());
  return {
    handler: bridgeHandler({ inbox, queue, runner, projectRefs, caps, closing: signal, onQueued }),
    initialState: () => null,
    pump: () => runner.pump(),
    close() {
      closing.abort();
      return runner.close();
    },
  };
}
