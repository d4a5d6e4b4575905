// The same cases where there is no network but loopback (RC44).
import { expect, test } from "bun:test";
import { join } from "node:path";
import { HOW_TO_INSTALL, PROGRAM } from "./program.ts";

/** A network namespace in which nothing but loopback is up; `ip` fails where namespaces are not allowed. */
const ALONE = ["unshare", "-rn", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

function canBeAlone(): boolean {
  try {
    return Bun.spawnSync([...ALONE, "true"]).exitCode === 0;
  } catch {
    return false;
  }
}

const isPossible = PROGRAM !== null && canBeAlone();
const name = "RC44: every case passes without a network";
const why =
  PROGRAM === null ? `the program is not installed: ${HOW_TO_INSTALL}` : "no network namespace can be made";

test.skipIf(!isPossible)(
  isPossible ? name : `${name} (${why})`,
  async () => {
    const suite = join(import.meta.dir, "codex.test.ts");
    const child = Bun.spawn([...ALONE, process.execPath, "test", "--timeout", "60000", suite], {
      cwd: join(import.meta.dir, "..", ".."),
      stdout: "pipe",
      stderr: "pipe",
    });
    const printed = (
      await Promise.all([child.stdout, child.stderr].map((stream) => new Response(stream).text()))
    ).join("\n");
    expect({ code: await child.exited, printed: printed.match(/\d+ (pass|fail)\b/g) }).toEqual({
      code: 0,
      printed: ["17 pass", "0 fail"],
    });
  },
  600_000,
);
