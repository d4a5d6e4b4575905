// L24: the README's examples are run. Each console block is played in a copy of the calculator project: what follows a
// line with `$` must be exactly what the command prints.
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** For the slowest machine; each test starts a process or several. */
const TIMEOUT_MS = 60_000;
const PACKAGE = join(import.meta.dir, "..");
const README = readFileSync(join(PACKAGE, "README.md"), "utf8");

interface Example {
  readonly command: string;
  readonly output: string;
}

function blocks(language: string): string[] {
  return [...README.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = ""]) => text);
}

function examples(): Example[] {
  return blocks("console").flatMap((text) =>
    text
      .split(/^\$ /m)
      .filter((part) => part !== "")
      .map((part) => {
        const end = part.indexOf("\n");
        return { command: part.slice(0, end), output: part.slice(end + 1) };
      }),
  );
}

describe("README.md", () => {
  test("begins with exactly two blocks that set everything up, before its first section", () => {
    const [opening = ""] = README.split(/^## /m);
    const found = [...opening.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text]) => text);
    const setUp = "npm install -g bun@1.4.5\nbun install\n";
    expect(found).toEqual([`${setUp}bun run demo\n`, `${setUp}bun run test\n`]);
  });

  test("names only scripts that exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(PACKAGE, "package.json"), "utf8")) as {
      scripts: object;
    };
    const named = [...README.matchAll(/\bbun run ([a-z:]+)/g)].map(([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });

  test(
    "shows sources in canonical form",
    () => {
      const sources = blocks("text");
      expect(sources.length).toBeGreaterThan(0);
      for (const source of sources) {
        const run = spawnSync(join(PACKAGE, "src", "main", "semaprax"), ["fmt", "-"], {
          input: source,
          encoding: "utf8",
        });
        expect({ stdout: run.stdout, stderr: run.stderr }).toEqual({ stdout: source, stderr: "" });
      }
    },
    TIMEOUT_MS,
  );

  const found = examples();
  test("has examples", () => expect(found.length).toBeGreaterThan(3));

  test.each(found)(
    "$command",
    ({ command, output }) => {
      const folder = mkdtempSync(join(tmpdir(), "semaprax-readme-"));
      try {
        cpSync(join(PACKAGE, "fixtures", "projects", "calculator"), folder, { recursive: true });
        const [program = "", ...args] = command.split(" ");
        expect(program).toBe("semaprax");
        const run = spawnSync(join(PACKAGE, "src", "main", program), args, { cwd: folder, encoding: "utf8" });
        expect({ stdout: run.stdout, stderr: run.stderr, status: run.status }).toEqual({
          stdout: output,
          stderr: "",
          status: 0,
        });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    TIMEOUT_MS,
  );
});
