/** Who a connection belongs to, asked before every upgrade (RW5, RW8). What a principal may do is the host's business. */

import { AUTHENTICATION_MS } from "./limits.ts";

export interface Principal {
  readonly id: string;
  /** When the authentication ends, in the listener's time; never without it (RW10). */
  readonly expiresAt?: number;
}

export interface AuthenticationRequest {
  readonly headers: Headers;
  readonly remoteAddress: string;
  readonly encrypted: boolean;
  /** Aborted when the answer is no longer waited for: the peer left, it took too long, the listener closes. */
  readonly signal: AbortSignal;
}

export type Authenticator = (request: AuthenticationRequest) => Promise<Principal | null> | Principal | null;

/**
 * Asks the owner's authenticator. Null is a no: also an exception, a rejection, a malformed principal, and no answer in
 * time or before one of `stops` is aborted. It never rejects.
 */
export async function authenticated(
  authenticate: Authenticator,
  request: Omit<AuthenticationRequest, "signal">,
  stops: readonly AbortSignal[],
  milliseconds = AUTHENTICATION_MS,
): Promise<Principal | null> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const timer = setTimeout(stop, milliseconds);
  for (const signal of stops) signal.addEventListener("abort", stop);
  if (stops.some((signal) => signal.aborted)) stop();
  try {
    const { signal } = controller;
    const stopped = new Promise<null>((resolve) => {
      signal.addEventListener("abort", () => resolve(null), { once: true });
    });
    const answer = signal.aborted
      ? null
      : await Promise.race([authenticate({ ...request, signal }), stopped]);
    return isPrincipal(answer) ? answer : null;
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
    for (const signal of stops) signal.removeEventListener("abort", stop);
  }
}

function isPrincipal(value: unknown): value is Principal {
  if (typeof value !== "object" || value === null) return false;
  const { id, expiresAt } = value as Partial<Record<keyof Principal, unknown>>;
  if (typeof id !== "string" || id === "") return false;
  return expiresAt === undefined || (typeof expiresAt === "number" && Number.isFinite(expiresAt));
}
