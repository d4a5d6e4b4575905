import { describe, expect, test } from "bun:test";
import { heapStats } from "bun:jsc";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { prepareContext, queryContext } from "../../src/graph/context.ts";
import { type ContextQuery, checkContextBounds } from "../../src/graph/context-query.ts";
import { ContextScratch } from "../../src/graph/context-scratch.ts";
import type { ProjectGraph } from "../../src/graph/storage.ts";
import { failureText, type Outcome } from "../../src/kernel/failure.ts";
import { fuzz, numbers } from "../support/fuzz.ts";
import {
  fixtureInput,
  type GraphInput,
  graphOf,
  modelInput,
  must,
  textInput,
} from "../support/graph-project.ts";
import { NaiveContexts } from "../support/naive-context.ts";
import { FIXTURES } from "../support/projects.ts";
import { randomProject } from "../support/random-project.ts";
import { syntheticInput } from "../support/synthetic-graph.ts";

const DEFAULTS = {
  targetKind: "declaration",
  direction: "both",
  depth: 4,
  maxBytes: 1_048_576,
  maxNodes: 1024,
} as const;

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function ask(graph: ProjectGraph, query: Partial<ContextQuery> & { target: string }): Outcome<Uint8Array> {
  return queryContext(graph, new ContextScratch(graph), { ...DEFAULTS, ...query });
}

function refusal(outcome: Outcome<unknown>): string {
  return outcome.ok ? "accepted" : failureText(outcome.failure);
}

const calculator = graphOf(fixtureInput("calculator"));
const demo = graphOf(fixtureInput("demo"));

describe("recorded answers", () => {
  test("section 6: length, digest and counts", () => {
    const add = { target: "calculator.add" };
    const rows = [
      [add, 5, 4, 0, [], 0, 3276, 84, "1bc8048825511c40512511e006f08e421245826e1ea3af48d2a597020a1d9641"],
      [
        { ...add, direction: "reverse", depth: 2, maxBytes: 8192, maxNodes: 2 },
        ...[2, 1, 3, ["max_nodes"], 3, 2147, 64],
        "1051bae0af08e5c1b23181eb7657796eb9618558390ecd68eae38e7f1ab4ac73",
      ],
      [
        { ...add, depth: 0 },
        ...[1, 0, 4, ["max_depth"], 4, 1839, 68],
        "46afd94cb5a2c6855a47da371d53f64dbfe4b110f8c07bdc4fb2bef2d800333e",
      ],
      [
        { target: "calculator.app.main", direction: "forward", depth: 1 },
        ...[3, 2, 0, [], 0, 2428, 44],
        "2c5e702dec901b95c9bd9996c408d2f0029820a26ad67ce0a2f0dc544c82f2f2",
      ],
    ] as const;
    for (const [query, nodes, edges, omitted, reasons, frontier, length, bytes, digest] of rows) {
      const answer = must(ask(calculator, query));
      const context = JSON.parse(text(answer));
      expect([
        context.nodes.length,
        context.edges.length,
        context.truncation.omitted_known_nodes,
        context.truncation.reasons,
        context.frontier.length,
        answer.length,
        context.budget.used_builder_bytes,
        context.artifact_digest,
      ]).toEqual([nodes, edges, omitted, reasons, frontier, length, bytes, `sha256:${digest}`]);
    }
  });

  for (const [session, graph] of [
    ["calculator-v2.jsonl", calculator],
    ["demo.jsonl", demo],
  ] as const) {
    test(`every context of ${session}, byte for byte`, () => {
      const lines = readFileSync(join(FIXTURES, "sessions", session), "utf8")
        .trimEnd()
        .split("\n");
      let compared = 0;
      for (let at = 0; at < lines.length; at += 2) {
        if (!lines[at]!.includes('"method":"context"') || !lines[at + 1]!.includes('"result"')) continue;
        const { id, params } = JSON.parse(lines[at]!);
        const answer = must(
          ask(graph, {
            target: params.target,
            direction: params.direction ?? "both",
            depth: params.depth ?? 4,
            maxBytes: params.max_bytes ?? 1_048_576,
            maxNodes: params.max_nodes ?? 1024,
          }),
        );
        expect(`{"jsonrpc":"2.0","id":${id},"result":{"context":${text(answer)}}}`).toBe(lines[at + 1]!);
        compared++;
      }
      expect(compared).toBe(session === "demo.jsonl" ? 5 : 4);
    });
  }
});

/** Every query of C38 over a graph agrees with the slow implementation, byte for byte. */
function expectAgreement(input: GraphInput): void {
  const graph = graphOf(input);
  const scratch = new ContextScratch(graph);
  const naive = new NaiveContexts(graph.artifact);
  for (const target of naive.functions()) {
    // Ids that cannot be asked for through the daemon (C4) are asked for here all the same.
    for (const direction of ["forward", "reverse", "both"] as const) {
      for (const depth of [0, 1, 2, 3, 5, 1024]) {
        for (const maxNodes of [1, 2, 3, 5, 8, 8208]) {
          const query = { target, direction, depth, maxNodes, maxBytes: 16_777_216 };
          const answer = must(queryContext(graph, scratch, { ...query, targetKind: "declaration" }));
          const wanted = naive.answer(query);
          if (text(answer) !== wanted) expect(text(answer)).toBe(wanted);
        }
      }
    }
  }
}

