/** What a host is given (RC13). */

import { fail, type ProtocolError } from "../error.ts";
import { WAIT_MS_MAX } from "../limits.ts";
import { APPROVAL_MS, RETRY_LIMIT_MS, RETRY_LIMIT_MS_MAX } from "./limits.ts";
import type { CodexEvent } from "./event.ts";

export type CodexHostOptions = CodexSandbox & {
  /** Path of the `codex` program of release 0.163.0. */
  bin: string;
  /** Its `CODEX_HOME`: configuration, credentials, stored threads. */
  codexHome: string;
  /** Where commands run; also the process's own. */
  workingDirectory: string;
  approvalPolicy: "untrusted" | "on-request" | "never";
  /** Codex's own default unless given. */
  model?: string;
  modelProvider?: string;
  /** Variables beside `PATH`, `HOME`, `TMPDIR` and `CODEX_HOME`; nothing else is inherited (RC11). */
  env?: Record<string, string>;
  /** How long an approval waits before it is declined, 1 to 3 600 000 ms; 300 000 unless given. */
  approvalTimeoutMs?: number;
  /** How long a turn may keep trying to reach its model; 120 000 ms unless given (RC24). */
  retryLimitMs?: number;
  /** An Id of at most 64 characters, new each time: 128 random bits do (R94). Called once for each process. */
  newId: () => string;
  /** Whole milliseconds since the epoch. */
  clock: () => number;
  log?: (event: CodexEvent) => void;
};

/** To let the agent act without a sandbox takes two decisions. */
export type CodexSandbox =
  | { sandbox: "read-only" | "workspace-write"; allowFullAccess?: boolean }
  | { sandbox: "danger-full-access"; allowFullAccess: true };

export type Config = Readonly<
  Omit<CodexHostOptions, "allowFullAccess"> & { approvalTimeoutMs: number; retryLimitMs: number }
>;

const SANDBOXES: readonly string[] = ["read-only", "workspace-write", "danger-full-access"];
const POLICIES: readonly string[] = ["untrusted", "on-request", "never"];

/** The options with their defaults; throws `invalid_argument`, since nothing can be answered yet. */
export function configOf(options: CodexHostOptions): Config {
  if (typeof options !== "object" || options === null) throw misuse("options must be an object");
  const { approvalTimeoutMs = APPROVAL_MS, retryLimitMs = RETRY_LIMIT_MS, ...rest } = options;
  for (const name of ["bin", "codexHome", "workingDirectory"] as const) {
    if (!isPlainText(rest[name])) throw misuse(`${name} must be a path`);
  }
  if (!SANDBOXES.includes(rest.sandbox)) throw misuse("sandbox is none of those that exist");
  if (rest.sandbox === "danger-full-access" && rest.allowFullAccess !== true) {
    throw misuse("danger-full-access needs allowFullAccess as well");
  }
  if (!POLICIES.includes(rest.approvalPolicy)) throw misuse("approvalPolicy is none of those that exist");
  for (const name of ["model", "modelProvider"] as const) {
    if (rest[name] !== undefined && !isPlainText(rest[name])) throw misuse(`${name} must be a name`);
  }
  if (!isWithin(approvalTimeoutMs, WAIT_MS_MAX)) throw misuse("approvalTimeoutMs is out of range");
  if (!isWithin(retryLimitMs, RETRY_LIMIT_MS_MAX)) throw misuse("retryLimitMs is out of range");
  for (const name of ["newId", "clock"] as const) {
    if (typeof rest[name] !== "function") throw misuse(`${name} must be a function`);
  }
  checkEnvironment(rest.env ?? {});
  return Object.freeze({ ...rest, approvalTimeoutMs, retryLimitMs });
}

function checkEnvironment(env: Record<string, string>): void {
  if (typeof env !== "object" || env === null) throw misuse("env must be an object");
  for (const [name, value] of Object.entries(env)) {
    if (name === "" || /[=\0]/.test(name) || typeof value !== "string" || value.includes("\0")) {
      throw misuse("env has a name or value that no variable can have");
    }
    if (name === "CODEX_HOME") throw misuse("CODEX_HOME is given by codexHome");
  }
}

function isPlainText(value: unknown): boolean {
  return typeof value === "string" && value !== "" && !value.includes("\0");
}

function isWithin(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

export function misuse(message: string): ProtocolError {
  return fail("invalid_argument", message).error;
}
