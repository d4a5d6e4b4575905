/** A Codex host behind a real listener, with clients that catch up with streams by themselves. */
import {
  createListener,
  hashToken,
  bearerTokens,
  type Listener,
  newToken,
} from "../../src/protocol/websocket/index.ts";
import type { CodexHost } from "../../src/protocol/codex/index.ts";
import type { Client, Effect, JsonObject, RequestMessage } from "../../src/protocol/index.ts";
import { type FakeClient, Seen, startClient } from "./websocket.ts";

export const CODEX_GROUPS = ["approvals.v1", "cancellation.v1", "sessions.v1", "streaming.v1"] as const;

export interface CodexListener {
  readonly listener: Listener;
  /** Of the principals alice and bob. */
  readonly tokens: { readonly alice: string; readonly bob: string };
}

export async function listen(host: CodexHost): Promise<CodexListener> {
  const tokens = { alice: newToken(), bob: newToken() };
  const entries = Object.entries(tokens).map(([id, token]) => ({ id, sha256: hashToken(token) }));
  const listener = await createListener({
    handler: host.handler,
    initialState: host.initialState,
    authenticate: bearerTokens(entries),
    onConnection: host.attach,
  });
  return { listener, tokens };
}

/** A client of one principal; with a client that was reconnected it goes on where that was. */
export function join(
  { listener, tokens }: CodexListener,
  principal: keyof CodexListener["tokens"],
  { client, seen = new Seen() }: { client?: Client; seen?: Seen } = {},
): Promise<FakeClient> {
  const onEffects = (effects: Effect[], connection: FakeClient["connection"]) => {
    for (const effect of effects) {
      if (effect.type !== "response") continue;
      const { events, stream, thread } = effect.result as JsonObject & {
        stream?: { stream_id: string; cursor: number };
      };
      if (Array.isArray(events)) connection.update((core) => core.receiveReplay(effect.result));
      else if (thread !== undefined && stream !== undefined && stream.cursor > 0) {
        // What came before is fetched before anything live is fed (R87).
        const { stream_id } = stream;
        connection.update((core) =>
          core.request("stream/resume", { stream_id, cursor: core.checkpoints()[stream_id] ?? 0 }),
        );
      }
    }
    seen.take(effects, connection);
  };
  const options = { capabilities: [...CODEX_GROUPS], onEffects, ...(client !== undefined && { client }) };
  return startClient({ listener, token: tokens[principal] }, options, seen);
}

/** Answers every approval that comes. */
export function decideAll(seen: Seen, decision: "approve" | "deny"): RequestMessage<"approval/request">[] {
  const asked: RequestMessage<"approval/request">[] = [];
  seen.onRequest = (request, connection) => {
    if (request.method !== "approval/request") return;
    asked.push(request);
    const { approval_id, action_digest } = request.params;
    const result = { approval_id, decision, action_digest, decided_at: new Date().toISOString() };
    const step = connection.update((core) => core.reply(request, { result }, { now: Date.now() }));
    if (!step.ok) throw step.error;
  };
  return asked;
}
