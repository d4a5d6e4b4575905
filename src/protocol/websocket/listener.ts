/** The host's side: authenticated upgrades at one path, and a `Server` for each connection (section 2). */

import { fail } from "../error.ts";
import { urlOf } from "./address.ts";
import { authenticated, type Principal } from "./authenticate.ts";
import { timeOf } from "./clock.ts";
import { ENDING } from "./ending.ts";
import { type Admission, HostSession, hostSocket } from "./host-connection.ts";
import { CLOSING_MS } from "./limits.ts";
import { type ListenerOptions, type Settings, settingsOf } from "./listener-options.ts";
import { Place } from "./place.ts";
import { Redacted } from "./redacted.ts";
import type { ListenerStatus } from "./status.ts";
import type { Log } from "./transport-event.ts";
import {
  type RefusalStatus,
  refusal,
  targetError,
  UPGRADE_HEADERS,
  upgradeError,
} from "./upgrade-request.ts";

/** What of a gate does not depend on the state of its connections. */
interface Closable {
  readonly hostname: string;
  readonly port: number;
  readonly url: string;
  status(): ListenerStatus;
  close(): Promise<void>;
}

/** A listener that is open until it is closed. */
export class Listener extends Redacted<ListenerStatus> {
  readonly #gate: Closable;

  /** @internal Made by `createListener`. */
  constructor(gate: Closable) {
    super();
    this.#gate = gate;
  }

  get hostname(): string {
    return this.#gate.hostname;
  }

  get port(): number {
    return this.#gate.port;
  }

  /** Where a client connects to. */
  get url(): string {
    return this.#gate.url;
  }

  override status(): ListenerStatus {
    return this.#gate.status();
  }

  /** Ends everything with 1001; resolved when nothing of it is left (RW15). */
  close(): Promise<void> {
    return this.#gate.close();
  }
}

/**
 * Opens a listener. Rejects with `ProtocolError`: `invalid_argument` for a mistake in the options, `unavailable` where the
 * address cannot be listened on.
 */
export async function createListener<S>(options: ListenerOptions<S>): Promise<Listener> {
  return new Listener(new Gate(settingsOf(options)));
}

/** What the runtime keeps beside a socket. */
interface Slot<S> {
  readonly admission: Admission;
  session: HostSession<S> | null;
}

/** The socket of the listener, its places, and its connections. */
class Gate<S> implements Closable {
  readonly url: string;
  readonly port: number;
  readonly hostname: string;
  readonly #settings: Settings<S>;
  readonly #log: Log;
  readonly #server: Bun.Server<Slot<S>>;
  readonly #sessions = new Set<HostSession<S>>();
  /** Aborted when the listener closes, for requests that are being authenticated. */
  readonly #closing = new AbortController();
  #state: ListenerStatus["state"] = "listening";
  #closed: Promise<void> | null = null;
  #places = 0;
  #handshakes = 0;
  #refused = 0;
  #ended = 0;

  constructor(settings: Settings<S>) {
    this.#settings = settings;
    this.#log = settings.log;
    this.#server = this.#listen();
    this.hostname = settings.hostname;
    this.port = this.#server.port ?? settings.port;
    this.url = urlOf(this.hostname, this.port, settings.tls !== undefined);
    this.#log({ type: "listening", port: this.port });
    if (settings.isInsecureRemote) this.#log({ type: "insecure_remote", port: this.port });
  }

  status(): ListenerStatus {
    return {
      state: this.#state,
      hostname: this.hostname,
      port: this.port,
      encrypted: this.#settings.tls !== undefined,
      connections: this.#sessions.size,
      handshakes: this.#handshakes,
      refused: this.#refused,
      ended: this.#ended,
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#state = "closing";
    this.#closing.abort();
    const stopped = this.#server.stop();
    for (const session of this.#sessions) session.end(ENDING.shutdown);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, CLOSING_MS);
    });
    await Promise.race([stopped, late]);
    clearTimeout(timer);
    await this.#server.stop(true);
    this.#state = "closed";
  }

