/** `semaprax check`: whether the project is valid (L7). */
import type { Diagnostic, Failure } from "../kernel/failure.ts";
import { quote } from "../kernel/json-write.ts";
import { loadProject } from "../project/load.ts";
import type { Snapshot } from "../project/snapshot.ts";
import { DEFAULT_MANIFEST_PATH, defineCommand, Exit, NO_OPERANDS, PROJECT_OPTIONS } from "./command.ts";
import { ProjectText } from "./project-text.ts";
import { remediesOf } from "./remedies.ts";
import { countOf, printFailure } from "./report.ts";

export const check = defineCommand({
  name: "check",
  summary: "check the whole project",
  about: [
    "Checks the manifest, every source and the project as a whole. A valid project is described in",
    "one line; of an invalid one every diagnostic of the failing phase is shown.",
  ],
  operands: NO_OPERANDS,
  options: {
    "--json": { takes: "nothing", about: "print one document, semaprax.check.v1" },
    ...PROJECT_OPTIONS,
  },
  run(options, _operands, surroundings) {
    const { io, palette } = surroundings;
    const manifestPath = options["--manifest-path"] ?? DEFAULT_MANIFEST_PATH;
    const loaded = loadProject(manifestPath);
    if (loaded.ok) {
      loaded.value.held.close();
      const { snapshot } = loaded.value;
      io.out(options["--json"] ? `${validDocument(snapshot)}\n` : `${palette.good(summaryOf(snapshot))}\n`);
      return Exit.Good;
    }
    if (options["--json"]) io.out(`${invalidDocument(loaded.failure, manifestPath)}\n`);
    else printFailure(loaded.failure, manifestPath, surroundings);
    return Exit.Refused;
  },
});

function summaryOf({ manifest, program, projectRevision }: Snapshot): string {
  const functions = program.files.reduce((count, file) => count + file.functions.length, 0);
  const counts = [
    countOf(program.files.length, "module"),
    countOf(functions, "function"),
    "1 test",
    `${manifest.webExports.length} exported`,
  ];
  return `${manifest.name}: ${counts.join(", ")}, ${projectRevision}`;
}

function validDocument({ projectRevision, workspaceRevision }: Snapshot): string {
  return (
    `{"schema":"semaprax.check.v1","ok":true,"project_revision":"${projectRevision}",` +
    `"workspace_revision":"${workspaceRevision}","diagnostics":[]}`
  );
}

function invalidDocument(failure: Failure, manifestPath: string): string {
  const project = new ProjectText(manifestPath);
  const remedies = remediesOf(failure, project);
  const diagnostics = failure.map((diagnostic, index) => diagnosticObject(diagnostic, remedies[index]!));
  return (
    `{"schema":"semaprax.check.v1","ok":false,"project_revision":null,"workspace_revision":null,` +
    `"diagnostics":[${diagnostics.join(",")}]}`
  );
}

/** Several lines of help are joined by LF. */
function diagnosticObject(
  { code, severity, message, path, span }: Diagnostic,
  help: readonly string[],
): string {
  const members = [
    `"code":"${code}"`,
    `"severity":"${severity}"`,
    `"message":${quote(message)}`,
    `"path":${textOrNull(path)}`,
    `"start":${span?.start ?? null}`,
    `"end":${span?.end ?? null}`,
    `"line":${span?.line ?? null}`,
    `"column":${span?.column ?? null}`,
    `"help":${textOrNull(help.length === 0 ? null : help.join("\n"))}`,
  ];
  return `{${members.join(",")}}`;
}

function textOrNull(text: string | null): string {
  return text === null ? "null" : quote(text);
}
