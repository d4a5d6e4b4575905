import { afterAll, afterEach, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type FileSystem, systemFiles } from "../../src/project/file-system.ts";
import type { HeldInputs } from "../../src/project/held.ts";
import { openInputs } from "../../src/project/open.ts";
import { type Call, descriptorCount, instrument, systemError } from "../support/file-system.ts";
import { readProject, removeTemporaryFolders, temporaryFolder, writeFiles } from "../support/projects.ts";

afterAll(removeTemporaryFolders, 60_000);

const opened: HeldInputs[] = [];
afterEach(() => {
  for (const held of opened.splice(0)) held.close();
});

/** A fresh copy of a project, held; its root has a directory of its own above it. */
function hold(name: string, files: FileSystem = systemFiles): { root: string; held: HeldInputs } {
  const root = join(temporaryFolder(), "above", "root");
  writeFiles(root, readProject(name));
  const outcome = openInputs(join(root, "semaprax.toml"), files);
  if (!outcome.ok) throw new Error(outcome.failure[0].message);
  opened.push(outcome.value.held);
  return { root, held: outcome.value.held };
}

/** "same", or the words of the only diagnostic, which must be a bare SPX-J102. */
function authenticate(held: HeldInputs): string {
  const outcome = held.authenticate();
  if (outcome.ok) return "same";
  expect(outcome.failure).toHaveLength(1);
  expect(outcome.failure[0]).toMatchObject({ code: "SPX-J102", severity: "error", path: null, span: null });
  return outcome.failure[0].message;
}

type Change = (root: string) => void;
const CORE = "src/core.spx";
const at =
  (path: string, change: (file: string) => void): Change =>
  (root) =>
    change(join(root, path));
const replaceByCopy = (file: string) => {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
};

describe("D57: no drift", () => {
  test.each<[string, Change]>([
    ["nothing happened", () => {}],
    ["touched", at(CORE, (file) => utimesSync(file, 1, 1))],
    ["the same bytes written again in place", at(CORE, (file) => writeFileSync(file, readFileSync(file)))],
    ["owner changed", at(CORE, (file) => chownSync(file, process.getuid?.() ?? 0, process.getgid?.() ?? 0))],
    ["a new file beside a source", at("src/new.spx", (file) => writeFileSync(file, "x"))],
    ["a new folder beside a source", at("src/new", (folder) => mkdirSync(folder))],
    [
      "moved away and back",
      at(CORE, (file) => {
        renameSync(file, `${file}.x`);
        renameSync(`${file}.x`, file);
      }),
    ],
    [
      "a folder moved away and back",
      at("src", (file) => {
        renameSync(file, `${file}.x`);
        renameSync(`${file}.x`, file);
      }),
    ],
    [
      "linked a second time and no more",
      at(CORE, (file) => {
        linkSync(file, `${file}.x`);
        unlinkSync(`${file}.x`);
      }),
    ],
    [
      "changed and restored in place",
      at(CORE, (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, "other");
        writeFileSync(file, bytes);
      }),
    ],
  ])("%s", (_, change) => {
    const { root, held } = hold("calculator");
    change(root);
    expect(authenticate(held)).toBe("same");
  });
});

