/** Project events at the fake agent: one inbox in memory for all connections (RW38). It manages nothing (R47). */

import { Event, type Outcome, type ProjectEvent, type RequestMessage } from "../index.ts";
import { canonicalText } from "../json/canonical.ts";
import { EVENTS_MAX } from "./fake-agent-limits.ts";
import type { Mint } from "./fake-agent-mint.ts";
import type { Work } from "./fake-agent-work.ts";

interface Entry {
  readonly event: ProjectEvent;
  /** By report id: the parameters as canonical text. */
  readonly reports: Map<string, string>;
  status: "pending" | "completed";
  deliveries: number;
  updatedAt: string;
  reportId: string | null;
}

export class Inbox {
  readonly #entries = new Map<string, Entry>();
  readonly #mint: Mint;
  readonly #work: Work;

  constructor(mint: Mint, work: Work) {
    this.#mint = mint;
    this.#work = work;
  }

  get size(): number {
    return this.#entries.size;
  }

  receive({ params: { event } }: RequestMessage<"project/event.receive">): Outcome {
    const known = this.#entries.get(event.event_id);
    if (known !== undefined && !Event.sameOriginal(known.event, event)) {
      return refuse("conflict", "another event has this id");
    }
    if (known === undefined && this.#entries.size >= EVENTS_MAX)
      return refuse("overflow", "the inbox is full");
    if (known === undefined) this.#add(event);
    else this.#touch(known, { deliveries: known.deliveries + 1 });
    const { event_id, delivery_attempt_id } = event;
    const deduplicated = known !== undefined;
    return { result: { event_id, delivery_attempt_id, acceptance: "received", deduplicated } };
  }

  status({ params: { event_id } }: RequestMessage<"project/event.status">): Outcome {
    const entry = this.#entries.get(event_id);
    if (entry === undefined) return refuse("not_found", "no such event");
    return {
      result: {
        event_id,
        acceptance: "received",
        processing_status: entry.status,
        deliveries: entry.deliveries,
        updated_at: entry.updatedAt,
        ...(entry.reportId !== null && { report_id: entry.reportId }),
      },
    };
  }

  report({ params }: RequestMessage<"project/event.report">): Outcome {
    const { event_id, report_id, management_request } = params;
    const entry = this.#entries.get(event_id);
    if (entry === undefined) return refuse("not_found", "no such event");
    const text = canonicalText(params);
    const known = entry.reports.get(report_id);
    if (known !== undefined && known !== text) return refuse("conflict", "another report has this id");
    if (known === undefined && entry.reports.size >= EVENTS_MAX)
      return refuse("overflow", "too many reports");
    entry.reports.set(report_id, text);
    this.#touch(entry, { reportId: report_id });
    const management =
      management_request === undefined
        ? { management_acceptance: "not_requested" }
        : { management_acceptance: "rejected", reason: "no management authority" };
    return { result: { event_id, report_id, report_status: "recorded", ...management } };
  }

  #add(event: ProjectEvent): void {
    const entry: Entry = {
      event,
      reports: new Map(),
      status: "pending",
      deliveries: 1,
      updatedAt: this.#mint.time(),
      reportId: null,
    };
    this.#entries.set(event.event_id, entry);
    this.#work.add(() => {
      this.#touch(entry, { status: "completed" });
      return "finished";
    });
  }

  #touch(entry: Entry, change: Partial<Entry>): void {
    Object.assign(entry, change, { updatedAt: this.#mint.time() });
  }
}

export function refuse(code: ErrorOf["code"], message: string): Outcome {
  return { error: { code, message } };
}

type ErrorOf = Extract<Outcome, { error: unknown }>["error"];
