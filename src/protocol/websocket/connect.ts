/** The client's side: one attempt at one connection (section 3). There is no automatic reconnect (RW20). */

import { fail } from "../error.ts";
import { type Capability, Client, type Effect } from "../index.ts";
import { isPlainObject } from "../json/value.ts";
import { addressOf } from "./address.ts";
import type { ClientTls } from "./client-socket.ts";
import { ConnectError } from "./connect-error.ts";
import {
  type Attempt,
  ClientSession,
  type Connection,
  type ConnectionEnd,
  type InitializeStep,
} from "./connection.ts";
import {
  RECONNECT_MS_MAX,
  RECONNECT_MS_MIN,
  RECONNECT_SPREAD,
  type TransportLimits,
  transportLimitsOf,
} from "./limits.ts";
import { isToken } from "./token.ts";
import { quiet, type TransportEvent } from "./transport-event.ts";

export interface ConnectOptions {
  /** `wss://host[:port]/app-server`; `ws:` only to loopback. */
  url: string;
  /** Called for every attempt; the token is used for it and not kept (RW17). */
  token: () => string | Promise<string>;
  /** The groups to offer (R39). */
  capabilities: Capability[];
  requiredCapabilities?: Capability[];
  /** Processed positions of this host under this identity, and of no other (RW20). */
  checkpoints?: Record<string, number>;
  /** Goes on with a client that was disconnected and reconnected, in place of `checkpoints`. */
  client?: Client;
  tls?: ClientTls;
  allowInsecureRemote?: boolean;
  limits?: Partial<TransportLimits>;
  log?: (event: TransportEvent) => void;
  /** Milliseconds since the epoch; the system's unless given. */
  clock?: () => number;
  /**
   * Called for every accepted frame, from the host's answer to initialize on, and for every expiry, before the next frame
   * is taken; with an empty list there may be something to drain.
   */
  onEffects: (effects: Effect[], connection: Connection) => void;
  /** Called once for a connection that was ready. */
  onEnd: (end: ConnectionEnd) => void;
}

/**
 * Opens a connection and initializes it. Rejects with `ProtocolError` for a mistake in the options (`invalid_argument`,
 * for too many checkpoints `overflow`), and with {@link ConnectError} for whatever else happens before it is ready.
 */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const startedAt = performance.now();
  const { token, ...checked } = check(options);
  const { handshakeMs } = checked.limits;
  const given = await withTime(token, handshakeMs);
  if (given === LATE) throw new ConnectError("timeout", checked.client.disconnect().client);
  if (given === FAILED) throw new ConnectError("internal", checked.client.disconnect().client);
  if (!isToken(given)) throw invalid("the token has not the form of one");
  const left = handshakeMs - (performance.now() - startedAt);
  return await begin({ ...checked, token: given, handshakeMs: left }).opened;
}

/** The words of a runtime that opens no socket may repeat an option, so they are not kept. */
function begin(attempt: Attempt): ClientSession {
  try {
    return new ClientSession(attempt);
  } catch {
    throw new ConnectError("refused", attempt.client.disconnect().client);
  }
}

/**
 * Milliseconds to wait before the next attempt, from 0: 250 doubled each time up to 30 000, moved by up to a fifth.
 * `random` gives numbers from 0 up to 1.
 */
export function reconnectDelay(attempt: number, random: () => number): number {
  const delay = Math.min(RECONNECT_MS_MIN * 2 ** attempt, RECONNECT_MS_MAX);
  return Math.round(delay * (1 + RECONNECT_SPREAD * (2 * random() - 1)));
}

type Checked = Omit<Attempt, "token" | "handshakeMs"> & { readonly token: ConnectOptions["token"] };

/** Everything that can be known to be wrong before anything is opened. */
function check(options: ConnectOptions): Checked {
  if (typeof options !== "object" || options === null) throw invalid("options must be an object");
  const { allowInsecureRemote = false, token, onEffects, onEnd, clock = Date.now, log, tls = {} } = options;
  const address = addressOf(options.url, allowInsecureRemote === true);
  if (!address.ok) throw address.error;
  for (const callback of [token, onEffects, onEnd, clock, log ?? clock]) {
    if (typeof callback !== "function") throw invalid("the callbacks must be functions");
  }
  const limits = transportLimitsOf(options.limits);
  if (!limits.ok) throw limits.error;
  const checkedTls = tlsOf(tls);
  const client = clientOf(options, limits.limits);
  const initialize: Attempt["initialize"] = (from, now) => initializeOf(options, from, now);
  // The core is asked now for what it will be asked when the socket is open: it refuses the same mistakes.
  const tried = initialize(client, 0);
  if (!tried.ok) throw tried.error;
  const quietLog = quiet(log);
  if (address.isRemote && !address.isSecure) quietLog({ type: "insecure_remote", port: portOf(address.url) });
  return {
    url: address.url,
    tls: address.isSecure ? checkedTls : null,
    token,
    client,
    initialize,
    limits: limits.limits,
    log: quietLog,
    clock,
    onEffects,
    onEnd,
  };
}

function clientOf(options: ConnectOptions, limits: Readonly<TransportLimits>): Client {
  const { capabilities, checkpoints, client } = options;
  const created = Client.create({
    capabilities,
    ...(checkpoints && { checkpoints }),
    limits: { messageBytes: limits.messageBytes },
  });
  if (!created.ok) throw created.error;
  if (client === undefined) return created.client;
  if (!(client instanceof Client) || client.phase !== "new" || checkpoints !== undefined) {
    throw invalid("client must be new or reconnected, and brings its own checkpoints");
  }
  if (client.capabilities.join() !== created.client.capabilities.join()) {
    throw invalid("client was created with other capabilities");
  }
  return client;
}

function initializeOf(
  { capabilities, requiredCapabilities }: ConnectOptions,
  client: Client,
  now: number,
): InitializeStep {
  const offer = {
    versions: ["1.0"],
    capabilities: [...capabilities],
    ...(requiredCapabilities && { required_capabilities: [...requiredCapabilities] }),
  };
  return client.request("connection/initialize", offer, { now });
}

function tlsOf(given: ClientTls): ClientTls {
  if (!isPlainObject(given)) throw invalid("tls must be a plain object");
  const { ca, serverName } = given;
  for (const value of [ca, serverName]) {
    // An empty one would count as none: an authority that is lost on the way must not become every authority.
    const isText = typeof value === "string" && value !== "" && !value.includes("\0");
    if (value !== undefined && !isText) throw invalid("tls.ca and tls.serverName must be texts");
  }
  return { ...(ca !== undefined && { ca }), ...(serverName !== undefined && { serverName }) };
}

function portOf(url: string): number {
  return Number(new URL(url).port || 80);
}

const LATE = Symbol("late");
const FAILED = Symbol("failed");

/** What the owner's token function gives, or why it gives nothing. Its exception is not looked at. */
async function withTime(token: ConnectOptions["token"], milliseconds: number): Promise<unknown> {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), milliseconds);
  try {
    return await Promise.race([token(), late.promise]);
  } catch {
    return FAILED;
  } finally {
    clearTimeout(timer);
  }
}

function invalid(words: string): Error {
  return fail("invalid_argument", words).error;
}
