import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type FileSystem, systemFiles } from "../../src/project/file-system.ts";
import { type OpenedInputs, openInputs } from "../../src/project/open.ts";
import { type Call, descriptorCount, instrument, systemError } from "../support/file-system.ts";
import {
  copyProject,
  readProject,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from "../support/projects.ts";

afterAll(removeTemporaryFolders, 60_000);

const J100 = "SPX-J100";
const J101 = "SPX-J101";
const J102 = "SPX-J102";

/** Opens, gives the inputs to `look`, closes. A refusal is its only code and must have left nothing open. */
function open(path: string, files: FileSystem = systemFiles, look?: (inputs: OpenedInputs) => void): string {
  const before = descriptorCount();
  const outcome = openInputs(path, files);
  if (outcome.ok) {
    look?.(outcome.value);
    outcome.value.held.close();
  }
  expect(descriptorCount()).toBe(before);
  if (outcome.ok) return "opened";
  expect(outcome.failure).toHaveLength(1);
  const [{ code, path: at, span, message }] = outcome.failure;
  expect([at, span]).toEqual([null, null]);
  // D29: inputs are named as declared, nothing is named by an absolute path.
  expect(message).not.toMatch(/(?:^|[ :(])\//);
  return code;
}

function mkfifo(path: string): void {
  expect(Bun.spawnSync(["mkfifo", path]).exitCode).toBe(0);
}

function manifestOf(...sources: string[]): string {
  const list = sources.map((path) => `"${path}"`).join(", ");
  return `schema = "semaprax.project.v1"\nname = "p"\nentry = "a"\nsources = [${list}]\nweb_exports = ["x"]\ntests = ["t"]\n`;
}

/** A project of these sources, each with its path as content, in `root`. */
function writeProject(root: string, ...sources: string[]): string {
  writeFiles(root, [
    ["semaprax.toml", manifestOf(...sources)],
    ...sources.map((path) => [path, path] as const),
  ]);
  return join(root, "semaprax.toml");
}

describe("P5, P20: what is opened", () => {
  test("the calculator, with all its bytes", () => {
    const root = copyProject("calculator");
    const files = readProject("calculator");
    expect(
      open(join(root, "semaprax.toml"), systemFiles, (inputs) => {
        expect(inputs.manifest.name).toBe("calculator");
        expect(inputs.manifestBytes).toEqual(files.get("semaprax.toml") ?? new Uint8Array());
        expect(inputs.sources.map((source) => source.path)).toEqual([
          "src/app.spx",
          "src/core.spx",
          "src/tests.spx",
        ]);
        for (const { path, bytes } of inputs.sources)
          expect(bytes).toEqual(files.get(path) ?? new Uint8Array());
        expect(inputs.held.file("src/core.spx")).toMatchObject({
          path: join(root, "src/core.spx"),
          input: "src/core.spx",
        });
        expect(inputs.held.file("semaprax.toml")?.bytes).toBe(inputs.manifestBytes);
        expect(inputs.held.file("src")).toBeUndefined();
        expect(inputs.held.directory(join(root, "src"))?.kind).toBe("directory");
        expect(inputs.held.directory(join(root, "lib"))).toBeUndefined();
      }),
    ).toBe("opened");
  });

  test("P1 a relative path starts at the physical working directory", () => {
    const root = copyProject("calculator");
    const link = join(temporaryFolder(), "link");
    symlinkSync(root, link);
    const files: FileSystem = { ...systemFiles, workingDirectory: () => root };
    expect(open("semaprax.toml", files)).toBe("opened");
    expect(open("semaprax.toml", { ...files, workingDirectory: () => link })).toBe(J102);
    expect(open(`${root}//./semaprax.toml`)).toBe("opened");
  });

  test("P14 nothing but the inputs and their directories is touched, each directory once", () => {
    const root = copyProject("demo");
    const calls: Call[] = [];
    open(
      join(root, "semaprax.toml"),
      instrument((call) => void calls.push(call)),
    );
    const touched = new Set(calls.map((call) => call.path));
    const above = root.split("/").map((_, depth, parts) => parts.slice(0, depth + 1).join("/") || "/");
    const below = [
      "semaprax.toml",
      "a",
      "a/util.spx",
      "app.spx",
      "lib",
      "lib/core.spx",
      "lib/zero.spx",
      "tests.spx",
    ];
    expect([...touched]).toEqual([...above, ...below.map((path) => join(root, path))]);
    const opens = calls.filter((call) => call.name === "openDirectory").map((call) => call.path);
    expect(opens).toEqual([...above, join(root, "a"), join(root, "lib")]);
    expect(calls.some((call) => call.name === "workingDirectory")).toBe(false);
  });

  test("P10 an empty source is opened", () => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    writeFileSync(join(path, "..", "b.spx"), "");
    expect(open(path)).toBe("opened");
  });
});

describe("P3, P8: the manifest's name and kind", () => {
  const root = copyProject("calculator");

  test.each<[string, string]>([
    ["absent/semaprax.toml", J102],
    ["other.toml", J102],
    ["src", J102],
    ["src/", J102],
    ["src/app.spx", J100],
    ["src/app.spx/", J102],
    ["semaprax.toml/", J102],
    ["semaprax.toml/.", J102],
    ["src/../semaprax.toml", J100],
    ["semaprax.toml/semaprax.toml", J102],
    ["a\0b/semaprax.toml", J102],
    ["semaprax.toml\0", J102],
    [`${"a".repeat(256)}/semaprax.toml`, J102],
    ["\ud800/semaprax.toml", J102],
  ])("%j is %s", (path, expected) => {
    expect(open(`${root}/${path}`)).toBe(expected);
  });

  test("a device", () => {
    expect(open("/dev/null")).toBe(J102);
  });

  test("a linked or twice linked file of another name is J102, a plain one J100", () => {
    const folder = temporaryFolder();
    writeProject(folder, "a.spx", "b.spx");
    writeFileSync(join(folder, "plain.toml"), "");
    expect(open(join(folder, "plain.toml"))).toBe(J100);
    symlinkSync("plain.toml", join(folder, "link.toml"));
    expect(open(join(folder, "link.toml"))).toBe(J102);
    linkSync(join(folder, "plain.toml"), join(folder, "hard.toml"));
    expect(open(join(folder, "plain.toml"))).toBe(J102);
  });

  test("the name comes before the bytes", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "p.toml"), new Uint8Array(70_000).fill(0xff));
    expect(open(join(folder, "p.toml"))).toBe(J100);
  });
});

