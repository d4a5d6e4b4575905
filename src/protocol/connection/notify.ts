/** Notifications that we send (R110). They are checked and never numbered: that is the replay log's work. */

import { readObject } from "../codec.ts";
import { fail, type Result } from "../error.ts";
import type { NotificationMessage } from "../message.ts";

/** A copy of a valid notification; `unsupported_method` for an unknown name, `overflow` for its size. */
export function checkedNotification(
  given: unknown,
  messageBytes: number,
): Result<{ message: NotificationMessage; bytes: number }> {
  const read = readObject(given, messageBytes);
  if (read.ok) {
    const { message, bytes } = read;
    return message.type === "notification"
      ? { ok: true, message, bytes }
      : fail("invalid_argument", "not a notification");
  }
  const { code, message } = read.error;
  if (code === "overflow") return fail(code, message);
  if (code === "unsupported_method" && read.refused?.["type"] === "notification") return fail(code, message);
  return fail("invalid_argument", message);
}
