/** One Codex process and all that belongs to it, from `initialize` to its end. */

import { VERSION } from "../../kernel/version.ts";
import type { Outcome } from "../connection/answer.ts";
import type { RequestMessage, Turn } from "../message.ts";
import { Approvals } from "./approvals.ts";
import type { Attached, CodexState } from "./connections.ts";
import type { Context } from "./context.ts";
import { eachTurn } from "./history.ts";
import { CLIENT_NAME, CODEX_VERSION, LABEL_BYTES_MAX } from "./limits.ts";
import { Link } from "./link.ts";
import { Notifications } from "./notifications.ts";
import type { Peer } from "./peer.ts";
import { type Reaction, Requests } from "./requests.ts";
import { stopRetryLimit } from "./retry-limit.ts";
import {
  APPROVALS,
  type ApprovalMethod,
  type CodexRequestId,
  isApprovalMethod,
  Place,
} from "./schema/events.ts";
import { readMark } from "./schema/item.ts";
import { OPTED_OUT } from "./schema/known.ts";
import type { CodexTurn } from "./schema/thread.ts";
import { fit } from "./text.ts";
import { type Body, Threads, type ThreadRecord, unload, view } from "./threads.ts";
import { commandSubject, fileSubject } from "./translate/approval.ts";
import { toError } from "./translate/refusal.ts";
import { toTurn } from "./translate/thread.ts";

/** What is known of a mutation after the process that was asked for it is gone (RC37). */
export type Reconciliation =
  | { outcome: "applied"; turn_id: string; status: Turn["status"] }
  | { outcome: "not_applied" }
  | { outcome: "unknown" };

export type SessionOptions = Omit<Context, "link" | "threads"> & { readonly peer: Peer };

export class Session {
  readonly #context: Context;
  readonly #approvals: Approvals;
  readonly #notifications: Notifications;
  readonly #requests: Requests;

  constructor({ peer, ...shared }: SessionOptions) {
    const link = new Link({
      peer,
      timers: shared.timers,
      counts: shared.counts,
      report: shared.report,
      onNotification: (method, params) => this.#notifications.receive(method, params),
      onRequest: (id, method, params) => this.#request(id, method, params),
    });
    this.#context = { ...shared, link, threads: new Threads(shared.generation, shared.connections) };
    this.#approvals = new Approvals(this.#context);
    this.#notifications = new Notifications(this.#context, this.#approvals);
    this.#requests = new Requests(this.#context);
  }