/** What may stand where an input should be. Each is told the input's path, which exists and is right. */
const INTRUDERS: readonly (readonly [string, (path: string) => void])[] = [
  ["nothing", (path) => unlinkSync(path)],
  [
    "a link to the file",
    (path) => {
      renameSync(path, `${path}.x`);
      symlinkSync(`${path}.x`, path);
    },
  ],
  [
    "a dangling link",
    (path) => {
      unlinkSync(path);
      symlinkSync("nowhere", path);
    },
  ],
  [
    "a link to itself",
    (path) => {
      unlinkSync(path);
      symlinkSync(path, path);
    },
  ],
  ["a file of two names", (path) => linkSync(path, `${path}.x`)],
  [
    "a directory",
    (path) => {
      unlinkSync(path);
      mkdirSync(path);
    },
  ],
  [
    "a FIFO",
    (path) => {
      unlinkSync(path);
      mkfifo(path);
    },
  ],
];

describe("P8: what stands in place of a file is J102", () => {
  for (const input of ["semaprax.toml", "src/app.spx", "src/tests.spx"]) {
    test.each(INTRUDERS)(`%s in place of ${input}`, (_, intrude) => {
      const root = copyProject("calculator");
      intrude(join(root, input));
      expect(open(join(root, "semaprax.toml"))).toBe(J102);
    });

    test(`a socket in place of ${input}`, () => {
      const root = copyProject("calculator");
      unlinkSync(join(root, input));
      const listener = Bun.listen({ unix: join(root, input), socket: { data: () => {} } });
      try {
        expect(open(join(root, "semaprax.toml"))).toBe(J102);
      } finally {
        listener.stop();
      }
    });
  }

  test("permission bits do not matter as long as the file can be read", () => {
    const root = copyProject("calculator");
    chmodSync(join(root, "src/app.spx"), 0o444);
    chmodSync(join(root, "src/core.spx"), 0o755);
    expect(open(join(root, "semaprax.toml"))).toBe("opened");
  });
});

