/** The owner's clock, which may be anything. */

/** Whole milliseconds since the epoch. Null, and `failed` called, where the clock throws or gives no such number. */
export function timeOf(clock: () => number, failed: () => void): number | null {
  let now: number;
  try {
    now = Math.floor(clock());
  } catch {
    now = Number.NaN;
  }
  if (Number.isSafeInteger(now) && now >= 0) return now;
  failed();
  return null;
}
