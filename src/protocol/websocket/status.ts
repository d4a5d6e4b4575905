/** What can be seen of a listener or a connection (RW34): counts and names only. */

import type { Capability, ClientPhase, ServerPhase } from "../index.ts";

export interface ListenerStatus {
  readonly state: "listening" | "closing" | "closed";
  readonly hostname: string;
  readonly port: number;
  readonly encrypted: boolean;
  /** Open ones. */
  readonly connections: number;
  /** Requests being authenticated, and open connections that are not ready. */
  readonly handshakes: number;
  /** So far: requests that were not upgraded, and connections that ended. */
  readonly refused: number;
  readonly ended: number;
}

export interface ConnectionStatus {
  readonly state: "open" | "ended";
  /** Null before the host told it. */
  readonly connection_id: string | null;
  readonly phase: ClientPhase | ServerPhase;
  readonly negotiated: readonly Capability[];
  /** Requests that this side made and that are not answered; mutations of unknown outcome. */
  readonly pending: number;
  readonly uncertain: number;
  /** Requests of the peer that are not answered; notifications that were not drained. */
  readonly incoming: number;
  readonly buffered: number;
  /** Messages that wait for a slow peer. */
  readonly queued: number;
  /** When the socket opened, in the owner's time. */
  readonly since: number;
}
