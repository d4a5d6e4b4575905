/** Jobs that wait: one lane a project, in order of receipt (R119). */
import type { InboxEntry } from "./inbox.ts";
import type { Order } from "./payload.ts";

export interface Job {
  readonly entry: InboxEntry;
  readonly order: Order;
}

interface Lane {
  readonly waiting: Set<Job>;
  /** The one `source.changed` among the waiting jobs: a newer one would have ended it. */
  change: Job | null;
  isBusy: boolean;
}

export class JobQueue {
  /** By `project_ref`; only projects with work. */
  readonly #lanes = new Map<string, Lane>();

  /** Adds a job and returns the waiting one that it ends. */
  add(job: Job): Job | null {
    const { project_ref, event_type } = job.order.event;
    const lane = this.#lanes.get(project_ref) ?? { waiting: new Set(), change: null, isBusy: false };
    this.#lanes.set(project_ref, lane);
    lane.waiting.add(job);
    if (event_type !== "source.changed") return null;
    const older = lane.change;
    if (older !== null) lane.waiting.delete(older);
    lane.change = job;
    return older;
  }

  /** The next job of a project that has none running. `done` must be called with it later. */
  take(): Job | null {
    for (const lane of this.#lanes.values()) {
      const [job] = lane.waiting;
      if (lane.isBusy || job === undefined) continue;
      lane.isBusy = true;
      lane.waiting.delete(job);
      if (lane.change === job) lane.change = null;
      return job;
    }
    return null;
  }

  /** Lets the next job of that project start, after those of the other projects. */
  done(job: Job): void {
    const { project_ref } = job.order.event;
    const lane = this.#lanes.get(project_ref);
    this.#lanes.delete(project_ref);
    if (lane !== undefined && lane.waiting.size > 0) this.#lanes.set(project_ref, { ...lane, isBusy: false });
  }

  /** Takes out every job that has not started. */
  clear(): Job[] {
    const waiting = [...this.#lanes.values()].flatMap((lane) => [...lane.waiting]);
    for (const lane of this.#lanes.values()) {
      lane.waiting.clear();
      lane.change = null;
    }
    return waiting;
  }
}
