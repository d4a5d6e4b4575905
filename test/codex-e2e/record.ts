/**
 * `bun run codex:record DIRECTORY [NAME...]`: has the recorded conversations with the installed program again, and writes
 * them into DIRECTORY, one file each, in the form of those in `fixtures/codex`; nothing is written anywhere else. With
 * names only those. `CODEX_PROGRAM` is the path of another program. Ends with 1 if a conversation took another course.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordings } from "../protocol/codex/transcripts.ts";
import { HOW_TO_INSTALL, PROGRAM } from "./program.ts";
import { record } from "./recorder.ts";

const [directory, ...names] = process.argv.slice(2);
const program = process.env["CODEX_PROGRAM"] ?? PROGRAM;

if (directory === undefined || program === null) {
  console.error(
    directory === undefined
      ? "usage: bun run codex:record DIRECTORY [NAME...]"
      : `no program: ${HOW_TO_INSTALL}`,
  );
  process.exitCode = 2;
} else {
  mkdirSync(directory, { recursive: true });
  for (const recording of recordings()) {
    const name = recording.header.scenario;
    if (names.length > 0 && !names.includes(name)) continue;
    const { lines, problem } = await record(program, recording);
    writeFileSync(
      join(directory, `${name}.jsonl`),
      lines.map((line) => `${JSON.stringify(line)}\n`).join(""),
    );
    console.log(problem === null ? `${name}: ${lines.length} lines` : `${name}: ${problem}`);
    if (problem !== null) process.exitCode = 1;
  }
}
