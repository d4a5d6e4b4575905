/**
 * Remedies (L9): what to do about a diagnostic. They are advice for people, worked out after the refusal from the text
 * of the project; none is ever part of a wire format, and a wrong one changes nothing.
 */
import type { Diagnostic, Failure } from "../kernel/failure.ts";
import type { ProjectText } from "./project-text.ts";
import { formatRemedy } from "./remedies/format.ts";
import { inputRemedy } from "./remedies/inputs.ts";
import { limitRemedy, manifestRemedy } from "./remedies/manifest.ts";
import { exportRemedy, wholeProjectRemedy } from "./remedies/modules.ts";
import {
  calleeName,
  calleeSignature,
  callAround,
  unknownFunction,
  unknownTypeAt,
  unknownValue,
} from "./remedies/names.ts";
import { syntaxRemedy } from "./remedies/syntax.ts";
import { typeRemedy } from "./remedies/types.ts";
import { reservedAlias, useRemedy } from "./remedies/uses.ts";

/** Of how many diagnostics the remedies are looked for: each search reads the file again, and a file may have a million. */
const REMEDIED_MAX = 32;

/** Per diagnostic of a failure its remedies, often none. */
export function remediesOf(failure: Failure, project: ProjectText): string[][] {
  return failure.map((diagnostic, index) => (index < REMEDIED_MAX ? remediesFor(diagnostic, project) : []));
}

/** One remedy may have several lines. */
function remediesFor(diagnostic: Diagnostic, project: ProjectText): string[] {
  const { code, span } = diagnostic;
  const path = diagnostic.spanPath ?? diagnostic.path;
  if (path === null || span === null) return bareRemedy(diagnostic, project);
  const source = project.source(path);
  if (source === null) return [];
  const file = project.file(path);
  if (file === null) return syntaxRemedy(diagnostic, source, span);
  switch (code) {
    case "SPX-G172":
      return useRemedy(project, file, span);
    case "SPX-T001":
      return unknownTypeAt(file, span);
    case "SPX-T202":
      return unknownValue(file, span);
    case "SPX-T203":
      return unknownFunction(project, file, span);
    case "SPX-T204":
      return calleeSignature(project, file, calleeName(file, span));
    case "SPX-T205":
      return calleeSignature(project, file, callAround(file, span) ?? "");
    case "SPX-S104":
      return diagnostic.spanPath === undefined
        ? typeRemedy(code, file, span)
        : reservedAlias(project, diagnostic.path ?? "");
    default:
      return typeRemedy(code, file, span);
  }
}

function bareRemedy({ code }: Diagnostic, project: ProjectText): string[] {
  switch (code) {
    case "SPX-J100":
      return manifestRemedy(project);
    case "SPX-J101":
      return limitRemedy(project);
    case "SPX-J102":
      return inputRemedy(project);
    case "SPX-G170":
      return formatRemedy(project);
    case "SPX-G172":
    case "SPX-G173":
      return wholeProjectRemedy(project);
    case "SPX-H006":
      return ["Option and Result may occur only in modules that neither the entry nor the tests use"];
    case "SPX-W115":
    case "SPX-W116":
      return exportRemedy(code, project);
    case "SPX-G218":
      return ["the functions of a project are all its own: remove the interface"];
    default:
      return [];
  }
}
