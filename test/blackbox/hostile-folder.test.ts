import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildDaemon } from "../support/built-programs.ts";
import { type Ended, inventory, LAUNCHER, run, runDaemon } from "../support/daemon-process.ts";
import { copyProject, removeTemporaryFolders, temporaryFolder, writeFiles } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

const INPUT = [
  '{"jsonrpc":"2.0","id":1,"method":"protocol"}',
  '{"jsonrpc":"2.0","id":2,"method":"workspace/open"}',
  '{"jsonrpc":"2.0","id":3,"method":"shutdown"}',
  "",
].join("\n");

/** What somebody may put beside a project to get the runtime to do something else (D68, D73). */
function hostileFiles(marker: string): [string, string][] {
  const mark = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");\nconsole.log("hostile");\n`;
  const config = 'preload = ["./hostile.ts"]\n[install]\nauto = "force"\n[run]\nsilent = false\n';
  const modules = ["fs", "node:fs", "buffer", "bun", "@iarna/toml", "zod"];
  return [
    ["hostile.ts", mark],
    ["bunfig.toml", config],
    [".bunfig.toml", config],
    [".env", "BUN_OPTIONS=--preload=./hostile.ts\nNODE_OPTIONS=--require=./hostile.ts\n"],
    [".env.local", "BUN_CONFIG_VERBOSE_FETCH=1\n"],
    [".env.production", "NODE_ENV=production\n"],
    ["tsconfig.json", '{ "compilerOptions": { "paths": { "*": ["./hostile.ts"] '],
    ["jsconfig.json", "not json"],
    ["bun.lock", "not json"],
    [".npmrc", "registry=http://127.0.0.1:9/\n"],
    ...modules.map((name): [string, string] => [`node_modules/${name}/index.js`, mark]),
  ];
}

/** A session in a hostile folder must not differ from one in a clean folder in any byte. */
async function compare(
  packageFile: "malformed" | "fifo" | "valid",
  start: (root: string) => Promise<Ended>,
): Promise<void> {
  const clean = copyProject("calculator");
  const hostile = copyProject("calculator");
  const marker = join(temporaryFolder(), "marker");
  writeFiles(hostile, hostileFiles(marker));
  for (const folder of [hostile, join(hostile, "src")]) {
    const path = join(folder, "package.json");
    if (packageFile === "fifo") expect((await run(["mkfifo", path], hostile)).status).toBe(0);
    else
      writeFiles(folder, [["package.json", packageFile === "valid" ? '{"type":"commonjs"}' : "{ malformed"]]);
  }
  const before = inventory(hostile);
  const found = await start(hostile);
  expect(existsSync(marker)).toBe(false);
  expect(inventory(hostile)).toEqual(before);
  expect(found).toEqual(await start(clean));
  expect(found).toMatchObject({ stderr: "", status: 0 });
  expect(found.stdout.split("\n")).toHaveLength(4);
}

const built = await buildDaemon();

describe("a hostile working directory changes nothing (D68, D73, D78)", () => {
  for (const [form, program] of Object.entries({ sources: LAUNCHER, ...built })) {
    for (const packageFile of ["malformed", "fifo", "valid"] as const) {
      test(`${form}, ${packageFile} package.json, in the project's folder`, () =>
        compare(packageFile, (root) => runDaemon(["--stdio"], root, INPUT, program)));

      test(`${form}, ${packageFile} package.json, from a sub-folder with an absolute manifest path`, () =>
        compare(packageFile, async (root) => {
          const manifest = join(root, "semaprax.toml");
          const args = ["--stdio", "--manifest-path", manifest];
          const ended = await runDaemon(args, join(root, "src"), INPUT, program);
          return { ...ended, stdout: ended.stdout.replace(manifest, "semaprax.toml") };
        }));
    }

    test(`${form}, a FIFO in place of tsconfig.json does not block the start`, async () => {
      const root = copyProject("calculator");
      expect((await run(["mkfifo", join(root, "tsconfig.json")], root)).status).toBe(0);
      expect(await runDaemon(["--stdio"], root, INPUT, program)).toMatchObject({ stderr: "", status: 0 });
    });
  }

  test("a working directory reached through a link is fine (P1)", async () => {
    const root = copyProject("calculator");
    const folder = temporaryFolder();
    mkdirSync(join(folder, "sub"));
    const script = `ln -s "${root}" link && cd link && exec "$0" --stdio`;
    expect(await run(["sh", "-c", script, LAUNCHER], folder, INPUT)).toMatchObject({ stderr: "", status: 0 });
  });
});
