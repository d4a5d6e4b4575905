/**
 * Expected failures as values. Nothing in this package throws for bad input: a step returns an {@link Outcome}
 * whose failure carries its diagnostics, and an exception always means a bug.
 */

/** A diagnostic code as it stands on the wire, for example `SPX-J102`. */
export type Code = `SPX-${string}`;

/** A half-open range of UTF-8 byte offsets. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A range with the 1-based position of its start; `column` counts Unicode scalar values (language.md 0). */
export interface Span extends Range {
  readonly line: number;
  readonly column: number;
}

export type Severity = "error" | "warning";

/** One finding. "Bare" (language.md 0) means that both `path` and `span` are null. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** Project-relative source path exactly as listed in `sources`. */
  readonly path: string | null;
  readonly span: Span | null;
  /** The source that `span` lies in, where that is not `path`: a signature seen from an importing file (language.md 4.1). */
  readonly spanPath?: string;
  /** Our own words on one line, without the code (D29). */
  readonly message: string;
}

/** At least one diagnostic, in the order in which they were found. */
export type Failure = readonly [Diagnostic, ...Diagnostic[]];

export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

export function success<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** A refusal with exactly one diagnostic that has neither path nor span. */
export function refuse(code: Code, message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: [{ code, severity: "error", path: null, span: null, message }] };
}

/** A refusal with exactly one diagnostic at a place in a source file. */
export function refuseAt(
  code: Code,
  path: string,
  span: Span,
  message: string,
): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: [{ code, severity: "error", path, span, message }] };
}

/** `CODE: words`, several diagnostics joined by `; ` (D8, D29). */
export function failureText(failure: readonly Diagnostic[]): string {
  return failure.map((diagnostic) => `${diagnostic.code}: ${diagnostic.message}`).join("; ");
}

/** The same with the place of each diagnostic that has one: `CODE: PATH:LINE:COLUMN: words`. */
export function placedFailureText(failure: readonly Diagnostic[]): string {
  return failure
    .map((diagnostic) => `${diagnostic.code}: ${place(diagnostic)}${diagnostic.message}`)
    .join("; ");
}

function place({ path, spanPath, span }: Diagnostic): string {
  return path === null || span === null ? "" : `${spanPath ?? path}:${span.line}:${span.column}: `;
}
