// What only a real process shows: its descriptors, its launcher, and a working directory that is not trusted (L4, L6).
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { run } from "../support/daemon-process.ts";
import { copyProject, removeTemporaryFolders, temporaryFolder, writeFiles } from "../support/projects.ts";
import { LAUNCHER, runAsProcess } from "../support/transcript.ts";

afterAll(removeTemporaryFolders);

/** Only to end a test that hangs. */
const PATIENCE_MS = 60_000;

/** Runs a shell script in a folder; `$0` is the launcher. */
function shell(script: string, folder: string) {
  return run(["sh", "-c", script, LAUNCHER], folder, "", { PATH: process.env["PATH"] });
}

describe("descriptors", () => {
  test(
    "a reader that goes away ends the command quietly",
    async () => {
      // The reader is gone before the command starts, and descriptor 4 is all that is left of the pipe.
      const script = 'mkfifo pipe; : <pipe & exec 4>pipe; wait; "$0" graph --json >&4; echo "$?"';
      const ended = await shell(script, copyProject("calculator"));
      expect(ended).toEqual({ status: 0, stdout: "1\n", stderr: "" });
    },
    PATIENCE_MS,
  );

  test(
    "a full disk is said in one line",
    async () => {
      const ended = await shell('"$0" graph --json >/dev/full', copyProject("calculator"));
      expect(ended).toEqual({ status: 1, stdout: "", stderr: "semaprax: cannot write output: ENOSPC\n" });
    },
    PATIENCE_MS,
  );

  test(
    "a long result through a pipe is complete",
    async () => {
      const folder = temporaryFolder();
      const values = Array.from({ length: 40_000 }, (_, index) => index).join(" + ");
      writeFiles(folder, [["long.spx", `module a;\n\nfn f() -> i64\n{\n    ${values}\n}\n`]]);
      const ended = await runAsProcess(folder, ["fmt", "--stdout", "long.spx"], "");
      expect(ended.stdout).toBe(readFileSync(join(folder, "long.spx"), "utf8"));
      expect(ended).toMatchObject({ status: 0, stderr: "" });
    },
    PATIENCE_MS,
  );

  test(
    "stdin that is a folder is refused, closed descriptors are no terminals",
    async () => {
      const root = copyProject("calculator");
      expect(await shell('"$0" fmt - <.', root)).toEqual({
        status: 1,
        stdout: "",
        stderr: "semaprax fmt: stdin cannot be read (EISDIR)\n",
      });
      expect((await shell('"$0" check 2>&-', root)).status).toBe(0);
    },
    PATIENCE_MS,
  );
});

describe("a hostile working directory changes nothing (L6, D68, D78)", () => {
  test(
    "configuration, modules, a FIFO in place of package.json",
    async () => {
      const clean = copyProject("calculator");
      const hostile = copyProject("calculator");
      const marker = join(temporaryFolder(), "marker");
      const mark = `require("node:fs").writeFileSync(${JSON.stringify(marker)}, "");\n`;
      writeFiles(hostile, [
        ["hostile.ts", mark],
        ["bunfig.toml", 'preload = ["./hostile.ts"]\n'],
        [".env", "NO_COLOR=1\nBUN_OPTIONS=--preload=./hostile.ts\n"],
        ["tsconfig.json", "{ malformed"],
        ["node_modules/@iarna/toml/index.js", mark],
        ["src/package.json", "{ malformed"],
      ]);
      expect((await shell("mkfifo package.json", hostile)).status).toBe(0);
      const manifest = (root: string) => ["graph", "--manifest-path", join(root, "semaprax.toml")];
      for (const folder of [".", "src"]) {
        const found = await runAsProcess(join(hostile, folder), manifest(hostile), "");
        expect(found).toEqual(await runAsProcess(join(clean, folder), manifest(clean), ""));
        expect(found).toMatchObject({ status: 0, stderr: "" });
      }
      expect(existsSync(marker)).toBe(false);
    },
    PATIENCE_MS,
  );
});

describe("the launcher", () => {
  test(
    "works through links, from a linked folder, and with paths relative to the caller",
    async () => {
      const root = copyProject("calculator");
      const folder = temporaryFolder();
      symlinkSync(LAUNCHER, join(folder, "absolute"));
      mkdirSync(join(folder, "bin"));
      symlinkSync("../absolute", join(folder, "bin", "relative"));
      symlinkSync(root, join(folder, "project"));
      const script = `cd project/src && "${folder}/bin/relative" fmt --check core.spx && cd .. && "${folder}/absolute" check`;
      expect(await shell(script, folder)).toMatchObject({ status: 0, stderr: "" });
    },
    PATIENCE_MS,
  );
});
