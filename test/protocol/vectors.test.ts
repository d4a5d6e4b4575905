// The recorded cases of the agent protocol: messages, results, retries and traces. Each names the requirements it shows.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Codec,
  Event,
  type JsonObject,
  type ProjectEvent,
  type RequestMessage,
  type Result,
} from "../../src/protocol/index.ts";
import { FORMS, play, type Trace } from "../support/protocol-traces.ts";

const FOLDER = join(import.meta.dir, "..", "..", "fixtures", "protocol");

interface Named {
  readonly name: string;
  readonly requirements: readonly string[];
}

function cases<T extends Named>(file: string): readonly (readonly [string, T])[] {
  const { cases: found } = JSON.parse(readFileSync(join(FOLDER, `${file}.json`), "utf8")) as { cases: T[] };
  expect(found.length).toBeGreaterThan(0);
  return found.map((one) => [`${one.requirements.join(" ")}: ${one.name}`, one] as const);
}

function codeOf(result: Result<unknown>): string {
  return result.ok ? "ok" : result.error.code;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("accepted messages", () => {
  test.each(cases<Named & { message: JsonObject }>("messages-accepted"))("%s", (_, { message }) => {
    const text = JSON.stringify(message);
    expect(Codec.decode(text)).toEqual({ ok: true, message } as never);
    expect(Codec.decode(utf8(text))).toEqual({ ok: true, message } as never);
    const encoded = Codec.encode(structuredClone(message));
    expect(encoded).toMatchObject({ ok: true, message } as never);
    if (encoded.ok) expect(Codec.decode(encoded.text)).toEqual({ ok: true, message } as never);
  });
});

interface Rejected extends Named {
  readonly code: string;
  readonly message?: JsonObject;
  readonly text?: string;
  readonly bytes_hex?: string;
  readonly generate?: { prefix: string; repeat: string; count: number; suffix: string };
}

describe("rejected messages", () => {
  test.each(cases<Rejected>("messages-rejected"))("%s", (_, given) => {
    const { code, message, bytes_hex, generate } = given;
    if (bytes_hex !== undefined) {
      expect(codeOf(Codec.decode(Uint8Array.from(Buffer.from(bytes_hex, "hex"))))).toBe(code);
      return;
    }
    const generated = generate && generate.prefix + generate.repeat.repeat(generate.count) + generate.suffix;
    const text = given.text ?? generated ?? JSON.stringify(message);
    expect(codeOf(Codec.decode(text))).toBe(code);
    expect(codeOf(Codec.decode(utf8(text)))).toBe(code);
    if (message !== undefined) expect(codeOf(Codec.encode(message))).toBe(code);
  });
});

interface ResultCase extends Named {
  readonly request: RequestMessage;
  readonly result: JsonObject;
  readonly expect: string;
}

describe("results with their requests", () => {
  test.each(cases<ResultCase>("results"))("%s", (_, { request, result, expect: expected }) => {
    const checked = Codec.checkResult(request, result);
    expect(codeOf(checked)).toBe(expected);
    if (checked.ok) expect(checked.result as unknown).toEqual(result);
  });
});

interface EventCase extends Named {
  readonly event: ProjectEvent;
  readonly new_delivery_attempt_id: string;
  readonly expect: { readonly ok: boolean; readonly code?: string; readonly event?: ProjectEvent };
}

describe("retries of events", () => {
  test.each(cases<EventCase>("events"))("%s", (_, { event, new_delivery_attempt_id, expect: expected }) => {
    const retried = Event.retry(event, new_delivery_attempt_id);
    expect(codeOf(retried)).toBe(expected.code ?? "ok");
    if (!retried.ok) return;
    expect(retried.event).toEqual(expected.event!);
    expect(Event.sameOriginal(event, retried.event)).toBe(true);
    expect(Event.sameOriginal(event, { ...retried.event, payload: { a: 1 } })).toBe(false);
  });
});

describe.each(Object.entries(FORMS))("traces, messages received as %s", (_, form) => {
  test.each(cases<Trace>("traces"))("%s", (_, trace) => play(trace, form));
});
