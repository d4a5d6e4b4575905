/** A bridge without a transport, and daemons that say what a script tells them. */
import type { DaemonSession, SessionEnd, VerifyBridge, VerifyBridgeOptions } from "../../src/bridge/index.ts";
import { createVerifyBridge } from "../../src/bridge/index.ts";
import type { Digest } from "../../src/kernel/digest.ts";
import type { RunOutcome } from "../../src/lang/interpret.ts";
import { renderEnvelope } from "../../src/project/envelope.ts";
import { type JsonObject, type ResponseMessage, Server } from "../../src/protocol/index.ts";
import { EVENT, hello, must, request } from "./protocol.ts";

export const PROJECT_REF = EVENT.project_ref;
export const NEVER = new Promise<never>(() => {});

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The revisions of the nth session of a script, from 1 to 7: those of different sessions differ. */
export function revisionsOf(session: number) {
  const revision = (digit: number) => `sha256:${digit.toString(16).repeat(64)}`;
  return { project_revision: revision(session), workspace_revision: revision(session + 8) };
}

/** What a daemon answers in place of the good answer. */
export type Line =
  | { readonly result: string }
  | { readonly error: readonly [code: number, message: string] }
  /** The whole frame, given the request's id. */
  | { readonly frame: (id: string) => string | Uint8Array }
  /** The output ends, the answer never comes, the session throws. */
  | "end"
  | "hang"
  | "throw";

export interface Script {
  readonly "workspace/open"?: Line;
  readonly check?: Line;
  readonly test?: Line;
  readonly shutdown?: Line;
  readonly end?: SessionEnd | "hang" | "throw";
  /** Called before the request is answered. */
  readonly before?: (method: string) => void | Promise<void>;
}

export interface Asked {
  readonly method: string;
  readonly params: JsonObject | undefined;
  readonly id: string;
}

/** What happened to the sessions of a scripted daemon. */
export interface Record {
  /** The requests of each session. */
  readonly asked: Asked[][];
  closed: number;
}

/** Opens sessions that follow the scripts in turn, and the last one from then on. */
export function scripted(scripts: readonly (Script | "unavailable")[]) {
  const record: Record = { asked: [], closed: 0 };
  const open = (): DaemonSession => {
    const session = record.asked.length + 1;
    const script = scripts[Math.min(session, scripts.length) - 1] ?? {};
    const asked: Asked[] = [];
    record.asked.push(asked);
    if (script === "unavailable") throw new Error("no daemon here");
    return scriptedSession(script, session, asked, () => record.closed++);
  };
  return { open, record };
}

function scriptedSession(script: Script, session: number, asked: Asked[], closed: () => void): DaemonSession {
  const { end = { status: 0, words: "" } } = script;
  return {
    async ask(frame) {
      const { id, method, params } = JSON.parse(decoder.decode(frame));
      asked.push({ id, method, params });
      await script.before?.(method);
      return await answer(lineFor(script, method, session, params), id);
    },
    get ended() {
      if (end === "hang") return NEVER;
      return end === "throw" ? Promise.reject(new Error("marker")) : Promise.resolve(end);
    },
    async close() {
      closed();
    },
  };
}

async function answer(line: Line, id: string): Promise<Uint8Array | null> {
  if (line === "end") return null;
  if (line === "hang") return await NEVER;
  if (line === "throw") throw new Error("marker");
  if ("frame" in line) {
    const frame = line.frame(id);
    return typeof frame === "string" ? encoder.encode(frame) : frame;
  }
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},`;
  if ("result" in line) return encoder.encode(`${head}"result":${line.result}}`);
  const [code, message] = line.error;
  return encoder.encode(`${head}"error":{"code":${code},"message":${JSON.stringify(message)}}}`);
}

function lineFor(script: Script, method: string, session: number, params: JsonObject | undefined): Line {
  switch (method) {
    case "workspace/open":
      return script[method] ?? { result: opened(session) };
    case "check":
    case "shutdown":
      return script[method] ?? { result: '{"ok":true}' };
    case "test":
      return script[method] ?? { result: tested(envelope(session, { kind: "returned", value: 0n }, params)) };
    default:
      throw new Error(`a bridge never asks for ${method}`);
  }
}

export function opened(session: number): string {
  const { project_revision, workspace_revision } = revisionsOf(session);
  return `{"opened":true,"project_revision":"${project_revision}","workspace_revision":"${workspace_revision}"}`;
}

export function tested(document: string, succeeded = true): string {
  return `{"command_succeeded":${succeeded},"execution":${document}}`;
}

/** A valid execution document of that session's revisions. */
export function envelope(session: number, outcome: RunOutcome, params: JsonObject = {}): string {
  const { project_revision, workspace_revision } = revisionsOf(session);
  const { max_steps = 1_000_000, max_bytes = 65_536 } = params;
  const facts = {
    project: "calculator",
    projectRevision: project_revision as Digest,
    workspaceRevision: workspace_revision as Digest,
    module: "calculator.tests",
    stableId: "calculator.tests.main",
    maxBytes: Number(max_bytes),
    maxSteps: Number(max_steps),
    stepsUsed: outcome.kind === "fuel_exhausted" ? Number(max_steps) : 600,
    outcome,
  };
  return decoder.decode(renderEnvelope(facts));
}

/** One connection to a bridge, in memory. */
export class BridgeClient {
  #server: Server<null>;
  #asked = 0;

  constructor(bridge: VerifyBridge, connectionId = "k-1") {
    const created = must(Server.create(bridge.handler, bridge.initialState(), { connectionId }));
    this.#server = must(created.server.receive(hello(["project_events.v1"]))).server;
  }

  /** The result, or the error's code. */
  ask(method: string, params: JsonObject, more: JsonObject = {}): JsonObject | string {
    const id = `c1-${++this.#asked + 1}`;
    const step = must(this.#server.receive(request(method, params, { id, ...more })));
    this.#server = step.server;
    const [message] = step.messages as ResponseMessage[];
    if (message === undefined || step.messages.length !== 1) throw new Error("not exactly one answer");
    return "result" in message ? message.result : message.error.code;
  }

  deliver(event: Partial<typeof EVENT> | JsonObject = {}): JsonObject | string {
    return this.ask("project/event.receive", { event: { ...EVENT, ...event } }, { command_id: "cmd-1" });
  }

  status(event_id: string = EVENT.event_id): JsonObject {
    const status = this.ask("project/event.status", { event_id });
    if (typeof status === "string") throw new Error(status);
    return status;
  }

  /** Kind and details of what was decided about an event, with the status that it led to. */
  decision(event_id?: string): { status: string; kind: string; summary: string; details: JsonObject } {
    const { processing_status, details } = this.status(event_id) as {
      processing_status: string;
      details: { decision: { kind: string; summary: string; details: JsonObject } };
    };
    return { status: processing_status, ...details.decision };
  }
}

/** A bridge over one scripted project, and a connection to it. */
export function scriptedBridge(
  scripts: readonly (Script | "unavailable")[],
  options: Partial<VerifyBridgeOptions> = {},
) {
  const { open, record } = scripted(scripts);
  let sessions = 0;
  const newId = () => `session${++sessions}`;
  const bridge = createVerifyBridge({ projects: { [PROJECT_REF]: open }, newId, ...options });
  return { bridge, client: new BridgeClient(bridge), record };
}
