/** Events and what became of them, in memory, for all connections of a bridge (R116, R118, R123). */
import { Codec, Event, type ParamsOf, type ProjectEvent, type ResultOf } from "../protocol/index.ts";
import { type Clock, timeOf } from "./alarm.ts";
import { REPORTS_PER_EVENT_MAX } from "./limits.ts";
import { type Verdict, verdictDigits } from "./verdict.ts";

type Report = ParamsOf<"project/event.report">;
type StatusResult = ResultOf<"project/event.status">;

/** An event that was received. Only the inbox changes it. */
export class InboxEntry {
  deliveries = 1;
  status: StatusResult["processing_status"] = "pending";
  verdict: Verdict | null = null;
  /** The newest report recorded (R44). */
  reportId: string | null = null;
  /** Digests of the reports by their ids. */
  readonly reports = new Map<string, string>();
  updatedAtMs: number;

  constructor(
    readonly event: ProjectEvent,
    nowMs: number,
  ) {
    this.updatedAtMs = nowMs;
  }
}

export class Inbox {
  readonly #eventsMax: number;
  readonly #clock: Clock;
  readonly #entries = new Map<string, InboxEntry>();
  /** Ids of events that are finished, in the order in which they were. */
  readonly #finished = new Set<string>();
  #lastMs = 0;

  constructor(eventsMax: number, clock: Clock) {
    this.#eventsMax = eventsMax;
    this.#clock = clock;
  }

  find(eventId: string): InboxEntry | null {
    return this.#entries.get(eventId) ?? null;
  }

  /** Counts another delivery of a known event. False if it is another event under the same id (R28). */
  deliverAgain(entry: InboxEntry, event: ProjectEvent): boolean {
    if (!Event.sameOriginal(entry.event, event)) return false;
    entry.deliveries++;
    this.#touch(entry);
    return true;
  }

  /** Takes a new event. The one that was finished first makes room; null if there is none. */
  take(event: ProjectEvent): InboxEntry | null {
    if (this.#entries.size >= this.#eventsMax) {
      const [oldest] = this.#finished;
      if (oldest === undefined) return null;
      this.#finished.delete(oldest);
      this.#entries.delete(oldest);
    }
    const entry = new InboxEntry(event, this.#now());
    this.#entries.set(event.event_id, entry);
    return entry;
  }

  begin(entry: InboxEntry): void {
    entry.status = "in_progress";
    this.#touch(entry);
  }

  /** Sets the verdict and records it as a report of the bridge's own. */
  finish(entry: InboxEntry, verdict: Verdict): Report {
    const { event_id } = entry.event;
    const report = { event_id, report_id: `verify-${verdictDigits(entry.event, verdict)}`, ...verdict };
    entry.verdict = verdict;
    entry.status = verdict.outcome;
    entry.reportId = report.report_id;
    entry.reports.set(report.report_id, Codec.digest(report));
    this.#finished.add(event_id);
    this.#touch(entry);
    return report;
  }

  /** Records what somebody else reports about an event. It moves nothing (R47). */
  record(entry: InboxEntry, report: Report): "recorded" | "conflict" | "overflow" {
    const digest = Codec.digest(report);
    const known = entry.reports.get(report.report_id);
    if (known !== undefined) return known === digest ? "recorded" : "conflict";
    if (entry.reports.size >= REPORTS_PER_EVENT_MAX) return "overflow";
    entry.reports.set(report.report_id, digest);
    entry.reportId = report.report_id;
    this.#touch(entry);
    return "recorded";
  }

  status({ event, deliveries, status, verdict, reportId, updatedAtMs }: InboxEntry): StatusResult {
    return {
      event_id: event.event_id,
      acceptance: "received",
      processing_status: status,
      deliveries,
      updated_at: new Date(updatedAtMs).toISOString(),
      ...(reportId !== null && { report_id: reportId }),
      ...(verdict !== null && {
        summary: verdict.decision.summary,
        details: { decision: { ...verdict.decision } },
      }),
    };
  }

  #touch(entry: InboxEntry): void {
    entry.updatedAtMs = this.#now();
  }

  /** A clock that fails stands still: no verdict is lost because of it. */
  #now(): number {
    this.#lastMs = timeOf(this.#clock) ?? this.#lastMs;
    return this.#lastMs;
  }
}
