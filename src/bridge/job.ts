/** A job: as many fresh sessions as it takes to find the project the same from beginning to end (R120, R121). */
import { type Alarm, type Clock, type StopReason, setAlarm } from "./alarm.ts";
import { attempt, type Finding, STOPPED } from "./attempt.ts";
import { Conversation } from "./conversation.ts";
import type { DaemonSession, OpenSession } from "./daemon-session.ts";
import { RESTARTS_MAX } from "./limits.ts";
import type { Order } from "./payload.ts";
import { type Verdict, verdictOf } from "./verdict.ts";

/** What jobs are run with. */
export interface Workshop {
  /** By `project_ref`. */
  readonly projects: ReadonlyMap<string, OpenSession>;
  readonly jobTimeoutMs: number;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Aborted when the bridge is closed. */
  readonly closing: AbortSignal;
}

/** Runs the job to its verdict. No session of it is left afterwards. */
export async function runJob(order: Order, workshop: Workshop): Promise<Verdict> {
  const { clock, jobTimeoutMs, closing } = workshop;
  const alarm = setAlarm(clock, jobTimeoutMs, closing);
  try {
    for (let attempts = 1; ; attempts++) {
      const finding = await attemptAfresh(order, workshop, alarm);
      if (!isWorthRepeating(finding) || attempts > RESTARTS_MAX) return verdictOf(order, finding, attempts);
    }
  } finally {
    alarm.silence();
  }
}

/** A missing input and one that changes while it is read are the same refusal: only the first is there again. */
function isWorthRepeating(finding: Finding): boolean {
  return finding.kind === "invalidated" || (finding.kind === "refused" && finding.mayPass);
}

async function attemptAfresh(order: Order, workshop: Workshop, alarm: Alarm): Promise<Finding> {
  // It may have rung while the last session was being closed: then no other one is started.
  if (alarm.reason !== null) return notStarted(STOPPED[alarm.reason]);
  const label = labelOf(workshop.newId);
  if (label === null) return notStarted("the session could not be named");
  const open = workshop.projects.get(order.event.project_ref);
  const session = open === undefined ? null : await openUnlessStopped(open, alarm);
  if (session === null) return notStarted("the daemon could not be started");
  if (typeof session === "string") return notStarted(STOPPED[session]);
  try {
    return await attempt(new Conversation(session, alarm, label), order);
  } finally {
    await closeQuietly(session);
  }
}

function notStarted(words: string): Finding {
  return { kind: "unavailable", phase: "build", revisions: null, words };
}

async function openUnlessStopped(
  open: OpenSession,
  alarm: Alarm,
): Promise<DaemonSession | StopReason | null> {
  const opening = start(open);
  // A session that is there at once belongs to the job, which closes it and waits for that.
  if (!(opening instanceof Promise)) return opening;
  const session = await Promise.race([opening, alarm.rung]);
  // What is opened too late is not left running.
  if (typeof session === "string") void opening.then((late) => late && closeQuietly(late));
  return session;
}

/** Null where the daemon cannot be started, whatever the reason. */
function start(open: OpenSession): DaemonSession | null | Promise<DaemonSession | null> {
  try {
    const opened = open();
    return opened instanceof Promise ? opened.catch(() => null) : opened;
  } catch {
    return null;
  }
}

/** Null where the owner's function fails. */
function labelOf(newId: () => string): string | null {
  try {
    const label: unknown = newId();
    return typeof label === "string" ? label : null;
  } catch {
    return null;
  }
}

/** A session that cannot even be closed has no bearing on what it was found to say. */
async function closeQuietly(session: DaemonSession): Promise<void> {
  try {
    await session.close();
  } catch {}
}
