/**
 * Approvals between Codex and one native connection (section 6). Each ends exactly once, and it ends as `accept` only in
 * `settle`, where a bound, timely approve came from the connection that was asked and still watches the thread (RC33).
 */

import { sha256Hex } from "../../kernel/digest.ts";
import type { Outcome } from "../connection/answer.ts";
import { type Digest, digestOf } from "../json/canonical.ts";
import type { ParamsOf, RequestMessage } from "../message.ts";
import { type Attached, type CodexState, isOver } from "./connections.ts";
import type { Context } from "./context.ts";
import type { DeclineReason } from "./event.ts";
import { APPROVALS_MAX } from "./limits.ts";
import type { CodexRequestId } from "./schema/events.ts";
import { isId, itemId, timestampOfMs } from "./text.ts";
import type { ThreadRecord, TurnRecord } from "./threads.ts";
import type { Subject } from "./translate/approval.ts";

type Decision = "accept" | "decline" | "cancel";

/** Where an approval belongs, in Codex's names. */
export interface ApprovalPlace {
  readonly threadId: string;
  readonly turnId: string;
  readonly itemId: string;
}

interface OpenApproval {
  readonly codexId: CodexRequestId;
  readonly approvalId: string;
  readonly place: ApprovalPlace;
  readonly digest: Digest;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  readonly asked: Attached;
  /** Id of the native request; null until it was sent. */
  requestId: string | null;
  /** Ends the wait for it. */
  stop: () => void;
}

export class Approvals {
  readonly #context: Context;
  /** By Codex's id. The same map is asked by native id: a handful of entries at most. */
  readonly #open = new Map<CodexRequestId, OpenApproval>();

  constructor(context: Context) {
    this.#context = context;
  }

  /** A request of Codex. `subject` is null where it must not be asked. Returns whether it was declined as unfit. */
  request(codexId: CodexRequestId, place: ApprovalPlace, subject: Subject | null): { isUnfit: boolean } {
    const open = this.#open.get(codexId);
    if (open !== undefined) {
      if (subject === null || !isSame(open, place, subject)) this.#close(open, "decline", "changed");
      return { isUnfit: false };
    }
    const refusal = subject === null ? "unfit" : this.#open.size >= APPROVALS_MAX ? "too_many" : null;
    const asked = refusal === null ? this.#whom(place) : null;
    if (subject === null || asked === null) {
      this.#decline(codexId, refusal ?? "nobody_to_ask");
      return { isUnfit: refusal !== null };
    }
    this.#ask(codexId, place, subject, asked);
    return { isUnfit: false };
  }

  /** What is no approval as the definitions say is declined as well. */
  malformed(codexId: CodexRequestId): void {
    const open = this.#open.get(codexId);
    if (open === undefined) this.#decline(codexId, "malformed");
    else this.#close(open, "decline", "malformed");
  }

  /** The end of the native request, by an answer or without one. */
  settle(request: RequestMessage<"approval/request">, outcome: Outcome, state: CodexState): void {
    const approvalId = request.params.approval_id;
    const open = this.#byApprovalId(approvalId);
    if (open === null) {
      if ("result" in outcome) this.#context.report({ type: "late_approval", approvalId });
    } else {
      this.#answer(open, this.#isApproved(open, outcome, state) ? "accept" : "decline");
    }
    if ("error" in outcome) this.#release(request, state);
  }

