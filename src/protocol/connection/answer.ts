/** Requests of the peer that wait for our answer, and the answer (R69, R70, R73, R98-R101). */

import type { z } from "zod";
import { type ResultCheck, resultCheck } from "../binding.ts";
import { readObject } from "../codec.ts";
import { type ErrorObject, fail, type ProtocolError, type Result } from "../error.ts";
import { type Digest, digestOf } from "../json/canonical.ts";
import { snapshotObject } from "../json/snapshot.ts";
import { isJsonObject, type JsonObject } from "../json/value.ts";
import type { RequestMessage, ResponseMessage, WireErrorObject } from "../message.ts";
import { SCHEMA_VERSION } from "../schema/connection.ts";
import { millisecondsOf } from "../schema/time.ts";
import { Identity as IdentitySchema, WireError } from "../schema/envelope.ts";

/** How a request is answered: exactly one of the two. */
export type Outcome = { result: JsonObject } | { error: ErrorObject };

export type Identity = z.output<typeof IdentitySchema>;

/** A request that was taken and not answered. It shares nothing with the message that the owner was handed. */
export interface Open {
  readonly identity: Identity;
  readonly digest: Digest;
  readonly check: ResultCheck;
  /** Of an approval (R71), in whole milliseconds; null for any other request. */
  readonly deadline: number | null;
}

export type OpenRequests = ReadonlyMap<string, Open>;

export function openOf(request: RequestMessage): Open {
  const deadline = request.method === "approval/request" ? millisecondsOf(request.params.deadline) : null;
  return { identity: identityOf(request), digest: digestOf(request), check: resultCheck(request), deadline };
}

/** Whether a request is open already, with the same content or with other content. */
export function meet(open: OpenRequests, request: RequestMessage): "new" | "same" | "other" {
  const found = open.get(request.id);
  if (found === undefined) return "new";
  return found.digest === digestOf(request) ? "same" : "other";
}

export function identityOf(message: RequestMessage | ResponseMessage): Identity {
  const { id, correlation_id, project_ref, task_ref } = message;
  const identity: Identity = { id, correlation_id };
  if ("command_id" in message) identity.command_id = message.command_id;
  if (project_ref !== undefined) identity.project_ref = project_ref;
  if (task_ref !== undefined) identity.task_ref = task_ref;
  return identity;
}

/** The open request that a caller means: `unknown_request` for its id, `conflict` where it has other content (R70). */
export function openFor(open: OpenRequests, request: unknown): Result<{ open: Open }> {
  const taken = snapshotObject(request);
  if (taken === null) return fail("invalid_argument", "not a request");
  const { id } = taken.value;
  const found = typeof id === "string" ? open.get(id) : undefined;
  if (found === undefined) return fail("unknown_request", "no request with this id is open");
  if (found.digest === digestOf(taken.value)) return { ok: true, open: found };
  return fail("conflict", "the open request with this id has other content");
}

/**
 * The error answer to a refused request (R73, R98): only where its whole identity can be read, and never under an
 * id that is open, since there it would be taken for the real answer.
 */
export function rejectionOf(
  refused: JsonObject | undefined,
  error: ProtocolError,
  open: OpenRequests,
): ResponseMessage | null {
  if (refused?.["type"] !== "request") return null;
  const identity = IdentitySchema.safeParse(refused);
  return identity.success && !open.has(identity.data.id) ? errorResponse(identity.data, error) : null;
}

/** The code of `error` is one that may stand on the wire. */
export function errorResponse(identity: Identity, { code, message }: ProtocolError): ResponseMessage {
  return response(identity, { error: { code: code as WireErrorObject["code"], message } });
}

/**
 * The response with that outcome. `invalid_argument`: not exactly one of a result that its request allows and an
 * error that may stand on the wire. `overflow`: too large for a message.
 */
export function answer(
  open: Open,
  outcome: unknown,
  messageBytes: number,
): Result<{ message: ResponseMessage }> {
  const body = bodyOf(open, outcome);
  if (!body.ok) return body;
  const read = readObject(response(open.identity, body.body), messageBytes);
  if (!read.ok) {
    const code = read.error.code === "overflow" ? "overflow" : "invalid_argument";
    return fail(code, `the answer cannot be sent: ${read.error.message}`);
  }
  if (read.message.type !== "response") return fail("invalid_argument", "the answer is no response");
  return { ok: true, message: read.message };
}

type Body = { result: JsonObject } | { error: WireErrorObject };

function bodyOf({ check }: Open, outcome: unknown): Result<{ body: Body }> {
  const taken = snapshotObject(outcome)?.value;
  const [name, another] = Object.keys(taken ?? {});
  if (taken === undefined || another !== undefined) {
    return fail("invalid_argument", "the outcome must have exactly one of result and error");
  }
  const { result, error } = taken;
  if (name === "result" && isJsonObject(result)) {
    const checked = check(result);
    return checked.ok ? { ok: true, body: { result: checked.result } } : unfit(checked.error);
  }
  const wire = WireError.safeParse(error);
  if (name === "error" && wire.success) return { ok: true, body: { error: wire.data } };
  return fail("invalid_argument", "the outcome is no object as result and no error that may be sent");
}

function unfit(error: ProtocolError): Result<never> {
  return fail("invalid_argument", `the result does not fit its request: ${error.message}`);
}

function response(identity: Identity, body: Body): ResponseMessage {
  return { schema_version: SCHEMA_VERSION, type: "response", ...identity, ...body };
}
