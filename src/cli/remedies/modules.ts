/**
 * Remedies for what a bare G172, G173, W115 or W116 says of the whole project (language.md 5.2, 5.3, 6). These carry no
 * place, so the cause is looked for again, in the order of the phases.
 */
import { COMPILER_OWNED_IDS, syntheticMainId } from "../../lang/identity.ts";
import { type FunctionSyntax, NodeKind, type SyntaxFile } from "../../lang/syntax.ts";
import type { Manifest } from "../../project/manifest.ts";
import { nearestName } from "../nearest-name.ts";
import type { ProjectText } from "../project-text.ts";
import { idLine, isIdOf } from "./types.ts";
import { moduleRemedy } from "./uses.ts";

/** Parameters of a function of the entry closure (language.md 6.3). */
const PARAMETERS_MAX = 8;

export function wholeProjectRemedy(project: ProjectText): string[] {
  const { manifest } = project;
  if (manifest === null) return [];
  const files = project.files();
  return (
    duplicateModule(files) ??
    duplicateId(files) ??
    syntheticMain(files) ??
    importCycle(files) ??
    missingRoot(project, files, manifest.entry, "entry") ??
    missingRoot(project, files, manifest.testModule, "tests") ??
    outsideProfile(files, manifest) ??
    rootProblem(files, manifest.entry) ??
    rootProblem(files, manifest.testModule) ??
    []
  );
}

function duplicateModule(files: readonly SyntaxFile[]): string[] | null {
  const seen = new Map<string, SyntaxFile>();
  for (const file of files) {
    const first = seen.get(file.module);
    if (first !== undefined)
      return [`${first.source.path} and ${file.source.path} both declare ${file.module}`];
    seen.set(file.module, file);
  }
  return null;
}

function duplicateId(files: readonly SyntaxFile[]): string[] | null {
  const owned = new Set<string>(COMPILER_OWNED_IDS);
  const seen = new Map<string, string>();
  for (const file of files) {
    for (const { authoredId, name } of file.functions) {
      const id = authoredId ?? `auto:${file.module}.${name.text}`;
      const place = `${name.text} in ${file.source.path}`;
      if (owned.has(id)) return [`@id("${id}") belongs to the language: give ${place} another one`];
      const first = seen.get(id);
      if (first !== undefined) return [`@id("${id}") stands on ${first} and on ${place}`];
      seen.set(id, place);
    }
  }
  return null;
}

/** G173 */
function syntheticMain(files: readonly SyntaxFile[]): string[] | null {
  const mainless = files.filter((file) => !file.functions.some(({ name }) => name.text === "main"));
  const taken = new Set(mainless.map(({ module }) => syntheticMainId(module)));
  for (const file of files) {
    const declared = file.functions.find(({ authoredId }) => authoredId !== null && taken.has(authoredId));
    if (declared !== undefined) return [`give ${declared.name.text} in ${file.source.path} another id`];
  }
  return null;
}

/** A cycle spelt out: `a uses b uses a`. */
export function importCycle(files: readonly SyntaxFile[]): string[] | null {
  const byModule = new Map(files.map((file) => [file.module, file]));
  const finished = new Set<string>();
  // At most 16 modules, so the recursion is bounded.
  const visit = (module: string, trail: readonly string[]): readonly string[] | null => {
    const at = trail.indexOf(module);
    if (at >= 0) return [...trail.slice(at), module];
    if (finished.has(module)) return null;
    for (const use of byModule.get(module)?.uses ?? []) {
      const cycle = visit(use.module, [...trail, module]);
      if (cycle !== null) return cycle;
    }
    finished.add(module);
    return null;
  };
  for (const { module } of files) {
    const cycle = visit(module, []);
    if (cycle !== null) return [`${cycle.join(" uses ")}: move what both need into a module of its own`];
  }
  return null;
}

function outsideProfile(files: readonly SyntaxFile[], manifest: Manifest): string[] | null {
  for (const file of files) {
    const { path } = file.source;
    if (file.permits.length > 0) return [`remove permit from ${path}: a project has no effects`];
    if (file.types.length > 0 || file.interfaces.length > 0) {
      return [`${path} declares types or interfaces; a project has functions only`];
    }
    if (file.uses.some(({ kind }) => kind === "type"))
      return [`${path} imports a type; a project has functions only`];
    const isRoot = file.module === manifest.entry || file.module === manifest.testModule;
    for (const declared of file.functions) {
      const problem = functionProblem(declared, isRoot);
      if (problem !== null) return [`${declared.name.text} in ${path} ${problem}`];
    }
  }
  return null;
}

