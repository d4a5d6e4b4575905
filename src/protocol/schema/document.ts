/** The JSON Schema document (R111), built from the definitions and from nothing else. */

import { z } from "zod";
import type { JsonObject as JsonObjectValue } from "../json/value.ts";
import { Action } from "./approval.ts";
import { Capability } from "./connection.ts";
import { ErrorResponse, ResultResponse, WireError } from "./envelope.ts";
import { Decision, ManagementRequest, ProjectEvent } from "./event.ts";
import { Change, Command, CompletedItem, Item, StartedItem, Tool } from "./item.ts";
import { NOTIFICATIONS, REQUESTS, SequencedNotification } from "./methods.ts";
import { Cursor, Digest, Id, JsonObject, Name, Position, Ref, Timestamp } from "./scalar.ts";
import { FinishedTurn, StreamHead, TextInput, Thread, Turn, TurnFailure } from "./session.ts";

const NAMED = {
  ...{ Id, Ref, Name, Timestamp, Cursor, Position, Digest, JsonObject, Capability, Error: WireError },
  ...{ Event: ProjectEvent, Decision, ManagementRequest },
  ...{ Thread, Turn, FinishedTurn, TurnFailure, StreamHead, TextInput },
  ...{ Item, StartedItem, CompletedItem, Command, Change, Tool },
  ...{ Action, SequencedNotification },
};

/** A fresh JSON Schema 2020-12 document of all messages, and in `$defs` of all results. */
export function buildSchemaDocument(): JsonObjectValue {
  const results = Object.fromEntries(
    Object.entries(REQUESTS).map(([method, { result }]) => [`Result:${method}`, result] as const),
  );
  // A registry of its own: zod's global one belongs to the application (R2).
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries({ ...NAMED, ...results })) names.add(schema, { id });
  const messages = [
    ...Object.values(REQUESTS).map(({ message }) => message),
    ...Object.values(NOTIFICATIONS).map(({ message }) => message),
    ResultResponse,
    ErrorResponse,
  ];
  // Converted in one go, so that all of it shares one set of definitions.
  const whole = z.object({ ...results, messages: z.xor(messages) });
  const converted = z.toJSONSchema(whole, {
    target: "draft-2020-12",
    metadata: names,
    // The only custom definition is that of free JSON.
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === "custom") jsonSchema.type = "object";
    },
  });
  const { messages: root } = converted.properties ?? {};
  if (typeof root !== "object" || root.oneOf === undefined)
    throw new Error("the messages are no alternatives");
  return JSON.parse(
    JSON.stringify({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $id: "urn:agent-protocol:schema:1.0",
      $defs: converted.$defs,
      oneOf: root.oneOf,
    }),
  );
}

/** The document as it is committed: keys sorted, two spaces, a final newline. */
export function schemaText(): string {
  return `${JSON.stringify(sortKeys(buildSchemaDocument()), null, 2)}\n`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)] as const));
}