describe("C38: the slow implementation agrees", () => {
  test("on the example projects", () => {
    expectAgreement(fixtureInput("calculator"));
    expectAgreement(fixtureInput("demo"));
  });

  test("on random projects, automatic and odd ids among them (C40)", () => {
    const seeds = fc.integer({ min: 0, max: 0x7fffffff });
    fuzz(
      fc.property(seeds, (seed) => expectAgreement(modelInput(randomProject(numbers(seed * 2), 5)))),
      8,
    );
  });

  test("on graphs with cycles, where nodes are reached in both directions (C8, C9, C15)", () => {
    const shape = { modules: 3, functionsPerModule: 3, calls: 2, acyclic: false };
    const seeds = fc.integer({ min: 0, max: 0x7fffffff });
    fuzz(
      fc.property(seeds, (seed) => expectAgreement(syntheticInput(numbers(seed * 2), shape))),
      4,
    );
  });
});

describe("ranges (C1, C45, C46)", () => {
  const rows: readonly [string, Partial<ContextQuery>, string][] = [
    ["depth 0", { depth: 0 }, "accepted"],
    ["depth 1024", { depth: 1024 }, "accepted"],
    ["depth 1025", { depth: 1025 }, "SPX-G178: depth is above 1024"],
    ["depth 2^64", { depth: 2 ** 64 }, "SPX-G178: depth is above 1024"],
    ["max_bytes 0", { maxBytes: 0 }, "SPX-G176: max_bytes is below 4096"],
    ["max_bytes 4095", { maxBytes: 4095 }, "SPX-G176: max_bytes is below 4096"],
    ["max_bytes 4096", { maxBytes: 4096 }, "accepted"],
    ["max_bytes 16777216", { maxBytes: 16_777_216 }, "accepted"],
    ["max_bytes 16777217", { maxBytes: 16_777_217 }, "SPX-G178: max_bytes is above 16777216"],
    ["max_nodes 0", { maxNodes: 0 }, "SPX-G176: max_nodes is below 1"],
    ["max_nodes 1", { maxNodes: 1 }, "accepted"],
    ["max_nodes 8208", { maxNodes: 8208 }, "accepted"],
    ["max_nodes 8209", { maxNodes: 8209 }, "SPX-G178: max_nodes is above 8208"],
    ["target of 4096 bytes", { target: "é".repeat(2048) }, "accepted"],
    ["target of 4097 bytes", { target: `${"é".repeat(2048)}x` }, "SPX-G178: target is over 4096 bytes"],
  ];
  for (const [name, query, wanted] of rows) {
    test(name, () => {
      expect(refusal(checkContextBounds({ ...DEFAULTS, target: "x", ...query }))).toBe(wanted);
    });
  }

  test("D49: the first in order is refused when several are wrong, and all before the lookup", () => {
    let query: ContextQuery = {
      targetKind: "capability",
      target: "x".repeat(4097),
      direction: "both",
      depth: 1025,
      maxBytes: 16_777_217,
      maxNodes: 8209,
    };
    const repairs: readonly [Partial<ContextQuery>, string][] = [
      [{}, "SPX-G178: depth is above 1024"],
      [{ depth: 1, maxBytes: 0 }, "SPX-G176: max_bytes is below 4096"],
      [{ maxBytes: 16_777_217 }, "SPX-G178: max_bytes is above 16777216"],
      [{ maxBytes: 4096, maxNodes: 0 }, "SPX-G176: max_nodes is below 1"],
      [{ maxNodes: 8209 }, "SPX-G178: max_nodes is above 8208"],
      [{ maxNodes: 1 }, "SPX-G178: target is over 4096 bytes"],
      [{ target: "calculator.add" }, "SPX-G177: a project has no capabilities"],
      [{ targetKind: "declaration" }, "accepted"],
    ];
    for (const [repair, wanted] of repairs) {
      query = { ...query, ...repair };
      expect(refusal(ask(calculator, query))).toBe(wanted);
    }
  });
});

