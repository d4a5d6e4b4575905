/** One connection to Codex: lines to messages and back, requests and their answers (RC6, RC8-RC10). */

import type { CodexCounts, CodexEvent } from "./event.ts";
import { REQUEST_MS, REQUESTS_MAX, TURN_START_MS } from "./limits.ts";
import type { Peer, Timers } from "./peer.ts";
import { CALLS, type CallMethod, type CallParams, type CallResult } from "./schema/calls.ts";
import { type CodexRequestId, RequestId } from "./schema/events.ts";
import { type CodexError, type Failed, isFault } from "./translate/refusal.ts";

export type Reply<T> =
  | { readonly ok: true; readonly result: T }
  | { readonly ok: false; readonly failed: Failed };

/** What to do with a request that is not to be answered by the adapter: -32601, as JSON-RPC has it. */
const NOT_SUPPORTED = { code: -32601, message: "not supported by this client" } as const;

export interface LinkOptions {
  readonly peer: Peer;
  readonly timers: Timers;
  readonly counts: CodexCounts;
  readonly report: (event: CodexEvent) => void;
  readonly onNotification: (method: string, params: unknown) => void;
  readonly onRequest: (id: CodexRequestId, method: string, params: unknown) => void;
}

interface Waiting {
  readonly method: CallMethod;
  readonly settle: (answer: Answer) => void;
  readonly stopTimer: () => void;
}

type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failed: Failed };

export class Link {
  readonly #options: LinkOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  /** Ids are never used twice in one process (RC9). */
  #made = 0;
  #isOpen = true;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /**
   * Asks Codex. `done` is called once, in the order of what Codex sends; at once where nothing can be sent. Returns
   * what lets go of the answer, so that `done` is not called any more.
   */
  call<M extends CallMethod>(
    method: M,
    params: CallParams<M>,
    done: (reply: Reply<CallResult<M>>) => void,
  ): () => void {
    const refusal = this.#refusal();
    if (refusal !== null) {
      done({ ok: false, failed: refusal });
      return () => undefined;
    }
    this.#made += 1;
    const id = this.#made;
    const waitMs = method === "turn/start" ? TURN_START_MS : REQUEST_MS;
    const stopTimer = this.#options.timers.after(waitMs, () =>
      this.#settle(id, failure({ kind: "timeout" })),
    );
    const settle = (answer: Answer) => done(this.#read(method, answer));
    this.#waiting.set(id, { method, settle, stopTimer });
    if (!this.#send({ id, method, params })) this.#settle(id, failure({ kind: "full" }));
    return () => this.#take(id);
  }

  notify(method: "initialized"): void {
    this.#send({ method });
  }

  answer(id: CodexRequestId, result: { decision: "accept" | "decline" | "cancel" }): void {
    this.#send({ id, result });
  }

  refuse(id: CodexRequestId): void {
    this.#send({ id, error: NOT_SUPPORTED });
  }

  /** Takes a line; false if it is no JSON object, after which nothing from this process can be trusted (RC8). */
  receive(line: Uint8Array): boolean {
    const message = this.#parse(line);
    if (message === null) return false;
    const { method, id, params } = message;
    if (typeof method === "string") {
      if (id === undefined) this.#options.onNotification(method, params);
      else this.#receiveRequest(id, method, params);
      return true;
    }
    if (typeof id === "number" && this.#waiting.has(id)) this.#settle(id, answerOf(message));
    else this.#options.counts.unmatched += 1;
    return true;
  }

  /** Ends every request: the process is gone (RC38). */
  end(): void {
    this.#isOpen = false;
    for (const id of [...this.#waiting.keys()]) this.#settle(id, failure({ kind: "lost" }));
  }

  #refusal(): Failed | null {
    if (!this.#isOpen) return { kind: "lost" };
    return this.#waiting.size >= REQUESTS_MAX ? { kind: "full" } : null;
  }

  #receiveRequest(id: unknown, method: string, params: unknown): void {
    const read = RequestId.safeParse(id);
    if (read.success) this.#options.onRequest(read.data, method, params);
    else this.#options.counts.dropped += 1;
  }

  #parse(line: Uint8Array): Record<string, unknown> | null {
    try {
      const value: unknown = JSON.parse(this.#decoder.decode(line));
      return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
    } catch {
      return null;
    }
  }

  #send(message: object): boolean {
    return this.#isOpen && this.#options.peer.send(JSON.stringify(message));
  }

  #take(id: number): Waiting | null {
    const waiting = this.#waiting.get(id) ?? null;
    this.#waiting.delete(id);
    waiting?.stopTimer();
    return waiting;
  }

  #settle(id: number, answer: Answer): void {
    this.#take(id)?.settle(answer);
  }

  #read<M extends CallMethod>(method: M, answer: Answer): Reply<CallResult<M>> {
    const reply = answer.ok ? readResult(method, answer.value) : answer;
    if (!reply.ok && isFault(reply.failed)) this.#options.report({ type: "adapter_fault", method });
    return reply;
  }
}

function readResult<M extends CallMethod>(method: M, value: unknown): Reply<CallResult<M>> {
  const result = CALLS[method].result.safeParse(value);
  // The definition is that of exactly this method.
  return result.success
    ? { ok: true, result: result.data as CallResult<M> }
    : { ok: false, failed: { kind: "malformed" } };
}

function answerOf(message: Record<string, unknown>): Answer {
  if (!("error" in message)) return { ok: true, value: message["result"] };
  const error = readError(message["error"]);
  return failure(error === null ? { kind: "malformed" } : { kind: "refused", error });
}

function readError(error: unknown): CodexError | null {
  if (typeof error !== "object" || error === null || !("code" in error) || !("message" in error)) return null;
  const { code, message } = error;
  if (typeof code !== "number" || typeof message !== "string") return null;
  return "data" in error ? { code, message, data: error.data } : { code, message };
}

function failure(failed: Failed): Answer {
  return { ok: false, failed };
}
