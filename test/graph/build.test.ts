import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectGraph } from "../../src/graph/storage.ts";
import { fuzz, numbers } from "../support/fuzz.ts";
import { fixtureInput, graphOf, modelInput, textInput } from "../support/graph-project.ts";
import {
  compareEdges,
  edgeObjects,
  modelCallSites,
  modelEdges,
  naiveArtifact,
  storageBytes,
  stringAt,
} from "../support/naive-graph.ts";
import { FIXTURES } from "../support/projects.ts";
import { printProject, randomProject } from "../support/random-project.ts";

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function renameAdd(path: string, source: string): string {
  return path === "src/core.spx" ? source.replace("fn add(", "fn sum(") : source;
}

/** The first response to `graph` in a recorded session. */
function recordedGraph(session: string): string {
  const lines = readFileSync(join(FIXTURES, "sessions", session), "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"method":"graph"'));
  return lines[at + 1]!;
}

describe("worked examples", () => {
  const rows = [
    {
      name: "calculator",
      graph: graphOf(fixtureInput("calculator")),
      counts: { S: 35, B: 535, J: 605, F: 1487, M: 3, D: 15, E: 12, N: 18, bytes: 3801 },
      digest: "sha256:bdbfc8b6db86d9acbad131659c2d22daec8ca3f95e5f9aa3ac91e951340aabe3",
    },
    {
      name: "calculator after renaming `add` to `sum`",
      graph: graphOf(fixtureInput("calculator", renameAdd)),
      counts: { S: 35, B: 535, J: 605, F: 1487, M: 3, D: 15, E: 12, N: 18, bytes: 3801 },
      digest: "sha256:5abf1c376eed919bdeda861b31993db6a4b3577465b9ec8251793572e444e79d",
    },
    {
      name: "demo",
      graph: graphOf(fixtureInput("demo")),
      counts: { S: 52, B: 763, J: 867, F: 1789, M: 5, D: 16, E: 28, N: 21, bytes: 5347 },
      digest: "sha256:6d44cbf12974a7787cc884a786b61d557889c5d81be10696fb04cb1f46cc8ae2",
    },
  ];

  for (const { name, graph, counts, digest } of rows) {
    test(`G36: ${name}`, () => {
      expect({
        S: graph.utf8Start.length - 1,
        B: graph.utf8.length,
        J: graph.json.length,
        F: graph.nodeText.length,
        M: graph.moduleCount,
        D: graph.declarationCount,
        E: graph.edgeCount,
        N: graph.nodeCount,
        bytes: storageBytes(graph),
      }).toEqual(counts);
      expect(text(graph.artifact)).toContain(`"used_builder_bytes":${counts.bytes},`);
      expect(String(graph.digest)).toBe(digest);
    });
  }

  test("G1, G46: the artifacts of the recorded sessions, byte for byte", () => {
    for (const [session, graph] of [
      ["calculator-v2.jsonl", rows[0]!.graph],
      ["demo.jsonl", rows[2]!.graph],
    ] as const) {
      const response = recordedGraph(session);
      const id = JSON.parse(response).id;
      expect(`{"jsonrpc":"2.0","id":${id},"result":{"graph":${text(graph.artifact)}}}`).toBe(response);
    }
  });

  test("G13, G14: ordinals and order of the calls of demo.f", () => {
    const calls = edgeObjects(rows[2]!.graph).filter(
      (edge) => edge.caller === "demo.f" && edge.site === "body",
    );
    expect(calls.map(({ target, ast_path, ordinal }) => [target, ast_path, ordinal])).toEqual([
      ["demo.u", "body.s0.value", 0],
      ["demo.u", "body.s1.value.arg.0.left", 2],
      ["demo.u", "body.tail.then.tail.left", 8],
      ["demo.u", "body.tail.else.tail.value", 13],
      ["demo.u", "body.tail.else.s0.value.arg.1", 12],
      ["demo.u", "body.tail.condition.left.right", 6],
      ["demo.u", "body.s1.value.arg.0.right.arg.0", 4],
      ["demo.u", "body.tail.then.tail.right.right", 10],
      ["demo.z", "body.s1.value", 1],
      ["demo.z", "body.tail.then.tail.right.left", 9],
      ["demo.z", "body.s1.value.arg.0.right.arg.1", 5],
      ["demo.z", "body.tail.condition.right.value.left", 7],
    ]);
  });

  test("G6: renaming a function changes revisions, digests and byte counts only", () => {
    const mask = (graph: ProjectGraph) =>
      text(graph.artifact)
        .replaceAll(/sha256:[0-9a-f]{64}/g, "DIGEST")
        .replaceAll(/"used_total_source_bytes":\d+/g, "BYTES");
    expect(mask(rows[1]!.graph)).toBe(mask(rows[0]!.graph));
  });

  test("G23: every edge text is found where edgeTextStart says", () => {
    for (const { graph } of rows) {
      const texts = edgeObjects(graph).map((_, edge) =>
        text(graph.artifact.subarray(graph.edgeTextStart[edge]!, graph.edgeTextStart[edge + 1]! - 1)),
      );
      expect(texts.map((edge) => JSON.parse(edge))).toEqual(edgeObjects(graph));
    }
  });
});

describe("random projects", () => {
  const models = fc.integer({ min: 0, max: 0x7fffffff }).map((seed) => randomProject(numbers(seed * 2)));

  test("G9 to G14: the edges are those that the sources mean, in the order of whole tuples", () => {
    fuzz(
      fc.property(models, (model) => {
        const edges = edgeObjects(graphOf(modelInput(model)));
        expect(edges).toEqual(modelEdges(model));
        expect(edges.toSorted(compareEdges)).toEqual(edges);
      }),
      150,
    );
  });

  test("G41: a naive renderer agrees on every byte", () => {
    fuzz(
      fc.property(models, (model) => {
        const counts = {
          totalSourceBytes: printProject(model).reduce(
            (sum, source) => sum + Buffer.byteLength(source.text),
            0,
          ),
          callSites: modelCallSites(model),
          uses: model.modules.reduce((sum, module) => sum + module.uses.length, 0),
        };
        const graph = graphOf(modelInput(model));
        expect(text(graph.artifact)).toBe(naiveArtifact(graph, counts));
      }),
      150,
    );
  });

  test("G17, G42: strings are distinct and in byte order, rows hold every edge once, ascending", () => {
    fuzz(
      fc.property(models, (model) => {
        const graph = graphOf(modelInput(model));
        const strings = Array.from({ length: graph.utf8Start.length - 1 }, (_, at) => stringAt(graph, at));
        for (let at = 1; at < strings.length; at++) {
          expect(Buffer.compare(Buffer.from(strings[at - 1]!), Buffer.from(strings[at]!))).toBe(-1);
        }
        expectRows(graph.forwardStart, graph.forwardEdge, graph.edgeSource);
        expectRows(graph.reverseStart, graph.reverseEdge, graph.edgeTarget);
      }),
      100,
    );
  });
});

function expectRows(start: Uint32Array, edge: Uint32Array, end: Uint32Array): void {
  expect(start[start.length - 1]).toBe(end.length);
  expect(edge.toSorted()).toEqual(Uint32Array.from(end.keys()));
  for (let node = 0; node + 1 < start.length; node++) {
    const row = Array.from(edge.subarray(start[node], start[node + 1]));
    expect(row.toSorted((a, b) => a - b)).toEqual(row);
    expect(row.every((number) => end[number] === node)).toBe(true);
  }
}

describe("identities", () => {
  test("G7: astral characters sort behind U+E000 to U+FFFF", () => {
    const graph = graphOf(
      textInput({
        "a.spx": ["\u{10000}", "\uffff", "\ue000", "z", ""]
          .map((id, index) => `@id("${id}")\nfn f${index}() -> i64 { 0 }\n`)
          .join("")
          .replace(/^/, "module a;\n"),
      }),
    );
    const ids = Array.from(graph.declId, (id) => stringAt(graph, id)).filter((id) => !id.startsWith("core."));
    expect(ids).toEqual(["", "z", "\ue000", "\uffff", "\u{10000}"]);
  });

  test("G8, D28: what ids are quoted to", () => {
    const graph = graphOf(
      textInput({
        "a.spx":
          'module a;\n@id("\\"\\\\\\n\\r\\t\b\f\u0001/\u007f\u0085\u00a0\u2028é")\nfn f() -> i64 { 0 }\n',
      }),
    );
    expect(text(graph.artifact)).toContain(
      '{"id":"\\"\\\\\\n\\r\\t\\u0008\\u000c\\u0001/\\u007f\\u0085\u00a0\u2028é","kind":"function"',
    );
  });

  test("G16: a module and a function of one name are two nodes", () => {
    const graph = graphOf(
      textInput({
        "a.spx": 'module a;\n@id("b")\nfn f() -> i64 { 0 }\n',
        "b.spx": 'module b;\nuse function @id("b") from a as f;\n@id("c")\nfn g() -> i64 { f() }\n',
      }),
    );
    expect(edgeObjects(graph).map(({ caller, target, kind }) => [caller, target, kind])).toEqual([
      ["b", "b", "function_import"],
      ["c", "b", "call"],
    ]);
    expect(Array.from(graph.edgeSource)).toEqual([1, 3]);
    expect(Array.from(graph.edgeTarget)).toEqual([2, 2]);
  });

  test("G6, G5: automatic ids and the compiler's own declarations", () => {
    const graph = graphOf(textInput({ "a.spx": "module a.b;\nfn f() -> i64 { 0 }\n" }));
    expect(JSON.parse(text(graph.artifact)).declarations).toEqual([
      declaration("auto:a.b.f", "function", "automatic", null, "a.spx", "a.b"),
      declaration("core.option", "variant", "compiler_owned", null),
      declaration("core.option.none", "variant_case", "compiler_owned", "core.option"),
      declaration("core.option.some", "variant_case", "compiler_owned", "core.option"),
      declaration("core.option.some.value", "case_field", "compiler_owned", "core.option.some"),
      declaration("core.result", "variant", "compiler_owned", null),
      declaration("core.result.err", "variant_case", "compiler_owned", "core.result"),
      declaration("core.result.err.error", "case_field", "compiler_owned", "core.result.err"),
      declaration("core.result.ok", "variant_case", "compiler_owned", "core.result"),
      declaration("core.result.ok.value", "case_field", "compiler_owned", "core.result.ok"),
    ]);
  });

  test("G12: paths through prelude constructs", () => {
    const graph = graphOf(
      textInput({
        "a.spx": 'module a;\n@id("f")\nfn f(x: i64) -> i64 { x }\n',
        "b.spx":
          'module b;\nuse function @id("f") from a as f;\n@id("g")\nfn g() -> i64\n{\n' +
          "    let o = Option<i64>::Some { value: f(1) };\n" +
          "    match o { Option::None {} => f(2), Option::Some { value: v } => f(f(v)), }\n}\n" +
          '@id("h")\nfn h() -> i64\n{\n' +
          "    match Result<i64, bool>::Ok { value: f(3) } { Result::Ok { value: v } => v, _ => f(4), }\n}\n",
      }),
    );
    const calls = edgeObjects(graph).filter(({ kind }) => kind === "call");
    expect(calls.map(({ caller, ast_path, ordinal }) => [caller, ordinal, ast_path])).toEqual([
      ["g", 1, "body.tail.arm.0.value"],
      ["g", 2, "body.tail.arm.1.value"],
      ["g", 0, "body.s0.value.field.0.value"],
      ["g", 3, "body.tail.arm.1.value.arg.0"],
      ["h", 1, "body.tail.arm.1.value"],
      ["h", 0, "body.tail.scrutinee.field.0.value"],
    ]);
  });
});

function declaration(
  id: string,
  kind: string,
  identity_origin: string,
  owner: string | null,
  path: string | null = null,
  module: string | null = null,
) {
  return { id, kind, identity_origin, owner, path, module };
}

describe("order of expressions (G13)", () => {
  test("the decimal length decides as text: 103 before 13, 13 before 25, 97 before 9", () => {
    // Chains of negations lengthen a path by 6 each: 9 + 6k bytes.
    const call = (negations: number): string => `${"-".repeat(negations)}f()`;
    const sum = [0, 1, 2, 14, 15, 16]
      .map((negations, index) => `let x${index} = ${call(negations)}; `)
      .join("");
    const graph = graphOf(
      textInput({
        "a.spx": 'module a;\n@id("f")\nfn f() -> i64 { 0 }\n',
        "b.spx": `module b;\nuse function @id("f") from a as f;\n@id("g")\nfn g() -> i64 { ${sum}f() }\n`,
      }),
    );
    const calls = edgeObjects(graph).filter(({ kind }) => kind === "call");
    expect(calls.map(({ ast_path }) => ast_path.length)).toEqual([103, 109, 13, 19, 25, 97, 9]);
  });
});