describe("targets (C3, C4, C47)", () => {
  const rows: readonly [string, Partial<ContextQuery> & { target: string }, string][] = [
    ["a capability", { targetKind: "capability", target: "x" }, "SPX-G177: a project has no capabilities"],
    ["an unknown id", { target: "calculator.ad" }, "SPX-G177: no declaration has the id calculator.ad"],
    ["a longer id", { target: "calculator.add2" }, "SPX-G177: no declaration has the id calculator.add2"],
    ["a module", { target: "calculator.core" }, "SPX-G177: no declaration has the id calculator.core"],
    ["core.option", { target: "core.option" }, "SPX-G177: the compiler owns core.option"],
    [
      "core.result.ok.value",
      { target: "core.result.ok.value" },
      "SPX-G177: the compiler owns core.result.ok.value",
    ],
  ];
  for (const [name, query, wanted] of rows)
    test(name, () => expect(refusal(ask(calculator, query))).toBe(wanted));

  test("every function can be asked for, also one outside both closures", () => {
    const graph = graphOf(
      textInput({ "a.spx": 'module a;\n@id("f")\nfn f() -> i64 { 0 }\nfn g() -> i64 { f() }\n' }),
    );
    expect(JSON.parse(text(must(ask(graph, { target: "auto:a.g" })))).target).toEqual({
      kind: "declaration",
      id: "auto:a.g",
      declaration_kind: "function",
      identity_origin: "automatic",
      path: "a.spx",
      module: "a",
    });
  });

  test("a target of exactly 4096 bytes is found", () => {
    const id = "é".repeat(2048);
    const graph = graphOf(textInput({ "a.spx": `module a;\n@id("${id}")\nfn f() -> i64 { 0 }\n` }));
    expect(JSON.parse(text(must(ask(graph, { target: id })))).target.id).toBe(id);
  });
});

describe("length (C21 to C26)", () => {
  // One function with an id long enough for an artifact of more than 4096 bytes.
  const id = `f${"\\".repeat(1500)}`;
  const graph = graphOf(
    textInput({ "a.spx": `module a;\n@id("${id.replaceAll("\\", "\\\\")}")\nfn f() -> i64 { 0 }\n` }),
  );

  test("max_bytes equal to the length passes, one less is G178", () => {
    const { length } = must(ask(graph, { target: id }));
    expect(length).toBeGreaterThan(4096);
    // The length contains the digits of max_bytes itself.
    const exact = length - "1048576".length + String(length).length;
    expect(must(ask(graph, { target: id, maxBytes: exact })).length).toBe(exact);
    expect(refusal(ask(graph, { target: id, maxBytes: exact - 1 }))).toBe(
      "SPX-G178: context is above max_bytes",
    );
  });

  test("the length is known before anything is rendered", () => {
    const scratch = new ContextScratch(demo);
    const query = { ...DEFAULTS, target: "demo.u" };
    const { length } = must(prepareContext(demo, scratch, query));
    expect(must(queryContext(demo, scratch, query)).length).toBe(length);
  });
});

describe("scratch (C29, C30)", () => {
  test("C42: stamps of long ago are not taken for new ones when the epoch wraps", () => {
    const scratch = new ContextScratch(demo);
    const query = (target: string) => must(queryContext(demo, scratch, { ...DEFAULTS, target }));
    const wanted = ["demo.u", "demo.z", "demo.f"].map((target) => text(must(ask(demo, { target }))));
    // These leave stamps 1 to 3 on every node that they reach.
    for (const target of ["demo.h", "demo.app.main", "demo.tests.main"]) query(target);
    scratch.epoch = 0xfffffffe;
    expect(["demo.u", "demo.z", "demo.f"].map((target) => text(query(target)))).toEqual(wanted);
    expect(scratch.epoch).toBe(2);
  });

  test("C41: a query constructs no array, map or set, and 1000 queries leave no more heap than one", () => {
    const shape = { modules: 16, functionsPerModule: 64, calls: 60, acyclic: true };
    const graph = graphOf(syntheticInput(numbers(7), shape));
    expect(graph.edgeCount).toBeGreaterThan(50_000);
    const scratch = new ContextScratch(graph);
    const query = (count: number) => {
      const target = `${count % 16}.${count % 64}`;
      must(
        prepareContext(graph, scratch, {
          ...DEFAULTS,
          depth: count % 100 === 0 ? 4 : 0,
          target,
          maxBytes: 16_777_216,
        }),
      );
    };
    query(0);
    Bun.gc(true);
    const before = heapStats().heapSize;
    const constructed = countConstructions(() => {
      for (let count = 0; count < 1000; count++) query(count);
    });
    Bun.gc(true);
    expect(constructed).toBe(0);
    // An array of one number per edge, kept by each query, would be 200 MB.
    expect(heapStats().heapSize - before).toBeLessThan(1 << 20);
  }, 60_000);
});

/** How many collections and typed arrays are constructed by name while `action` runs. */
function countConstructions(action: () => void): number {
  const names = ["Uint8Array", "Uint16Array", "Uint32Array", "Float64Array", "Array", "Map", "Set"] as const;
  const originals = names.map((name) => [name, Reflect.get(globalThis, name)] as const);
  let count = 0;
  try {
    for (const [name, original] of originals) {
      const counting = new Proxy(original, {
        construct: (constructed, given, target) => {
          count++;
          return Reflect.construct(constructed, given, target);
        },
      });
      Reflect.set(globalThis, name, counting);
    }
    action();
  } finally {
    for (const [name, original] of originals) Reflect.set(globalThis, name, original);
  }
  return count;
}
