import { describe, expect, test } from "bun:test";
import { buildGraph } from "../../src/graph/build.ts";
import { ARTIFACT_BYTES_MAX, BUILDER_BYTES_MAX, EDGES_MAX } from "../../src/graph/limits.ts";
import type { ProjectGraph } from "../../src/graph/storage.ts";
import { failureText } from "../../src/kernel/failure.ts";
import { graphOf, textInput } from "../support/graph-project.ts";
import { stringAt, storageBytes } from "../support/naive-graph.ts";

/** The graph of a provider `a` with a function `f`, and of a module `b` of the given text. */
function graphWith(b: string, a = 'module a;\n@id("f")\nfn f() -> i64 { 0 }\n'): ProjectGraph {
  return graphOf(textInput({ "a.spx": a, "b.spx": b }));
}

/** The one diagnostic with which such a graph is refused; it must be bare. */
function refusalOf(b: string, a = 'module a;\n@id("f")\nfn f() -> i64 { 0 }\n'): string {
  const { project, facts } = textInput({ "a.spx": a, "b.spx": b });
  const built = buildGraph(project, facts);
  if (built.ok) return "accepted";
  expect(built.failure.map(({ path, span }) => [path, span])).toEqual([[null, null]]);
  return failureText(built.failure);
}

const USE = 'use function @id("f") from a as f;\n';

/** A module that calls `f` so many times, each call the value of a let, in functions of 512 calls. */
function manyCalls(calls: number, head = USE, id = (index: number): string => `${index}`): string {
  const functions: string[] = [];
  for (let done = 0; done < calls; done += 512) {
    const count = Math.min(512, calls - done);
    const lets = Array.from({ length: count }, (_, index) => `let v${index} = f(); `).join("");
    functions.push(`@id("${id(functions.length)}")\nfn g${functions.length}() -> i64 { ${lets}0 }\n`);
  }
  return `module b;\n${head}${functions.join("")}`;
}

describe("edges (G28)", () => {
  test("65536 pass", () => {
    const graph = graphWith(manyCalls(EDGES_MAX - 1));
    expect(graph.edgeCount).toBe(65536);
    expect(graph.artifact.length).toBeLessThan(ARTIFACT_BYTES_MAX);
  });

  test("65537 are refused", () => {
    expect(refusalOf(manyCalls(EDGES_MAX - 1, `${USE}use function @id("g") from a as h;\n`), TWO)).toBe(
      "SPX-G171: too many cross-file edges",
    );
  });

  test("65536 with long names pass the bound of the artifact", () => {
    const long = "x".repeat(40);
    expect(refusalOf(manyCalls(EDGES_MAX - 1, USE, (index) => `${long}${index}`))).toBe(
      "SPX-G171: project graph is too long",
    );
  });
});

const TWO = 'module a;\n@id("f")\nfn f() -> i64 { 0 }\n@id("g")\nfn g() -> i64 { 0 }\n';

describe("artifact bytes (G28)", () => {
  /** 60000 edges and one id as long as asked: it stands once in the artifact. */
  const calls = manyCalls(60_000);
  const padded = (length: number): [string, string] => [
    calls,
    `module a;\n@id("f")\nfn f() -> i64 { 0 }\n@id("${"i".repeat(length)}")\nfn g() -> i64 { 0 }\n`,
  ];

  test("16777216 pass, one more is refused", () => {
    const base = graphWith(...padded(3_000_000)).artifact.length;
    const length = 3_000_000 + ARTIFACT_BYTES_MAX - base;
    expect(graphWith(...padded(length)).artifact.length).toBe(16_777_216);
    expect(refusalOf(...padded(length + 1))).toBe("SPX-G171: project graph is too long");
  });
});

