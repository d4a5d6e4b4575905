/** Snapshots of projects that exist in memory only. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { utf8 } from "../../src/kernel/bytes.ts";
import { buildSnapshot } from "../../src/project/load.ts";
import { parseManifest } from "../../src/project/manifest.ts";
import type { Snapshot } from "../../src/project/snapshot.ts";
import { FIXTURES, readProject } from "./projects.ts";

const MANIFEST = "semaprax.toml";

/** The snapshot of complete files by path, `semaprax.toml` among them. */
export function snapshotOf(files: Readonly<Record<string, string>>): Snapshot {
  const manifestBytes = utf8(files[MANIFEST]!);
  const manifest = parseManifest(manifestBytes);
  if (!manifest.ok) throw new Error(JSON.stringify(manifest.failure));
  const sources = manifest.value.sources.map((path) => ({ path, bytes: utf8(files[path]!) }));
  const snapshot = buildSnapshot(manifest.value, manifestBytes, sources);
  if (!snapshot.ok) throw new Error(JSON.stringify(snapshot.failure));
  return snapshot.value;
}

/** The snapshot of `fixtures/projects/NAME`. */
export function fixtureSnapshot(name: string): Snapshot {
  const decoder = new TextDecoder();
  const files = [...readProject(name)].map(([path, bytes]) => [path, decoder.decode(bytes)] as const);
  return snapshotOf(Object.fromEntries(files));
}

/** A recorded execution: a project, the parameters of `test`, and what it answers. */
export interface RecordedExecution {
  readonly name: string;
  readonly project: Readonly<Record<string, string>>;
  readonly params: { readonly max_steps?: number; readonly max_bytes?: number };
  readonly command_succeeded: boolean;
  readonly envelope: string;
  /** The smallest `max_bytes` of four digits that is enough. */
  readonly min_max_bytes: number;
}

export function recordedExecutions(): readonly RecordedExecution[] {
  const lines = readFileSync(join(FIXTURES, "sessions", "executions.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}
