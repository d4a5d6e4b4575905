/** The pinned schemas of the program, and what of them the adapter uses (RC4, RC5). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { CALLS } from "../../src/protocol/codex/schema/calls.ts";
import { APPROVALS, NOTIFICATIONS, RequestId } from "../../src/protocol/codex/schema/events.ts";
import { FileUpdate, ITEMS } from "../../src/protocol/codex/schema/item.ts";
import { DROPPED, REFUSED } from "../../src/protocol/codex/schema/known.ts";
import { Thread, ThreadStatus, Turn, TurnError } from "../../src/protocol/codex/schema/thread.ts";
import { type Definitions, type Direction, type JsonSchema, type Located, misfits } from "./schema-fit.ts";

interface Pins {
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, string>>;
}

const BUNDLE = "codex_app_server_protocol.v2.schemas.json";

export function readPins(): Pins {
  const path = join(import.meta.dir, "..", "..", "fixtures", "codex", "schema-pins.json");
  return JSON.parse(readFileSync(path, "utf8"));
}

/** Generated schemas of one program. */
export class Generated {
  readonly #folder: string;
  readonly #definitions: Definitions;

  constructor(folder: string) {
    this.#folder = folder;
    this.#definitions = (this.file(BUNDLE) as { definitions: Definitions }).definitions;
  }