describe("P7: what stands in place of a directory is J102", () => {
  test("a link in place of a source's directory", () => {
    const root = copyProject("calculator");
    renameSync(join(root, "src"), join(root, "real"));
    symlinkSync("real", join(root, "src"));
    expect(open(join(root, "semaprax.toml"))).toBe(J102);
  });

  test("a link in place of the root, and of a directory above it", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "above"));
    const root = join(folder, "above", "root");
    writeFiles(root, readProject("calculator"));
    symlinkSync(root, join(folder, "above", "alias"));
    symlinkSync(join(folder, "above"), join(folder, "aside"));
    expect(open(join(folder, "above", "alias", "semaprax.toml"))).toBe(J102);
    expect(open(join(folder, "aside", "root", "semaprax.toml"))).toBe(J102);
    expect(open(join(root, "semaprax.toml"))).toBe("opened");
  });

  test("a file or a FIFO in place of a source's directory", () => {
    const root = copyProject("calculator");
    rmSync(join(root, "src"), { recursive: true });
    writeFileSync(join(root, "src"), "");
    expect(open(join(root, "semaprax.toml"))).toBe(J102);
    unlinkSync(join(root, "src"));
    mkfifo(join(root, "src"));
    expect(open(join(root, "semaprax.toml"))).toBe(J102);
  });
});

describe("P9, P12", () => {
  test("P9 a path that the system spells otherwise is J102", () => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    for (const input of ["semaprax.toml", "b.spx"]) {
      const realpath = (given: string) => (given.endsWith(input) ? given.toUpperCase() : given);
      expect(open(path, { ...systemFiles, realpath })).toBe(J102);
    }
    expect(open(path, { ...systemFiles, realpath: (given) => given })).toBe("opened");
  });

  test.each([
    ["b.spx", "a.spx"],
    ["b.spx", "semaprax.toml"],
  ])("P12 %s being the same inode as %s is J102, as a mount can make it", (alias, target) => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    const through = (given: string) => (given.endsWith(alias) ? join(given, "..", target) : given);
    const aliased: FileSystem = {
      ...systemFiles,
      lstat: (given) => systemFiles.lstat(through(given)),
      openFile: (given) => systemFiles.openFile(through(given)),
    };
    expect(open(path)).toBe("opened");
    expect(open(path, aliased)).toBe(J102);
  });
});

describe("P6: 128 held directories", () => {
  const base = temporaryFolder();

  /** A root that has `count` directories from `/` to itself; all of them lie in one chain. */
  function rootAt(count: number): string {
    const root = join(base, ...Array<string>(count - base.split("/").length).fill("d"));
    mkdirSync(root, { recursive: true });
    return root;
  }

  test.each<[number, string[], string]>([
    [127, ["a.spx", "b.spx"], "opened"],
    [128, ["a.spx", "b.spx"], "opened"],
    [129, ["a.spx", "b.spx"], J101],
    [127, ["a.spx", "s/b.spx"], "opened"],
    [127, ["s/a.spx", "s/b.spx"], "opened"],
    [128, ["a.spx", "s/b.spx"], J101],
    [126, ["s/a.spx", "s/t/b.spx"], "opened"],
    [126, ["s/a.spx", "s/t/b.spx", "t/c.spx"], J101],
  ])("%d down to the root, sources %j: %s", (count, sources, expected) => {
    expect(open(writeProject(rootAt(count), ...sources))).toBe(expected);
  });

  test("P56 the count is known before the first directory is opened", () => {
    const calls: Call[] = [];
    const path = `/${"d/".repeat(128)}semaprax.toml`;
    expect(
      open(
        path,
        instrument((call) => void calls.push(call)),
      ),
    ).toBe(J101);
    expect(calls).toEqual([]);
  });
});

