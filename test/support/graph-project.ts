/** Graphs of projects that exist in memory only. */
import { buildGraph } from "../../src/graph/build.ts";
import type { GraphFacts, ProjectGraph } from "../../src/graph/storage.ts";
import { utf8 } from "../../src/kernel/bytes.ts";
import type { Outcome } from "../../src/kernel/failure.ts";
import { checkProject } from "../../src/lang/check.ts";
import type { CheckedProject } from "../../src/lang/checked.ts";
import { parse } from "../../src/lang/parser.ts";
import { resolveProject } from "../../src/lang/resolve.ts";
import type { Source } from "../../src/lang/source.ts";
import { projectRevision, sourceFacts, workspaceRevision } from "../../src/project/revision.ts";
import { readProject } from "./projects.ts";
import { entryModule, type ModelProject, printManifest, printProject, testModule } from "./random-project.ts";

/** The value of an outcome that a test takes for granted. */
export function must<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.failure));
  return outcome.value;
}

/** Parsed, resolved and checked; neither canonical form nor limits are looked at. */
export function checkSources(sources: readonly Source[]): CheckedProject {
  const files = sources.map((source) => must(parse(source)));
  return must(checkProject(must(resolveProject(files))));
}

export interface GraphInput {
  readonly project: CheckedProject;
  readonly facts: GraphFacts;
}

/** What `buildGraph` takes, for sources in path order. */
export function graphInput(
  sources: readonly Source[],
  manifest: Uint8Array,
  names: { readonly project: string; readonly entryModule: string; readonly testModule: string },
): GraphInput {
  const facts = sources.map(sourceFacts);
  const workspace = workspaceRevision(facts);
  return {
    project: checkSources(sources),
    facts: {
      ...names,
      projectRevision: projectRevision(manifest, workspace),
      workspaceRevision: workspace,
      manifestBytes: manifest.length,
      sources: facts,
    },
  };
}

/** For texts by path, with a manifest that nothing depends on. */
export function textInput(texts: Readonly<Record<string, string>>): GraphInput {
  const sources = Object.entries(texts)
    .map(([path, text]) => ({ path, bytes: utf8(text) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return graphInput(sources, utf8("x"), { project: "p", entryModule: "p.app", testModule: "p.tests" });
}

export function graphOf({ project, facts }: GraphInput): ProjectGraph {
  return must(buildGraph(project, facts));
}

/** The graph of a project below `fixtures/projects`, whose name is that of its folder. */
export function fixtureInput(
  name: string,
  change: (path: string, text: string) => string = keep,
): GraphInput {
  const files = readProject(name);
  const sources = [...files]
    .filter(([path]) => path.endsWith(".spx"))
    .map(([path, bytes]) => ({ path, bytes: utf8(change(path, new TextDecoder().decode(bytes))) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  return graphInput(sources, files.get("semaprax.toml")!, {
    project: name,
    entryModule: `${name}.app`,
    testModule: `${name}.tests`,
  });
}

function keep(_path: string, text: string): string {
  return text;
}

export function modelInput(model: ModelProject): GraphInput {
  const sources = printProject(model).map(({ path, text }) => ({ path, bytes: utf8(text) }));
  return graphInput(sources, utf8(printManifest(model)), {
    project: model.name,
    entryModule: entryModule(model).name,
    testModule: testModule(model).name,
  });
}
