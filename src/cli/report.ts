/** A refused project as people read it: every diagnostic of the failing phase, in order, then a count (L7). */
import type { Failure } from "../kernel/failure.ts";
import type { Surroundings } from "./command.ts";
import { ProjectText } from "./project-text.ts";
import { remediesOf } from "./remedies.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";

/** Prints to stderr. */
export function printFailure(
  failure: Failure,
  manifestPath: string,
  { io, errorPalette }: Surroundings,
): void {
  const project = new ProjectText(manifestPath);
  const sourceOf = (path: string) => project.source(path)?.bytes ?? null;
  const remedies = remediesOf(failure, project);
  for (const [index, diagnostic] of failure.entries()) {
    io.err(renderDiagnostic(diagnostic, sourceOf, remedies[index]!, errorPalette));
  }
  io.err(`${errorPalette.strong(countShown(failure))}\n`);
}

/** `1 error`, `2 errors, 1 warning` */
export function countShown(failure: Failure): string {
  const errors = failure.filter(({ severity }) => severity === "error").length;
  const warnings = failure.length - errors;
  const counted = [countOf(errors, "error"), countOf(warnings, "warning")];
  return counted.filter((text) => !text.startsWith("0 ")).join(", ");
}

/** `1 module`, `2 modules` */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
