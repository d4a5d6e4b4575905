/** Projects for tests: the fixtures, and copies of them in temporary folders of their own. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const FIXTURES = join(import.meta.dir, "..", "..", "fixtures");

/** Path below the project's root, to content. */
export type ProjectFiles = ReadonlyMap<string, Uint8Array>;

/** Every file of `fixtures/projects/NAME`. */
export function readProject(name: string): ProjectFiles {
  const root = join(FIXTURES, "projects", name);
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(path.slice(root.length + 1), new Uint8Array(readFileSync(path)));
  }
  return files;
}

/** A complete project with the names of its content (language.md 9.6). */
export interface KnownAnswer {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  readonly sources: Readonly<
    Record<string, { readonly source_revision: string; readonly source_digest: string }>
  >;
  readonly workspace_manifest_bytes: number;
  readonly workspace_manifest_sha256: string;
  readonly workspace_revision: string;
  readonly project_revision: string;
}

export function knownAnswers(): readonly KnownAnswer[] {
  return JSON.parse(readFileSync(join(FIXTURES, "known-answers.json"), "utf8"));
}

const made: string[] = [];

/** Removes what {@link temporaryFolder} made; for the `afterAll` of a test file that uses it. */
export function removeTemporaryFolders(): void {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A new empty folder by its physical path. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "semaprax-")));
  made.push(folder);
  return folder;
}

/** Writes files below `root`, with the folders that they need. */
export function writeFiles(root: string, files: Iterable<readonly [string, string | Uint8Array]>): void {
  for (const [path, content] of files) {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

/** A fresh copy of a fixture project; returns its root. */
export function copyProject(name: string): string {
  const root = temporaryFolder();
  writeFiles(root, readProject(name));
  return root;
}
