import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileSystem } from "../../src/project/file-system.ts";
import { buildSnapshot, type LoadedProject, loadProject } from "../../src/project/load.ts";
import type { Snapshot } from "../../src/project/snapshot.ts";
import { descriptorCount, instrument, systemError } from "../support/file-system.ts";
import {
  copyProject,
  FIXTURES,
  knownAnswers,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from "../support/projects.ts";

afterAll(removeTemporaryFolders, 60_000);
const held: LoadedProject[] = [];
afterEach(() => {
  for (const project of held.splice(0)) project.held.close();
});

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function load(root: string, files?: FileSystem): Snapshot {
  const outcome = loadProject(join(root, "semaprax.toml"), files);
  if (!outcome.ok)
    throw new Error(outcome.failure.map((found) => `${found.code}: ${found.message}`).join("; "));
  held.push(outcome.value);
  return outcome.value.snapshot;
}

/** The codes of a refused load, which must have left nothing open (P23). */
function codes(root: string, files?: FileSystem): string {
  const before = descriptorCount();
  const outcome = loadProject(join(root, "semaprax.toml"), files);
  if (outcome.ok) outcome.value.held.close();
  expect(descriptorCount()).toBe(before);
  return outcome.ok ? "loaded" : outcome.failure.map((found) => found.code).join(" ");
}

/** The sources that a snapshot was built from. */
function sourcesOf(snapshot: Snapshot): Map<string, Uint8Array> {
  return new Map(snapshot.program.files.map(({ source }) => [source.path, source.bytes]));
}

/** Builds the same project with other bytes in one source, in memory. */
function candidate(base: Snapshot, path: string, content: string): ReturnType<typeof buildSnapshot> {
  const sources = sourcesOf(base).set(path, new TextEncoder().encode(content));
  return buildSnapshot(
    base.manifest,
    base.manifestBytes,
    [...sources].map(([path, bytes]) => ({ path, bytes })),
  );
}

describe("P39: a snapshot", () => {
  const session = readFileSync(join(FIXTURES, "sessions", "calculator-v2.jsonl"), "utf8");

  test("of the calculator is what the recorded session answers from", () => {
    const snapshot = load(copyProject("calculator"));
    expect(session).toContain(`"result":${text(snapshot.snapshotResult)}}\n`);
    expect(session).toContain(`"result":{"graph":${text(snapshot.graph.artifact)}}}\n`);
    expect(session).toContain(`"opened":true,"project_revision":"${snapshot.projectRevision}"`);
    expect(snapshot.program.test.functions.length).toBeGreaterThan(0);
  });

  test("of the demo project has the recorded graph", () => {
    const demo = readFileSync(join(FIXTURES, "sessions", "demo.jsonl"), "utf8");
    expect(demo).toContain(`"result":{"graph":${text(load(copyProject("demo")).graph.artifact)}}}\n`);
  });

  test.each(knownAnswers())("P37 of $name has its revisions", (answer) => {
    const root = temporaryFolder();
    writeFiles(root, Object.entries(answer.files));
    const snapshot = load(root);
    expect(String(snapshot.workspaceRevision)).toBe(answer.workspace_revision);
    expect(String(snapshot.projectRevision)).toBe(answer.project_revision);
  });

  test("P38 does not depend on where the project lies", () => {
    const left = load(copyProject("demo"));
    const right = load(copyProject("demo"));
    expect(text(left.graph.artifact)).toBe(text(right.graph.artifact));
    expect(text(left.snapshotResult)).toBe(text(right.snapshotResult));
  });
});

describe("P26, N13: a candidate is built in memory", () => {
  const CORE = "src/core.spx";

  test("the calculator with add renamed to sum has the names that rename.md gives", () => {
    const root = copyProject("calculator");
    const base = load(root);
    const before = text(base.graph.artifact);
    const renamed = text(sourcesOf(base).get(CORE) ?? new Uint8Array()).replace("fn add(", "fn sum(");
    const built = candidate(base, CORE, renamed);
    if (!built.ok) throw new Error(built.failure[0].message);
    expect(String(built.value.projectRevision)).toBe(
      "sha256:ed491209c7a833182bdd8e8b35bfc6b95f106ed85f6b4b5fe11a19e503d2ef73",
    );
    expect(String(built.value.workspaceRevision)).toBe(
      "sha256:7666f62cd446a385e33384e222c786a261845f933453ca80d761f76f7a6fd984",
    );
    expect(text(built.value.graph.artifact)).toContain(
      '"graph_digest":"sha256:5abf1c376eed919bdeda861b31993db6a4b3577465b9ec8251793572e444e79d"',
    );
    // The retained snapshot and the disk know nothing of it.
    expect(text(base.graph.artifact)).toBe(before);
    expect(readFileSync(join(root, CORE), "utf8")).toContain("fn add(");

    writeFileSync(join(root, CORE), renamed);
    const reloaded = load(root);
    expect(text(reloaded.graph.artifact)).toBe(text(built.value.graph.artifact));
    expect(text(reloaded.snapshotResult)).toBe(text(built.value.snapshotResult));
  });

  test("a candidate is refused like a file on disk", () => {
    const base = load(copyProject("calculator"));
    const core = text(sourcesOf(base).get(CORE) ?? new Uint8Array());
    const code = (content: string) => {
      const built = candidate(base, CORE, content);
      return built.ok ? "built" : built.failure[0].code;
    };
    expect(code(core)).toBe("built");
    expect(code(`${core}\n`)).toBe("SPX-G170");
    expect(code(core.replace("fn add(", "fn divide("))).toBe("SPX-S101");
    expect(code(core.replace("fn add(", "fn main("))).toBe("SPX-T104");
  });
});

describe("P20, P23: each phase refuses, in order, and leaves nothing open", () => {
  const CORE = "src/core.spx";
  const edit = (path: string, from: string, to: string) => (root: string) => {
    const before = readFileSync(join(root, path), "utf8");
    expect(before).toContain(from);
    writeFileSync(join(root, path), before.replace(from, to));
  };
  const lexical = edit(CORE, "module", "#");
  const uncanonical = edit("src/tests.spx", "module ", "module  ");
  const duplicateModule = edit(CORE, "module calculator.core", "module calculator.app");
  const ill = edit(CORE, "fn add(", "fn result(");
  const unknownExport = edit("semaprax.toml", "calculator.add", "calculator.a");
  const absentEntry = edit("semaprax.toml", '"calculator.app"', '"calculator.none"');

  test.each<[string, ((root: string) => void)[], string]>([
    ["nothing", [], "loaded"],
    ["manifest before sources", [edit("semaprax.toml", "name =", "name  ="), lexical], "SPX-J100"],
    [
      "P21 a missing last source before a lexical error",
      [(root) => rmSync(join(root, "src/tests.spx")), lexical],
      "SPX-J102",
    ],
    ["a lexical error before the next file's form", [uncanonical, lexical], "SPX-P001"],
    ["form before names", [uncanonical, duplicateModule], "SPX-G170"],
    ["names before checks", [duplicateModule, ill], "SPX-G172"],
    ["checks before linking", [ill, absentEntry], "SPX-S104"],
    ["linking before export admission", [absentEntry, unknownExport], "SPX-G172"],
    ["export admission", [unknownExport], "SPX-W115"],
  ])("%s", (_, changes, expected) => {
    const root = copyProject("calculator");
    for (const change of changes) change(root);
    expect(codes(root)).toBe(expected);
  });

  test("P22 only the checking of one module reports more than one diagnostic", () => {
    const root = copyProject("calculator");
    edit(CORE, "fn add(", "fn result(")(root);
    edit(CORE, "fn divide(", "fn permit(")(root);
    edit("src/tests.spx", "fn main(", "fn result(")(root);
    expect(codes(root)).toBe("SPX-S104 SPX-S104");
  });

  test("P24 the graph's bounds come at the end of phase 8, before linking", () => {
    const root = temporaryFolder();
    // The path of the nth call from the right is about 5n bytes long: 18 MB for 2700 of them.
    const sum = Array<string>(2700).fill("f()").join(" + ");
    const app = (body: string) =>
      `module a;\nuse function @id("f") from b as f;\n\n@id("g")\nfn g() -> i64\n{\n    ${body}\n}\n`;
    const files = {
      "semaprax.toml":
        'schema = "semaprax.project.v1"\nname = "p"\nentry = "a"\nsources = ["a.spx", "b.spx"]\nweb_exports = ["x"]\ntests = ["t"]\n',
      "a.spx": app(sum),
      "b.spx": 'module b;\n\n@id("f")\nfn f() -> i64\n{\n    0\n}\n',
    };
    writeFiles(root, Object.entries(files));
    expect(codes(root)).toBe("SPX-G171");
    writeFiles(root, [["a.spx", app("f()")]]);
    expect(codes(root)).toBe("SPX-G172");
  });
});

describe("P20: the final authentication", () => {
  /** Loads the calculator; `action` happens when everything was built, right before its inputs are looked at again. */
  function loadWith(action: (root: string) => void): string {
    const root = copyProject("calculator");
    let looks = 0;
    const hooked = instrument((call) => {
      // `/` is looked at twice while it is opened.
      if (call.name === "lstat" && call.path === "/" && ++looks === 3) action(root);
    });
    const result = codes(root, hooked);
    expect(looks).toBe(3);
    return result;
  }

  test.each<[string, (root: string) => void]>([
    ["a source changed", (root) => appendFileSync(join(root, "src/app.spx"), "\n")],
    [
      "the manifest replaced",
      (root) => {
        const path = join(root, "semaprax.toml");
        writeFileSync(`${path}.new`, readFileSync(path));
        renameSync(`${path}.new`, path);
      },
    ],
    ["a source gone", (root) => rmSync(join(root, "src/tests.spx"))],
  ])("%s while the snapshot was built: J102", (_, action) => {
    expect(loadWith(action)).toBe("SPX-J102");
  });

  test("P43 a call that fails in it is J102 and leaves nothing open", () => {
    const root = copyProject("calculator");
    let total = 0;
    load(
      root,
      instrument((call) => {
        total = call.index + 1;
      }),
    );
    for (let index = total - 1; index > total - 20; index--) {
      const faulty = instrument((call) => {
        if (call.index === index) throw systemError("EIO");
      });
      expect(codes(root, faulty)).toBe("SPX-J102");
    }
  });
});