describe("D57: drift, named by the first input that shows it", () => {
  const FILE_CHANGES: readonly (readonly [string, (file: string) => void, string])[] = [
    [
      "one byte",
      (file) => writeFileSync(file, readFileSync(file, "latin1").replace("a", "b"), "latin1"),
      "has other bytes",
    ],
    [
      "the last byte",
      (file) => writeFileSync(file, `${readFileSync(file, "latin1").slice(0, -1)}?`, "latin1"),
      "has other bytes",
    ],
    ["appended to", (file) => appendFileSync(file, "\n"), "has other bytes"],
    ["truncated by a byte", (file) => truncateSync(file, readFileSync(file).length - 1), "has other bytes"],
    ["emptied", (file) => truncateSync(file, 0), "has other bytes"],
    ["chmod", (file) => chmodSync(file, 0o600), "is not the same file"],
    ["setuid bit", (file) => chmodSync(file, 0o4644), "is not the same file"],
    ["a second hard link", (file) => linkSync(file, `${file}.x`), "is not the same file"],
    ["the same bytes in a new inode", replaceByCopy, "is not the same file"],
    [
      "a link to it",
      (file) => {
        renameSync(file, `${file}.x`);
        symlinkSync(`${file}.x`, file);
      },
      "is not the same file",
    ],
    [
      "a folder",
      (file) => {
        unlinkSync(file);
        mkdirSync(file);
      },
      "is not the same file",
    ],
    ["removed", (file) => unlinkSync(file), "(ENOENT)"],
  ];

  for (const input of ["semaprax.toml", "src/app.spx", "src/tests.spx"]) {
    test.each(FILE_CHANGES)(`${input}: %s`, (_, change, words) => {
      const { root, held } = hold("calculator");
      change(join(root, input));
      const found = authenticate(held);
      expect(found).toContain(words);
      expect(found).toContain(input);
      expect(found.length).toBeLessThanOrEqual(40 + input.length);
    });
  }

  test.each<[string, Change, string]>([
    [
      "chmod of a source's folder",
      at("src", (folder) => chmodSync(folder, 0o700)),
      "a folder above src/app.spx changed",
    ],
    [
      "chmod of the root",
      at(".", (folder) => chmodSync(folder, 0o700)),
      "a folder above semaprax.toml changed",
    ],
    [
      "chmod above the root",
      at("..", (folder) => chmodSync(folder, 0o711)),
      "a folder above semaprax.toml changed",
    ],
    [
      "sticky bit on a folder",
      at("src", (folder) => chmodSync(folder, 0o1755)),
      "a folder above src/app.spx changed",
    ],
    [
      "a folder replaced by a copy",
      at("src", (folder) => {
        renameSync(folder, `${folder}.x`);
        cpSync(`${folder}.x`, folder, { recursive: true });
      }),
      "a folder above src/app.spx changed",
    ],
    [
      "a folder replaced by a link to it",
      at("src", (folder) => {
        renameSync(folder, `${folder}.x`);
        symlinkSync(`${folder}.x`, folder);
      }),
      "a folder above src/app.spx changed",
    ],
    [
      "a folder moved away",
      at("src", (folder) => renameSync(folder, `${folder}.x`)),
      "cannot read src/app.spx (ENOENT)",
    ],
    ["the project moved", (root) => renameSync(root, `${root}.x`), "cannot read semaprax.toml (ENOENT)"],
    [
      "moved above the root",
      (root) => renameSync(dirname(root), `${dirname(root)}.x`),
      "cannot read semaprax.toml (ENOENT)",
    ],
    [
      "a folder removed",
      at("src", (folder) => rmSync(folder, { recursive: true })),
      "cannot read src/app.spx (ENOENT)",
    ],
  ])("%s", (_, change, words) => {
    const { root, held } = hold("calculator");
    change(root);
    expect(authenticate(held)).toBe(words);
  });

  test("bytes that come back are the same again: nothing is remembered", () => {
    const { root, held } = hold("calculator");
    const bytes = readFileSync(join(root, CORE));
    appendFileSync(join(root, CORE), "x");
    expect(authenticate(held)).toBe("src/core.spx has other bytes");
    writeFileSync(join(root, CORE), bytes);
    expect(authenticate(held)).toBe("same");
  });
});

