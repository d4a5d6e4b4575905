/** The TypeScript types of messages, all derived from the definitions in `schema/`. */

import type { z } from "zod";
import type { Action as ActionSchema } from "./schema/approval.ts";
import type { Capability as CapabilitySchema } from "./schema/connection.ts";
import type { ErrorResponse, ResultResponse, WireError } from "./schema/envelope.ts";
import type {
  Decision as DecisionSchema,
  ManagementRequest as ManagementRequestSchema,
  ProjectEvent as ProjectEventSchema,
} from "./schema/event.ts";
import type { Item as ItemSchema } from "./schema/item.ts";
import { NOTIFICATIONS, REQUESTS, type SequencedNotification as SequencedSchema } from "./schema/methods.ts";
import type {
  StreamHead as StreamHeadSchema,
  TextInput as TextInputSchema,
  Thread as ThreadSchema,
  Turn as TurnSchema,
} from "./schema/session.ts";

/** The texts and numbers of section 3, for readable signatures; what they may hold is checked at run time. */
export type Id = string;
export type Ref = string;
export type Name = string;
export type Timestamp = string;
export type Cursor = number;
export type Position = number;

export type Capability = z.output<typeof CapabilitySchema>;
export type ProjectEvent = z.output<typeof ProjectEventSchema>;
export type Decision = z.output<typeof DecisionSchema>;
export type ManagementRequest = z.output<typeof ManagementRequestSchema>;
export type Thread = z.output<typeof ThreadSchema>;
export type Turn = z.output<typeof TurnSchema>;
export type Item = z.output<typeof ItemSchema>;
export type StreamHead = z.output<typeof StreamHeadSchema>;
export type TextInput = z.output<typeof TextInputSchema>;
export type ApprovalAction = z.output<typeof ActionSchema>;
export type WireErrorObject = z.output<typeof WireError>;

export type RequestMethod = keyof typeof REQUESTS;
export type NotificationMethod = keyof typeof NOTIFICATIONS;
export type MutationMethod = {
  [M in RequestMethod]: (typeof REQUESTS)[M]["mutation"] extends true ? M : never;
}[RequestMethod];
/** What a host may ask of a client (R104). */
export type HostMethod = {
  [M in RequestMethod]: (typeof REQUESTS)[M]["both"] extends true ? M : never;
}[RequestMethod];

export type ParamsOf<M extends RequestMethod> = z.output<(typeof REQUESTS)[M]["params"]>;
export type ResultOf<M extends RequestMethod> = z.output<(typeof REQUESTS)[M]["result"]>;

/** A union over the given methods, so that a `switch` over `method` narrows `params`. */
export type RequestMessage<M extends RequestMethod = RequestMethod> = {
  [K in M]: z.output<(typeof REQUESTS)[K]["message"]>;
}[M];
export type NotificationMessage<M extends NotificationMethod = NotificationMethod> = {
  [K in M]: z.output<(typeof NOTIFICATIONS)[K]["message"]>;
}[M];
export type ResponseMessage = z.output<typeof ResultResponse> | z.output<typeof ErrorResponse>;
export type Message = RequestMessage | ResponseMessage | NotificationMessage;

/** A notification of a stream, as it stands in a replay page. */
export type SequencedNotification = z.output<typeof SequencedSchema>;
/** A notification as a replay log takes it (R89). */
export type UnsequencedNotification = {
  [M in NotificationMethod]: Omit<NotificationMessage<M>, "stream_id" | "cursor"> & {
    stream_id?: never;
    cursor?: never;
  };
}[NotificationMethod];

export function isRequestMethod(name: unknown): name is RequestMethod {
  return typeof name === "string" && Object.hasOwn(REQUESTS, name);
}

export function isNotificationMethod(name: unknown): name is NotificationMethod {
  return typeof name === "string" && Object.hasOwn(NOTIFICATIONS, name);
}