  /** `initialize` and `initialized` (RC6). Whether it is the pinned release that answers (RC2). */
  open(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const params = {
      clientInfo: { name: CLIENT_NAME, title: null, version: VERSION },
      capabilities: {
        experimentalApi: false,
        requestAttestation: false,
        optOutNotificationMethods: [...OPTED_OUT],
      },
    } as const;
    this.#context.link.call("initialize", params, (reply) => {
      const isPinned = reply.ok && reply.result.userAgent.startsWith(`${CLIENT_NAME}/${CODEX_VERSION} `);
      if (isPinned) this.#context.link.notify("initialized");
      resolve(isPinned);
    });
    return promise;
  }

  receive(line: Uint8Array): boolean {
    return this.#context.link.receive(line);
  }

  handle(request: RequestMessage, attached: Attached): Reaction {
    return this.#requests.receive(request, attached);
  }

  settle(request: RequestMessage<"approval/request">, outcome: Outcome, state: CodexState): void {
    this.#approvals.settle(request, outcome, state);
  }

  /** The process is gone (RC38). What runs is not said to have ended: nobody knows. */
  end(): void {
    const { link, threads } = this.#context;
    link.end();
    this.#approvals.lost();
    for (const thread of threads.all()) {
      for (const turn of thread.turns.values()) stopRetryLimit(turn);
      if (thread.isLoaded) this.#endThread(thread);
    }
  }

  #endThread(thread: ThreadRecord): void {
    const { threads } = this.#context;
    const { running } = thread;
    unload(thread);
    thread.facts = { ...thread.facts, status: "not_loaded" };
    threads.publish(thread, { method: "thread/updated", params: { thread: view(thread) } });
    if (running === null) return;
    const lost = notice(thread, "error", "host.lost", "the agent is gone; how the turn ended is not known");
    const turn = thread.turns.get(running);
    const params = { ...lost.params, turn_id: running };
    threads.publish(thread, { ...lost, params }, turn?.owner?.correlationId);
  }

  /** RC37: looks for the mark of a mutation in everything that the thread has stored. */
  reconcile(commandId: string, threadId: string): Promise<Reconciliation> {
    const { promise, resolve } = Promise.withResolvers<Reconciliation>();
    let found: Reconciliation = { outcome: "not_applied" };
    const take = (turn: CodexTurn) => {
      const marks = turn.items.map(readMark);
      // What cannot be read may be the message that is looked for.
      if (marks.includes(null)) found = { outcome: "unknown" };
      if (!marks.some((mark) => mark?.clientId === commandId)) return true;
      found = { outcome: "applied", turn_id: turn.id, status: toTurn(threadId, turn, null).status };
      return false;
    };
    eachTurn(this.#context.link, threadId, take, (failed) => {
      if (failed === null) return resolve(found);
      // A thread that was never stored cannot have taken the mutation (T25).
      const isAbsent = toError(failed, "read").code === "not_found";
      resolve({ outcome: isAbsent ? "not_applied" : "unknown" });
    });
    return promise;
  }

  /** A request of Codex: an approval, or something that is refused by name (section 6). */
  #request(id: CodexRequestId, method: string, params: unknown): void {
    if (isApprovalMethod(method)) this.#approval(id, method, params);
    else this.#refuse(id, method, params);
  }

  #refuse(id: CodexRequestId, method: string, params: unknown): void {
    const { link, report } = this.#context;
    link.refuse(id);
    const name = fit(method, LABEL_BYTES_MAX).text || "(empty)";
    report({ type: "request_refused", method: name });
    this.#tell(params, "host.request_refused", `Codex asked for something that is not supported: ${name}`);
  }

  #approval(id: CodexRequestId, method: ApprovalMethod, params: unknown): void {
    const read = this.#subject(method, params);
    if (read === null) this.#approvals.malformed(id);
    const { isUnfit } =
      read === null ? { isUnfit: true } : this.#approvals.request(id, read.place, read.subject);
    if (!isUnfit) return;
    this.#tell(params, "host.approval_refused", "an approval that cannot be shown as it is was declined");
  }

  #subject(method: ApprovalMethod, params: unknown) {
    switch (method) {
      case "item/commandExecution/requestApproval": {
        const read = APPROVALS[method].safeParse(params);
        return read.success ? { place: read.data, subject: commandSubject(read.data) } : null;
      }
      case "item/fileChange/requestApproval": {
        const read = APPROVALS[method].safeParse(params);
        if (!read.success) return null;
        const { threadId, turnId, itemId } = read.data;
        const turn = this.#context.threads.get(threadId)?.turns.get(turnId);
        return { place: read.data, subject: fileSubject(read.data, turn?.fileChanges.get(itemId)) };
      }
    }
  }

  /** Tells those who watch the thread what was refused, where it is known which one it is about. */
  #tell(params: unknown, reason: string, message: string): void {
    const place = Place.safeParse(params);
    const thread = place.success ? this.#context.threads.get(place.data.threadId) : null;
    if (!place.success || thread === null) return;
    const { turnId } = place.data;
    const { method, params: told } = notice(thread, "warning", reason, message);
    const body: Body = turnId ? { method, params: { ...told, turn_id: turnId } } : { method, params: told };
    const turn = turnId ? thread.turns.get(turnId) : undefined;
    this.#context.threads.publish(thread, body, turn?.owner?.correlationId);
  }
}

function notice(
  { facts }: ThreadRecord,
  level: "warning" | "error",
  reason: string,
  message: string,
): Extract<Body, { method: "turn/notice" }> {
  const params = { thread_id: facts.thread_id, level, reason, message, will_retry: false };
  return { method: "turn/notice", params };
}
