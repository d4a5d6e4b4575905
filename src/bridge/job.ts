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
  const alarm = setAlarm(clock, clock() + jobTimeoutMs, closing);
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
  const open = workshop.projects.get(order.event.project_ref);
  const session = open === undefined ? null : await openUnlessStopped(open, alarm);
  if (session === null) return notStarted("the daemon could not be started");
  if (typeof session === "string") return notStarted(STOPPED[session]);
  try {
    return await attempt(new Conversation(session, alarm, workshop.newId()), order);
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
  const session = await Promise.race([opening, alarm.rung]);
  // What is opened too late is not left running.
  if (typeof session === "string") void opening.then((late) => late && closeQuietly(late));
  return session;
}

/** Null where the daemon cannot be started, whatever the reason. */
async function start(open: OpenSession): Promise<DaemonSession | null> {
  try {
    return await open();
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