  file(name: string): unknown {
    return JSON.parse(readFileSync(join(this.#folder, name), "utf8"));
  }

  definition(name: string): Located | null {
    const schema = this.#definitions[name];
    return schema === undefined ? null : { schema, definitions: this.#definitions };
  }

  /** A whole file as a schema, with definitions of its own. */
  whole(name: string): Located {
    const schema = this.file(name) as JsonSchema & { definitions?: Definitions };
    return { schema, definitions: schema.definitions ?? {} };
  }

  /** Names of methods that a file of alternatives lists. */
  methods(name: string): string[] {
    const { oneOf } = this.file(name) as { oneOf: { properties: { method: { enum: string[] } } }[] };
    return oneOf.flatMap(({ properties }) => properties.method.enum);
  }
}

/** SHA-256 of the canonical form; schemas nest deeper than a message may, so not by `Codec`. */
export function schemaDigest(value: unknown): string {
  return new Bun.CryptoHasher("sha256").update(canonical(value)).digest("hex");
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** Files and definitions whose content is not the pinned one. */
export function changedPins(generated: Generated, pins: Pins): string[] {
  const files = Object.entries(pins.files).filter(
    ([name, pin]) => schemaDigest(generated.file(name)) !== pin,
  );
  const definitions = Object.entries(pins.definitions).filter(
    ([name, pin]) => schemaDigest(generated.definition(name)?.schema ?? null) !== pin,
  );
  return [...files, ...definitions].map(([name]) => name);
}

interface Used {
  readonly name: string;
  readonly ours: z.ZodType;
  readonly direction: Direction;
  readonly theirs: (generated: Generated) => Located | null;
}

const sent = (name: string, ours: z.ZodType): Used => ({
  name,
  ours,
  direction: "sent",
  theirs: (all) => all.definition(name),
});
const received = (name: string, ours: z.ZodType): Used => ({
  name,
  ours,
  direction: "received",
  theirs: (all) => all.definition(name),
});
const inFile = (name: string, direction: Direction, ours: z.ZodType): Used => ({
  name,
  ours,
  direction,
  theirs: (all) => all.whole(`${name}.json`),
});

/** The variant of a union that has this `type`. */
function variant(union: string, type: string, ours: z.ZodType): Used {
  const theirs = (all: Generated): Located | null => {
    const found = all.definition(union);
    if (found === null || typeof found.schema !== "object") return null;
    const schema = found.schema.oneOf?.find(({ properties }) => {
      const member = properties?.["type"];
      return typeof member === "object" && member.enum?.includes(type);
    });
    return schema === undefined ? null : { schema, definitions: found.definitions };
  };
  return { name: `${union} ${type}`, ours, direction: "received", theirs };
}

const Decision = z.object({ decision: z.enum(["accept", "decline", "cancel"]) });
const RpcError = z.object({ id: RequestId, error: z.object({ code: z.int(), message: z.string() }) });

const USED: readonly Used[] = [
  inFile("v1/InitializeParams", "sent", CALLS.initialize.params),
  inFile("v1/InitializeResponse", "received", CALLS.initialize.result),
  sent("ThreadStartParams", CALLS["thread/start"].params),
  received("ThreadStartResponse", CALLS["thread/start"].result),
  sent("ThreadReadParams", CALLS["thread/read"].params),
  received("ThreadReadResponse", CALLS["thread/read"].result),
  sent("ThreadResumeParams", CALLS["thread/resume"].params),
  received("ThreadResumeResponse", CALLS["thread/resume"].result),
  sent("ThreadTurnsListParams", CALLS["thread/turns/list"].params),
  received("ThreadTurnsListResponse", CALLS["thread/turns/list"].result),
  sent("TurnStartParams", CALLS["turn/start"].params),
  received("TurnStartResponse", CALLS["turn/start"].result),
  sent("TurnSteerParams", CALLS["turn/steer"].params),
  received("TurnSteerResponse", CALLS["turn/steer"].result),
  sent("TurnInterruptParams", CALLS["turn/interrupt"].params),
  received("TurnInterruptResponse", CALLS["turn/interrupt"].result),
  received("Thread", Thread),
  received("ThreadStatus", ThreadStatus),
  received("Turn", Turn),
  received("TurnError", TurnError),
  received("FileUpdateChange", FileUpdate),
  variant("UserInput", "text", z.object({ type: z.literal("text"), text: z.string() })),
  ...Object.entries(ITEMS).map(([type, ours]) => variant("ThreadItem", type, withoutInput(type, ours))),
  received("ThreadStartedNotification", NOTIFICATIONS["thread/started"]),
  received("ThreadStatusChangedNotification", NOTIFICATIONS["thread/status/changed"]),
  received("ThreadNameUpdatedNotification", NOTIFICATIONS["thread/name/updated"]),
  received("ThreadClosedNotification", NOTIFICATIONS["thread/closed"]),
  received("TurnStartedNotification", NOTIFICATIONS["turn/started"]),
  received("TurnCompletedNotification", NOTIFICATIONS["turn/completed"]),
  received("ErrorNotification", NOTIFICATIONS.error),
  received("WarningNotification", NOTIFICATIONS.warning),
  received("ItemStartedNotification", NOTIFICATIONS["item/started"]),
  received("ItemCompletedNotification", NOTIFICATIONS["item/completed"]),
  received("AgentMessageDeltaNotification", NOTIFICATIONS["item/agentMessage/delta"]),
  received("PlanDeltaNotification", NOTIFICATIONS["item/plan/delta"]),
  received("ReasoningTextDeltaNotification", NOTIFICATIONS["item/reasoning/textDelta"]),
  received("ReasoningSummaryTextDeltaNotification", NOTIFICATIONS["item/reasoning/summaryTextDelta"]),
  received("CommandExecutionOutputDeltaNotification", NOTIFICATIONS["item/commandExecution/outputDelta"]),
  received("ServerRequestResolvedNotification", NOTIFICATIONS["serverRequest/resolved"]),
  inFile(
    "CommandExecutionRequestApprovalParams",
    "received",
    APPROVALS["item/commandExecution/requestApproval"],
  ),
  inFile("FileChangeRequestApprovalParams", "received", APPROVALS["item/fileChange/requestApproval"]),
  inFile("CommandExecutionRequestApprovalResponse", "sent", Decision),
  inFile("FileChangeRequestApprovalResponse", "sent", Decision),
  inFile("JSONRPCError", "received", RpcError),
  inFile("RequestId", "received", RequestId),
];

/** What a user says is compared by its text alone: every other part is only known to be another. */
function withoutInput(type: string, ours: (typeof ITEMS)[keyof typeof ITEMS]): z.ZodType {
  return type === "userMessage" ? ITEMS.userMessage.omit({ content: true }) : ours;
}

/** What of the used subset the program's schemas no longer allow. */
export function changedSubset(generated: Generated): string[] {
  return USED.flatMap(({ name, ours, direction, theirs }) => {
    const located = theirs(generated);
    if (located === null) return [`${name}: gone`];
    const schema = z.toJSONSchema(ours, { io: "input", unrepresentable: "any" }) as JsonSchema;
    return misfits(schema, located, direction).map((misfit) => `${name}: ${misfit}`);
  });
}

/** Method names that the program has and the adapter does not know, and the other way round. */
export function changedMethods(generated: Generated): string[] {
  const notifications = new Set([...Object.keys(NOTIFICATIONS), ...DROPPED]);
  const requests = new Set([...Object.keys(APPROVALS), ...REFUSED]);
  return [
    ...compared("notification", generated.methods("ServerNotification.json"), notifications),
    ...compared("request", generated.methods("ServerRequest.json"), requests),
    ...Object.keys(CALLS)
      .filter((method) => !generated.methods("ClientRequest.json").includes(method))
      .map((method) => `request to the program ${method}: gone`),
  ];
}

function compared(kind: string, theirs: readonly string[], ours: ReadonlySet<string>): string[] {
  return [
    ...theirs.filter((method) => !ours.has(method)).map((method) => `${kind} ${method}: new`),
    ...[...ours].filter((method) => !theirs.includes(method)).map((method) => `${kind} ${method}: gone`),
  ];
}