  /** What the item would change is not what was shown any more. */
  itemChanged(threadId: string, turnId: string, changedId: string): void {
    for (const open of [...this.#open.values()]) {
      const { place } = open;
      if (place.threadId === threadId && place.turnId === turnId && place.itemId === changedId) {
        this.#close(open, "decline", "changed");
      }
    }
  }

  /** Codex has an answer already. */
  resolved(codexId: CodexRequestId): void {
    const open = this.#open.get(codexId);
    if (open !== undefined) this.#withdraw(open, null);
  }

  /** The turn or thread is over: what is still open has lost its meaning (RC35). */
  turnEnded(threadId: string, turnId: string | null): void {
    for (const open of [...this.#open.values()]) {
      if (open.place.threadId !== threadId) continue;
      if (turnId === null || open.place.turnId === turnId) this.#withdraw(open, "cancel");
    }
  }

  /** The process is gone: nobody is there to be answered (RC38). */
  lost(): void {
    for (const open of [...this.#open.values()]) this.#withdraw(open, null);
  }

  #ask(codexId: CodexRequestId, place: ApprovalPlace, subject: Subject, asked: Attached): void {
    const { config, now, timers } = this.#context;
    const approvalId = nativeName(this.#context.generation, codexId);
    const deadline = now() + config.approvalTimeoutMs;
    const digest = digestOf(subject.action);
    const open: OpenApproval = {
      codexId,
      approvalId,
      place,
      digest,
      deadline,
      asked,
      requestId: null,
      stop: () => undefined,
    };
    this.#open.set(codexId, open);
    const whenBroken = () => this.#close(open, "decline", "nobody_to_ask");
    asked.whenBroken.add(whenBroken);
    // At the deadline itself an answer is still in time. The connection's own clock usually ends it first.
    const stopTimer = timers.after(config.approvalTimeoutMs + 1, () => this.#withdraw(open, "decline"));
    open.stop = () => {
      stopTimer();
      asked.whenBroken.delete(whenBroken);
    };
    this.#send(open, {
      approval_id: approvalId,
      thread_id: place.threadId,
      turn_id: place.turnId,
      item_id: itemId(place.itemId),
      action: subject.action,
      action_digest: digest,
      deadline: timestampOfMs(deadline),
      ...(subject.reason !== null && { reason: subject.reason }),
    });
  }

  #send(open: OpenApproval, params: ParamsOf<"approval/request">): void {
    const { config, now, connections } = this.#context;
    const correlationId = this.#turn(open.place)?.owner?.correlationId;
    const options = {
      now: now(),
      waitMs: config.approvalTimeoutMs,
      commandId: open.approvalId,
      ...(correlationId !== undefined && { correlationId }),
    };
    connections.later(() => {
      // It may be over before its turn in the queue comes; then nobody is asked any more.
      if (!this.#isOpen(open)) return;
      const step = connections.apply(open.asked, (server) =>
        server.request("approval/request", params, options),
      );
      const [message] = step?.ok ? step.messages : [];
      if (message?.type === "request") open.requestId = message.id;
      else this.#close(open, "decline", "not_sent");
    });
  }

  /** RC33: who started the turn, or who came last of the same principal; only somebody who watches the thread. */
  #whom(place: ApprovalPlace): Attached | null {
    const thread = this.#context.threads.get(place.threadId);
    const owner = this.#turn(place)?.owner;
    if (thread === null || !owner || this.#turn(place)?.ended !== null) return null;
    const starter = this.#context.connections.of(owner.state);
    const asked = starter ?? lastOf(thread, owner.state.principal);
    return asked !== null && canBeAsked(thread, asked) ? asked : null;
  }

  #isApproved(open: OpenApproval, outcome: Outcome, state: CodexState): boolean {
    if ("error" in outcome) return false;
    const { approval_id, decision, action_digest } = outcome.result;
    if (decision !== "approve" || approval_id !== open.approvalId || action_digest !== open.digest)
      return false;
    if (state !== open.asked.state || this.#context.now() > open.deadline) return false;
    const thread = this.#context.threads.get(open.place.threadId);
    return thread !== null && this.#turn(open.place)?.ended === null && canBeAsked(thread, open.asked);
  }

  #turn({ threadId, turnId }: ApprovalPlace): TurnRecord | null {
    return this.#context.threads.get(threadId)?.turns.get(turnId) ?? null;
  }

  #decline(codexId: CodexRequestId, reason: DeclineReason): void {
    const approvalId = nativeName(this.#context.generation, codexId);
    this.#context.report({ type: "approval_declined", approvalId, reason });
    this.#context.link.answer(codexId, { decision: "decline" });
  }

  #close(open: OpenApproval, decision: Decision, reason: DeclineReason): void {
    this.#context.report({ type: "approval_declined", approvalId: open.approvalId, reason });
    this.#withdraw(open, decision);
  }

  /** Ends an approval without the client: Codex gets the decision, if it still waits, and the client is told. */
  #withdraw(open: OpenApproval, decision: Decision | null): void {
    if (!this.#isOpen(open)) return;
    this.#answer(open, decision);
    const { connections, now } = this.#context;
    connections.later(() => {
      if (open.requestId === null) return;
      const params = { request_id: open.requestId };
      connections.apply(open.asked, (server) => server.request("request/cancel", params, { now: now() }));
    });
  }

  #answer(open: OpenApproval, decision: Decision | null): void {
    this.#open.delete(open.codexId);
    open.stop();
    if (decision !== null) this.#context.link.answer(open.codexId, { decision });
  }

  /** An approval that nobody answered stays uncertain in its server; here it is known that it was not given. */
  #release(request: RequestMessage<"approval/request">, state: CodexState): void {
    const asked = this.#context.connections.of(state);
    if (asked === null) return;
    const resolution = {
      outcome: "not_applied",
      source: "audit",
      evidence: "declined for want of an answer",
    } as const;
    const { connections } = this.#context;
    connections.later(() =>
      connections.apply(asked, (server) => server.resolveUncertain(request.command_id, resolution)),
    );
  }

  #byApprovalId(approvalId: string): OpenApproval | null {
    for (const open of this.#open.values()) if (open.approvalId === approvalId) return open;
    return null;
  }

  #isOpen(open: OpenApproval): boolean {
    return this.#open.get(open.codexId) === open;
  }
}

/** RC36: Codex repeats an open approval; anything else under its id is another one. */
function isSame({ place, digest }: OpenApproval, other: ApprovalPlace, { action }: Subject): boolean {
  return (
    place.threadId === other.threadId &&
    place.turnId === other.turnId &&
    place.itemId === other.itemId &&
    digest === digestOf(action)
  );
}

function lastOf({ attached }: ThreadRecord, principal: string): Attached | null {
  return [...attached].findLast((one) => one.state.principal === principal && !isOver(one)) ?? null;
}

function canBeAsked(thread: ThreadRecord, asked: Attached): boolean {
  if (isOver(asked) || !thread.attached.has(asked)) return false;
  return asked.connection.server.negotiated.includes("approvals.v1");
}

/** `codex-<generation>-<id>`, so that an answer meant for an earlier process fits nothing (RC9, RC31). */
function nativeName(generation: string, id: CodexRequestId): string {
  if (typeof id === "number") return `codex-${generation}-${id}`;
  // Not seen in this release. A letter keeps text apart from numbers.
  const name = `codex-${generation}-t${id}`;
  return isId(name) ? name : `codex-${generation}-x${sha256Hex(id.toWellFormed()).slice(0, 32)}`;
}
