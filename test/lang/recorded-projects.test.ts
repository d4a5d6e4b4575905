// Complete projects with what is said about them, from phase 4 on: what a manifest or phase 3 refuses is tested there.
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES } from "../support/projects.ts";
import { admitTexts, type Texts } from "../support/language.ts";

interface RecordedDiagnostic {
  readonly code: string;
  readonly severity: string;
  readonly path: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly start: number | null;
  readonly end: number | null;
}

interface RecordedProject {
  readonly name: string;
  /** Texts; an object stands for bytes that are none. */
  readonly files: Readonly<Record<string, string | object>>;
  /** Absent for an accepted project. */
  readonly diagnostics?: readonly [RecordedDiagnostic, ...RecordedDiagnostic[]];
}

const recorded: readonly RecordedProject[] = JSON.parse(
  readFileSync(join(FIXTURES, "language.json"), "utf8"),
);
const EARLIER_PHASES = /^SPX-(?:J\d|P\d|G170|G218)/;
const later = recorded.filter(({ diagnostics = [] }) => !EARLIER_PHASES.test(diagnostics[0]?.code ?? ""));

/** One value of a canonical manifest: JSON and TOML agree about its strings and lists. */
function manifestValue(project: RecordedProject, key: string): readonly string[] {
  const manifest = String(project.files["semaprax.toml"]);
  const line = manifest.split("\n").find((candidate) => candidate.startsWith(`${key} = `));
  return [JSON.parse(line?.slice(key.length + 3) ?? "null")].flat();
}

function diagnosticsOf(project: RecordedProject): readonly RecordedDiagnostic[] {
  const texts: Texts = Object.fromEntries(
    manifestValue(project, "sources").map((path) => [path, String(project.files[path])]),
  );
  const outcome = admitTexts(texts, {
    entry: manifestValue(project, "entry")[0]!,
    testModule: manifestValue(project, "tests")[0]!,
    webExports: manifestValue(project, "web_exports"),
  });
  if (outcome.ok) return [];
  return outcome.failure.map(({ code, severity, path, span }) => {
    const { line, column, start, end } = span ?? { line: null, column: null, start: null, end: null };
    return { code, severity, path, line, column, start, end };
  });
}

describe("recorded projects: code, severity, path and span of every diagnostic, in order", () => {
  test("as many as there should be", () => expect(later.length).toBe(199));
  test.each(later.map((project) => [project.name, project] as const))("%s", (_, project) => {
    expect(diagnosticsOf(project)).toEqual([...(project.diagnostics ?? [])]);
  });
});
