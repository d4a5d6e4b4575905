// L23, L24: every command as a real process, against text fixtures.
import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIXTURES, removeTemporaryFolders } from "../support/projects.ts";
import { playTranscript } from "../support/transcript.ts";

const FOLDER = join(FIXTURES, "cli");
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));

afterAll(removeTemporaryFolders);

describe("transcripts (L23, L24)", () => {
  test("there are some", () => {
    expect(NAMES.length).toBeGreaterThan(0);
  });

  test.each(NAMES)("%s", async (name) => {
    const text = readFileSync(join(FOLDER, name), "utf8");
    expect(await playTranscript(text)).toBe(text);
  });
});
