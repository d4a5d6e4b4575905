/**
 * Sends verdicts as reports to another host, through a client that somebody else connects (R123). Nothing is sent twice:
 * where it is unknown whether a report arrived, the host is asked for it.
 */
import type { Client, Effect, ErrorCode, ParamsOf, ProjectEvent, Step } from "../protocol/index.ts";
import type { Clock } from "./alarm.ts";
import { OUTGOING_REPORTS_MAX } from "./limits.ts";

type Report = ParamsOf<"project/event.report">;

/** A connection to the reporting host, as far as it is needed: `update` applies a step and sends its message. */
export interface ReportLink {
  readonly client: Client;
  update<T>(step: (client: Client) => Step<T>): Step<T>;
}

export type ReportState =
  /** Not sent: no connection was ready, or no room among the client's requests. */
  | "waiting"
  | "sent"
  | "recorded"
  /** Refused by the host or by the client, which says that nothing was done. */
  | "refused"
  /** Unknown to both sides so far. The client holds the command until the host shows this or no report. */
  | "uncertain"
  /** The host showed that it has no report about the event. */
  | "not_recorded";

export interface ReportStatus {
  readonly eventId: string;
  readonly reportId: string;
  readonly commandId: string;
  readonly state: ReportState;
}

export interface ReporterOptions {
  /** Milliseconds since the epoch, for the deadlines of requests. */
  readonly clock?: Clock;
}

interface Outgoing {
  readonly event: ProjectEvent;
  readonly report: Report;
  readonly commandId: string;
  state: ReportState;
  /** Whether it is to be sent, or the host to be asked for it. */
  isDue: boolean;
}

/** A request that waits for its answer. */
interface Pending {
  readonly outgoing: Outgoing;
  readonly purpose: "report" | "query";
}

export class Reporter {
  readonly #clock: Clock;
  /** By command id, in the order of the verdicts. */
  readonly #outgoing = new Map<string, Outgoing>();
  /** By request id. */
  readonly #pending = new Map<string, Pending>();
  #link: ReportLink | null = null;
  /** An update may bring effects of other requests, and with them a call of `handle`, while the list is gone through. */
  #isProceeding = false;
  #isChanged = false;

  constructor({ clock = Date.now }: ReporterOptions = {}) {
    this.#clock = clock;
  }

  /** What became of each report that is remembered. */
  get reports(): readonly ReportStatus[] {
    return [...this.#outgoing.values()].map(({ report, commandId, state }) => {
      return { eventId: report.event_id, reportId: report.report_id, commandId, state };
    });
  }

  /**
   * Uses a ready connection from now on. After a reconnect it must be one that continues the client of the one before,
   * since that client holds what is uncertain. Sends what waits and asks after what is uncertain.
   */
  attach(link: ReportLink): void {
    this.#link = link;
    for (const outgoing of this.#outgoing.values()) outgoing.isDue ||= outgoing.state === "uncertain";
    this.#proceed();
  }

  /** To be called with every effect of the connection, also with those of its end. Effects of other requests are left alone. */
  readonly handle = (effects: readonly Effect[], at: { readonly client: Client }): void => {
    for (const effect of effects) this.#settle(effect, at.client);
    this.#proceed();
  };

  /** Takes a report. False if there is no room for it because too many others are not settled yet. */
  send(event: ProjectEvent, report: Report): boolean {
    // The id of the report of the same verdict, under the name of a command.
    const commandId = report.report_id.replace(/^verify-/, "report-");
    if (this.#outgoing.has(commandId)) return true;
    if (!this.#makeRoom()) return false;
    this.#outgoing.set(commandId, { event, report, commandId, state: "waiting", isDue: true });
    this.#proceed();
    return true;
  }

  #makeRoom(): boolean {
    if (this.#outgoing.size < OUTGOING_REPORTS_MAX) return true;
    for (const { commandId, state } of this.#outgoing.values()) {
      if (state === "waiting" || state === "sent" || state === "uncertain") continue;
      this.#outgoing.delete(commandId);
      return true;
    }
    return false;
  }

  /** Sends and asks what is due, until nothing more can be sent at the moment. */
  #proceed(): void {
    this.#isChanged = true;
    if (this.#isProceeding) return;
    this.#isProceeding = true;
    try {
      while (this.#isChanged) {
        this.#isChanged = false;
        this.#proceedOnce();
      }
    } finally {
      this.#isProceeding = false;
    }
  }

  #proceedOnce(): void {
    for (const outgoing of this.#outgoing.values()) {
      if (!outgoing.isDue) continue;
      const canGoOn = outgoing.state === "waiting" ? this.#send(outgoing) : this.#query(outgoing);
      if (!canGoOn) return;
    }
  }

  /** False if it has to wait. */
  #send(outgoing: Outgoing): boolean {
    const { event, report, commandId } = outgoing;
    const { correlation_id, project_ref, task_ref } = event;
    const options = {
      now: this.#clock(),
      correlationId: correlation_id,
      commandId,
      projectRef: project_ref,
      ...(task_ref !== undefined && { taskRef: task_ref }),
    };
    const step = this.#link?.update((client) => client.request("project/event.report", report, options));
    if (step === undefined || (!step.ok && isTemporary(step.error.code))) return false;
    outgoing.isDue = false;
    outgoing.state = step.ok ? "sent" : "refused";
    if (step.ok) this.#pending.set(step.message.id, { outgoing, purpose: "report" });
    return true;
  }

  /** False if it has to wait. */
  #query(outgoing: Outgoing): boolean {
    const { event_id } = outgoing.report;
    const options = { now: this.#clock() };
    const step = this.#link?.update((client) =>
      client.request("project/event.status", { event_id }, options),
    );
    if (!step?.ok) return false;
    outgoing.isDue = false;
    this.#pending.set(step.message.id, { outgoing, purpose: "query" });
    return true;
  }

  #settle(effect: Effect, client: Client): void {
    if (effect.type !== "response" && effect.type !== "error") return;
    const pending = this.#pending.get(effect.id);
    if (pending === undefined) return;
    this.#pending.delete(effect.id);
    const { outgoing, purpose } = pending;
    if (purpose === "report") this.#settleReport(outgoing, effect.type === "response", client);
    else if (effect.type === "response") this.#settleQuery(outgoing, effect.result["report_id"]);
  }

  #settleReport(outgoing: Outgoing, isRecorded: boolean, client: Client): void {
    if (isRecorded) outgoing.state = "recorded";
    else if (!client.uncertain.has(outgoing.commandId)) outgoing.state = "refused";
    else {
      outgoing.state = "uncertain";
      outgoing.isDue = true;
    }
  }

  /** Only this report or none is evidence. The newest report being another says nothing about this one. */
  #settleQuery(outgoing: Outgoing, shown: unknown): void {
    const { report, commandId } = outgoing;
    if (shown !== undefined && shown !== report.report_id) return;
    const isApplied = shown !== undefined;
    const evidence = isApplied ? "the host shows the report" : "the host shows no report about the event";
    const outcome = isApplied ? "applied" : "not_applied";
    const step = this.#link?.update((client) =>
      client.resolveUncertain(commandId, { outcome, source: "host_query", evidence }),
    );
    // Where the client does not hold it any more, somebody else has resolved it.
    if (!step?.ok && step?.error.code !== "unknown_request") return;
    outgoing.state = isApplied ? "recorded" : "not_recorded";
  }
}

/** Refusals that say nothing about the report, only about the connection or the step that another one interrupts. */
function isTemporary(code: ErrorCode): boolean {
  return code === "disconnected" || code === "not_initialized" || code === "overflow" || code === "conflict";
}
