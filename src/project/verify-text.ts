/**
 * The verifier's own rendering. It repeats on purpose what envelope.ts says: the producer and the verifier share
 * nothing but SHA-256, so that a mistake in one is found by the other (execution.md section 7).
 */

/** The parsed members of an envelope, by the names that they have in it. */
export interface Envelope {
  readonly schema: string;
  readonly project_schema: string;
  readonly project: string;
  readonly project_revision: string;
  readonly workspace_revision: string;
  readonly role: string;
  readonly module: string;
  readonly stable_id: string;
  readonly limits: { readonly max_bytes: number; readonly max_steps: number };
  readonly fuel: { readonly steps_used: number; readonly max_steps: number };
  readonly outcome: EnvelopeOutcome;
  readonly nonclaims: readonly string[];
  readonly payload_digest: string;
}

/** The three shapes of an outcome; which kind goes with which is for the reader of the shape to check. */
export type EnvelopeOutcome =
  | { readonly kind: string; readonly type: string; readonly value: string }
  | { readonly kind: string; readonly status: EnvelopeStatus }
  | { readonly kind: string };

export interface EnvelopeStatus {
  readonly schema: string;
  readonly domain_id: string;
  readonly code: number;
  readonly class: string;
  readonly retryable: boolean;
}

const encoder = new TextEncoder();

/** D28, right column. */
export function quoteForEnvelope(text: string): string {
  return `"${text.replace(/["\\\u0000-\u001f\u007f-\u009f]/g, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const code = character.charCodeAt(0);
  return `\\u00${code < 16 ? "0" : ""}${code.toString(16)}`;
}

/** The envelope without its last member and without its closing brace. */
export function renderOpenPayload(envelope: Envelope): string {
  const { limits, fuel } = envelope;
  const members = [
    ["schema", quoteForEnvelope(envelope.schema)],
    ["project_schema", quoteForEnvelope(envelope.project_schema)],
    ["project", quoteForEnvelope(envelope.project)],
    ["project_revision", quoteForEnvelope(envelope.project_revision)],
    ["workspace_revision", quoteForEnvelope(envelope.workspace_revision)],
    ["role", quoteForEnvelope(envelope.role)],
    ["module", quoteForEnvelope(envelope.module)],
    ["stable_id", quoteForEnvelope(envelope.stable_id)],
    ["limits", `{"max_bytes":${limits.max_bytes},"max_steps":${limits.max_steps}}`],
    ["fuel", `{"steps_used":${fuel.steps_used},"max_steps":${fuel.max_steps}}`],
    ["outcome", renderVerifiedOutcome(envelope.outcome)],
    ["nonclaims", `[${envelope.nonclaims.map(quoteForEnvelope).join(",")}]`],
  ];
  return `{${members.map(([name, value]) => `"${name}":${value}`).join(",")}`;
}

export function renderVerifiedOutcome(outcome: EnvelopeOutcome): string {
  const kind = quoteForEnvelope(outcome.kind);
  if ("status" in outcome) {
    const { schema, domain_id, code, class: className, retryable } = outcome.status;
    const status =
      `{"schema":${quoteForEnvelope(schema)},"domain_id":${quoteForEnvelope(domain_id)},` +
      `"code":${code},"class":${quoteForEnvelope(className)},"retryable":${retryable}}`;
    return `{"kind":${kind},"status":${status}}`;
  }
  if ("value" in outcome) {
    return `{"kind":${kind},"type":${quoteForEnvelope(outcome.type)},"value":${quoteForEnvelope(outcome.value)}}`;
  }
  return `{"kind":${kind}}`;
}

/** The sum of X24 over the parsed values and the two texts that were rendered from them. */
export function accountOf(envelope: Envelope, payload: string, complete: string): number {
  const { outcome } = envelope;
  const pieces = [
    renderVerifiedOutcome(outcome),
    quoteForEnvelope(envelope.schema),
    quoteForEnvelope(envelope.project_schema),
    quoteForEnvelope(envelope.project),
    quoteForEnvelope(envelope.project_revision),
    quoteForEnvelope(envelope.workspace_revision),
    quoteForEnvelope(envelope.role),
    quoteForEnvelope(envelope.module),
    quoteForEnvelope(envelope.stable_id),
    payload,
    quoteForEnvelope(envelope.payload_digest),
    complete,
  ];
  if ("value" in outcome) pieces.push(quoteForEnvelope(outcome.value));
  if ("status" in outcome) {
    const { schema, domain_id, class: className } = outcome.status;
    pieces.push(quoteForEnvelope(schema), quoteForEnvelope(domain_id), quoteForEnvelope(className));
  }
  return pieces.reduce((sum, piece) => sum + byteLength(piece), 0);
}

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

function byteLength(text: string): number {
  return bytesOf(text).length;
}