describe("P10, P11: bytes", () => {
  test("a manifest of 65536 bytes is read, one of 65537 is J101", () => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    truncateSync(path, 65_536);
    expect(open(path)).toBe(J100);
    truncateSync(path, 65_537);
    expect(open(path)).toBe(J101);
  });

  test("P54 sources of 16777216 bytes together are read, one more is J101", () => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    const sizes = (a: number, b: number) => {
      truncateSync(join(path, "..", "a.spx"), a);
      truncateSync(join(path, "..", "b.spx"), b);
      return open(path);
    };
    expect(sizes(16_777_215, 1)).toBe("opened");
    expect(sizes(16_777_216, 0)).toBe("opened");
    expect(sizes(0, 16_777_216)).toBe("opened");
    expect(sizes(16_777_216, 1)).toBe(J101);
    expect(sizes(16_777_217, 0)).toBe(J101);
    expect(sizes(0, 16_777_217)).toBe(J101);
  });

  test("a source that is not UTF-8 is J102, one with a byte order mark keeps it", () => {
    const path = writeProject(temporaryFolder(), "a.spx", "b.spx");
    writeFileSync(join(path, "..", "b.spx"), new Uint8Array([0xef, 0xbb, 0xbf, 0x61]));
    expect(
      open(path, systemFiles, ({ sources }) => {
        expect([...(sources[1]?.bytes ?? [])]).toEqual([0xef, 0xbb, 0xbf, 0x61]);
      }),
    ).toBe("opened");
    writeFileSync(join(path, "..", "b.spx"), new Uint8Array([0x61, 0xff]));
    expect(open(path)).toBe(J102);
  });
});

describe("P20, P21: the first failure wins", () => {
  const prepare = (change: (root: string) => void) => {
    const root = temporaryFolder();
    writeProject(root, "a.spx", "b.spx");
    change(root);
    return join(root, "semaprax.toml");
  };
  const long = (root: string, name: string) => truncateSync(join(root, name), 16_777_217);
  const bad = (root: string, name: string) => writeFileSync(join(root, name), new Uint8Array([0xff]));

  test.each<[string, (root: string) => void, string]>([
    [
      "the manifest's text before an absent source",
      (root) => {
        writeFileSync(join(root, "semaprax.toml"), "x");
        rmSync(join(root, "a.spx"));
      },
      J100,
    ],
    [
      "too long a first source before an absent second",
      (root) => {
        long(root, "a.spx");
        rmSync(join(root, "b.spx"));
      },
      J101,
    ],
    [
      "an absent first source before too long a second",
      (root) => {
        rmSync(join(root, "a.spx"));
        long(root, "b.spx");
      },
      J102,
    ],
    [
      "a first source that is not UTF-8 before too long a second",
      (root) => {
        bad(root, "a.spx");
        long(root, "b.spx");
      },
      J102,
    ],
    [
      "length before UTF-8",
      (root) => {
        bad(root, "b.spx");
        long(root, "b.spx");
      },
      J101,
    ],
  ])("%s", (_, change, expected) => {
    expect(open(prepare(change))).toBe(expected);
  });
});

