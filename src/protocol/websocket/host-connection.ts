/** The listener's end of one authenticated connection (RW13, RW14). */

import type { ServerWebSocket } from "bun";
import { type Handler, type Message, ProtocolError, Server, type ServerStep } from "../index.ts";
import type { Principal } from "./authenticate.ts";
import { ENDING, type Ending, endingOf } from "./ending.ts";
import type { TransportLimits } from "./limits.ts";
import { Link, type LinkOwner, type Sent, type Socket, type Verdict } from "./link.ts";
import { Redacted } from "./redacted.ts";
import type { ConnectionStatus } from "./status.ts";
import { attempt, type CallbackName, isThenable, type Log } from "./transport-event.ts";
import { timeOf } from "./clock.ts";

/** What the connections of one listener share. */
export interface Host<S> {
  readonly handler: Handler<S>;
  readonly initialState: (principal: Principal) => S;
  readonly onConnection: ((connection: HostConnection<S>) => void) | undefined;
  readonly limits: Readonly<TransportLimits>;
  readonly clock: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** What a connection tells its listener. */
export interface Admission {
  readonly principal: Principal;
  ready(): void;
  ended(): void;
}

/** A connection as the host's owner holds it. */
export class HostConnection<S> extends Redacted<ConnectionStatus> {
  readonly #session: HostSession<S>;

  /** @internal Made by the listener. */
  constructor(session: HostSession<S>) {
    super();
    this.#session = session;
  }

  get principal(): Principal {
    return this.#session.principal;
  }

  get connectionId(): string {
    return this.#session.connectionId;
  }

  /** The current value. */
  get server(): Server<S> {
    return this.#session.server;
  }

  /**
   * Applies a step and sends its messages: to complete deferred requests, to notify, to ask for approvals. After the end
   * the step is not made, and the error is `disconnected`; inside a callback of the same connection it is `conflict`.
   */
  update<T>(step: (server: Server<S>) => ServerStep<S, T>): ServerStep<S, T> {
    return this.#session.update(step);
  }

  override status(): ConnectionStatus {
    return this.#session.status();
  }

  /** Ends the connection with 1000; resolved as soon as nothing of it is left here. */
  async close(): Promise<void> {
    this.#session.end(ENDING.done);
  }
}

/** A connection as its listener holds it. */
export class HostSession<S> implements LinkOwner {
  readonly principal: Principal;
  readonly connectionId: string;
  readonly expiresAt: number | null;
  readonly #host: Host<S>;
  readonly #admission: Admission;
  readonly #link: Link;
  readonly #since: number;
  #server: Server<S>;
  /** A step of the core runs; its callbacks must not begin another one, which would be lost. */
  #isStepping = false;
  #isReady = false;

  private constructor(host: Host<S>, admission: Admission, opened: Opened<S>, socket: Socket) {
    this.#host = host;
    this.#admission = admission;
    this.principal = admission.principal;
    this.connectionId = opened.connectionId;
    this.expiresAt = admission.principal.expiresAt ?? null;
    this.#since = opened.now;
    this.#server = opened.server;
    this.#link = new Link(socket, host.limits, this);
  }

  /** Null where code of the owner failed: the socket was closed, and nothing began. */
  static open<S>(host: Host<S>, admission: Admission, socket: Socket): HostSession<S> | null {
    const opened = open(host, admission.principal);
    if (opened === null) {
      const { code, reason } = ENDING.fault;
      host.log({ type: "ended", connection_id: null, code, reason });
      admission.ended();
      socket.close(code, reason);
      return null;
    }
    const session = new HostSession(host, admission, opened, socket);
    session.#begin();
    return session;
  }

  get server(): Server<S> {
    return this.#server;
  }

  get isEnded(): boolean {
    return this.#link.isEnded;
  }

  frame(data: unknown): void {
    this.#link.frame(data);
  }

  heard(): void {
    this.#link.heard();
  }

  pong(): void {
    this.#link.pong();
  }

  drained(): void {
    this.#link.drained();
  }

  lost(code: number): void {
    this.#link.lost(endingOf(code));
  }

  end(ending: Ending): void {
    this.#link.end(ending);
  }

