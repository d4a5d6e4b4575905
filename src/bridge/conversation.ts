/** Requests to a daemon and what comes back, decoded as strictly as the transport defines it (D27). */
import { utf8 } from "../kernel/bytes.ts";
import type { Alarm, StopReason } from "./alarm.ts";
import type { DaemonSession, SessionEnd } from "./daemon-session.ts";

export type Method = "workspace/open" | "check" | "test" | "shutdown";

export type Reply =
  /** The exact bytes of RESULT. */
  | { readonly kind: "result"; readonly bytes: Uint8Array }
  | { readonly kind: "error"; readonly code: number; readonly message: string }
  /** Not an answer to this request. */
  | { readonly kind: "mismatch" }
  /** The output ended in place of an answer. */
  | { readonly kind: "ended" }
  /** The session failed in a way that no daemon can. */
  | { readonly kind: "broken" }
  | { readonly kind: "stopped"; readonly reason: StopReason };

export class Conversation {
  readonly #session: DaemonSession;
  readonly #alarm: Alarm;
  readonly #label: string;
  #asked = 0;

  /** `label` begins the id of each request, so that no answer of another session can be taken for one of this. */
  constructor(session: DaemonSession, alarm: Alarm, label: string) {
    this.#session = session;
    this.#alarm = alarm;
    this.#label = label;
  }

  async ask(method: Method, params?: Readonly<Record<string, string | number>>): Promise<Reply> {
    const id = `${this.#label}-${++this.#asked}`;
    const request = JSON.stringify({ jsonrpc: "2.0", id, method, ...(params !== undefined && { params }) });
    return await this.#unlessStopped(async () => {
      const frame = await this.#session.ask(utf8(request));
      return frame === null ? { kind: "ended" } : decode(frame, id);
    });
  }

  /** How the daemon ended by itself. */
  async end(): Promise<
    { readonly kind: "end"; readonly end: SessionEnd } | Extract<Reply, { kind: "broken" | "stopped" }>
  > {
    return await this.#unlessStopped(async () => ({ kind: "end", end: await this.#session.ended }));
  }

  async #unlessStopped<T>(
    wait: () => Promise<T>,
  ): Promise<T | Extract<Reply, { kind: "broken" | "stopped" }>> {
    try {
      const stopped = this.#alarm.rung.then((reason) => ({ kind: "stopped", reason }) as const);
      return await Promise.race([stopped, wait()]);
    } catch {
      return { kind: "broken" };
    }
  }
}

/** A response is compact and has its members in one order, so its head is known in advance. */
function decode(frame: Uint8Array, id: string): Reply {
  const text = decodeText(frame);
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;
  if (text?.startsWith(head) && text.endsWith("}")) {
    return { kind: "result", bytes: frame.subarray(utf8(head).length, -1) };
  }
  return (text !== null && decodeError(text, id)) || { kind: "mismatch" };
}

function decodeError(text: string, id: string): Reply | null {
  const error = errorOf(text);
  if (error === null) return null;
  const { code, message } = error;
  if (typeof code !== "number" || typeof message !== "string") return null;
  // Ids and messages are escaped as `JSON.stringify` does it (D28): there is one way to write this response.
  const expected = JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
  return expected === text ? { kind: "error", code, message } : null;
}

function errorOf(text: string): { readonly code?: unknown; readonly message?: unknown } | null {
  try {
    const response: unknown = JSON.parse(text);
    if (typeof response !== "object" || response === null || !("error" in response)) return null;
    return typeof response.error === "object" ? response.error : null;
  } catch {
    return null;
  }
}

function decodeText(frame: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(frame);
  } catch {
    return null;
  }
}
