/** A rename as people read it: what it will change, and what to inspect when nobody knows whether it did. */
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { STAGES_MAX, SOURCE_BYTES_MAX } from "../project/limits.ts";
import { lockPath, stagePath } from "../project/publish.ts";
import type { RenamePlan } from "../project/rename-plan.ts";
import { sourceRevision } from "../project/revision.ts";
import type { Snapshot } from "../project/snapshot.ts";
import type { Palette } from "./colour.ts";
import { readNamedFile } from "./named-file.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { visibleText } from "./visible-text.ts";

/** L20: the diff of the one file, the revisions before and after, and what stays as it is. */
export function planShown(snapshot: Snapshot, plan: RenamePlan, palette: Palette): string {
  const { base, candidate, baseSource, candidateSource } = plan;
  const rows: [string, string, string][] = [
    ["source", baseSource.sourceRevision, candidateSource.sourceRevision],
    ["workspace", base.workspaceRevision, candidate.workspaceRevision],
    ["project", base.projectRevision, candidate.projectRevision],
  ];
  return [
    ...diffShown(snapshot, plan, palette),
    ...rows.map(([name, before, after]) => `${name.padEnd(9)}  ${before}\n        -> ${after}`),
    ...importsKept(snapshot, plan.request.targetId),
    "",
  ].join("\n");
}

function diffShown({ program }: Snapshot, plan: RenamePlan, palette: Palette): string[] {
  const { path } = plan.baseSource;
  const base = program.files.find(({ source }) => source.path === path)?.source.bytes ?? new Uint8Array();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const diff = unifiedDiff(path, decoder.decode(base), decoder.decode(plan.candidateBytes));
  return diff
    .replace(/\n$/, "")
    .split("\n")
    .map((line) => {
      const text = visibleText(line);
      if (line.startsWith("-")) return palette.error(text);
      if (line.startsWith("+")) return palette.good(text);
      return line.startsWith("@@") ? palette.frame(text) : text;
    });
}

/** Imports in other files go by the id, so their aliases stay. */
function importsKept({ program }: Snapshot, targetId: string): string[] {
  const lines = program.files.flatMap(({ source, uses }) =>
    uses
      .filter(({ kind, id }) => kind === "function" && id === targetId)
      .map(({ alias }) => `${source.path} imports it as ${alias.text}: stays`),
  );
  return lines.length === 0 ? ["nobody imports it"] : lines;
}

/** L22: the source, the lock and the stages by name, and what is there now. */
export function remainsShown(plan: RenamePlan, manifestPath: string): string {
  const { path } = plan.baseSource;
  const place = (relative: string) => join(dirname(manifestPath), relative);
  const stages = Array.from({ length: STAGES_MAX }, (_, number) => place(stagePath(path, number)));
  const left = stages.filter(isThere);
  return [
    "look at these before anything else is done; nothing was undone:",
    `  source  ${place(path)} ${sourceShown(plan, place(path))}`,
    `  lock    ${place(lockPath(path))} ${isThere(place(lockPath(path))) ? "is there" : "is not there"}`,
    ...(left.length === 0
      ? [`  stages  ${stages[0]} and so on: none is there`]
      : left.map((stage) => `  stage   ${stage} is there`)),
    "",
  ].join("\n");
}

function sourceShown({ baseSource, candidateSource, request }: RenamePlan, file: string): string {
  const read = readNamedFile(file, SOURCE_BYTES_MAX);
  if (!read.ok) return read.words;
  const revision = sourceRevision(read.value.bytes);
  if (revision === baseSource.sourceRevision) return `still has ${request.from}`;
  return revision === candidateSource.sourceRevision ? `has ${request.to}` : "has another text";
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
