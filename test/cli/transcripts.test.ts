// L23, L24: every command against text fixtures, with the files before and after.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES, removeTemporaryFolders } from "../support/projects.ts";
import { playTranscript, runAsProcess, runHere } from "../support/transcript.ts";

const FOLDER = join(FIXTURES, "cli");
/** The only one that starts processes: every command in one good and one bad case. */
const PROCESSES = "processes.txt";
const HERE = readdirSync(FOLDER).filter((name) => name.endsWith(".txt") && name !== PROCESSES);
/** Only to end a test that hangs; starting processes is slow on a busy machine. */
const PATIENCE_MS = 120_000;

afterAll(removeTemporaryFolders);

function transcript(name: string): string {
  return readFileSync(join(FOLDER, name), "utf8");
}

describe("transcripts (L23, L24)", () => {
  test("there are some", () => {
    expect(HERE.length).toBeGreaterThan(0);
  });

  test.each(HERE)("%s", async (name) => {
    const text = transcript(name);
    expect(await playTranscript(text, runHere)).toBe(text);
  });

  test(
    `${PROCESSES}, as real processes`,
    async () => {
      const text = transcript(PROCESSES);
      expect(await playTranscript(text, runAsProcess)).toBe(text);
    },
    PATIENCE_MS,
  );
});
