import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type NamedFile, readNamedFile, replaceFile } from "../../src/cli/named-file.ts";
import { removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

const NEW = new TextEncoder().encode("new");
let root = "";
let path = "";

beforeEach(() => {
  root = temporaryFolder();
  path = join(root, "a.spx");
  writeFileSync(path, "old");
});

function read(): NamedFile {
  const outcome = readNamedFile(path, 100);
  if (!outcome.ok) throw new Error(outcome.words);
  return outcome.value;
}

describe("reading a named file", () => {
  test("up to the bound and no further", () => {
    expect(readNamedFile(path, 3)).toMatchObject({ ok: true, value: { path } });
    expect(readNamedFile(path, 2)).toEqual({ ok: false, words: "has more than 2 bytes" });
  });

  test("only regular files, and no links", () => {
    symlinkSync("a.spx", join(root, "link"));
    mkdirSync(join(root, "folder"));
    Bun.spawnSync(["mkfifo", join(root, "fifo")]);
    const words = (name: string) => readNamedFile(join(root, name), 100);
    expect(words("link")).toEqual({ ok: false, words: "is a link; name the file itself" });
    expect(words("folder")).toEqual({ ok: false, words: "is not a regular file" });
    expect(words("fifo")).toEqual({ ok: false, words: "is not a regular file" });
    expect(words("absent")).toEqual({ ok: false, words: "does not exist" });
    expect(words("a.spx/b")).toEqual({ ok: false, words: "cannot be read (ENOTDIR)" });
  });
});

describe("replacing a named file (L12)", () => {
  test("new bytes, the old mode, nothing left behind", () => {
    chmodSync(path, 0o4751);
    const before = statSync(path);
    expect(replaceFile(read(), NEW).ok).toBe(true);
    const after = statSync(path);
    expect(readFileSync(path, "utf8")).toBe("new");
    expect(after.mode).toBe(before.mode);
    expect(after.ino).not.toBe(before.ino);
    expect(readdirSync(root)).toEqual(["a.spx"]);
  });

  test("the owner stays", () => {
    // Only the superuser can give a file away; for anybody else owner and group are their own before and after.
    if (process.getuid?.() === 0) Bun.spawnSync(["chown", "1234:4321", path]);
    const before = statSync(path);
    expect(replaceFile(read(), NEW).ok).toBe(true);
    expect([statSync(path).uid, statSync(path).gid]).toEqual([before.uid, before.gid]);
  });

  const changes: readonly [string, () => void][] = [
    ["rewritten", () => writeFileSync(path, "ole")],
    ["touched", () => utimesSync(path, 1, 1)],
    ["given another mode", () => chmodSync(path, 0o600)],
    ["given a second name", () => linkSync(path, join(root, "second"))],
    [
      "replaced",
      () => {
        writeFileSync(join(root, "b"), "old");
        renameSync(join(root, "b"), path);
      },
    ],
    [
      "made a link",
      () => {
        renameSync(path, join(root, "b"));
        symlinkSync("b", path);
      },
    ],
  ];
  test.each(changes)("refused after it was %s meanwhile", (_, change) => {
    const file = read();
    change();
    const before = readFileSync(path, "utf8");
    expect(replaceFile(file, NEW)).toEqual({ ok: false, words: "changed while it was being formatted" });
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  test("a file that is gone is not created again", () => {
    const file = read();
    rmSync(path);
    expect(replaceFile(file, NEW)).toEqual({ ok: false, words: "cannot be replaced (ENOENT)" });
    expect(readdirSync(root)).toEqual([]);
  });

  test("a file with two names is refused", () => {
    linkSync(path, join(root, "second"));
    expect(replaceFile(read(), NEW)).toEqual({
      ok: false,
      words: "has 2 names (hard links), and only one would be replaced",
    });
    expect(readFileSync(path, "utf8")).toBe("old");
  });

  test("31 leftover stage files are stepped over, 32 are refused; none is touched", () => {
    const stage = (number: number) => join(root, `.a.spx.semaprax-fmt.${number}.tmp`);
    for (let number = 0; number < 31; number++) writeFileSync(stage(number), `${number}`);
    expect(replaceFile(read(), NEW).ok).toBe(true);
    expect(readdirSync(root).length).toBe(32);
    symlinkSync("a.spx", stage(31));
    expect(replaceFile(read(), NEW)).toEqual({
      ok: false,
      words: "has too many leftover stage files beside it",
    });
    expect(readFileSync(path, "utf8")).toBe("new");
    for (let number = 0; number < 31; number++) expect(readFileSync(stage(number), "utf8")).toBe(`${number}`);
  });
});