  update<T>(step: (server: Server<S>) => ServerStep<S, T>): ServerStep<S, T> {
    if (!this.#link.isOpen) return this.#refuse("disconnected", "the connection has ended");
    if (this.#isStepping) return this.#refuse("conflict", "another step of this connection is running");
    // The core is told the time first, so that the waits of new requests begin now.
    const now = this.now();
    if (now !== null) this.expire(now);
    if (!this.#link.isOpen) return this.#refuse("disconnected", "the connection has ended");
    const made = this.#step(step, false);
    if (!this.#link.isOpen) return this.#refuse("disconnected", "the connection has ended");
    this.#apply(made);
    this.#link.settle();
    return made;
  }

  status(): ConnectionStatus {
    const { phase, negotiated, counts } = this.#server;
    return {
      state: this.#link.isEnded ? "ended" : "open",
      connection_id: this.connectionId,
      phase,
      negotiated,
      pending: counts.pending,
      uncertain: counts.uncertain,
      incoming: counts.deferred,
      buffered: 0,
      queued: this.#link.queued,
      since: this.#since,
    };
  }

  receive(text: string, now: number): Verdict {
    const step = this.#step((server) => server.receive(text, { now }), true);
    if (!step.ok) {
      this.#fault(step);
      return { ok: false, error: step.error, answers: step.messages };
    }
    this.#apply(step);
    return { ok: true };
  }

  deadline(): number | null {
    return this.#server.nextDeadline;
  }

  expire(now: number): void {
    this.#apply(this.#step((server) => server.expire(now), true));
  }

  now(): number | null {
    return timeOf(this.#host.clock, () => this.#failed("clock"));
  }

  rejected({ code }: ProtocolError): void {
    this.#host.log({ type: "rejected_message", connection_id: this.connectionId, code });
  }

  late(): void {
    this.#host.log({ type: "late_response", connection_id: this.connectionId });
  }

  ended({ code, reason }: Ending): void {
    // What a callback of a step ends is closed behind that step: what was before it would be told its outcomes twice.
    if (!this.#isStepping) this.#close(this.#server);
    this.#host.log({ type: "ended", connection_id: this.connectionId, code, reason });
    this.#admission.ended();
  }

  #begin(): void {
    const { onConnection, log } = this.#host;
    log({ type: "opened", connection_id: this.connectionId, principal_id: this.principal.id });
    this.#link.settle();
    if (onConnection === undefined) return;
    attempt(
      () => onConnection(new HostConnection(this)),
      () => this.#failed("onConnection"),
    );
  }

  /** `isFinal` says that a step counts even where the connection ended in it, as one whose callbacks ran does. */
  #step<T>(step: (server: Server<S>) => ServerStep<S, T>, isFinal: boolean): ServerStep<S, T> {
    let last = this.#server;
    this.#isStepping = true;
    try {
      const made = step(last);
      if (isFinal) last = made.server;
      return made;
    } finally {
      this.#isStepping = false;
      if (this.#link.isEnded) this.#close(last);
    }
  }

  /** Once for each connection; a server that is closed does nothing any more. */
  #close(server: Server<S>): void {
    const step = server.close();
    this.#server = step.server;
    this.#fault(step);
  }

  #apply(step: ServerStep<S>): void {
    this.#fault(step);
    // A callback may have ended the connection: the server is closed, and this step came too late.
    if (this.#link.isEnded) return;
    this.#server = step.server;
    for (const message of step.messages) this.#link.send(message);
    if (this.#isReady || this.#server.phase !== "ready") return;
    this.#isReady = true;
    this.#link.ready();
    this.#admission.ready();
    this.#host.log({ type: "ready", connection_id: this.connectionId });
  }

  /** R99: what a callback of the handler threw is not looked at. */
  #fault(step: ServerStep<S>): void {
    if ("fault" in step) this.#log("handler");
  }

  #failed(callback: CallbackName): void {
    this.#log(callback);
    this.#link.end(ENDING.fault);
  }

  #log(callback: CallbackName): void {
    this.#host.log({ type: "callback_failed", connection_id: this.connectionId, callback });
  }

  #refuse(
    code: "disconnected" | "conflict",
    words: string,
  ): { ok: false; error: ProtocolError; server: Server<S>; messages: Message[] } {
    return { ok: false, error: new ProtocolError(code, words), server: this.#server, messages: [] };
  }
}

interface Opened<S> {
  readonly server: Server<S>;
  readonly connectionId: string;
  readonly now: number;
}

/** The owner's part of a new connection; null where it failed, which was logged. */
function open<S>(host: Host<S>, principal: Principal): Opened<S> | null {
  const failed = (callback: CallbackName) =>
    host.log({ type: "callback_failed", connection_id: null, callback });
  const now = timeOf(host.clock, () => failed("clock"));
  if (now === null) return null;
  const id = attempt(host.newId, () => failed("newId"));
  if (!id.ok) return null;
  const state = attempt(
    () => present(host.initialState(principal)),
    () => failed("initialState"),
  );
  if (!state.ok) return null;
  const { messageBytes } = host.limits;
  const created = Server.create(host.handler, state.value, {
    connectionId: id.value,
    limits: { messageBytes },
  });
  if (created.ok) return { server: created.server, connectionId: id.value, now };
  failed("newId");
  return null;
}

/** A state that is not there yet is none. */
function present<S>(state: S): S {
  if (!isThenable(state)) return state;
  Promise.resolve(state).catch(() => undefined);
  throw new TypeError("a promise is no state");
}

/** The runtime's socket, which bounds what it buffers and says so (RW27). */
export function hostSocket(socket: ServerWebSocket<unknown>): Socket {
  const isOpen = () => socket.readyState === WebSocket.OPEN;
  return {
    isOpen,
    send(text): Sent {
      const status = socket.send(text);
      if (status > 0) return "sent";
      return status === -1 ? "congested" : "dropped";
    },
    backlog: () => 0,
    ping: () => void socket.ping(),
    close: (code, reason) => socket.close(code, reason),
    terminate: () => socket.terminate(),
  };
}
