/** What an owner may log of a transport (RW35): ids, codes and numbers, nothing of messages, tokens or exceptions. */

import type { ErrorCode } from "../error.ts";
import type { EndReason } from "./ending.ts";

/** Code of the owner that a connection calls. */
export type CallbackName = "initialState" | "onConnection" | "onEffects" | "handler" | "clock" | "newId";

export type TransportEvent =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "insecure_remote"; readonly port: number }
  | { readonly type: "refused"; readonly status: number }
  | {
      readonly type: "opened";
      readonly connection_id: string | null;
      readonly principal_id: string | null;
    }
  | { readonly type: "ready"; readonly connection_id: string | null }
  | { readonly type: "rejected_message"; readonly connection_id: string | null; readonly code: ErrorCode }
  | { readonly type: "late_response"; readonly connection_id: string | null }
  | {
      readonly type: "callback_failed";
      readonly connection_id: string | null;
      readonly callback: CallbackName;
    }
  | {
      readonly type: "ended";
      readonly connection_id: string | null;
      readonly code: number;
      readonly reason: EndReason;
    };

export type Log = (event: TransportEvent) => void;

/** The owner's log; whatever it throws or rejects with is swallowed (RW1). */
export function quiet(log: Log | undefined): Log {
  if (log === undefined) return () => undefined;
  return (event) => {
    attempt(
      () => log(event),
      () => undefined,
    );
  };
}

export type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false };

/**
 * Calls code of the owner. `failed` is called where it throws, and later where it returned a promise that is rejected;
 * a promise is not waited for. Nothing of the exception is kept.
 */
export function attempt<T>(callback: () => T, failed: () => void): Attempt<T> {
  try {
    const value = callback();
    if (isThenable(value)) Promise.resolve(value).catch(failed);
    return { ok: true, value };
  } catch {
    failed();
    return { ok: false };
  }
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}
