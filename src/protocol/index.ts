/**
 * Agent protocol 1.0: messages between a client and a host that owns an agent, whatever carries them. Everything here is
 * synchronous and deterministic; importing it starts nothing.
 */

export { Client, type ClientOptions, type Step } from "./client.ts";
export { Codec, type CodecOptions } from "./codec.ts";
export type { Outcome } from "./connection/answer.ts";
export type { Effect } from "./connection/client-receive.ts";
export type { ClientPhase } from "./connection/client-state.ts";
export type { OptionsOf, RequestOptions, TimeOptions } from "./connection/options.ts";
export type { Held } from "./connection/outgoing.ts";
export type { ServerPhase } from "./connection/server-state.ts";
export type { Resolution } from "./connection/settle.ts";
export {
  type ErrorCode,
  type ErrorObject,
  LOCAL_CODES,
  ProtocolError,
  type Result,
  WIRE_CODES,
  type WireCode,
} from "./error.ts";
export { Event } from "./event.ts";
export type { Handler, HandlerContext } from "./handler.ts";
export type { Digest } from "./json/canonical.ts";
export type { JsonObject, JsonValue } from "./json/value.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export type {
  ApprovalAction,
  Capability,
  Cursor,
  Decision,
  HostMethod,
  Id,
  Item,
  ManagementRequest,
  Message,
  MutationMethod,
  Name,
  NotificationMessage,
  NotificationMethod,
  ParamsOf,
  Position,
  ProjectEvent,
  Ref,
  RequestMessage,
  RequestMethod,
  ResponseMessage,
  ResultOf,
  SequencedNotification,
  StreamHead,
  TextInput,
  Thread,
  Timestamp,
  Turn,
  UnsequencedNotification,
  WireErrorObject,
} from "./message.ts";
export { Replay, type ReplayOptions, type ReplayPage } from "./replay.ts";
export { CAPABILITIES } from "./schema/connection.ts";
export { buildSchemaDocument } from "./schema/document.ts";
export { Server, type ServerOptions, type ServerStep } from "./server.ts";
