/** The three envelopes (R16-R19, R21, R33). */

import { z } from "zod";
import { WIRE_CODES } from "../error.ts";
import { SCHEMA_VERSION } from "./connection.ts";
import { Cursor, Id, JsonObject, Ref, text } from "./scalar.ts";

const version = { schema_version: z.literal(SCHEMA_VERSION) };
const context = { project_ref: Ref.exactOptional(), task_ref: Ref.exactOptional() };

interface Context {
  project_ref?: string;
  task_ref?: string;
}

/** R19: a task is named only inside a project. */
function contextHolds({ project_ref, task_ref }: Context): boolean {
  return task_ref === undefined || project_ref !== undefined;
}

/** What a rule of a single request may look at. */
export interface RequestFacts<P> extends Context {
  id: string;
  params: P;
}

/**
 * `holds` is the rule of a single request across its fields. TypeScript cannot see through the generic shape that
 * a request has an `id`, `params` and a context, hence the casts.
 */
export function readRequest<M extends string, P extends z.ZodType>(
  method: M,
  params: P,
  holds: (request: RequestFacts<z.output<P>>) => boolean = () => true,
) {
  return z
    .strictObject({ ...requestShape(method, params), ...context })
    .refine(contextHolds)
    .refine((request) => holds(request as RequestFacts<z.output<P>>));
}

/** R21: a mutation, and only a mutation, has a `command_id`. */
export function mutationRequest<M extends string, P extends z.ZodType>(
  method: M,
  params: P,
  holds: (request: RequestFacts<z.output<P>>) => boolean = () => true,
) {
  return z
    .strictObject({ ...requestShape(method, params), command_id: Id, ...context })
    .refine(contextHolds)
    .refine((request) => holds(request as RequestFacts<z.output<P>>));
}

function requestShape<M extends string, P extends z.ZodType>(method: M, params: P) {
  return {
    ...version,
    type: z.literal("request"),
    id: Id,
    correlation_id: Id,
    method: z.literal(method),
    params,
  };
}

/** What a response repeats of its request, with the same values (R17). Other fields are left out. */
export const Identity = z
  .object({ id: Id, correlation_id: Id, command_id: Id.exactOptional(), ...context })
  .refine(contextHolds);

const responseShape = {
  ...version,
  type: z.literal("response"),
  id: Id,
  correlation_id: Id,
  command_id: Id.exactOptional(),
  ...context,
};

export const WireError = z.strictObject({
  code: z.enum(WIRE_CODES),
  message: text(1, 1024),
  details: JsonObject.exactOptional(),
});

/** R17: exactly one of `result` and `error`. What a result means is judged with its request (R24). */
export const ResultResponse = z.strictObject({ ...responseShape, result: JsonObject }).refine(contextHolds);
export const ErrorResponse = z.strictObject({ ...responseShape, error: WireError }).refine(contextHolds);

/** A notification as it may arrive: numbered, or ephemeral (R33). */
export function notification<M extends string, P extends z.ZodType>(method: M, params: P) {
  return z
    .strictObject({
      ...notificationShape(method, params),
      stream_id: Id.exactOptional(),
      cursor: Cursor.exactOptional(),
    })
    .refine(contextHolds)
    .refine(({ stream_id, cursor }) => (stream_id === undefined) === (cursor === undefined));
}

/** A notification as it stands in a replay page. */
export function sequenced<M extends string, P extends z.ZodType>(method: M, params: P) {
  return z
    .strictObject({ ...notificationShape(method, params), stream_id: Id, cursor: Cursor })
    .refine(contextHolds);
}

function notificationShape<M extends string, P extends z.ZodType>(method: M, params: P) {
  return {
    ...version,
    type: z.literal("notification"),
    correlation_id: Id,
    method: z.literal(method),
    params,
    ...context,
  };
}
