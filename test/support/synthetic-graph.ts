/**
 * Projects with any import graph, cycles included, which no checker would pass but a graph can be built of: module m has
 * functions `m.0`, `m.1`, …, and each calls functions of any module through aliases.
 */
import type { CheckedProject } from "../../src/lang/checked.ts";
import { parse } from "../../src/lang/parser.ts";
import { NO_TARGET } from "../../src/lang/checked.ts";
import { NodeKind } from "../../src/lang/syntax.ts";
import { utf8 } from "../../src/kernel/bytes.ts";
import { projectRevision, sourceFacts, workspaceRevision } from "../../src/project/revision.ts";
import { type GraphInput, must } from "./graph-project.ts";
import type { Random } from "./random-project.ts";

export interface SyntheticShape {
  readonly modules: number;
  readonly functionsPerModule: number;
  /** Calls in each function. */
  readonly calls: number;
  /** Only modules before the own one are called, as in a real project. */
  readonly acyclic: boolean;
}

export function syntheticInput(random: Random, shape: SyntheticShape): GraphInput {
  const sources = Array.from({ length: shape.modules }, (_, module) => ({
    path: `m${String(module).padStart(2, "0")}.spx`,
    bytes: utf8(syntheticModule(random, shape, module)),
  }));
  const facts = sources.map(sourceFacts);
  const workspace = workspaceRevision(facts);
  return {
    project: link(sources.map((source) => must(parse(source)))),
    facts: {
      project: "synthetic",
      entryModule: "m0",
      testModule: "m1",
      projectRevision: projectRevision(utf8(""), workspace),
      workspaceRevision: workspace,
      manifestBytes: 0,
      sources: facts,
    },
  };
}

function syntheticModule(random: Random, shape: SyntheticShape, module: number): string {
  const { modules, functionsPerModule, calls, acyclic } = shape;
  const callable = acyclic ? module : modules;
  const aliases = new Map<string, number>();
  const functions = Array.from({ length: functionsPerModule }, (_, index) => {
    const lets = Array.from({ length: callable === 0 ? 0 : calls }, (_, call) => {
      const provider = random(callable);
      const alias = `f${provider}_${random(functionsPerModule)}`;
      aliases.set(alias, provider);
      return `let v${call} = ${alias}(); `;
    });
    return `@id("${module}.${index}")\nfn g${index}() -> i64 { ${lets.join("")}0 }\n`;
  });
  const uses = [...aliases].map(([alias, provider]) => {
    const index = alias.split("_")[1];
    return `use function @id("${provider}.${index}") from m${provider} as ${alias};\n`;
  });
  return `module m${module};\n${uses.join("")}${functions.join("")}`;
}

/** What resolving and checking would say, without their rules. */
function link(files: CheckedProject["files"]): CheckedProject {
  const byId = new Map(
    files.flatMap((file, index) =>
      file.functions.map((declared, at) => [declared.authoredId, { file: index, function: at }] as const),
    ),
  );
  return {
    files,
    imports: files.map((file) => file.uses.map((use) => byId.get(use.id) ?? null)),
    importedFiles: files.map((file) => Uint32Array.from(file.uses, (use) => byId.get(use.id)!.file)),
    dependencyDepth: new Uint32Array(files.length).fill(1),
    functionIds: files.map((file) => file.functions.map((declared) => declared.authoredId ?? "")),
    modules: files.map(({ tree, uses, functions }) => {
      const useOf = new Map(uses.map((use, index) => [use.alias.text, index]));
      const target = new Int32Array(tree.nodeCount).fill(NO_TARGET);
      for (let node = 0; node < tree.nodeCount; node++) {
        if (tree.nodeKind[node] !== NodeKind.Call) continue;
        target[node] = functions.length + useOf.get(tree.names[tree.nodeData[node]!]!)!;
      }
      return {
        target,
        nodeType: new Uint16Array(tree.nodeCount),
        letSlot: new Uint32Array(tree.letCount),
        slotCount: new Uint32Array(functions.length),
      };
    }),
  };
}