function functionProblem(declared: FunctionSyntax, isRoot: boolean): string | null {
  if (declared.name.text === "main" && !isRoot) {
    return "may not be called main: only the entry and the test module have one";
  }
  if (declared.typeParameters.length > 0) return "has type parameters; a project has no generics";
  if (declared.effects.length > 0) return "has effects; a project has none";
  if (declared.parameters.some(({ mode }) => mode !== null)) return "has a parameter with a mode; remove it";
  const types = [...declared.parameters.map(({ type }) => type), declared.returnType];
  const odd = types.find(({ name }) => name !== "i64" && name !== "bool");
  return odd === undefined ? null : `has ${odd.name} in its signature; only i64 and bool may stand there`;
}

/** Looked for before the profile, where the `main` of the module that was meant is one too many (language.md 6.1). */
function missingRoot(
  project: ProjectText,
  files: readonly SyntaxFile[],
  module: string,
  key: "entry" | "tests",
): string[] | null {
  if (files.some((file) => file.module === module)) return null;
  return [
    `${key} in the manifest is ${module}, which no source declares`,
    ...moduleRemedy(project, null, module),
  ];
}

function rootProblem(files: readonly SyntaxFile[], module: string): string[] | null {
  const root = files.find((file) => file.module === module);
  if (root === undefined) return null;
  for (const file of closureOf(files, root)) {
    if (file !== root && file.functions.some(({ name }) => name.text === "main")) {
      return [
        `${module} reaches ${file.module}, which has a main: move what is shared into a module without one`,
      ];
    }
  }
  const main = root.functions.find(({ name }) => name.text === "main");
  if (main === undefined) return [`${root.source.path} needs fn main() -> i64`];
  return main.authoredId === null
    ? idLine(root, "main").map((line) => `${line} in ${root.source.path}`)
    : null;
}

/** W115 and W116 (language.md 6.3). */
export function exportRemedy(code: "SPX-W115" | "SPX-W116", project: ProjectText): string[] {
  const { manifest } = project;
  const files = project.files();
  const root = files.find((file) => file.module === manifest?.entry);
  if (manifest === null || root === undefined) return [];
  const closure = closureOf(files, root);
  if (code === "SPX-W116") return tooManyParameters(closure);
  for (const file of closure) {
    const { path } = file.source;
    const automatic = file.functions.find(({ authoredId }) => authoredId === null);
    if (automatic !== undefined) {
      const { text } = automatic.name;
      const asked = manifest.webExports.find((id) => isIdOf(id, text) && !isDeclared(files, id));
      return idLine(file, text, asked).map((line) => `${line} in ${path}`);
    }
    if (hasOtherValues(file)) return [`the entry reaches ${path}, which may have i64 and bool values only`];
  }
  return wrongExport(manifest, files, closure);
}

function tooManyParameters(closure: readonly SyntaxFile[]): string[] {
  for (const file of closure) {
    const declared = file.functions.find(({ parameters }) => parameters.length > PARAMETERS_MAX);
    if (declared === undefined) continue;
    const { name, parameters } = declared;
    const most = `functions that the entry reaches have at most ${PARAMETERS_MAX} parameters`;
    return [`${most}; ${name.text} in ${file.source.path} has ${parameters.length}`];
  }
  return ["the entry reaches at most 256 functions; unused imports count"];
}

function wrongExport(
  manifest: Manifest,
  files: readonly SyntaxFile[],
  closure: readonly SyntaxFile[],
): string[] {
  const idsOf = (some: readonly SyntaxFile[]) =>
    some.flatMap((file) => file.functions.map(({ authoredId }) => authoredId)).filter((id) => id !== null);
  const exportable = idsOf(closure);
  const wrong = manifest.webExports.find((id) => !exportable.includes(id));
  if (wrong === undefined) return [];
  const outside = files.find((file) => file.functions.some(({ authoredId }) => authoredId === wrong));
  if (outside !== undefined) {
    return [
      `${wrong} is in ${outside.module}, which ${manifest.entry} does not use; exports come from what it uses`,
    ];
  }
  const nearest = nearestName(wrong, exportable);
  return [`no function has the id ${wrong}`, ...(nearest === null ? [] : [`did you mean ${nearest}?`])];
}

function isDeclared(files: readonly SyntaxFile[], id: string): boolean {
  return files.some((file) => file.functions.some(({ authoredId }) => authoredId === id));
}

function hasOtherValues(file: SyntaxFile): boolean {
  return file.tree.nodeKind.subarray(0, file.tree.nodeCount).some((kind: NodeKind) => {
    return kind === NodeKind.Float64 || kind === NodeKind.Float32 || kind === NodeKind.Char;
  });
}

/** A root and everything that it reaches over `use`, the root first. */
function closureOf(files: readonly SyntaxFile[], root: SyntaxFile): SyntaxFile[] {
  const closure = [root];
  for (const file of closure) {
    for (const use of file.uses) {
      const provider = files.find(({ module }) => module === use.module);
      if (provider !== undefined && !closure.includes(provider)) closure.push(provider);
    }
  }
  return closure;
}
