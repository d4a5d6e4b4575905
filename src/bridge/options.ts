/** What a bridge is made with (R116). */
import { resolve } from "node:path";
import {
  TEST_BYTES_DEFAULT,
  TEST_BYTES_MAX,
  TEST_BYTES_MIN,
  TEST_STEPS_DEFAULT,
  TEST_STEPS_MAX,
  TEST_STEPS_MIN,
  type TestLimits,
} from "../project/execution.ts";
import type { Clock } from "./alarm.ts";
import { openDaemon } from "./daemon-process.ts";
import type { OpenSession } from "./daemon-session.ts";
import { EVENTS_DEFAULT, JOB_TIMEOUT_MS_DEFAULT } from "./limits.ts";
import type { Reporter } from "./reporter.ts";

/** A manifest path, taken from the working directory of the moment if it is relative; or a way to start sessions. */
export type Project = string | OpenSession;

export interface VerifyBridgeOptions {
  /** By `project_ref`. A message names only these keys, never a path. */
  readonly projects: ReadonlyMap<string, Project> | Readonly<Record<string, Project>>;
  /** Limits of `test`, which a payload may only lower; by default those of the daemon (X1). */
  readonly limits?: Partial<TestLimits>;
  /** Events kept, finished ones included; 256 by default. */
  readonly maxEvents?: number;
  /** Milliseconds of one job, all its sessions together; 120 000 by default. */
  readonly jobTimeoutMs?: number;
  /** Milliseconds since the epoch; the system's by default. */
  readonly clock?: Clock;
  /** Names a session, at most 96 printable ASCII characters; 128 random bits by default. */
  readonly newId?: () => string;
  /** Called by the handler after a job was queued: the place to call `pump`. */
  readonly onQueued?: () => void;
  /** Sends every verdict to another host as well (R123). */
  readonly reporter?: Reporter;
}

export interface Settings {
  readonly projects: ReadonlyMap<string, OpenSession>;
  readonly caps: TestLimits;
  readonly maxEvents: number;
  readonly jobTimeoutMs: number;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly onQueued: () => void;
  readonly reporter: Reporter | null;
}

/** Throws a `TypeError` for a mistake of the program. */
export function settingsOf(options: VerifyBridgeOptions): Settings {
  const { limits = {}, maxEvents = EVENTS_DEFAULT, jobTimeoutMs = JOB_TIMEOUT_MS_DEFAULT } = options;
  const { maxSteps = TEST_STEPS_DEFAULT, maxBytes = TEST_BYTES_DEFAULT } = limits;
  requireWithin("limits.maxSteps", maxSteps, TEST_STEPS_MIN, TEST_STEPS_MAX);
  requireWithin("limits.maxBytes", maxBytes, TEST_BYTES_MIN, TEST_BYTES_MAX);
  requireWithin("maxEvents", maxEvents, 1, Number.MAX_SAFE_INTEGER);
  requireWithin("jobTimeoutMs", jobTimeoutMs, 1, Number.MAX_SAFE_INTEGER);
  const { projects } = options;
  const entries: Iterable<readonly [string, Project]> =
    projects instanceof Map ? projects : Object.entries(projects);
  return {
    projects: new Map([...entries].map(([ref, project]) => [ref, openerOf(ref, project)])),
    caps: { maxSteps, maxBytes },
    maxEvents,
    jobTimeoutMs,
    clock: options.clock ?? Date.now,
    newId: options.newId ?? (() => crypto.randomUUID()),
    onQueued: options.onQueued ?? (() => {}),
    reporter: options.reporter ?? null,
  };
}

function openerOf(ref: string, project: Project): OpenSession {
  if (typeof project === "function") return project;
  if (typeof project !== "string" || project === "") {
    throw new TypeError(`projects: ${ref} is neither a manifest path nor a way to start sessions`);
  }
  const manifestPath = resolve(project);
  return () => openDaemon(manifestPath);
}

function requireWithin(name: string, value: number, min: number, max: number): void {
  if (!Number.isSafeInteger(value) || value < min || value > max) {
    throw new TypeError(`${name} must be a whole number from ${min} to ${max}`);
  }
}
