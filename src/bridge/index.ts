/** The bridge: an agent on the protocol's side, a client of the daemon on the other. Importing it starts nothing. */
export { createVerifyBridge, type VerifyBridge } from "./bridge.ts";
export { type DaemonProcess, openDaemon } from "./daemon-process.ts";
export type { DaemonSession, OpenSession, SessionEnd } from "./daemon-session.ts";
export type { BridgeState } from "./handler.ts";
export type { Project, VerifyBridgeOptions } from "./options.ts";
export {
  Reporter,
  type ReporterOptions,
  type ReportLink,
  type ReportState,
  type ReportStatus,
} from "./reporter.ts";
export type { Kind as DecisionKind } from "./verdict.ts";
