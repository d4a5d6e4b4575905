/** The host: a handler of the native protocol on top of one Codex process (RC13). */

import { methodsOf } from "../capability.ts";
import type { Handler } from "../handler.ts";
import { isPosition } from "../limits.ts";
import type { Capability, RequestMessage } from "../message.ts";
import { type CodexConnection, type CodexState, Connections } from "./connections.ts";
import { type CodexCounts, type CodexEvent, type LossReason, noCounts } from "./event.ts";
import { GENERATION_LENGTH_MAX } from "./limits.ts";
import { type CodexHostOptions, type Config, configOf, misuse } from "./options.ts";
import type { Peer, PeerEnd, PeerListener, Timers } from "./peer.ts";
import { startProcess, systemTimers } from "./process.ts";
import type { Reaction } from "./requests.ts";
import { type Reconciliation, Session } from "./session.ts";
import { isId } from "./text.ts";

/** The groups that are offered: no project events (section 3). */
const GROUPS: readonly Capability[] = ["approvals.v1", "cancellation.v1", "sessions.v1", "streaming.v1"];

export interface CodexHost {
  /** For the server of each connection; its state comes from `initialState`. */
  readonly handler: Handler<CodexState>;
  /** A new state for each connection: it names the connection inside the host. */
  readonly initialState: (principal: { readonly id: string }) => CodexState;
  /** Takes a connection in, before its first request. It leaves by itself when it has ended. */
  attach(connection: CodexConnection): void;
  /** What became of a `turn/start` or `turn/steer` whose process is gone (RC37). Of nothing else is a mark stored. */
  reconcile(commandId: string, threadId: string): Promise<Reconciliation>;
  status(): CodexStatus;
  /** Ends the process: its input, then, after 3 s, by force (RC12). */
  close(): Promise<void>;
}

export interface CodexStatus extends CodexCounts {
  /** "unusable": it is not the pinned release, or never answered. "lost": it is gone. */
  readonly state: "starting" | "ready" | "unusable" | "lost";
}

/**
 * Starts Codex and answers when it is ready or known not to be: then every request is answered `unavailable` (RC2).
 * Rejects with `invalid_argument` for options that are not as they must be, and for nothing else.
 */
export async function createCodexHost(options: CodexHostOptions): Promise<CodexHost> {
  const config = configOf(options);
  const host = new Host(config, systemTimers);
  await host.start((listener) => startProcess(config, listener));
  return host;
}

/** Starts a process that reports to the listener; null, with a reason, where it is none of the pinned release. */
export type Starter = (
  listener: PeerListener,
) => Promise<{ peer: Peer } | { peer: null; reason: "not_started" | "wrong_version" }>;

/** Apart from the process, so that tests can put another in its place. */
export class Host implements CodexHost {
  readonly handler: Handler<CodexState>;
  readonly #config: Config;
  readonly #timers: Timers;
  readonly #generation: string;
  readonly #counts = noCounts();
  readonly #connections = new Connections((event) => this.#report(event));
  #state: CodexStatus["state"] = "starting";
  #session: Session | null = null;
  #peer: Peer | null = null;
  #isKilled = false;
  #hasEnded = false;
  #lastNow = 0;
  /** Why the process ends, where it is our doing. */
  #ending: Exclude<LossReason, "exited"> | null = null;

