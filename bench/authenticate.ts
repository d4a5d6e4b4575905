// Re-authentication: every identity by path and by handle, and every byte, before and after each answer. The first rival
// looks at the same identities and hashes; the second only reads every file by its path and hashes, which proves less.
import { createHash } from "node:crypto";
import {
  fstatSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { systemFiles } from "../src/project/file-system.ts";
import type { HeldInputs } from "../src/project/held.ts";
import { openInputs } from "../src/project/open.ts";
import type { Case, HotPath } from "./harness.ts";

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
}

/** Every path with every directory above it, open. */
function knowAll(paths: readonly string[]): Known[] {
  const all = new Set(paths);
  for (const path of all) all.add(dirname(path));
  return [...all].map((path) => ({ path, descriptor: openSync(path, "r"), ino: lstatSync(path).ino }));
}

function isSame({ path, descriptor, ino }: Known): boolean {
  return lstatSync(path).ino === ino && fstatSync(descriptor).ino === ino;
}

function sha256(path: string): string {
  return createHash("sha256").update(readFileSync(path)).digest("hex");
}

const authentication: HotPath = {
  name: "authenticate",
  prepare: () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "semaprax-bench-")));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    return PROJECTS.map(({ name, sources, sourceBytes }, index): Case => {
      const root = join(folder, String(index));
      const paths = writeProject(root, sources, sourceBytes).map((path) => join(root, path));
      const held = hold(root);
      const expected = paths.map(sha256);
      const known = knowAll(paths);
      const sameBytes = () => paths.every((path, index) => sha256(path) === expected[index]);
      return {
        name,
        ours: { name: "identities and bytes", run: () => held.authenticate().ok },
        rivals: [
          { name: "identities, readFile and SHA-256", run: () => known.every(isSame) && sameBytes() },
          { name: "readFile and SHA-256", run: sameBytes },
        ],
        work: { amount: sources * sourceBytes, unit: "bytes" },
      };
    }) satisfies readonly Case[];
  },
};

export default authentication;
