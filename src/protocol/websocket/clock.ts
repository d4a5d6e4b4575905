/** The owner's clock, which may be anything. */

import { attempt } from "./transport-event.ts";

/** Whole milliseconds since the epoch. Null, and `failed` called, where the clock throws or gives no such number. */
export function timeOf(clock: () => number, failed: () => void): number | null {
  const told = attempt<unknown>(clock, () => undefined);
  const now = told.ok && typeof told.value === "number" ? Math.floor(told.value) : Number.NaN;
  if (Number.isSafeInteger(now) && now >= 0) return now;
  failed();
  return null;
}
