/** The pinned program, where the development dependency of this folder is installed; and its schemas. */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

const NODE_MODULES = join(import.meta.dir, "node_modules");
const PLATFORM = join(
  NODE_MODULES,
  "@openai",
  "codex-linux-x64",
  "vendor",
  "x86_64-unknown-linux-musl",
  "bin",
  "codex",
);

/** Path of the program itself, not of the script that starts it: what is killed must be what runs. Null: not installed. */
export const PROGRAM: string | null = existsSync(PLATFORM) ? PLATFORM : null;

/** How the dependency is installed; the reason of every skipped test. */
export const HOW_TO_INSTALL = "bun install --cwd test/codex-e2e --frozen-lockfile";

/** Writes the JSON schemas of a program into a folder. Throws what it printed if that fails. */
export async function generateSchemas(program: string, folder: string, home: string): Promise<void> {
  mkdirSync(home, { recursive: true });
  const child = Bun.spawn([program, "app-server", "generate-json-schema", "--out", folder], {
    env: { PATH: process.env["PATH"] ?? "", HOME: home, CODEX_HOME: home, TMPDIR: home },
    stdout: "ignore",
    stderr: "pipe",
  });
  const printed = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`generate-json-schema failed: ${printed.slice(0, 500)}`);
}
