/** When a job must stop, whatever it is waiting for. */
import { CLOCK_CHECK_MS } from "./limits.ts";

/** Milliseconds since the epoch. */
export type Clock = () => number;

export type StopReason = "timeout" | "closed";

export interface Alarm {
  /** Resolves at the deadline or when the bridge is closed, and never rejects. */
  readonly rung: Promise<StopReason>;
  /** Lets go of the timer and of the signal. */
  silence(): void;
}

/** The clock is the owner's and may jump, so it is asked again at short intervals instead of trusting one long timer. */
export function setAlarm(clock: Clock, deadline: number, closing: AbortSignal): Alarm {
  const { promise: rung, resolve } = Promise.withResolvers<StopReason>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onClosing = () => ring("closed");
  const silence = () => {
    clearTimeout(timer);
    closing.removeEventListener("abort", onClosing);
  };
  const ring = (reason: StopReason) => {
    silence();
    resolve(reason);
  };
  const watch = () => {
    const left = deadline - clock();
    if (left <= 0) ring("timeout");
    else timer = setTimeout(watch, Math.min(left, CLOCK_CHECK_MS));
  };
  closing.addEventListener("abort", onClosing);
  if (closing.aborted) ring("closed");
  else watch();
  return { rung, silence };
}