describe("D53, D59: the order and the cost of one authentication", () => {
  function callsOf(action: (held: HeldInputs) => void): { root: string; calls: string[] } {
    const calls: Call[] = [];
    const { root, held } = hold(
      "demo",
      instrument((call) => void calls.push(call)),
    );
    calls.length = 0;
    action(held);
    const short = (path: string) => (path.startsWith(root) ? path.slice(root.length) || "ROOT" : path);
    return { root, calls: calls.map((call) => `${call.name} ${short(call.path)}`) };
  }

  test("(a) by path, (b) folders by handle, (c, d) files by handle, each once", () => {
    const { root, calls } = callsOf((held) => expect(authenticate(held)).toBe("same"));
    const parts = root.split("/").slice(0, -1);
    const above = parts.map((_, depth) => parts.slice(0, depth + 1).join("/") || "/");
    const files = [
      "/semaprax.toml",
      "/a/util.spx",
      "/app.spx",
      "/lib/core.spx",
      "/lib/zero.spx",
      "/tests.spx",
    ];
    const rest = files.slice(2).flatMap((file) => (file === "/lib/core.spx" ? ["/lib", file] : [file]));
    expect(calls).toEqual([
      ...[...above, "ROOT", "/semaprax.toml", "/a", "/a/util.spx", ...rest].map((path) => `lstat ${path}`),
      ...[...above, "ROOT", "/a", "/lib"].map((path) => `fstat ${path}`),
      ...files.flatMap((file) => [`fstat ${file}`, `read ${file}`, `read ${file}`]),
    ]);
  });

  test("D59 two authentications cost twice as much as one", () => {
    const once = callsOf((held) => void held.authenticate()).calls.length;
    const twice = callsOf((held) => void [held.authenticate(), held.authenticate()]).calls.length;
    expect(twice).toBe(2 * once);
  });

  test("P43 each failing call is J102, and the next authentication is free of it", () => {
    let failing = -1;
    let index = 0;
    const { held } = hold(
      "demo",
      instrument(() => {
        if (index++ === failing) throw systemError("EIO");
      }),
    );
    index = 0;
    expect(authenticate(held)).toBe("same");
    const total = index;
    for (failing = 0; failing < total; failing++) {
      index = 0;
      expect(authenticate(held)).toEndWith(" (EIO)");
      expect(index).toBe(failing + 1);
      index = total;
      expect(authenticate(held)).toBe("same");
    }
  });

  test("a file larger than the scratch buffer is compared in whole", () => {
    const root = temporaryFolder();
    writeFiles(root, readProject("calculator"));
    const file = join(root, "src/tests.spx");
    truncateSync(file, 200_000);
    const outcome = openInputs(join(root, "semaprax.toml"), systemFiles);
    if (!outcome.ok) throw new Error(outcome.failure[0].message);
    opened.push(outcome.value.held);
    expect(authenticate(outcome.value.held)).toBe("same");
    for (const position of [65_535, 65_536, 131_072, 199_999]) {
      const bytes = readFileSync(file);
      const before = bytes[position] ?? 0;
      bytes[position] = before ^ 1;
      writeFileSync(file, bytes);
      expect(authenticate(outcome.value.held)).toBe("src/tests.spx has other bytes");
      bytes[position] = before;
      writeFileSync(file, bytes);
      expect(authenticate(outcome.value.held)).toBe("same");
    }
  });
});

describe("D58, P13: identities are exact", () => {
  test.each(["dev", "ino", "mode", "nlink"] as const)("one more in %s beyond 2^53 is a drift", (member) => {
    let offset = 2n ** 60n;
    const shift = (stats: ReturnType<FileSystem["lstat"]>) =>
      Object.assign(Object.create(Object.getPrototypeOf(stats)), stats, {
        [member]: stats[member] + (member === "ino" || member === "dev" ? offset : offset - 2n ** 60n),
      });
    const { held } = hold("calculator", {
      ...systemFiles,
      lstat: (path) => shift(systemFiles.lstat(path)),
      fstat: (descriptor) => shift(systemFiles.fstat(descriptor)),
    });
    expect(authenticate(held)).toBe("same");
    offset += 1n;
    expect(authenticate(held)).not.toBe("same");
  });

  test("a directory's link count is not looked at, a file's is", () => {
    let links = 0n;
    const { held } = hold("calculator", {
      ...systemFiles,
      lstat: (path) => {
        const stats = systemFiles.lstat(path);
        if (stats.isDirectory()) stats.nlink += links;
        return stats;
      },
    });
    links = 5n;
    expect(authenticate(held)).toBe("same");
  });
});

describe("close", () => {
  test("lets go of every handle, once, also past errors", () => {
    const before = descriptorCount();
    const closed: string[] = [];
    const faulty = instrument((call) => {
      if (call.name !== "close") return;
      closed.push(call.path);
      throw systemError("EIO");
    });
    const { held } = hold("calculator", faulty);
    expect(descriptorCount()).toBeGreaterThan(before + 4);
    held.close();
    held.close();
    expect(descriptorCount()).toBe(before);
    expect(new Set(closed).size).toBe(closed.length);
  });

  test("nothing is authentic afterwards, and no descriptor is looked at that may be somebody else's", () => {
    const calls: Call[] = [];
    const { held } = hold(
      "calculator",
      instrument((call) => void calls.push(call)),
    );
    held.close();
    calls.length = 0;
    expect(authenticate(held)).toBe("inputs are no longer held");
    expect(calls).toEqual([]);
  });
});