  constructor(config: Config, timers: Timers) {
    this.#config = config;
    this.#timers = timers;
    this.#generation = generationOf(config);
    this.handler = {
      capabilities: GROUPS,
      methods: methodsOf(GROUPS),
      handleRequest: (request, state) => this.#connections.hold(() => this.#handle(request, state)),
      handleResponse: (request, outcome, state) =>
        this.#connections.hold(() => {
          if (request.method === "approval/request") this.#session?.settle(request, outcome, state);
        }),
    };
  }

  async start(starter: Starter): Promise<void> {
    const started = await starter(this.#listener());
    if (started.peer === null) {
      this.#giveUp(started.reason);
      return;
    }
    const { peer } = started;
    this.#peer = peer;
    this.#session = new Session({
      peer,
      config: this.#config,
      generation: this.#generation,
      connections: this.#connections,
      timers: this.#timers,
      counts: this.#counts,
      report: (event) => this.#report(event),
      now: () => this.#now(),
    });
    if ((await this.#session.open()) && !this.#hasEnded) {
      this.#state = "ready";
      this.#report({ type: "ready", generation: this.#generation });
    } else {
      this.#giveUp("no_handshake");
      await peer.stop();
    }
  }

  readonly initialState = (principal: { readonly id: string }): CodexState =>
    Object.freeze({ principal: principal.id });

  readonly attach = (connection: CodexConnection): void => this.#connections.add(connection);

  async reconcile(commandId: string, threadId: string): Promise<Reconciliation> {
    if (this.#session === null || this.#state !== "ready") return { outcome: "unknown" };
    return this.#session.reconcile(commandId, threadId);
  }

  status(): CodexStatus {
    return { state: this.#state, ...this.#counts };
  }

  async close(): Promise<void> {
    this.#ending ??= "closed";
    await this.#peer?.stop();
  }

  #handle(request: RequestMessage, state: CodexState): Reaction {
    const attached = this.#connections.of(state);
    if (attached === null) return unavailable("the connection is not attached to the host");
    const session = this.#session;
    if (session === null || this.#state === "unusable" || this.#state === "starting") {
      return unavailable("the agent did not start as it must");
    }
    // What was logged stays readable; there is nobody left to ask for anything else.
    const isFromMemory = request.method === "stream/resume" || request.method === "request/cancel";
    if (!isFromMemory && (this.#state === "lost" || this.#ending !== null))
      return unavailable("the agent is gone");
    return session.handle(request, attached);
  }

  #listener(): PeerListener {
    return {
      line: (bytes) => this.#receive(bytes),
      overlong: () => this.#end("unreadable"),
      noise: (bytes) => {
        this.#counts.errorOutputBytes += bytes;
      },
      ended: (end) => this.#ended(end),
    };
  }

  /** False: the line was unreadable, or handled wrongly, and whatever comes after it means nothing (RC8). */
  #receive(line: Uint8Array): boolean {
    if (this.#isKilled) return false;
    try {
      if (this.#session === null || this.#session.receive(line)) return true;
      this.#end("unreadable");
    } catch {
      // Nobody is left with half of what a line meant.
      this.#end("fault");
    }
    return false;
  }

  #end(reason: "unreadable" | "fault"): void {
    this.#isKilled = true;
    this.#ending = reason;
    this.#peer?.kill();
  }

  #ended({ code, signal }: PeerEnd): void {
    this.#hasEnded = true;
    const wasReady = this.#state === "ready";
    if (wasReady) this.#state = "lost";
    this.#session?.end();
    if (wasReady) this.#report({ type: "lost", reason: this.#ending ?? "exited", code, signal });
  }

  /** Of a clock that fails, the last time that it told; 1970 if none, when every approval is late for its client. */
  #now(): number {
    try {
      const now = Math.floor(this.#config.clock());
      if (isPosition(now)) this.#lastNow = now;
    } catch {
      // As above.
    }
    return this.#lastNow;
  }

  #giveUp(reason: "not_started" | "wrong_version" | "no_handshake"): void {
    this.#state = "unusable";
    this.#report({ type: "unusable", reason });
  }

  #report(event: CodexEvent): void {
    try {
      this.#config.log?.(event);
    } catch {
      // The owner's log is no reason to fail.
    }
  }
}

/** RC9: what tells this process of Codex from any other. */
function generationOf(config: Config): string {
  let generation: unknown = null;
  try {
    generation = config.newId();
  } catch {
    // No id is a bad id.
  }
  if (typeof generation === "string" && isId(generation) && generation.length <= GENERATION_LENGTH_MAX) {
    return generation;
  }
  throw misuse(`newId must give Ids of at most ${GENERATION_LENGTH_MAX} characters`);
}

function unavailable(message: string) {
  return { error: { code: "unavailable" as const, message } };
}