describe("builder bytes (G28, G35)", () => {
  /** Each byte of the id costs three, each of the alias two. */
  const padded = (id: number, alias: number): [string, string] => [
    `module b;\nuse function @id("f") from a as ${"a".repeat(alias)};\n@id("${"i".repeat(id)}")\nfn g() -> i64 { 0 }\n`,
    'module a;\n@id("f")\nfn f() -> i64 { 0 }\n',
  ];

  test("16777216 pass, one more is refused", () => {
    const missing = BUILDER_BYTES_MAX - storageBytes(graphWith(...padded(1000, 1000)));
    // An id shorter by two and an alias longer by three cost the same, so the last byte comes from `(id - 1, alias + 2)`.
    const id = 1000 + Math.floor(missing / 3);
    const rest = missing % 3;
    const [lastId, lastAlias] = [id - rest, 1000 + 2 * rest];
    expect(storageBytes(graphWith(...padded(lastId, lastAlias)))).toBe(16_777_216);
    expect(refusalOf(...padded(lastId - 1, lastAlias + 2))).toBe("SPX-G171: project graph is too large");
  });
});

describe("long paths (G27)", () => {
  const chain = (first: string, rest: string): string =>
    `module b;\n${USE}@id("g")\nfn g() -> i64 { ${first}${` + ${rest}`.repeat(65_536)} }\n`;

  test("a call at the left end of 65536 additions has a path of 327689 bytes", () => {
    const graph = graphWith(chain("f()", "1"));
    expect(stringAt(graph, graph.edgePath[1]!)).toBe(`body.tail${".left".repeat(65_536)}`);
  });

  test("a call in each of 65536 places is refused without building the paths", () => {
    expect(refusalOf(chain("1", "f()"))).toBe("SPX-G171: project graph is too long");
  });

  test("deeply nested blocks and arguments", () => {
    const blocks = `module b;\n${USE}@id("g")\nfn g() -> i64 { ${"{ ".repeat(2000)}f()${" }".repeat(2000)} }\n`;
    const graph = graphWith(blocks);
    expect(stringAt(graph, graph.edgePath[1]!)).toBe(`body${".tail".repeat(2001)}`);

    const provider = 'module a;\n@id("f")\nfn f(x: i64) -> i64 { x }\n';
    const nested = (depth: number): string =>
      `module b;\n${USE}@id("g")\nfn g() -> i64 { ${"f(".repeat(depth)}1${")".repeat(depth)} }\n`;
    const calls = graphWith(nested(1000), provider);
    expect(calls.edgeCount).toBe(1001);
    expect(refusalOf(nested(2000), provider)).toBe("SPX-G171: project graph is too long");
  });
});

describe("large names (G43)", () => {
  const mebibyte = "i".repeat(1 << 20);

  test("an id of 1 MiB is admitted where it is written five times", () => {
    // Declaration, and caller and expression of two calls.
    const graph = graphWith(`module b;\n${USE}@id("${mebibyte}")\nfn g() -> i64 { f() + f() }\n`);
    expect(graph.artifact.length).toBeGreaterThan(5 << 20);
    expect(storageBytes(graph)).toBeGreaterThan(3 << 20);
  });

  test("and refused where it would be written 131071 times", () => {
    expect(
      refusalOf(manyCalls(65_535, USE, (index) => `${index}${mebibyte.slice(0, index === 0 ? 1 << 20 : 0)}`)),
    ).toBe("SPX-G171: project graph is too long");
  });

  test("automatic ids that repeat a module name of 1 MiB are refused before they are spelt out", () => {
    const functions = Array.from({ length: 1023 }, (_, at) => `fn f${at}() -> i64 { 0 }\n`).join("");
    expect(refusalOf("module b;\nfn f() -> i64 { 0 }\n", `module ${mebibyte};\n${functions}`)).toBe(
      "SPX-G171: project graph is too long",
    );
  });

  test("1024 functions in 16 modules", () => {
    const texts = Object.fromEntries(
      Array.from({ length: 16 }, (_, module) => [
        `${String.fromCharCode(97 + module)}.spx`,
        `module m${module};\n${Array.from({ length: 64 }, (_, at) => `fn f${at}() -> i64 { 0 }\n`).join("")}`,
      ]),
    );
    const graph = graphOf(textInput(texts));
    expect([graph.moduleCount, graph.declarationCount, graph.nodeCount]).toEqual([16, 1033, 1049]);
  });
});
