/**
 * The agent protocol over WebSocket: text frames at `/app-server`, authenticated before the upgrade. Importing this opens
 * nothing; a listener or a connection exists from an explicit call until its `close()`.
 */

export { PATH, SUBPROTOCOL } from "./address.ts";
export type { AuthenticationRequest, Authenticator, Principal } from "./authenticate.ts";
export type { ClientTls } from "./client-socket.ts";
export { type ConnectOptions, connect, reconnectDelay } from "./connect.ts";
export { ConnectError } from "./connect-error.ts";
export { Connection, type ConnectionEnd } from "./connection.ts";
export type { EndReason } from "./ending.ts";
export { HostConnection } from "./host-connection.ts";
export { DEFAULT_TRANSPORT_LIMITS, type TransportLimits } from "./limits.ts";
export { createListener, Listener } from "./listener.ts";
export type { ListenerOptions } from "./listener-options.ts";
export type { ConnectionStatus, ListenerStatus } from "./status.ts";
export { bearerTokens, hashToken, newToken, type TokenEntry } from "./token.ts";
export type { CallbackName, TransportEvent } from "./transport-event.ts";
export { createFakeAgent, type FakeAgent, type FakeAgentOptions } from "./fake-agent.ts";
export type { FakePeer } from "./fake-agent-peers.ts";
export type { ScriptStep } from "./fake-agent-turn.ts";
