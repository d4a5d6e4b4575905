/**
 * Decides whether a text is an envelope that this system can have produced (execution.md section 7). Acceptance says
 * that the text is well-formed and consistent, not that a program was run (X59).
 */
import { equalBytes } from "../kernel/bytes.ts";
import { domainDigest } from "../kernel/digest.ts";
import { JsonScanner } from "../kernel/json-scan.ts";
import { COMPILER_OWNED_IDS } from "../lang/identity.ts";
import { readEnvelope } from "./verify-read.ts";
import { accountOf, bytesOf, type Envelope, type EnvelopeOutcome, renderOpenPayload } from "./verify-text.ts";

/** What an envelope may be expected to say; each is compared if given (X42). */
export interface ExpectedEnvelope {
  readonly project?: string;
  readonly projectRevision?: string;
  readonly workspaceRevision?: string;
  readonly module?: string;
  readonly stableId?: string;
}

/** The steps of X44. */
export type VerifyStep = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

export type Verdict =
  | { readonly accepted: true; readonly envelope: Envelope }
  | {
      readonly accepted: false;
      readonly code: "SPX-F106";
      readonly step: VerifyStep;
      readonly message: string;
    };

/** X44 row 1, and the bound of `max_bytes` (X51). */
const ENVELOPE_BYTES_MAX = 16_777_216;
const MAX_BYTES_MIN = 1024;
/** X51. */
const MAX_STEPS_MAX = 100_000_000;
/** A body and one node in it (X56). */
const STEPS_OF_END_MIN = 2;
/** 256 calls, each at least a call and the node around it (X57). */
const STEPS_OF_DEPTH_MIN = 512;

const I64_MAX = 9_223_372_036_854_775_807n;
const I64_MIN = -9_223_372_036_854_775_808n;
/** The longest DECIMAL: `-9223372036854775808`. */
const DECIMAL_LENGTH_MAX = 20;

/** X16: class and number of codes, by domain. */
const DOMAINS: Readonly<Record<string, { readonly className: string; readonly codes: number }>> = {
  "semaprax.arithmetic.v1": { className: "arithmetic", codes: 8 },
  "semaprax.contract.v1": { className: "contract", codes: 2 },
};

/** Never throws, whatever the bytes. */
export function verifyEnvelope(bytes: Uint8Array, expected: ExpectedEnvelope = {}): Verdict {
  if (bytes.length === 0) return refused(1, "the envelope is empty");
  if (bytes.length > ENVELOPE_BYTES_MAX) return refused(1, "the envelope is too long");

  if (!isPlainUtf8(bytes)) return refused(2, "not UTF-8, or a byte order mark");

  const fault = new JsonScanner(0).scan(bytes);
  if (fault !== null) return refused(3, fault === "syntax" ? "not a JSON text" : "a member stands twice");

  const envelope = readEnvelope(bytes);
  if (typeof envelope === "string") return refused(4, envelope);

  const word = wrongWord(envelope);
  if (word !== null) return refused(5, `${word} is not valid`);

  const contradiction = inconsistency(envelope);
  if (contradiction !== null) return refused(6, contradiction);

  const openPayload = renderOpenPayload(envelope);
  const payload = `${openPayload}}`;
  const complete = `${openPayload},"payload_digest":"${envelope.payload_digest}"}`;
  if (accountOf(envelope, payload, complete) > envelope.limits.max_bytes) {
    return refused(7, "it needs more than its max_bytes");
  }

  if (!equalBytes(bytesOf(complete), bytes)) return refused(8, "the rendering is not canonical");

  const digest = domainDigest("semaprax.project-execution.payload.v1", payload);
  if (digest !== envelope.payload_digest) return refused(9, "the payload has another digest");

  const other = unexpected(envelope, expected);
  if (other !== null) return refused(10, `${other} is not the expected one`);
  return { accepted: true, envelope };
}

function refused(step: VerifyStep, message: string): Verdict {
  return { accepted: false, code: "SPX-F106", step, message };
}

