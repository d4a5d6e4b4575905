// What benchmarks need of the machine: folders for their files, which are removed when the process ends, and packages.
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "semaprax-bench-")));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether a rival's package is there: `bun install --cwd bench`. */
export function isInstalled(name: string, leftOut: (what: string) => void): boolean {
  const found = existsSync(join(import.meta.dir, "node_modules", name));
  if (!found) leftOut(`${name}, which is not installed`);
  return found;
}
