/** Reading of timestamps that have the form of section 3; nothing here knows what time it is (R2). */

/** Whether the day exists, given that year, month and day are digits in range. */
export function isCalendarDay(timestamp: string): boolean {
  return (
    Number(timestamp.slice(8, 10)) <= daysIn(Number(timestamp.slice(0, 4)), Number(timestamp.slice(5, 7)))
  );
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whole milliseconds since the epoch, rounded down: a whole `now` is after the timestamp exactly if it is greater. */
export function millisecondsOf(timestamp: string): number {
  const fraction = timestamp.slice(20, -1).slice(0, 3).padEnd(3, "0");
  return Date.parse(`${timestamp.slice(0, 19)}Z`) + Number(fraction);
}
