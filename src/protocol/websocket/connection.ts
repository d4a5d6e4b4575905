/** The client's end of one connection (RW19-RW22). */

import {
  type Client,
  type Effect,
  type ErrorCode,
  type Message,
  ProtocolError,
  type RequestMessage,
  type Step,
} from "../index.ts";
import { SUBPROTOCOL } from "./address.ts";
import { ClientSocket, type ClientTls } from "./client-socket.ts";
import { timeOf } from "./clock.ts";
import { ConnectError } from "./connect-error.ts";
import { ABRUPT, ENDING, type EndReason, type Ending, endingOf } from "./ending.ts";
import type { TransportLimits } from "./limits.ts";
import { Link, type LinkOwner, type Verdict } from "./link.ts";
import { Redacted } from "./redacted.ts";
import type { ConnectionStatus } from "./status.ts";
import { attempt, type CallbackName, type Log } from "./transport-event.ts";

/** How a connection that was ready ended. */
export interface ConnectionEnd {
  readonly code: number;
  readonly reason: EndReason;
  /** Disconnected: reconnect it, and connect again with it (RW20). */
  readonly client: Client;
  /** Of `disconnect()`. */
  readonly effects: Effect[];
}

/** A connection as the client's owner holds it. */
export class Connection extends Redacted<ConnectionStatus> {
  readonly #session: ClientSession;

  /** @internal Made by `connect`. */
  constructor(session: ClientSession) {
    super();
    this.#session = session;
  }

  /** The current value; disconnected after the end. */
  get client(): Client {
    return this.#session.client;
  }

  /**
   * Applies a step and sends its `message`. Where that cannot be handed to the socket, the step is not applied and the
   * error is `disconnected`. Requests whose wait is over end first, through `onEffects`.
   */
  update<T>(step: (client: Client) => Step<T>): Step<T> {
    return this.#session.update(step);
  }

  override status(): ConnectionStatus {
    return this.#session.status();
  }

  /** Ends the connection with 1000; resolved when nothing of it is left. */
  close(): Promise<void> {
    return this.#session.close();
  }
}

export type InitializeStep = Step<{ message: RequestMessage<"connection/initialize"> }>;

/** What an attempt needs, all of it checked. */
export interface Attempt {
  readonly url: string;
  readonly token: string;
  /** Null for `ws:`. */
  readonly tls: ClientTls | null;
  /** New. */
  readonly client: Client;
  /** Makes the first request. */
  readonly initialize: (client: Client, now: number) => InitializeStep;
  readonly limits: Readonly<TransportLimits>;
  /** What is left of the time for the attempt, in milliseconds. */
  readonly handshakeMs: number;
  readonly log: Log;
  readonly clock: () => number;
  readonly onEffects: (effects: Effect[], connection: Connection) => void;
  readonly onEnd: (end: ConnectionEnd) => void;
}

/** The state of a connection from the first byte to its end, exactly one of which is told. */
export class ClientSession implements LinkOwner {
  /** Resolved when the connection is ready; rejected with a {@link ConnectError} if it ends before that. */
  readonly opened: Promise<Connection>;
  readonly expiresAt = null;
  /** Without the token, which is in the header of the socket and nowhere else (RW17). */
  readonly #attempt: Omit<Attempt, "token">;
  readonly #connection = new Connection(this);
  readonly #socket: ClientSocket;
  readonly #resolve: (connection: Connection) => void;
  readonly #reject: (error: ConnectError) => void;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #startedAt = performance.now();
  /** Null until the socket is open. */
  #link: Link | null = null;
  #client: Client;
  #initializeId = "";
  #since = 0;
  #isReady = false;
  #isStepping = false;
  #isOver = false;
  /** Of the error that ended the attempt. */
  #code: ErrorCode | undefined;
  #status: number | undefined;

