/** What a listener is made of, and which mistakes it is not made with (section 2). */

import { randomBytes } from "node:crypto";
import { fail } from "../error.ts";
import { checkHandler } from "../handler.ts";
import type { Handler } from "../index.ts";
import { isPlainObject } from "../json/value.ts";
import { isLoopback } from "./address.ts";
import type { Authenticator, Principal } from "./authenticate.ts";
import type { Host, HostConnection } from "./host-connection.ts";
import { CONNECTION_ID_BYTES, type TransportLimits, transportLimitsOf } from "./limits.ts";
import { quiet, type TransportEvent } from "./transport-event.ts";

export interface ListenerOptions<S> {
  handler: Handler<S>;
  /** The state of one connection; what outlives it is in the host's own store (R96). */
  initialState: (principal: Principal) => S;
  authenticate: Authenticator;
  /** 127.0.0.1 unless given; anything that is not loopback needs `tls` (RW11). */
  hostname?: string;
  /** 0 unless given: the system chooses. */
  port?: number;
  /** PEM. */
  tls?: { cert: string; key: string };
  allowInsecureRemote?: boolean;
  /** Exact origins of web pages that may connect; none unless given (RW12). */
  allowedOrigins?: string[];
  limits?: Partial<TransportLimits>;
  log?: (event: TransportEvent) => void;
  /** Milliseconds since the epoch; the system's unless given. */
  clock?: () => number;
  /** An Id for each connection; 128 random bits unless given. */
  newId?: () => string;
  /** Called for each connection as soon as it is open, before its first frame. */
  onConnection?: (connection: HostConnection<S>) => void;
}

/** The options, checked and complete. */
export interface Settings<S> extends Host<S> {
  readonly authenticate: Authenticator;
  readonly hostname: string;
  readonly port: number;
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly isInsecureRemote: boolean;
}

/** Throws `ProtocolError` `invalid_argument` for a mistake; nothing was opened. */
export function settingsOf<S>(options: ListenerOptions<S>): Settings<S> {
  if (typeof options !== "object" || options === null) throw invalid("options must be an object");
  const { handler, hostname = "127.0.0.1", port = 0, tls, allowInsecureRemote = false } = options;
  const checked = checkHandler(handler);
  if (!checked.ok) throw checked.error;
  const limits = transportLimitsOf(options.limits);
  if (!limits.ok) throw limits.error;
  const { authenticate, initialState, onConnection, allowedOrigins = [] } = options;
  const { clock = Date.now, newId = newConnectionId, log } = options;
  for (const callback of [authenticate, initialState, clock, newId, log ?? clock, onConnection ?? clock]) {
    if (typeof callback !== "function") throw invalid("the callbacks must be functions");
  }
  if (typeof hostname !== "string" || hostname === "" || !isPort(port)) {
    throw invalid("the hostname must be a name and the port a whole number up to 65535");
  }
  // With less than that the runtime would listen without encryption, and nothing would say so.
  if (tls !== undefined && !isTls(tls)) throw invalid("tls needs cert and key as PEM texts");
  if (!Array.isArray(allowedOrigins)) throw invalid("allowedOrigins must be a list");
  const isInsecureRemote = tls === undefined && !isLoopback(hostname);
  if (isInsecureRemote && allowInsecureRemote !== true) {
    throw invalid("outside loopback a listener needs tls");
  }
  return {
    handler,
    authenticate,
    initialState,
    onConnection,
    hostname,
    port,
    tls,
    clock,
    newId,
    isInsecureRemote,
    limits: limits.limits,
    log: quiet(log),
    allowedOrigins: new Set(allowedOrigins),
  };
}

function isTls(tls: unknown): boolean {
  if (!isPlainObject(tls)) return false;
  const { cert, key }: { cert?: unknown; key?: unknown } = tls;
  return [cert, key].every((pem) => typeof pem === "string" && pem !== "");
}

function isPort(port: unknown): port is number {
  return Number.isSafeInteger(port) && Number(port) >= 0 && Number(port) <= 65_535;
}

function invalid(words: string): Error {
  return fail("invalid_argument", words).error;
}

function newConnectionId(): string {
  return randomBytes(CONNECTION_ID_BYTES).toString("hex");
}
