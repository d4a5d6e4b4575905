/** What a sender and a host need to tell deliveries of one event apart from another event (R26-R30). */

import { fail, type Result } from "./error.ts";
import { canonicalText } from "./json/canonical.ts";
import { snapshotObject } from "./json/snapshot.ts";
import { DEPTH_MAX } from "./limits.ts";
import type { ProjectEvent } from "./message.ts";
import { ProjectEvent as EventSchema } from "./schema/event.ts";
import { Id } from "./schema/scalar.ts";

/** Levels of an event inside its request, which are part of what its payload may nest (R8). */
const LEVELS_ABOVE = 2;

function read(event: unknown): ProjectEvent | null {
  const taken = snapshotObject(event, DEPTH_MAX - LEVELS_ABOVE);
  const parsed = EventSchema.safeParse(taken?.value);
  return parsed.success ? parsed.data : null;
}

export const Event = Object.freeze({
  /** A copy for another delivery attempt, in which nothing else differs (R27). */
  retry(event: ProjectEvent, deliveryAttemptId: string): Result<{ event: ProjectEvent }> {
    const original = read(event);
    if (original === null) return fail("invalid_argument", "not an event");
    if (!Id.safeParse(deliveryAttemptId).success)
      return fail("invalid_argument", "not a delivery attempt id");
    if (original.delivery_attempt_id === deliveryAttemptId) {
      return fail("conflict", "a retry needs another delivery attempt id");
    }
    return { ok: true, event: { ...original, delivery_attempt_id: deliveryAttemptId } };
  },

  /** Whether two deliveries carry the same original event (R28). False where one of them is no event. */
  sameOriginal(a: ProjectEvent, b: ProjectEvent): boolean {
    const [left, right] = [read(a), read(b)];
    return left !== null && right !== null && originalText(left) === originalText(right);
  },
});

function originalText({ delivery_attempt_id: _, ...original }: ProjectEvent): string {
  return canonicalText(original);
}
