// Re-authentication: every identity by path and by handle, and every byte, before and after each answer. The first rival
// looks at the same identities and hashes; the second only reads every file by its path and hashes, which proves less. The
// third makes the system calls that D53 to D56 prescribe and looks at nothing: no implementation takes less.
import { createHash } from "node:crypto";
import { fstatSync, lstatSync, mkdirSync, openSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemFiles } from "../src/project/file-system.ts";
import type { HeldInputs } from "../src/project/held.ts";
import { openInputs } from "../src/project/open.ts";
import type { Case, HotPath } from "./harness.ts";
import { temporaryFolder } from "./temporary.ts";

const PROJECTS = [
  { name: "3 sources of 350 bytes", sources: 3, sourceBytes: 350 },
  { name: "16 sources of 4 KiB", sources: 16, sourceBytes: 4096 },
  { name: "16 sources of 1 MiB", sources: 16, sourceBytes: 1_048_576 },
] as const;

function writeProject(root: string, sources: number, sourceBytes: number): string[] {
  const names = Array.from({ length: sources }, (_, index) => `src/s${String(index).padStart(2, "0")}.spx`);
  mkdirSync(join(root, "src"), { recursive: true });
  for (const name of names) writeFileSync(join(root, name), "x".repeat(sourceBytes));
  const list = names.map((name) => `"${name}"`).join(", ");
  writeFileSync(
    join(root, "semaprax.toml"),
    `schema = "semaprax.project.v1"\nname = "p"\nentry = "a"\nsources = [${list}]\nweb_exports = ["x"]\ntests = ["t"]\n`,
  );
  return ["semaprax.toml", ...names];
}

function hold(root: string): HeldInputs {
  const opened = openInputs(join(root, "semaprax.toml"), systemFiles);
  if (!opened.ok) throw new Error(opened.failure[0].message);
  return opened.value.held;
}

interface Known {
  readonly path: string;
  readonly descriptor: number;
  readonly ino: number;
  readonly isFile: boolean;
}

/** Every path with every directory above it, open. */
function knowAll(paths: readonly string[]): Known[] {
  const all = new Set(paths);
  for (const path of all) all.add(dirname(path));
  return [...all].map((path) => {
    const stats = lstatSync(path);
    return { path, descriptor: openSync(path, "r"), ino: stats.ino, isFile: stats.isFile() };
  });
}

function isSame({ path, descriptor, ino }: Known): boolean {
  return lstatSync(path).ino === ino && fstatSync(descriptor).ino === ino;
}

const scratch = new Uint8Array(65_536);

function callAll({ path, descriptor, isFile }: Known): boolean {
  lstatSync(path, { bigint: true });
  fstatSync(descriptor, { bigint: true });
  if (!isFile) return true;
  let position = 0;
  for (let count = -1; count !== 0; position += count) {
    count = readSync(descriptor, scratch, 0, scratch.length, position);
  }
  return position > 0;
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

const authentication: HotPath = {
  name: "authenticate",
  prepare: () => {
    const folder = temporaryFolder();
    return PROJECTS.map(({ name, sources, sourceBytes }, index): Case => {
      const root = join(folder, String(index));
      const paths = writeProject(root, sources, sourceBytes).map((path) => join(root, path));
      const held = hold(root);
      const expected = paths.map(sha256);
      const known = knowAll(paths);
      const sameBytes = () => paths.every((path, index) => sha256(path) === expected[index]);
      const contender = (name: string, run: () => boolean) => ({ name, run, result: run });
      return {
        name,
        ours: contender("identities and bytes", () => held.authenticate().ok),
        rivals: [
          contender("identities, readFile and SHA-256", () => known.every(isSame) && sameBytes()),
          contender("readFile and SHA-256", sameBytes),
          contender("the system calls alone", () => known.every(callAll)),
        ],
        work: { amount: sources * sourceBytes, unit: "bytes" },
      };
    }) satisfies readonly Case[];
  },
};

export default authentication;
