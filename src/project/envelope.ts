/** The execution envelope: what a run came to, in the one text that anybody can verify (X19 to X28). */
import { ByteWriter, utf8 } from "../kernel/bytes.ts";
import { DIGEST_BYTES, type Digest, domainDigest } from "../kernel/digest.ts";
import { quotedLength, writeQuoted } from "../kernel/json-write.ts";
import { utf8Length } from "../kernel/text.ts";
import type { RunOutcome } from "../lang/interpret.ts";
import { PROJECT_SCHEMA } from "./limits.ts";

/** Everything that an envelope says. */
export interface EnvelopeFacts {
  readonly project: string;
  readonly projectRevision: Digest;
  readonly workspaceRevision: Digest;
  readonly module: string;
  /** The id of the `main` that was run. */
  readonly stableId: string;
  readonly maxBytes: number;
  readonly maxSteps: number;
  readonly stepsUsed: number;
  readonly outcome: RunOutcome;
}

const SCHEMA = "semaprax.project-execution.v1";
const ROLE = "test";
const STATUS_SCHEMA = "semaprax.status.v1";
const PAYLOAD_DOMAIN = "semaprax.project-execution.payload.v1";

/** X22. */
const NONCLAIMS =
  '["in_process_reference_interpreter_only","no_target_execution",' +
  '"no_filesystem_process_or_backend_authority","no_test_discovery","no_cache_or_persistence"]';

const QUOTED_DIGEST_BYTES = DIGEST_BYTES + 2;
const DIGEST_MEMBER = ',"payload_digest":';
const CLOSE = "}";

/** An envelope before it is rendered: its pieces, none of which is in proportion to a source but `stableId`. */
interface Layout {
  /** From the start to the quoted stable id, and from there to before the closing brace of the payload. */
  readonly before: string;
  readonly stableId: string;
  readonly after: string;
  readonly payloadBytes: number;
  readonly envelopeBytes: number;
  /** The sum of X24. */
  readonly account: number;
}

/** How many bytes are rendered on the way to this envelope, which `max_bytes` bounds (X24). Costs no rendering. */
export function accountEnvelope(facts: EnvelopeFacts): number {
  return layOut(facts).account;
}

export function renderEnvelope(facts: EnvelopeFacts): Uint8Array {
  const layout = layOut(facts);
  const writer = new ByteWriter(layout.envelopeBytes);
  writer.ascii(layout.before);
  writeQuoted(writer, layout.stableId);
  writer.ascii(layout.after);
  const digest = domainDigest(PAYLOAD_DOMAIN, [writer.written(), utf8(CLOSE)]);
  writer.ascii(`${DIGEST_MEMBER}"${digest}"${CLOSE}`);
  return writer.finish();
}

function layOut(facts: EnvelopeFacts): Layout {
  const { project, projectRevision, workspaceRevision, module, stableId, outcome } = facts;
  const { maxBytes, maxSteps, stepsUsed } = facts;
  const rendered = renderOutcome(outcome);
  // Names, modules and digests are ASCII without quotation marks and backslashes; only an id may need escaping.
  const before =
    `{"schema":"${SCHEMA}","project_schema":"${PROJECT_SCHEMA}","project":"${project}",` +
    `"project_revision":"${projectRevision}","workspace_revision":"${workspaceRevision}",` +
    `"role":"${ROLE}","module":"${module}","stable_id":`;
  const after =
    `,"limits":{"max_bytes":${maxBytes},"max_steps":${maxSteps}},` +
    `"fuel":{"steps_used":${stepsUsed},"max_steps":${maxSteps}},` +
    `"outcome":${rendered.text},"nonclaims":${NONCLAIMS}`;
  const quotedId = quotedLength(stableId);
  const payloadBytes = before.length + quotedId + after.length + CLOSE.length;
  const envelopeBytes = payloadBytes + DIGEST_MEMBER.length + QUOTED_DIGEST_BYTES;
  const quotedStrings =
    sumQuoted(SCHEMA, PROJECT_SCHEMA, project, projectRevision, workspaceRevision, ROLE, module) + quotedId;
  return {
    before,
    stableId,
    after,
    payloadBytes,
    envelopeBytes,
    account: rendered.account + quotedStrings + payloadBytes + QUOTED_DIGEST_BYTES + envelopeBytes,
  };
}

/** X20, and what it adds to the account: the object, and its quoted strings where it has any but `kind`. */
function renderOutcome(outcome: RunOutcome): { text: string; account: number } {
  switch (outcome.kind) {
    case "returned": {
      const value = outcome.value.toString();
      const text = `{"kind":"returned","type":"i64","value":"${value}"}`;
      return { text, account: text.length + sumQuoted(value) };
    }
    case "arithmetic_failure":
      return renderFailure("semaprax.arithmetic.v1", "arithmetic", outcome.code);
    case "contract_failure":
      return renderFailure("semaprax.contract.v1", "contract", outcome.code);
    case "fuel_exhausted":
    case "call_depth_exceeded": {
      const text = `{"kind":"${outcome.kind}"}`;
      return { text, account: text.length };
    }
  }
}

function renderFailure(domain: string, className: string, code: number): { text: string; account: number } {
  const text =
    `{"kind":"language_failure","status":{"schema":"${STATUS_SCHEMA}","domain_id":"${domain}",` +
    `"code":${code},"class":"${className}","retryable":false}}`;
  return { text, account: text.length + sumQuoted(STATUS_SCHEMA, domain, className) };
}

/** Together the lengths of texts that need no escaping, quoted. */
function sumQuoted(...texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + utf8Length(text) + 2, 0);
}
