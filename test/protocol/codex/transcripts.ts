/** Recorded conversations with the real program, and how they are played against the host. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../../src/protocol/index.ts";
import {
  type CodexMessage,
  type FakePeer,
  NativeConnection,
  settled,
  startWorld,
  USER_AGENT,
  type World,
} from "./support.ts";

const FOLDER = join(import.meta.dir, "..", "..", "..", "fixtures", "codex");

export type Line =
  | { readonly process: number; readonly dir: "c2s" | "s2c"; readonly msg: CodexMessage }
  | { readonly process: number; readonly dir: "raw-c2s" | "note"; readonly msg: string }
  | {
      readonly process: number;
      readonly dir: "exit";
      readonly msg: { code: number | null; signal: string | null };
    };

export interface Transcript {
  readonly name: string;
  readonly lines: readonly Line[];
}

/** A transcript with what it takes to record it again. */
export interface Recording {
  readonly header: {
    readonly scenario: string;
    readonly model_script: unknown[];
    readonly extra_config: string;
  };
  readonly lines: readonly Line[];
}

export function recordings(): Recording[] {
  const found: { header: Recording["header"]; lines: Line[] }[] = [];
  for (const text of readFileSync(join(FOLDER, "transcripts.jsonl"), "utf8").trim().split("\n")) {
    const line = JSON.parse(text) as Line | Recording["header"] | { model_requests: unknown[] };
    if ("scenario" in line) found.push({ header: line, lines: [] });
    else if ("dir" in line) found.at(-1)?.lines.push(line);
  }
  return found;
}

export function transcripts(): Transcript[] {
  return recordings().map(({ header, lines }) => ({ name: header.scenario, lines }));
}

export interface Expectation {
  readonly transcript: string;
  readonly process: number;
  readonly events: readonly { readonly method: string; readonly params: JsonObject }[];
  readonly approvals: readonly {
    readonly codex_id: number;
    readonly after_events: number;
    readonly params: JsonObject;
  }[];
}

export function expectations(): Expectation[] {
  const text = readFileSync(join(FOLDER, "native-expectations.json"), "utf8");
  return (JSON.parse(text) as { cases: Expectation[] }).cases;
}

export interface Played {
  readonly world: World;
  readonly connection: NativeConnection;
  /** Native ids of the requests that were made, by the id of the transcript. */
  readonly asked: ReadonlyMap<number, string>;
}

/** Plays one process of a transcript: its client's part as native requests, its server's part as it was. */
export async function play(
  transcript: Transcript,
  process: number,
  until = Number.POSITIVE_INFINITY,
): Promise<Played> {
  const world = await startWorld();
  world.peer.answer("initialize", { userAgent: USER_AGENT });
  await world.started;
  const connection = new NativeConnection(world);
  const player = new Player(world, connection);
  const lines = transcript.lines.filter((line) => line.process === process);
  for (const line of lines.slice(0, until)) {
    player.take(line);
    await settled();
    player.follow();
    await settled();
  }
  return { world, connection, asked: player.asked };
}

class Player {
  readonly asked = new Map<number, string>();
  readonly #connection: NativeConnection;
  readonly #peer: FakePeer;
  /** Ids of the transcript's requests to those of the host. */
  readonly #ids = new Map<number, number | string>();
  readonly #streams = new Set<string>();

  constructor({ peer }: World, connection: NativeConnection) {
    this.#peer = peer;
    this.#connection = connection;
  }

  take(line: Line): void {
    if (line.dir === "c2s") this.#client(line.msg);
    else if (line.dir === "s2c") this.#server(line.msg);
    else if (line.dir === "exit") this.#peer.end(line.msg.code, line.msg.signal);
  }

  /** What a client does with the head of a stream that it does not follow yet. */
  follow(): void {
    for (const effect of this.#connection.outcomes.values()) {
      const stream =
        effect.type === "response" ? (effect.result["stream"] as JsonObject | undefined) : undefined;
      const id = stream?.["stream_id"];
      if (typeof id !== "string" || this.#streams.has(id)) continue;
      this.#streams.add(id);
      this.#connection.catchUp(id);
    }
  }

  #client({ id, method, params = {}, result }: CodexMessage): void {
    if (method === undefined) {
      this.#decide(id, (result as { decision?: string } | undefined)?.decision);
      return;
    }
    const before = this.#peer.sent.length;
    const asked = this.#ask(method, params);
    if (asked === null || typeof id !== "number") return;
    this.asked.set(id, asked);
    const [sent] = this.#peer.sent.slice(before);
    if (sent?.method === method && sent.id !== undefined) this.#ids.set(id, sent.id);
  }

  #ask(method: string, params: JsonObject): string | null {
    const thread_id = String(params["threadId"]);
    const command =
      typeof params["clientUserMessageId"] === "string" ? params["clientUserMessageId"] : undefined;
    const input = ((params["input"] ?? []) as JsonObject[]).map(({ text }) => ({
      type: "text" as const,
      text: String(text),
    }));
    switch (method) {
      case "thread/start":
        return this.#connection.ask("thread/start", params["ephemeral"] === true ? { ephemeral: true } : {});
      case "thread/read":
        return this.#connection.ask("thread/read", { thread_id });
      case "thread/resume":
        return this.#connection.ask("thread/resume", { thread_id });
      case "turn/start":
        return input.length === 0 ? null : this.#connection.ask("turn/start", { thread_id, input }, command);
      case "turn/steer":
        return this.#connection.ask(
          "turn/steer",
          { thread_id, turn_id: String(params["expectedTurnId"]), input },
          command,
        );
      case "turn/interrupt":
        return this.#connection.ask("turn/interrupt", { thread_id, turn_id: String(params["turnId"]) });
      default:
        return null;
    }
  }

  /** Answers that a native client cannot give are not given. */
  #decide(id: number | string | undefined, decision: string | undefined): void {
    const approval = this.#connection.approvals.find(
      ({ request }) => request.params.approval_id === `codex-g1-${id}`,
    );
    if (approval === undefined || (decision !== "accept" && decision !== "decline")) return;
    if (!this.#connection.client.counts.incoming) return;
    this.#connection.reply(approval.request, decision === "accept" ? "approve" : "deny");
  }

  #server(message: CodexMessage): void {
    if (message.method !== undefined) this.#peer.say(message);
    else if (typeof message.id === "number" && this.#ids.has(message.id)) {
      this.#peer.say({ ...message, id: this.#ids.get(message.id) });
    }
  }
}
