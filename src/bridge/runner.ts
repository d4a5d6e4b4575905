/** Runs the waiting jobs and puts their verdicts where they belong. */
import type { Inbox, InboxEntry } from "./inbox.ts";
import { runJob, type Workshop } from "./job.ts";
import { PARALLEL_JOBS_MAX } from "./limits.ts";
import type { Job, JobQueue } from "./queue.ts";
import type { Reporter } from "./reporter.ts";
import { abandoned, type Verdict } from "./verdict.ts";

export class Runner {
  readonly #inbox: Inbox;
  readonly #queue: JobQueue;
  readonly #workshop: Workshop;
  readonly #reporter: Reporter | null;
  readonly #running = new Set<Promise<void>>();

  constructor(inbox: Inbox, queue: JobQueue, workshop: Workshop, reporter: Reporter | null) {
    this.#inbox = inbox;
    this.#queue = queue;
    this.#workshop = workshop;
    this.#reporter = reporter;
  }

  /** Runs what waits, and what comes in the meantime, until there is nothing left to run. */
  async pump(): Promise<void> {
    this.#fill();
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  /** To be called with the workshop's signal aborted: ends what runs, and what waits for good. */
  async close(): Promise<void> {
    for (const { entry, order } of this.#queue.clear()) this.finish(entry, abandoned(order));
    await Promise.all(this.#running);
  }

  /** What was decided about an event, whether a job ran for it or not. */
  finish(entry: InboxEntry, verdict: Verdict): void {
    const report = this.#inbox.finish(entry, verdict);
    try {
      this.#reporter?.send(entry.event, report);
    } catch {
      // The owner's link or clock failed. The reporter keeps the report and sends it at its next occasion.
    }
  }

  #fill(): void {
    while (this.#running.size < PARALLEL_JOBS_MAX) {
      const job = this.#queue.take();
      if (job === null) return;
      this.#inbox.begin(job.entry);
      // It begins when it is among the running ones, so that whoever closes the bridge from inside it waits for it too.
      const running = Promise.resolve()
        .then(() => this.#run(job))
        .finally(() => {
          this.#running.delete(running);
          this.#fill();
        });
      this.#running.add(running);
    }
  }

  async #run(job: Job): Promise<void> {
    const verdict = await runJob(job.order, this.#workshop);
    this.finish(job.entry, verdict);
    this.#queue.done(job);
  }
}