  #listen(): Bun.Server<Slot<S>> {
    const { hostname, port, tls, limits } = this.#settings;
    try {
      return Bun.serve<Slot<S>>({
        hostname,
        port,
        ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
        development: false,
        // Without development mode the runtime shares a port by default, with any process of the same user.
        reusePort: false,
        fetch: (request, server) => this.#answer(request, server),
        error: () => refusal(500),
        websocket: {
          maxPayloadLength: limits.messageBytes,
          backpressureLimit: limits.queueBytes + limits.messageBytes,
          closeOnBackpressureLimit: true,
          perMessageDeflate: false,
          idleTimeout: 0,
          sendPings: false,
          open: (socket) => {
            const { data } = socket;
            data.session = HostSession.open(this.#settings, data.admission, hostSocket(socket));
            if (data.session !== null && !data.session.isEnded) this.#sessions.add(data.session);
          },
          message: ({ data }, frame) => data.session?.frame(frame),
          drain: ({ data }) => data.session?.drained(),
          ping: ({ data }) => data.session?.heard(),
          pong: ({ data }) => data.session?.pong(),
          close: ({ data }, code) => data.session?.lost(code),
        },
      });
    } catch (error) {
      throw listenError(error);
    }
  }

  async #answer(request: Request, server: Bun.Server<Slot<S>>): Promise<Response | undefined> {
    const status = await this.#admit(request, server).catch((): RefusalStatus => 500);
    if (status === null) return undefined;
    this.#refused++;
    this.#log({ type: "refused", status });
    return refusal(status);
  }

  /** The checks of RW6 in their order. Null if the connection was upgraded. */
  async #admit(request: Request, server: Bun.Server<Slot<S>>): Promise<RefusalStatus | null> {
    const { limits, allowedOrigins } = this.#settings;
    const error = targetError(request, allowedOrigins);
    if (error !== null) return error;
    const isFull = this.#places >= limits.connections || this.#handshakes >= limits.handshakes;
    if (isFull || this.#state !== "listening") return 503;
    const place = this.#takePlace();
    try {
      return await this.#upgrade(request, server, place);
    } finally {
      if (!place.isUpgraded) place.leave();
    }
  }

  async #upgrade(request: Request, server: Bun.Server<Slot<S>>, place: Place): Promise<RefusalStatus | null> {
    const principal = await authenticated(
      this.#settings.authenticate,
      {
        headers: request.headers,
        remoteAddress: server.requestIP(request)?.address ?? "",
        encrypted: this.#settings.tls !== undefined,
      },
      [request.signal, this.#closing.signal],
    );
    if (this.#state !== "listening") return 503;
    if (principal === null || this.#isPast(principal)) return 401;
    const error = upgradeError(request);
    if (error !== null) return error;
    const data: Slot<S> = { admission: this.#admission(principal, place, () => data.session), session: null };
    place.isUpgraded = server.upgrade(request, { data, headers: UPGRADE_HEADERS });
    return place.isUpgraded ? null : 400;
  }

  #isPast({ expiresAt }: Principal): boolean {
    if (expiresAt === undefined) return false;
    // A clock that fails lets nobody in.
    const now = timeOf(this.#settings.clock, () =>
      this.#log({ type: "callback_failed", connection_id: null, callback: "clock" }),
    );
    return now === null || now >= expiresAt;
  }

  #takePlace(): Place {
    this.#places++;
    this.#handshakes++;
    return new Place(
      () => this.#handshakes--,
      () => this.#places--,
    );
  }

  #admission(principal: Principal, place: Place, session: () => HostSession<S> | null): Admission {
    return {
      principal,
      ready: () => place.ready(),
      ended: () => {
        this.#ended++;
        place.leave();
        const gone = session();
        if (gone !== null) this.#sessions.delete(gone);
      },
    };
  }
}

/** The words of the runtime may repeat an option, so only the name of the system's error is kept. */
function listenError(error: unknown): Error {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE" || code === "EACCES" || code === "EADDRNOTAVAIL") {
    return fail("unavailable", "the address cannot be listened on", { cause: code }).error;
  }
  return fail("invalid_argument", "a listener cannot be opened with these options").error;
}
