/**
 * `bun run codex:drift [PROGRAM]`: compares the schemas of a program with the pinned ones, and says what changed in what
 * the adapter uses. PROGRAM is a path; the installed development dependency unless given. Ends with 1 if anything did.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changedMethods, changedPins, changedSubset, Generated, readPins } from "./pins.ts";
import { generateSchemas, HOW_TO_INSTALL, PROGRAM } from "./program.ts";

const program = process.argv[2] ?? PROGRAM;
if (program === null) {
  console.error(`no program: give its path, or install it: ${HOW_TO_INSTALL}`);
  process.exitCode = 2;
} else {
  process.exitCode = (await report(program)) ? 1 : 0;
}

async function report(path: string): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "codex-drift-"));
  try {
    await generateSchemas(path, join(folder, "schemas"), join(folder, "home"));
    const generated = new Generated(join(folder, "schemas"));
    const pins = readPins();
    const parts = [
      [`differs from the pins of ${pins.version}`, changedPins(generated, pins)],
      ["no longer fits what the adapter sends or reads", changedSubset(generated)],
      ["methods", changedMethods(generated)],
    ] as const;
    for (const [title, lines] of parts) {
      console.log(`${title}: ${lines.length === 0 ? "nothing" : ""}`);
      for (const line of lines) console.log(`  ${line}`);
    }
    return parts.some(([, lines]) => lines.length > 0);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
