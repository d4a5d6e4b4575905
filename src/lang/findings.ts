/** Collects what checking finds in one module; positions are worked out only when the module turns out to be bad. */
import type { Code, Diagnostic, Failure, Range, Severity } from "../kernel/failure.ts";
import { PositionIndex } from "./positions.ts";
import type { Source } from "./source.ts";

interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  /** The source that the range lies in: that of an imported signature is not the module's own. */
  readonly source: Source;
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export class Findings {
  private readonly list: Finding[] = [];
  private hasError = false;

  /** `own`: the source of the module that is checked; every diagnostic carries its path. */
  constructor(private readonly own: Source) {}

  error(code: Code, range: Range, message: string, source = this.own): void {
    this.hasError = true;
    this.list.push({ code, severity: "error", source, start: range.start, end: range.end, message });
  }

  warning(code: Code, range: Range, message: string): void {
    this.list.push({
      code,
      severity: "warning",
      source: this.own,
      start: range.start,
      end: range.end,
      message,
    });
  }

  /** Null when nothing is wrong: warnings alone are not reported (language.md 4.1). */
  failure(): Failure | null {
    if (!this.hasError) return null;
    const indices = new Map<Source, PositionIndex>();
    const diagnostics = this.list.map((finding) => this.diagnostic(finding, indices));
    return isFailure(diagnostics) ? diagnostics : null;
  }

  private diagnostic(finding: Finding, indices: Map<Source, PositionIndex>): Diagnostic {
    const { code, severity, source, message } = finding;
    let index = indices.get(source);
    if (index === undefined) {
      index = new PositionIndex(source);
      indices.set(source, index);
    }
    const common = { code, severity, path: this.own.path, span: index.span(finding), message };
    return source === this.own ? common : { ...common, spanPath: source.path };
  }
}

function isFailure(list: readonly Diagnostic[]): list is Failure {
  return list.length > 0;
}
