/**
 * A host for tests and examples (RW37): all five groups, state in memory, and no model, clock, randomness or process. It
 * does nothing by itself: `advance` does, so that a test decides what happens between what.
 */

import { methodsOf } from "../capability.ts";
import {
  CAPABILITIES,
  type Handler,
  type Outcome,
  type RequestMessage,
  type RequestMethod,
} from "../index.ts";
import { canonicalText } from "../json/canonical.ts";
import { Inbox, refuse } from "./fake-agent-inbox.ts";
import { RECEIPTS_MAX } from "./fake-agent-limits.ts";
import { Mint } from "./fake-agent-mint.ts";
import { type FakePeer, Peers } from "./fake-agent-peers.ts";
import { Sessions } from "./fake-agent-sessions.ts";
import type { ScriptStep } from "./fake-agent-turn.ts";
import { Work } from "./fake-agent-work.ts";

export interface FakeAgentOptions {
  /** In every stream id; `fake` unless given. A restarted agent needs another one (R94). */
  label?: string;
  /** What each turn does; unless given it repeats its input as one message in three deltas. */
  script?: readonly ScriptStep[];
  /** Methods that are answered by a step of `advance`, and can be cancelled until then. */
  defer?: readonly RequestMethod[];
  /** Events that each log keeps; 1024 unless given. */
  retain?: number;
  /** Of every question for an approval; the year 2100 unless given. */
  approvalDeadline?: string;
}

export interface FakeAgent {
  readonly handler: Handler<null>;
  /** Of every connection: what there is lies with the agent. */
  initialState(): null;
  /** To be called for each connection, as a listener's `onConnection`. */
  attach(peer: FakePeer): void;
  /** Does up to `steps` steps, 1 unless given, each activity in its turn; gives how many there were. */
  advance(steps?: number): number;
  /** What was really done, however often it was asked for. */
  counts(): { events: number; threads: number; turns: number; notifications: number };
}

export function createFakeAgent(options: FakeAgentOptions = {}): FakeAgent {
  const { label = "fake", script = null, defer = [], retain } = options;
  const { approvalDeadline = "2100-01-01T00:00:00Z" } = options;
  const mint = new Mint();
  const work = new Work();
  const peers = new Peers();
  const inbox = new Inbox(mint, work);
  const sessions = new Sessions({ label, script, retain, approvalDeadline }, mint, work, peers);
  const desk = new Desk(inbox, sessions, mint);
  const deferred = new Deferred(desk, work, peers);
  let notifications = 0;
  const handler: Handler<null> = {
    capabilities: [...CAPABILITIES],
    methods: methodsOf(CAPABILITIES),
    handleRequest(request, _state, { connectionId }) {
      if (request.method === "request/cancel") return deferred.cancel(request, connectionId);
      return defer.includes(request.method)
        ? deferred.add(request, connectionId)
        : desk.answer(request, connectionId);
    },
    handleNotification() {
      notifications++;
    },
    handleResponse(request, outcome) {
      if (request.method === "approval/request") sessions.decide(request, outcome);
    },
  };
  return {
    handler,
    initialState: () => null,
    attach: (peer) => peers.add(peer),
    advance: (steps = 1) => work.advance(steps),
    counts: () => ({ events: inbox.size, ...sessions.counts, notifications }),
  };
}

/** Answers requests; commands that change a session are done once, however often they come (R102). */
class Desk {
  readonly #inbox: Inbox;
  readonly #sessions: Sessions;
  readonly #mint: Mint;
  /** By command id, oldest first: the request as canonical text, and its result. */
  readonly #receipts = new Map<string, { readonly text: string; readonly outcome: Outcome }>();

  constructor(inbox: Inbox, sessions: Sessions, mint: Mint) {
    this.#inbox = inbox;
    this.#sessions = sessions;
    this.#mint = mint;
  }

  answer(request: RequestMessage, connectionId: string): Outcome {
    switch (request.method) {
      case "project/event.receive":
        return this.#inbox.receive(request);
      case "project/event.status":
        return this.#inbox.status(request);
      case "project/event.report":
        return this.#inbox.report(request);
      case "thread/start":
        return this.#once(request, () => this.#sessions.startThread(request, connectionId));
      case "turn/start":
        return this.#once(request, () => this.#sessions.startTurn(request));
      case "turn/steer":
        return this.#once(request, () => this.#sessions.steerTurn(request));
      case "turn/interrupt":
        return this.#once(request, () => this.#sessions.interruptTurn(request));
      case "thread/read":
      case "thread/resume":
        return this.#sessions.readThread(request, connectionId);
      case "stream/resume":
        return this.#sessions.resumeStream(request, connectionId);
      case "approval/request":
        return this.#deny(request);
      case "request/cancel":
      case "connection/initialize":
        return refuse("unsupported_method", "not answered here");
    }
  }

  #once(request: RequestMessage & { command_id: string }, act: () => Outcome): Outcome {
    const { method, params, project_ref = null, task_ref = null } = request;
    const text = canonicalText({ method, params, project_ref, task_ref });
    const receipt = this.#receipts.get(request.command_id);
    if (receipt !== undefined) {
      return receipt.text === text ? receipt.outcome : refuse("conflict", "another command has this id");
    }
    const outcome = act();
    if ("error" in outcome) return outcome;
    this.#receipts.set(request.command_id, { text, outcome });
    for (const id of this.#receipts.keys()) {
      if (this.#receipts.size <= RECEIPTS_MAX) break;
      this.#receipts.delete(id);
    }
    return outcome;
  }

  /** The agent has no authority to give. */
  #deny({ params }: RequestMessage<"approval/request">): Outcome {
    const { approval_id, action_digest } = params;
    const decided_at = this.#mint.time();
    return {
      result: { approval_id, decision: "deny", action_digest, decided_at, reason: "nobody to ask here" },
    };
  }
}

/** Requests that wait for `advance` (RW40). */
class Deferred {
  readonly #desk: Desk;
  readonly #work: Work;
  readonly #peers: Peers;
  /** Whether it was cancelled, by connection and request id; an Id holds no space. */
  readonly #open = new Map<string, boolean>();

  constructor(desk: Desk, work: Work, peers: Peers) {
    this.#desk = desk;
    this.#work = work;
    this.#peers = peers;
  }

  /** Done also where the connection is gone by then: its client does not know it, and has to ask. */
  add(request: RequestMessage, connectionId: string): { deferred: true } {
    const key = `${connectionId} ${request.id}`;
    this.#open.set(key, false);
    this.#work.add(() => {
      const isCancelled = this.#open.get(key) === true;
      this.#open.delete(key);
      const outcome = isCancelled
        ? refuse("cancelled", "cancelled before it began")
        : this.#desk.answer(request, connectionId);
      this.#peers.complete(connectionId, request.id, outcome);
      return "finished";
    });
    return { deferred: true };
  }

  cancel({ params: { request_id } }: RequestMessage<"request/cancel">, connectionId: string): Outcome {
    const key = `${connectionId} ${request_id}`;
    const isOpen = this.#open.has(key);
    if (isOpen) this.#open.set(key, true);
    return { result: { request_id, status: isOpen ? "requested" : "already_finished" } };
  }
}