  constructor({ token, ...given }: Attempt) {
    this.#attempt = given;
    this.#client = given.client;
    const { promise, resolve, reject } = Promise.withResolvers<Connection>();
    this.opened = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#socket = new ClientSocket(given.url, token, given.tls, {
      opened: (subprotocol) => this.#open(subprotocol),
      frame: (data) => this.#link?.frame(data),
      heard: () => this.#link?.heard(),
      pong: () => this.#link?.pong(),
      lost: (code, status) => this.#lost(code, status),
    });
    // Only now: a constructor that threw leaves no timer.
    this.#timer = setTimeout(() => this.#abandon(ENDING.late), Math.max(given.handshakeMs, 0));
  }

  get client(): Client {
    return this.#client;
  }

  async close(): Promise<void> {
    this.#link?.end(ENDING.done);
    await this.#socket.gone;
  }

  update<T>(step: (client: Client) => Step<T>): Step<T> {
    const link = this.#link;
    if (link === null || link.isEnded) return this.#refuse("disconnected", "the connection has ended");
    if (this.#isStepping) return this.#refuse("conflict", "another step of this connection is running");
    // The core is told the time first, so that the waits of new requests begin now.
    const now = this.now();
    if (now !== null) this.expire(now);
    const made = this.#step(step);
    if (!made.ok) return made;
    const message = messageOf(made);
    const canHand = message === null ? !link.isEnded : link.isOpen && link.hasRoom();
    if (!canHand) return this.#refuse("disconnected", "the connection has ended");
    this.#client = made.client;
    if (message !== null) link.send(message);
    link.settle();
    return made;
  }

  status(): ConnectionStatus {
    const { phase, negotiated, counts, connectionId } = this.#client;
    return {
      state: this.#isOver ? "ended" : "open",
      connection_id: connectionId,
      phase,
      negotiated,
      pending: counts.pending,
      uncertain: counts.uncertain,
      incoming: counts.incoming,
      buffered: counts.buffered,
      queued: this.#link?.queued ?? 0,
      since: this.#since,
    };
  }

  receive(text: string, now: number): Verdict {
    const step = this.#client.receive(text, { now });
    if (!step.ok) {
      this.#code = step.error.code;
      return { ok: false, error: step.error, answers: step.rejection === undefined ? [] : [step.rejection] };
    }
    this.#client = step.client;
    this.#code = undefined;
    if (!this.#isReady && !this.#becomesReady(step.effects)) return { ok: true };
    this.#tell(step.effects);
    return { ok: true };
  }

  deadline(): number | null {
    return this.#isReady ? this.#client.nextDeadline : null;
  }

  expire(now: number): void {
    const step = this.#client.expire(now);
    if (!step.ok) return;
    this.#client = step.client;
    if (step.effects.length > 0) this.#tell(step.effects);
  }

  now(): number | null {
    return timeOf(this.#attempt.clock, () => this.#failed("clock"));
  }

  rejected({ code }: ProtocolError): void {
    this.#attempt.log({ type: "rejected_message", connection_id: this.#client.connectionId, code });
  }

  late(): void {
    this.#attempt.log({ type: "late_response", connection_id: this.#client.connectionId });
  }

  ended({ code, reason }: Ending): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const { connectionId } = this.#client;
    const step = this.#client.disconnect();
    this.#client = step.client;
    this.#attempt.log({ type: "ended", connection_id: connectionId, code, reason });
    if (!this.#isReady) {
      const told = { ...(this.#code && { code: this.#code }), ...(this.#status && { status: this.#status }) };
      this.#reject(new ConnectError(reason, this.#client, told));
      return;
    }
    const effects = step.ok ? step.effects : [];
    const { onEnd } = this.#attempt;
    attempt(
      () => onEnd({ code, reason, client: this.#client, effects }),
      () => undefined,
    );
  }

  #open(subprotocol: string): void {
    if (this.#isOver) return;
    if (subprotocol !== SUBPROTOCOL) {
      this.#abandon(ENDING.refused);
      return;
    }
    const now = this.now();
    if (now === null) return;
    this.#since = now;
    const left = this.#attempt.handshakeMs - (performance.now() - this.#startedAt);
    const link = new Link(this.#socket, this.#attempt.limits, this, left);
    this.#link = link;
    clearTimeout(this.#timer);
    this.#attempt.log({ type: "opened", connection_id: null, principal_id: null });
    const step = this.#attempt.initialize(this.#client, now);
    if (!step.ok) {
      link.end(ENDING.fault);
      return;
    }
    this.#client = step.client;
    this.#initializeId = step.message.id;
    link.send(step.message);
  }

  /** Whether a frame was the answer that makes the connection ready; an error answer ends it. */
  #becomesReady(effects: readonly Effect[]): boolean {
    const refused = effects.find((effect) => effect.type === "error" && effect.id === this.#initializeId);
    if (refused?.type === "error") {
      this.#code = refused.error.code;
      this.#link?.end({ ...ENDING.done, reason: "refused" });
      return false;
    }
    if (this.#client.phase !== "ready") return false;
    this.#isReady = true;
    this.#link?.ready();
    this.#attempt.log({ type: "ready", connection_id: this.#client.connectionId });
    this.#resolve(this.#connection);
    return true;
  }

  #tell(effects: Effect[]): void {
    const { onEffects } = this.#attempt;
    attempt(
      () => onEffects(effects, this.#connection),
      () => this.#failed("onEffects"),
    );
  }

  #step<T>(step: (client: Client) => Step<T>): Step<T> {
    this.#isStepping = true;
    try {
      return step(this.#client);
    } finally {
      this.#isStepping = false;
    }
  }

  #lost(code: number, status: number | undefined): void {
    this.#status = status;
    if (this.#link === null) this.ended({ code, reason: "refused" });
    else this.#link.lost(endingOf(code));
  }

  /** Ends an attempt whose socket is of no use. */
  #abandon(ending: Ending): void {
    this.ended({ ...ending, code: ABRUPT });
    this.#socket.terminate();
  }

  #failed(callback: CallbackName): void {
    const { log } = this.#attempt;
    log({ type: "callback_failed", connection_id: this.#client.connectionId, callback });
    if (this.#link === null) this.#abandon(ENDING.fault);
    else this.#link.end(ENDING.fault);
  }

  #refuse(
    code: "disconnected" | "conflict",
    words: string,
  ): { ok: false; error: ProtocolError; client: Client } {
    return { ok: false, error: new ProtocolError(code, words), client: this.#client };
  }
}

/** What a step of the core wants to be sent: a message is all that it calls `message`. */
function messageOf(step: object): Message | null {
  return "message" in step ? (step.message as Message) : null;
}
