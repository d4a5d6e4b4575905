/** Whether an approval is in time (R71, R106). Nothing in this library approves by itself (R72). */

import { fail, type ProtocolError } from "../error.ts";
import type { JsonObject } from "../json/value.ts";

/** Only an approval can be late: denying is always possible. */
export function approves(result: JsonObject): boolean {
  return result["decision"] === "approve";
}

/** `deadline` in whole milliseconds, rounded down; at the deadline itself it is in time. */
export function lateness(deadline: number, now: number | null): ProtocolError | null {
  if (now === null) return fail("invalid_argument", "nobody approves without knowing the time").error;
  return now > deadline ? fail("deadline_expired", "the deadline of the approval has passed").error : null;
}
