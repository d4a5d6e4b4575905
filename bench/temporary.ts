// Folders for benchmarks that need files; removed when the process ends.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "semaprax-bench-")));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
