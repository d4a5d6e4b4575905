/**
 * A host of the agent protocol on top of a `codex app-server` process of release 0.163.0: sessions, streaming, approvals
 * and cancellation. What is not translated is refused by name. Importing it starts nothing.
 */

export type { CodexConnection, CodexState } from "./connections.ts";
export type { CodexCounts, CodexEvent, DeclineReason, LossReason } from "./event.ts";
export { type CodexHost, type CodexStatus, createCodexHost } from "./host.ts";
export { CODEX_VERSION } from "./limits.ts";
export type { CodexHostOptions, CodexSandbox } from "./options.ts";
export type { Reconciliation } from "./session.ts";
