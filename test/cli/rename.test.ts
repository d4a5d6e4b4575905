// L19 to L22 beyond the transcripts: the question, what happens while it is asked, and outcomes that need a broken disk.
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rename, renameCommand } from "../../src/cli/rename.ts";
import { inventory, run } from "../support/daemon-process.ts";
import { type CommandResult, runInProcess } from "../support/memory-io.ts";
import { copyProject, FIXTURES, removeTemporaryFolders } from "../support/projects.ts";
import { type Hooks, instrumentPublish } from "../support/publish-files.ts";
import { LAUNCHER } from "../support/transcript.ts";

afterAll(removeTemporaryFolders);

const BASE = readFileSync(join(FIXTURES, "projects", "calculator", "src", "core.spx"), "utf8");
const SUM = BASE.replace("fn add(", "fn sum(");
const ARGUMENTS = ["rename", "--id", "calculator.add", "--from", "add", "--to", "sum"];
const QUESTION = "rename add to sum in src/core.spx? [y/N] ";

const core = (root: string) => readFileSync(join(root, "src", "core.spx"), "utf8");

function ask(root: string, answer: () => string, ...more: string[]): CommandResult {
  const argv = [...ARGUMENTS, "--manifest-path", join(root, "semaprax.toml"), ...more];
  return runInProcess(argv, { commands: [rename], answer });
}

describe("the question (L21)", () => {
  test.each(["y", "Y", "yes", "YES"])("%s renames", (answer) => {
    const root = copyProject("calculator");
    const { status, stdout, stderr } = ask(root, () => answer);
    expect({ status, stderr }).toEqual({ status: 0, stderr: QUESTION });
    expect(stdout).toEndWith("renamed add to sum in src/core.spx\n");
    expect(core(root)).toBe(SUM);
  });

  test.each(["", "n", "no", "yes please", "j", "1"])("%j does not", (answer) => {
    const root = copyProject("calculator");
    const before = inventory(root);
    const { status, stderr } = ask(root, () => answer);
    expect({ status, stderr }).toEqual({ status: 1, stderr: `${QUESTION}nothing was written\n` });
    const json = ask(root, () => answer, "--json");
    expect(json.status).toBe(1);
    expect(json.stdout).toEndWith(',"receipt":null}\n');
    expect(inventory(root)).toEqual(before);
  });

  test("is not asked with --yes or --dry-run", () => {
    const root = copyProject("calculator");
    const never = () => {
      throw new Error("asked");
    };
    expect(ask(root, never, "--dry-run").status).toBe(0);
    expect(core(root)).toBe(BASE);
    expect(ask(root, never, "--yes", "--dry-run").status).toBe(0);
    expect(core(root)).toBe(BASE);
    expect(ask(root, never, "--yes").status).toBe(0);
    expect(core(root)).toBe(SUM);
  });

  test("what changes while it is asked is seen before anything is written (A5)", () => {
    const root = copyProject("calculator");
    const { status, stderr } = ask(root, () => {
      appendFileSync(join(root, "src", "app.spx"), "\n");
      return "y";
    });
    expect(status).toBe(1);
    expect(stderr).toBe(
      `${QUESTION}error[SPX-J102]: src/app.spx has other bytes\nhelp: the project is being changed by somebody else: try again\n1 error\n`,
    );
    expect(core(root)).toBe(BASE);
  });

  test("a terminal is asked on, end to end", async () => {
    for (const [answer, text] of [
      ["y", SUM],
      ["n", BASE],
    ] as const) {
      const root = copyProject("calculator");
      const command = `'${LAUNCHER}' ${ARGUMENTS.join(" ")}`;
      // `script` gives the command a terminal of its own and types what it reads.
      const child = await run(["script", "-qec", command, "/dev/null"], root, `${answer}\n`);
      expect(child.stdout).toContain(QUESTION);
      expect(child.status).toBe(answer === "y" ? 0 : 1);
      expect(core(root)).toBe(text);
    }
  }, 60_000);
});

