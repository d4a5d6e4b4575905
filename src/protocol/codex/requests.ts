/** Native requests, answered by Codex or from memory (section 3). */

import type { Outcome } from "../connection/answer.ts";
import type { RequestMessage, ResultOf, TextInput, WireErrorObject } from "../message.ts";
import type { Attached } from "./connections.ts";
import { isWhole } from "./connections.ts";
import type { Context } from "./context.ts";
import { eachTurn, TurnWindow } from "./history.ts";
import type { Reply } from "./link.ts";
import type { CodexThread } from "./schema/thread.ts";
import { type Owner, type ThreadRecord, turnOf, view } from "./threads.ts";
import { type Failed, type Purpose, toError } from "./translate/refusal.ts";
import { toThread, toTurn } from "./translate/thread.ts";

export type Reaction = Outcome | { deferred: true };
/** A request that was taken, and who made it. */
interface Asked<R extends RequestMessage> {
  readonly request: R;
  readonly attached: Attached;
}

export class Requests {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  receive(request: RequestMessage, attached: Attached): Reaction {
    switch (request.method) {
      case "thread/start":
        return this.#startThread({ request, attached });
      case "thread/read":
        return this.#readThread({ request, attached });
      case "thread/resume":
        return this.#resumeThread({ request, attached });
      case "turn/start":
        return this.#inLoaded({ request, attached }, (thread) =>
          this.#startTurn(thread, { request, attached }),
        );
      case "turn/steer":
        return this.#inLoaded({ request, attached }, (thread) => this.#steer(thread, { request, attached }));
      case "turn/interrupt":
        return this.#inLoaded({ request, attached }, (thread) =>
          this.#interrupt(thread, { request, attached }),
        );
      case "stream/resume":
        return this.#resumeStream({ request, attached });
      case "request/cancel":
        return cancel(request, attached);
      case "connection/initialize":
      case "project/event.receive":
      case "project/event.status":
      case "project/event.report":
      case "approval/request":
        return refuse("unavailable", "this host does not do that");
    }
  }

  #startThread(asked: Asked<RequestMessage<"thread/start">>): Reaction {
    const { params } = asked.request;
    if (params.title !== undefined) return refuse("unavailable", "Codex gives threads their titles itself");
    const opened = this.#context.threads.expect();
    if (opened === null) return tooManyThreads();
    const { model, modelProvider } = this.#context.config;
    const call = {
      ...this.#settings(),
      ...(model !== undefined && { model }),
      ...(modelProvider !== undefined && { modelProvider }),
      ...(params.instructions !== undefined && { developerInstructions: params.instructions }),
      ...(params.ephemeral !== undefined && { ephemeral: params.ephemeral }),
    };
    return this.#defer(asked, "mutation", (done) => {
      this.#context.link.call("thread/start", call, (reply) => {
        opened();
        if (!reply.ok) return done(reply);
        done({ ok: true, result: this.#opened(reply.result.thread, asked) });
      });
    });
  }

  #readThread(asked: Asked<RequestMessage<"thread/read">>): Reaction {
    const { thread_id, include_turns = false } = asked.request.params;
    const { link } = this.#context;
    return this.#defer(asked, "read", (done) => {
      link.call("thread/read", { threadId: thread_id, includeTurns: false }, (reply) => {
        if (!reply.ok) return done(reply);
        const { thread: codexThread } = reply.result;
        if (codexThread.id !== thread_id) return done(malformed());
        this.#learn(codexThread);
        if (!include_turns) return done({ ok: true, result: this.#snapshot(codexThread, asked) });
        if (codexThread.ephemeral) return done(noStoredTurns());
        this.#readTurns(thread_id, (failed, turns) => {
          // Thread, turns and head are all of the moment of the last page (R48).
          done(
            failed
              ? { ok: false, failed }
              : { ok: true, result: { ...this.#snapshot(codexThread, asked), ...turns } },
          );
        });
      });
    });
  }

  #readTurns(
    threadId: string,
    done: (failed: Failed | null, turns: ReturnType<TurnWindow["result"]>) => void,
  ): void {
    const window = new TurnWindow(threadId);
    const learn = this.#context.threads.get(threadId);
    eachTurn(
      this.#context.link,
      threadId,
      (turn) => {
        window.add(turn);
        // So that an interrupt of a turn that ended long ago is known to be one (RC21).
        // One that runs by our own record ends with its event.
        if (learn !== null && turn.status !== "inProgress" && turn.id !== learn.running)
          turnOf(learn, turn.id, null).ended ??= turn.status;
        return true;
      },
      (failed) => done(failed, window.result()),
    );
  }

  #resumeThread(asked: Asked<RequestMessage<"thread/resume">>): Reaction {
    const { thread_id } = asked.request.params;
    const { link, threads } = this.#context;
    const known = threads.get(thread_id);
    if (known?.isLoaded) return { result: this.#attached(known, asked.attached) };
    const opened = known === null ? threads.expect() : () => undefined;
    if (opened === null) return tooManyThreads();
    // What Codex tells of the thread before it answers belongs to this request.
    if (known !== null) known.correlationId = asked.request.correlation_id;
    const call = { threadId: thread_id, excludeTurns: true, ...this.#settings() } as const;
    return this.#defer(asked, "mutation", (done) => {
      link.call("thread/resume", call, (reply) => {
        opened();
        if (!reply.ok) return done(reply);
        const { thread } = reply.result;
        done(thread.id === thread_id ? { ok: true, result: this.#opened(thread, asked) } : malformed());
      });
    });
  }

  #startTurn(thread: ThreadRecord, asked: Asked<RequestMessage<"turn/start">>): Reaction {
    const { request, attached } = asked;
    if (thread.starting !== null || thread.running !== null) {
      return refuse("invalid_state", "a turn is running or starting");
    }
    const owner: Owner = {
      state: attached.state,
      correlationId: request.correlation_id,
      commandId: request.command_id,
    };
    const starting = { owner, isOverdue: false };
    thread.starting = starting;
    const threadId = thread.facts.thread_id;
    const call = { threadId, input: toInput(request.params.input), clientUserMessageId: request.command_id };
    return this.#defer(asked, "mutation", (done) => {
      this.#context.link.call("turn/start", call, (reply) => {
        const isSilent = !reply.ok && reply.failed.kind === "timeout";
        if (isSilent && !hasTurnOf(thread, owner)) starting.isOverdue = true;
        else if (thread.starting === starting) thread.starting = null;
        if (!reply.ok) return done(reply);
        const turn = turnOf(thread, reply.result.turn.id, owner);
        if (turn.ended === null) thread.running = turn.id;
        done({ ok: true, result: { turn: toTurn(threadId, reply.result.turn, request.command_id) } });
      });
    });
  }

  #steer(thread: ThreadRecord, asked: Asked<RequestMessage<"turn/steer">>): Reaction {
    const { request } = asked;
    const { thread_id, turn_id, input } = request.params;
    if (thread.running !== turn_id) return refuse("invalid_state", "that turn is not running");
    const call = {
      threadId: thread_id,
      expectedTurnId: turn_id,
      input: toInput(input),
      clientUserMessageId: request.command_id,
    };
    return this.#defer(asked, "mutation", (done) => {
      this.#context.link.call("turn/steer", call, (reply) => {
        if (!reply.ok) return done(reply);
        done(reply.result.turnId === turn_id ? { ok: true, result: { thread_id, turn_id } } : malformed());
      });
    });
  }

  /** RC21: the end of the turn answers as well, and then Codex's own answer means nothing any more. */
  #interrupt(thread: ThreadRecord, asked: Asked<RequestMessage<"turn/interrupt">>): Reaction {
    const { thread_id, turn_id } = asked.request.params;
    const turn = thread.turns.get(turn_id);
    if (turn === undefined) return refuse("not_found", "no such turn");
    const result = (status: ResultOf<"turn/interrupt">["status"]) => ({ thread_id, turn_id, status });
    if (turn.ended !== null) return { result: result("already_finished") };
    return this.#defer(asked, "mutation", (done) => {
      const settle = (ended: "completed" | "interrupted" | "failed") => {
        letGo();
        turn.interrupts.delete(settle);
        done({ ok: true, result: result(ended === "interrupted" ? "interrupted" : "already_finished") });
      };
      turn.interrupts.add(settle);
      const letGo = this.#context.link.call(
        "turn/interrupt",
        { threadId: thread_id, turnId: turn_id },
        (reply) => {
          turn.interrupts.delete(settle);
          done(reply.ok ? { ok: true, result: result("requested") } : reply);
        },
      );
    });
  }

  #resumeStream({ request, attached }: Asked<RequestMessage<"stream/resume">>): Reaction {
    const { stream_id, cursor } = request.params;
    const thread = this.#context.threads.byStream(stream_id);
    if (thread === null || thread.log === null) return refuse("not_found", "no such stream");
    if (!isWhole(attached.connection.server.negotiated)) {
      return refuse("unsupported_capability", "a stream needs sessions.v1 as well as streaming.v1");
    }
    const page = thread.log.since(cursor);
    if (!page.ok) return refuse("replay_gap", "the cursor is outside what is kept");
    if (page.result.cursor === thread.log.head) this.#context.threads.attach(thread, attached);
    return { result: { ...page.result } };
  }

  /**
   * Runs `act` in a thread that this process can run turns in. A thread that is not known here may still be stored:
   * Codex is asked, which changes nothing (RC22).
   */
  #inLoaded(
    asked: Asked<RequestMessage<"turn/start" | "turn/steer" | "turn/interrupt">>,
    act: (thread: ThreadRecord) => Reaction,
  ): Reaction {
    const { thread_id } = asked.request.params;
    const { threads, link } = this.#context;
    const known = threads.get(thread_id);
    if (known?.isLoaded) return act(known);
    if (known !== null) return notLoaded();
    return this.#defer(asked, "read", (done) => {
      link.call("thread/read", { threadId: thread_id, includeTurns: false }, (reply) => {
        if (!reply.ok)
          return done(reply.failed.kind === "timeout" ? { ok: false, failed: { kind: "lost" } } : reply);
        this.#learn(reply.result.thread);
        done(notLoaded());
      });
    });
  }

  #settings() {
    const { workingDirectory, sandbox, approvalPolicy } = this.#context.config;
    return { cwd: workingDirectory, sandbox, approvalPolicy };
  }

  /** A thread that was started or resumed for this connection. */
  #opened(codexThread: CodexThread, { request, attached }: Asked<RequestMessage>) {
    const { threads } = this.#context;
    const origin = { isLoaded: true, correlationId: request.correlation_id };
    return this.#attached(threads.remember(toThread(codexThread), origin), attached);
  }

  /** The thread and its head; later events go to the connection (R87). */
  #attached(thread: ThreadRecord, attached: Attached) {
    const { threads } = this.#context;
    threads.attach(thread, attached);
    return { thread: view(thread), ...threads.headFor(thread, attached) };
  }

  /** What a read of a thread says of it, where there is room to remember it. */
  #learn(codexThread: CodexThread): ThreadRecord | null {
    const { threads, generation } = this.#context;
    const known = threads.get(codexThread.id);
    if (known === null && !threads.makeRoom()) return null;
    const origin = { isLoaded: false, correlationId: `codex-${generation}` };
    return threads.remember(toThread(codexThread), origin);
  }

  /** What a read answers. A thread that no process runs has no events, so nobody attaches to it. */
  #snapshot(codexThread: CodexThread, { attached }: Asked<RequestMessage>) {
    const thread = this.#context.threads.get(codexThread.id);
    if (thread === null) return { thread: view({ facts: toThread(codexThread), active: null }) };
    return thread.isLoaded ? this.#attached(thread, attached) : { thread: view(thread) };
  }

  /** Answers later, with what `act` hands over. `purpose`: what a missing answer of Codex means. */
  #defer(
    { request, attached }: Asked<RequestMessage>,
    purpose: Purpose,
    act: (done: (end: Done) => void) => void,
  ): Reaction {
    const { connections } = this.#context;
    attached.deferred.add(request.id);
    // Codex may answer within the call, before the server knows that the request is deferred: the queue sees to that.
    act((end) => connections.complete(attached, request.id, outcomeOf(end, purpose)));
    return { deferred: true };
  }
}

