// Each form that the daemon is shipped in answers with the same bytes.
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/kernel/version.ts";
import { buildDaemon } from "../support/built-programs.ts";
import { LAUNCHER, run, runDaemon } from "../support/daemon-process.ts";
import {
  copyProject,
  FIXTURES,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from "../support/projects.ts";
import { SCALES, scaleProject } from "../support/scale-project.ts";

afterAll(removeTemporaryFolders);

const built = await buildDaemon();
const FORMS = Object.entries({ sources: LAUNCHER, ...built });

const REQUESTS = readFileSync(join(FIXTURES, "sessions", "calculator-v2.jsonl"), "utf8")
  .trimEnd()
  .split("\n")
  .filter((_, at) => at % 2 === 0);

test("the recorded requests are answered alike in every form", async () => {
  const input = `${REQUESTS.join("\n")}\n`;
  const expected = await runDaemon(["--stdio"], copyProject("calculator"), input);
  expect(expected.stdout.trimEnd().split("\n")).toHaveLength(REQUESTS.length);
  expect(expected).toMatchObject({ stderr: "", status: 0 });
  for (const program of Object.values(built)) {
    expect(await runDaemon(["--stdio"], copyProject("calculator"), input, program)).toEqual(expected);
  }
});

describe("every form", () => {
  const large = temporaryFolder();
  writeFiles(large, scaleProject(SCALES.full));
  /** Opens the large project and asks for its graph. */
  const asked = (async () => {
    const open = '{"jsonrpc":"2.0","id":1,"method":"workspace/open"}\n';
    const { stdout } = await runDaemon(["--stdio"], large, open);
    const { opened: _opened, ...params } = JSON.parse(stdout).result;
    return `${open}${JSON.stringify({ jsonrpc: "2.0", id: 2, method: "graph", params })}\n`;
  })();

  for (const [form, program] of FORMS) {
    test(`${form} takes its arguments as they are (D6, D79)`, async () => {
      const folder = temporaryFolder();
      const misuse = {
        stdout: "",
        stderr: "semapraxd: unknown option --; see semapraxd --help\n",
        status: 1,
      };
      const version = { stdout: `semapraxd ${VERSION}\n`, stderr: "", status: 0 };
      expect(await runDaemon(["--", "--stdio"], folder, "", program)).toEqual(misuse);
      expect(await runDaemon(["--version"], folder, "", program)).toEqual(version);
    });

    test(`${form} writes a response of more than 1 MiB to a slow reader completely (D19)`, async () => {
      const script = `"$0" --stdio --max-response-bytes 16777216 | { sleep 0.3; dd bs=4096 count=1 2>/dev/null; sleep 0.1; cat; }`;
      const slow = await run(["sh", "-c", script, program], large, await asked);
      expect(slow).toMatchObject({ stderr: "", status: 0 });
      const [, line = "", rest] = slow.stdout.split("\n");
      expect(line.length).toBeGreaterThan(1_048_576);
      expect(JSON.parse(line).result.graph.graph_digest).toStartWith("sha256:");
      expect(rest).toBe("");
    });
  }
});

test("the launcher prefers the bundle until a source is newer than it", async () => {
  const folder = temporaryFolder();
  const launcher = join(folder, "src", "main", "semapraxd");
  const bundle = join(folder, "dist", "semapraxd.js");
  const source = join(folder, "src", "main", "semapraxd-main.ts");
  mkdirSync(join(folder, "src", "main"), { recursive: true });
  cpSync(LAUNCHER, launcher);
  const says = (word: string) => `require("node:fs").writeSync(1, "${word}\\n");`;
  writeFiles(folder, [["dist/semapraxd.js", says("bundle")]]);
  writeFileSync(source, says("sources"));
  const started = async () => (await run([launcher, "--stdio"], folder)).stdout;
  for (const [age, word] of [
    [-1, "bundle"],
    [0, "bundle"],
    [1, "sources"],
  ] as const) {
    utimesSync(bundle, 1000, 1000);
    utimesSync(source, 1000 + age, 1000 + age);
    expect(await started()).toBe(`${word}\n`);
  }
});