describe("outcomes", () => {
  const LOCK = ".core.spx.semaprax-patch.lock";
  const STAGE = ".core.spx.semaprax-stage.0.tmp";
  const eio = () => {
    throw Object.assign(new Error("EIO"), { code: "EIO" });
  };

  function apply(root: string, hooks: Hooks): CommandResult {
    const files = instrumentPublish();
    files.watch(hooks);
    const argv = [...ARGUMENTS, "--yes", "--manifest-path", join(root, "semaprax.toml")];
    const result = runInProcess(argv, { commands: [renameCommand(files)] });
    expect(files.descriptors.size).toBe(0);
    return result;
  }

  test("a commit that failed leaves the base, and says so (N39)", () => {
    const root = copyProject("calculator");
    const before = inventory(root);
    const { status, stderr } = apply(root, {
      before: ({ name }) => (name === "setMode" ? eio() : undefined),
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "error[SPX-I203]: cannot stage src/core.spx (EIO)\n1 error\n",
    });
    expect(inventory(root)).toEqual(before);
  });

  test("an uncertain outcome names the source, the lock and the stages, and what is there (L22)", () => {
    const root = copyProject("calculator");
    const { status, stderr } = apply(root, {
      before: ({ name, path }) => (name === "sync" && path.endsWith("src") ? eio() : undefined),
    });
    expect(status).toBe(1);
    expect(stderr).toBe(
      [
        "error[SPX-J110]: uncertain: inspect the project",
        "error[SPX-I204]: cannot sync src/core.spx (EIO)",
        "2 errors",
        "look at these before anything else is done; nothing was undone:",
        `  source  ${root}/src/core.spx has sum`,
        `  lock    ${root}/src/${LOCK} is not there`,
        `  stages  ${root}/src/${STAGE} and so on: none is there`,
        "",
      ].join("\n"),
    );
    expect(core(root)).toBe(SUM);
  });

  test("what the reload found is shown in the text that it found, not in what was loaded before", () => {
    const root = copyProject("calculator");
    const { status, stderr } = apply(root, {
      after: ({ name }) => {
        if (name === "rename") writeFileSync(join(root, "src", "app.spx"), "other calculator.app;\n");
      },
    });
    expect(status).toBe(1);
    expect(stderr.slice(0, stderr.indexOf("look at these"))).toBe(
      [
        "error[SPX-J110]: uncertain: inspect the project",
        'error[SPX-P104]: expected "module", not "other"',
        "  --> src/app.spx:1:1",
        "1 | other calculator.app;",
        "  | ^^^^^",
        "help: a source begins with module NAME;",
        "2 errors",
        "",
      ].join("\n"),
    );
  });

  test("leftovers are listed one by one, other texts as such", () => {
    const root = copyProject("calculator");
    const other = join(root, "src", ".core.spx.semaprax-stage.7.tmp");
    writeFileSync(other, "");
    const { stderr } = apply(root, {
      before: ({ name }) => {
        if (name === "rename") writeFileSync(join(root, "src", "app.spx"), "module");
        if (name === "rename" || name === "unlink") eio();
      },
    });
    expect(stderr).toContain("error[SPX-J110]: ");
    expect(stderr).toContain("error[SPX-I204]: cannot replace src/core.spx (EIO)\n");
    expect(stderr).toContain("error[SPX-P105]: ");
    expect(stderr).toContain(`  source  ${root}/src/core.spx still has add\n`);
    expect(stderr).toContain(`  lock    ${root}/src/${LOCK} is there\n`);
    expect(stderr).toContain(`  stage   ${root}/src/${STAGE} is there\n  stage   ${other} is there\n`);
    const changed = copyProject("calculator");
    const { stderr: words } = apply(changed, {
      before: ({ name, path }) => {
        if (name === "sync" && path.endsWith("src"))
          writeFileSync(join(changed, "src", "core.spx"), `${SUM}\n`);
      },
    });
    expect(words).toContain(`  source  ${changed}/src/core.spx has another text\n`);
  });

  test("a lock in the way is named by a path that leads to it from here", () => {
    const root = copyProject("calculator");
    const lock = join(root, "src", LOCK);
    writeFileSync(lock, "");
    const { status, stderr } = apply(root, {});
    expect(status).toBe(1);
    expect(stderr).toContain(`      if none is running, look at the file and remove ${lock}\n`);
  });

  test("a lock that cannot be made for another reason is not called somebody's", () => {
    const { stderr } = apply(copyProject("calculator"), {
      before: ({ name }) => (name === "createLock" ? eio() : undefined),
    });
    expect(stderr).toBe("error[SPX-I205]: cannot lock src/core.spx (EIO)\n1 error\n");
  });

  test("the mode is kept", () => {
    const root = copyProject("calculator");
    const file = join(root, "src", "core.spx");
    chmodSync(file, 0o640);
    expect(ask(root, () => "y").status).toBe(0);
    expect(statSync(file).mode & 0o7777).toBe(0o640);
  });
});
