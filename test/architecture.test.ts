// Holds the import directions and the purity that ARCHITECTURE.md promises, by reading the imports of every source file.
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const SOURCES = join(import.meta.dir, "..", "src");

interface Import {
  readonly file: string;
  readonly target: string;
}

/** The part of the package that a source file belongs to. */
function partOf(file: string): string {
  const [first = "", second = ""] = file.split("/");
  if (first === "protocol" && (second === "websocket" || second === "codex")) return `${first}/${second}`;
  return first;
}

/** Which parts each part may import; a part may always import itself. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  lang: ["kernel"],
  graph: ["kernel", "lang"],
  project: ["kernel", "lang", "graph"],
  daemon: ["kernel", "lang", "graph", "project"],
  cli: ["kernel", "lang", "graph", "project"],
  protocol: ["kernel"],
  "protocol/websocket": ["kernel", "protocol"],
  "protocol/codex": ["kernel", "protocol"],
  bridge: [
    "kernel",
    "lang",
    "graph",
    "project",
    "daemon",
    "protocol",
    "protocol/websocket",
    "protocol/codex",
  ],
  main: [
    "kernel",
    "lang",
    "graph",
    "project",
    "daemon",
    "cli",
    "protocol",
    "protocol/websocket",
    "protocol/codex",
  ],
};

/** Parts whose files reach neither the operating system nor the runtime. */
const PURE = ["kernel", "lang", "graph", "protocol"];
/** The one exception: Bun's SHA-256. */
const PURE_EXCEPT = ["kernel/digest.ts"];

function sourceFiles(): string[] {
  return readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function importsOf(file: string): Import[] {
  const text = withoutComments(readFileSync(join(SOURCES, file), "utf8"));
  // A declaration begins its line; nothing but names, braces and commas stands before its specifier.
  const found = text.matchAll(/^(?:import|export)\b[\w\s{},*$]*?"([^"\s]+)";$/gm);
  return [...found].map(([, specifier = ""]) => ({
    file,
    target: specifier.startsWith(".")
      ? relative(SOURCES, join(SOURCES, dirname(file), specifier))
      : specifier,
  }));
}

const FILES = sourceFiles();
const IMPORTS = FILES.flatMap(importsOf);
const isPackage = (target: string) => !target.endsWith(".ts") && !target.endsWith(".json");

function described(imports: readonly Import[]): string[] {
  return imports.map(({ file, target }) => `${file} imports ${target}`);
}

describe("import directions", () => {
  test("every file belongs to a known part", () => {
    expect(FILES.length).toBeGreaterThan(0);
    expect(FILES.filter((file) => !(partOf(file) in ARROWS))).toEqual([]);
  });

  test("every import is seen", () => {
    const declared = FILES.flatMap((file) =>
      readFileSync(join(SOURCES, file), "utf8")
        .split("\n")
        .filter((line) => /^import\b|^} from "/.test(line)),
    ).filter((line) => line.endsWith(";"));
    expect(IMPORTS.length).toBeGreaterThanOrEqual(declared.length);
  });

  test("dependencies point one way", () => {
    const wrong = IMPORTS.filter(({ file, target }) => {
      if (isPackage(target)) return false;
      const [from, to] = [partOf(file), partOf(target)];
      return from !== to && !ARROWS[from]?.includes(to);
    });
    expect(described(wrong)).toEqual([]);
  });

  test("the pure parts import no built-in module and name no runtime object", () => {
    const pure = FILES.filter((file) => PURE.includes(partOf(file)) && !PURE_EXCEPT.includes(file));
    const builtIns = IMPORTS.filter(
      ({ file, target }) => pure.includes(file) && /^(node:|bun(:|$))/.test(target),
    );
    expect(described(builtIns)).toEqual([]);
    const globals = /\b(Bun|process|Buffer|setTimeout|setInterval|fetch|performance|Deno)\b\s*[.([]/;
    expect(
      pure.filter((file) => globals.test(withoutComments(readFileSync(join(SOURCES, file), "utf8")))),
    ).toEqual([]);
  });

  test("packages are imported only where they belong", () => {
    const packages = IMPORTS.filter(({ target }) => isPackage(target) && !/^(node:|bun(:|$))/.test(target));
    const wrong = packages.filter(
      ({ file, target }) =>
        !(/^@iarna\/toml($|\/)/.test(target) && file === "project/manifest.ts") &&
        !(/^zod($|\/)/.test(target) && file.startsWith("protocol/")),
    );
    expect(described(wrong)).toEqual([]);
  });

  test("the verifier of envelopes shares no rendering with their producer (execution.md section 7)", () => {
    const verifier = IMPORTS.filter(({ file }) => /^project\/verify[\w-]*\.ts$/.test(file));
    expect(verifier.length).toBeGreaterThan(0);
    const shared = verifier.filter(({ target }) => /^project\/(?!verify)|^kernel\/json-write/.test(target));
    expect(described(shared)).toEqual([]);
  });

  test("there is no dynamic import and no evaluated code (D69)", () => {
    const dynamic = FILES.filter((file) =>
      /\bimport\s*\(|\brequire\s*\(|\beval\s*\(|new Function\b/.test(
        withoutComments(readFileSync(join(SOURCES, file), "utf8")),
      ),
    );
    expect(dynamic).toEqual([]);
  });
});