function isPlainUtf8(bytes: Uint8Array): boolean {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return false;
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Step 5: the first member that X47 to X53 do not allow. */
function wrongWord(envelope: Envelope): string | null {
  const { limits, outcome } = envelope;
  if (envelope.schema !== "semaprax.project-execution.v1") return "schema";
  if (envelope.project_schema !== "semaprax.project.v1") return "project_schema";
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(envelope.project)) return "project";
  if (!isRevision(envelope.project_revision)) return "project_revision";
  if (!isRevision(envelope.workspace_revision)) return "workspace_revision";
  if (envelope.role !== "test") return "role";
  if (!isModuleName(envelope.module)) return "module";
  if (!isStableId(envelope.stable_id)) return "stable_id";
  if (!isWithin(limits.max_bytes, MAX_BYTES_MIN, ENVELOPE_BYTES_MAX)) return "limits.max_bytes";
  if (!isWithin(limits.max_steps, 1, MAX_STEPS_MAX)) return "limits.max_steps";
  if (!isOutcome(outcome)) return "outcome";
  if (!isRevision(envelope.payload_digest)) return "payload_digest";
  return null;
}

function isRevision(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

/** P17 row 8. */
function isModuleName(text: string): boolean {
  return text.length <= 240 && /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(text);
}

/** X49. */
function isStableId(text: string): boolean {
  return !text.includes("\0") && !COMPILER_OWNED_IDS.some((id) => id === text);
}

function isWithin(value: number, min: number, max: number): boolean {
  return value >= min && value <= max;
}

/** X47, X52, X53; each kind has its own shape (X20). */
function isOutcome(outcome: EnvelopeOutcome): boolean {
  if ("value" in outcome) {
    return outcome.kind === "returned" && outcome.type === "i64" && isDecimal(outcome.value);
  }
  if ("status" in outcome) {
    if (outcome.kind !== "language_failure") return false;
    const { schema, domain_id, code, class: className, retryable } = outcome.status;
    if (schema !== "semaprax.status.v1" || retryable) return false;
    if (!Object.hasOwn(DOMAINS, domain_id)) return false;
    const domain = DOMAINS[domain_id]!;
    return className === domain.className && isWithin(code, 1, domain.codes);
  }
  return outcome.kind === "fuel_exhausted" || outcome.kind === "call_depth_exceeded";
}

/** X21. */
function isDecimal(text: string): boolean {
  if (text.length > DECIMAL_LENGTH_MAX || !/^(?:0|-?[1-9][0-9]*)$/.test(text)) return false;
  const value = BigInt(text);
  return value >= I64_MIN && value <= I64_MAX;
}

/** Step 6: what X54 to X57 miss. */
function inconsistency(envelope: Envelope): string | null {
  const { fuel, limits, outcome } = envelope;
  if (fuel.max_steps !== limits.max_steps) return "two different max_steps";
  if (!isWithin(fuel.steps_used, 1, fuel.max_steps)) return "steps_used is out of range";
  switch (outcome.kind) {
    case "fuel_exhausted":
      return fuel.steps_used === fuel.max_steps ? null : "fuel is exhausted but left";
    case "call_depth_exceeded":
      return fuel.steps_used >= STEPS_OF_DEPTH_MIN ? null : "too few steps for this depth";
    default:
      return fuel.steps_used >= STEPS_OF_END_MIN ? null : "too few steps for this outcome";
  }
}

/** Step 10: the first member that differs from what the caller expects. */
function unexpected(envelope: Envelope, expected: ExpectedEnvelope): string | null {
  const pairs: readonly (readonly [string, string, string | undefined])[] = [
    ["project", envelope.project, expected.project],
    ["project_revision", envelope.project_revision, expected.projectRevision],
    ["workspace_revision", envelope.workspace_revision, expected.workspaceRevision],
    ["module", envelope.module, expected.module],
    ["stable_id", envelope.stable_id, expected.stableId],
  ];
  const other = pairs.find(([, actual, wanted]) => wanted !== undefined && actual !== wanted);
  return other === undefined ? null : other[0];
}