describe("P44: swapped between the checks", () => {
  /** Opens the calculator while `action` is taken once, before the nth call of that name on that path. */
  function openWith(
    name: keyof FileSystem,
    path: string,
    nth: number,
    action: (root: string, path: string) => void,
  ): string {
    const root = copyProject("calculator");
    let left = nth;
    const hooked = instrument((call) => {
      if (call.name !== name || call.path !== join(root, path)) return;
      if (--left === 0) action(root, join(root, path));
    });
    const result = open(join(root, "semaprax.toml"), hooked);
    expect(left).toBeLessThanOrEqual(0);
    expect(hooked.descriptors.size).toBe(0);
    return result;
  }

  const replace = (_: string, path: string) => {
    writeFileSync(`${path}.new`, "other");
    renameSync(`${path}.new`, path);
  };
  const FILE_SWAPS: readonly (readonly [string, (root: string, path: string) => void])[] = [
    ["another file", replace],
    ["a second name", (_, path) => linkSync(path, `${path}.x`)],
    ["other permissions", (_, path) => chmodSync(path, statSync(path).mode ^ 0o100)],
    ...INTRUDERS.map(([words, intrude]) => [words, (_: string, path: string) => intrude(path)] as const),
  ];

  for (const input of ["semaprax.toml", "src/core.spx"]) {
    test.each(FILE_SWAPS)(`%s between lstat and open of ${input}`, (_, swap) => {
      expect(openWith("openFile", input, 1, swap)).toBe(J102);
    });

    test.each(FILE_SWAPS)(`%s between open and fstat of ${input}`, (_, swap) => {
      expect(openWith("fstat", input, 1, swap)).toBe(J102);
    });

    test.each(FILE_SWAPS)(`%s between fstat and the second lstat of ${input}`, (_, swap) => {
      expect(openWith("lstat", input, 2, swap)).toBe(J102);
    });
  }

  const DIRECTORY_SWAPS: readonly (readonly [string, (root: string, path: string) => void])[] = [
    [
      "another directory",
      (_, path) => {
        renameSync(path, `${path}.x`);
        mkdirSync(path);
      },
    ],
    [
      "a link to it",
      (_, path) => {
        renameSync(path, `${path}.x`);
        symlinkSync(`${path}.x`, path);
      },
    ],
    [
      "a file",
      (_, path) => {
        renameSync(path, `${path}.x`);
        writeFileSync(path, "");
      },
    ],
    [
      "a FIFO",
      (_, path) => {
        renameSync(path, `${path}.x`);
        mkfifo(path);
      },
    ],
    ["nothing", (_, path) => renameSync(path, `${path}.x`)],
    ["other permissions", (_, path) => chmodSync(path, 0o711)],
  ];

  test.each(DIRECTORY_SWAPS)("%s between lstat and open of a directory", (_, swap) => {
    expect(openWith("openDirectory", "src", 1, swap)).toBe(J102);
  });

  test.each(DIRECTORY_SWAPS)("%s between open and fstat of a directory", (_, swap) => {
    expect(openWith("fstat", "src", 1, swap)).toBe(J102);
  });

  test.each(DIRECTORY_SWAPS)("%s between fstat and the second lstat of a directory", (_, swap) => {
    expect(openWith("lstat", "src", 2, swap)).toBe(J102);
  });

  test("a new sub-directory between the checks changes nothing (P13)", () => {
    const makes = (_: string, path: string) => mkdirSync(join(path, "new"));
    expect(openWith("openDirectory", "src", 1, makes)).toBe("opened");
    expect(openWith("lstat", "src", 2, makes)).toBe("opened");
  });

  test("a source that grows while it is read is read to its end", () => {
    const root = copyProject("calculator");
    const path = join(root, "src/core.spx");
    let reads = 0;
    const hooked = instrument((call) => {
      if (call.name === "read" && call.path === path && ++reads <= 3) appendFileSync(path, "x".repeat(1000));
    });
    expect(
      open(join(root, "semaprax.toml"), hooked, ({ sources }) => {
        expect(sources[1]?.bytes.length).toBe(366 + 3000);
      }),
    ).toBe("opened");
  });

  test("a manifest that grows beyond its bound while it is read is J101", () => {
    expect(
      openWith("read", "semaprax.toml", 1, (_, path) => appendFileSync(path, "x".repeat(65_536 - 262 + 1))),
    ).toBe(J101);
    expect(openWith("read", "semaprax.toml", 2, (_, path) => appendFileSync(path, "x".repeat(70_000)))).toBe(
      J101,
    );
  });
});

describe("P23, P43: a failing call is J102 and leaves nothing open", () => {
  test("each call in turn", () => {
    const root = copyProject("demo");
    const path = join(root, "semaprax.toml");
    let total = 0;
    open(
      path,
      instrument((call) => {
        if (call.name !== "close") total = call.index + 1;
      }),
    );
    // A directory takes 4 calls; a file 5, and 2 reads.
    expect(total).toBe(4 * (root.split("/").length + 2) + 7 * 6);
    for (let index = 0; index < total; index++) {
      for (const code of ["EIO", "EACCES", "EMFILE"]) {
        const faulty = instrument((call) => {
          if (call.index === index) throw systemError(code);
        });
        expect(open(path, faulty)).toBe(J102);
        expect(faulty.descriptors.size).toBe(0);
      }
    }
  });

  test("the working directory is gone", () => {
    const gone = () => {
      throw systemError("ENOENT");
    };
    expect(open("semaprax.toml", { ...systemFiles, workingDirectory: gone })).toBe(J102);
  });

  test("an error while closing is passed over", () => {
    const root = copyProject("calculator");
    const faulty = instrument((call) => {
      if (call.name === "close") throw systemError("EIO");
    });
    expect(open(join(root, "semaprax.toml"), faulty)).toBe("opened");
  });

  test("a bug is not taken for a failing call, and still leaves nothing open", () => {
    const root = copyProject("calculator");
    const before = descriptorCount();
    const buggy = instrument((call) => {
      if (call.path.endsWith("tests.spx")) throw new TypeError("bug");
    });
    expect(() => openInputs(join(root, "semaprax.toml"), buggy)).toThrow(TypeError);
    expect(descriptorCount()).toBe(before);
  });
});
