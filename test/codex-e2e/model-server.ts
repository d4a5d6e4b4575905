/** A model on 127.0.0.1 that answers from a queue (RC40): Codex needs no other, and no key. */

/** Events of one answer, an answer that takes its time between events, a refusal, or silence. */
export type ModelEvent = { readonly type: string; readonly [name: string]: unknown };
export type Answer =
  | readonly ModelEvent[]
  | { readonly events: readonly ModelEvent[]; readonly delay: number }
  | { readonly status: number; readonly body: object };

export interface ModelServer {
  readonly port: number;
  /** Answers to come; one that is asked for more answers with 500. */
  readonly queue: Answer[];
  /** What was asked, shortened to what a recording keeps. */
  readonly requests: { method: string; path: string; tail: unknown[] }[];
  close(): Promise<void>;
}

const USAGE = {
  input_tokens: 11,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 16,
};

/** One message in these pieces. */
export function say(id: string, ...pieces: string[]): ModelEvent[] {
  const message = { type: "message", role: "assistant", id: `msg_${id}` };
  return [
    { type: "response.created", response: { id: `resp_${id}` } },
    { type: "response.output_item.added", output_index: 0, item: { ...message, content: [] } },
    ...pieces.map((delta) => ({
      type: "response.output_text.delta",
      item_id: message.id,
      output_index: 0,
      content_index: 0,
      delta,
    })),
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...message, content: [{ type: "output_text", text: pieces.join("") }] },
    },
    { type: "response.completed", response: { id: `resp_${id}`, usage: USAGE } },
  ];
}

/** A call of the tool that runs commands. */
export function run(id: string, cmd: string, more: object = {}): ModelEvent[] {
  const call = { type: "function_call", id: `fc_${id}`, call_id: `call_${id}`, name: "exec_command" };
  return [
    { type: "response.created", response: { id: `resp_${id}` } },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...call, arguments: JSON.stringify({ cmd, ...more }) },
    },
    { type: "response.completed", response: { id: `resp_${id}`, usage: USAGE } },
  ];
}

/** A patch that adds one file; Codex makes a file change of it. */
export function addFile(id: string, name: string, line: string): ModelEvent[] {
  return run(
    id,
    `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${name}\n+${line}\n*** End Patch\nEOF\n`,
  );
}

export function createModelServer(): ModelServer {
  const queue: Answer[] = [];
  const requests: ModelServer["requests"] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const text = await request.text();
      requests.push({ method: request.method, path: new URL(request.url).pathname, tail: tailOf(text) });
      const answer = queue.shift();
      if (answer === undefined)
        return Response.json({ error: { message: "script exhausted" } }, { status: 500 });
      if ("status" in answer) return Response.json(answer.body, { status: answer.status });
      const { events, delay } = "events" in answer ? answer : { events: answer, delay: 0 };
      return new Response(stream(events, delay), { headers: { "content-type": "text/event-stream" } });
    },
  });
  const { port } = server;
  if (port === undefined) throw new Error("the model server has no port");
  return { port, queue, requests, close: () => server.stop(true) };
}

function stream(events: readonly ModelEvent[], delay: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const rest = [...events];
  return new ReadableStream({
    async pull(controller) {
      const event = rest.shift();
      if (event === undefined) return controller.close();
      if (delay > 0) await Bun.sleep(delay);
      controller.enqueue(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
    },
  });
}

/** The last two inputs of a request, by type and name. */
function tailOf(text: string): unknown[] {
  try {
    const { input } = JSON.parse(text) as { input: { [name: string]: unknown }[] };
    return input
      .slice(-2)
      .map(({ type, role, name, call_id, output }) => ({ type, role, name, call_id, output }));
  } catch {
    return [];
  }
}