/** A result, a failure of Codex, or an error of our own. */
type Done =
  | { ok: true; result: ResultOf<RequestMessage["method"]> }
  | { ok: false; failed: Failed }
  | { error: WireErrorObject };

function outcomeOf(end: Done, purpose: Purpose): Outcome {
  if ("error" in end) return end;
  return end.ok ? { result: { ...end.result } } : { error: toError(end.failed, purpose) };
}

function refuse(code: WireErrorObject["code"], message: string): { error: WireErrorObject } {
  return { error: { code, message } };
}

const notLoaded = () => refuse("invalid_state", "the thread is not loaded: resume it first");
const noStoredTurns = () => refuse("unavailable", "an ephemeral thread has no stored turns");
const tooManyThreads = () => refuse("overflow", "too many threads are loaded");
const malformed = (): Reply<never> => ({ ok: false, failed: { kind: "malformed" } });

/** Whether the turn of a start that was not answered has come all the same. */
function hasTurnOf({ turns }: ThreadRecord, owner: Owner): boolean {
  return turns.values().some((turn) => turn.owner === owner);
}

/** RC14. */
function toInput(input: readonly TextInput[]) {
  return input.map(({ text }) => ({ type: "text" as const, text, text_elements: [] as [] }));
}

/** Says whether the target still waits; nothing is sent to Codex (R53). */
function cancel({ params }: RequestMessage<"request/cancel">, { deferred }: Attached): Outcome {
  const { request_id } = params;
  return { result: { request_id, status: deferred.has(request_id) ? "requested" : "already_finished" } };
}
