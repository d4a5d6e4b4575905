/** Options of calls. They are no wire data: an absent option may also be spelled `undefined`. */

import { type Failure, fail, type Result } from "../error.ts";
import { plainCopy } from "../json/value.ts";
import { isPosition, WAIT_MS_MAX } from "../limits.ts";
import type { MutationMethod, RequestMethod } from "../message.ts";

export interface RequestOptions {
  /** Milliseconds since the epoch (R2). */
  now?: number;
  /** `c<generation>-<n>` or `s-<n>` unless given (R57, R104). */
  id?: string;
  /** The id unless given. */
  correlationId?: string;
  /** Exactly for mutations; journalled by the caller before it asks for the message (R31). */
  commandId?: string;
  projectRef?: string;
  taskRef?: string;
  /** Milliseconds to wait for the answer, 1 to 3 600 000 (R63). */
  waitMs?: number;
}

export interface TimeOptions {
  now?: number;
}

/** A mutation without a command id does not compile; at run time it is `invalid_argument`. */
export type OptionsOf<M extends RequestMethod> = M extends MutationMethod
  ? [options: RequestOptions & { commandId: string }]
  : [options?: Omit<RequestOptions, "commandId">];

const REQUEST_OPTIONS = ["now", "id", "correlationId", "commandId", "projectRef", "taskRef", "waitMs"];

/** Ids and references are judged with the message that they become part of. */
export function requestOptionsOf(given: RequestOptions = {}): Result<{ options: RequestOptions }> {
  const options = plainCopy(given);
  if (options === null) return noOptions();
  const unfit = misuse(options, REQUEST_OPTIONS);
  if (unfit !== null) return fail("invalid_argument", unfit);
  const { waitMs } = options;
  if (waitMs !== undefined && !(isPosition(waitMs) && waitMs >= 1 && waitMs <= WAIT_MS_MAX)) {
    return fail("invalid_argument", `waitMs must be a whole number from 1 to ${WAIT_MS_MAX}`);
  }
  return { ok: true, options };
}

/** The time that a call was given, or null. */
export function timeOf(given: TimeOptions = {}): Result<{ now: number | null }> {
  const options = plainCopy(given);
  if (options === null) return noOptions();
  const unfit = misuse(options, ["now"]);
  return unfit === null ? { ok: true, now: options.now ?? null } : fail("invalid_argument", unfit);
}

function noOptions(): Failure {
  return fail("invalid_argument", "options must be a plain object");
}

function misuse(given: TimeOptions, names: readonly string[]): string | null {
  if (!Object.keys(given).every((name) => names.includes(name)))
    return "an option has a name that is not defined";
  return given.now === undefined || isPosition(given.now)
    ? null
    : "now must be a whole number of milliseconds";
}
