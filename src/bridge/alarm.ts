/** When a job must stop, whatever it is waiting for. */
import { CLOCK_CHECK_MS } from "./limits.ts";

/** Milliseconds since the epoch. */
export type Clock = () => number;

export type StopReason = "timeout" | "closed" | "clock";

/** The last moment that a date can tell, in milliseconds since the epoch. */
const DATE_MS_MAX = 8.64e15;

/** Whole milliseconds since the epoch; null where the owner's clock throws or gives no such number. */
export function timeOf(clock: Clock): number | null {
  try {
    const now = Math.floor(clock());
    return now >= 0 && now <= DATE_MS_MAX ? now : null;
  } catch {
    return null;
  }
}

export interface Alarm {
  /** Resolves at the deadline, when the clock fails or when the bridge is closed, and never rejects. */
  readonly rung: Promise<StopReason>;
  /** Why it has rung; null before that. */
  readonly reason: StopReason | null;
  /** Lets go of the timer and of the signal. */
  silence(): void;
}

/**
 * For so many milliseconds from now. The clock is the owner's and may jump, so it is asked again at short intervals instead
 * of trusting one long timer; one that fails would never tell the deadline, so the job stops.
 */
export function setAlarm(clock: Clock, milliseconds: number, closing: AbortSignal): Alarm {
  const startedAt = timeOf(clock);
  const { promise: rung, resolve } = Promise.withResolvers<StopReason>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let rungFor: StopReason | null = null;
  const onClosing = () => ring("closed");
  const silence = () => {
    clearTimeout(timer);
    closing.removeEventListener("abort", onClosing);
  };
  const ring = (reason: StopReason) => {
    silence();
    rungFor ??= reason;
    resolve(reason);
  };
  const watch = () => {
    const now = timeOf(clock);
    if (now === null || startedAt === null) {
      ring("clock");
      return;
    }
    const left = startedAt + milliseconds - now;
    if (left <= 0) ring("timeout");
    else timer = setTimeout(watch, Math.min(left, CLOCK_CHECK_MS));
  };
  closing.addEventListener("abort", onClosing);
  if (closing.aborted) ring("closed");
  else watch();
  return {
    rung,
    get reason() {
      return rungFor;
    },
    silence,
  };
}
