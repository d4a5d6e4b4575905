/** Phases 9 to 11: the profile, the two closures and the exports (language.md 6). All failures are bare. */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { clip, compareUtf8 } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import {
  type AdmittedProject,
  type CheckedProject,
  type Closure,
  type FunctionRef,
  NO_TARGET,
  TypeId,
} from "./checked.ts";
import { type FunctionSyntax, NodeKind, type SyntaxFile, type Tree } from "./syntax.ts";
import { scalarType } from "./types.ts";

/** Functions of the entry closure (6.3). */
export const EXPORTED_FUNCTIONS_MAX = 256;
/** Parameters of a function of the entry closure (6.3). */
export const EXPORTED_PARAMETERS_MAX = 8;

/** What the manifest says about a project. */
export interface ManifestFacts {
  /** Module names. */
  readonly entry: string;
  readonly testModule: string;
  /** Function ids. */
  readonly webExports: readonly string[];
}

export function admitProject(checked: CheckedProject, facts: ManifestFacts): Outcome<AdmittedProject> {
  for (const file of checked.files) {
    const obstacle = profileObstacle(file, facts);
    if (obstacle !== null) return refuse("SPX-G172", obstacle);
  }
  const entry = linkClosure(checked, facts.entry);
  if (!entry.ok) return entry;
  const test = linkClosure(checked, facts.testModule);
  if (!test.ok) return test;
  const exported = admitExports(checked, entry.value, facts.webExports);
  if (!exported.ok) return exported;
  return success({ ...checked, entry: entry.value, test: test.value });
}

/** Phase 9 (6.1): why a module lies outside the scalar profile, wherever it stands in the project. */
function profileObstacle(file: SyntaxFile, { entry, testModule }: ManifestFacts): string | null {
  const module = clip(file.module);
  if (file.permits.length > 0) return `permit is not supported: ${module}`;
  if (file.types.length > 0) return `authored types are not supported: ${module}`;
  if (file.interfaces.length > 0) return `interfaces are not supported: ${module}`;
  if (file.uses.some(({ kind }) => kind === "type")) return `use type is not supported: ${module}`;
  const mayHaveMain = file.module === entry || file.module === testModule;
  for (const declared of file.functions) {
    const name = clip(declared.name.text);
    if (declared.typeParameters.length > 0) return `generics are not supported: ${name}`;
    if (!mayHaveMain && declared.name.text === "main") return `main outside entry and tests: ${module}`;
    if (declared.effects.length > 0) return `effects are not supported: ${name}`;
    if (!hasScalarSignature(declared)) return `signature is not only i64 and bool: ${name}`;
  }
  return null;
}

function hasScalarSignature({ parameters, returnType }: FunctionSyntax): boolean {
  return (
    isExportable(scalarType(returnType)) &&
    parameters.every(({ mode, type }) => mode === null && isExportable(scalarType(type)))
  );
}

function isExportable(type: TypeId): boolean {
  return type === TypeId.I64 || type === TypeId.Bool;
}

/** Phase 10 (6.2) for one root. */
function linkClosure(checked: CheckedProject, rootModule: string): Outcome<Closure> {
  const rootFile = checked.files.findIndex(({ module }) => module === rootModule);
  if (rootFile < 0) return refuse("SPX-G172", `no source declares module ${clip(rootModule)}`);
  const files = reachableFiles(checked, rootFile);
  for (const file of files) {
    if (file !== rootFile && mainOf(checked, file) !== null) {
      return refuse("SPX-G172", `imported module has a main: ${clip(checked.files[file]!.module)}`);
    }
  }
  const main = mainOf(checked, rootFile);
  if (main === null) return refuse("SPX-G172", `module has no main: ${clip(rootModule)}`);
  if (functionAt(checked, main).authoredId === null) {
    return refuse("SPX-G172", `main needs an @id: ${clip(rootModule)}`);
  }
  for (const file of files) {
    const refused = linkModule(checked, file);
    if (!refused.ok) return refused;
  }
  return success({ rootFile, main, files, functions: functionsById(checked, files) });
}

/** The root and all that it imports, directly or not; in path order. */
function reachableFiles(checked: CheckedProject, rootFile: number): readonly number[] {
  const isReached = new Uint8Array(checked.files.length);
  isReached[rootFile] = 1;
  const pending = [rootFile];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    for (const target of checked.importedFiles[file]!) {
      if (isReached[target] === 1) continue;
      isReached[target] = 1;
      pending.push(target);
    }
  }
  return checked.files.flatMap((_, file) => (isReached[file] === 1 ? [file] : []));
}

function mainOf(checked: CheckedProject, file: number): FunctionRef | null {
  const index = checked.files[file]!.functions.findIndex(({ name }) => name.text === "main");
  return index < 0 ? null : { file, function: index };
}

function functionAt(checked: CheckedProject, { file, function: index }: FunctionRef): FunctionSyntax {
  return checked.files[file]!.functions[index]!;
}

/**
 * H006: nothing in a closure may be an `Option` or a `Result`. Nor may it call the `main` that checking supplies to a
 * module without one (4.1): there is no such function to run.
 */
function linkModule(checked: CheckedProject, file: number): Outcome<null> {
  const { nodeType, target } = checked.modules[file]!;
  const { tree, module } = checked.files[file]!;
  let callsMissingMain = false;
  for (let node = 0; node < tree.nodeCount; node++) {
    if (nodeType[node]! >= TypeId.FirstNamed) {
      return refuse("SPX-H006", `Option or Result is used in ${clip(module)}`);
    }
    callsMissingMain ||= tree.nodeKind[node] === NodeKind.Call && target[node] === NO_TARGET;
  }
  return callsMissingMain ? refuse("SPX-G172", `a missing main is called: ${clip(module)}`) : success(null);
}

function functionsById(checked: CheckedProject, files: readonly number[]): readonly FunctionRef[] {
  const functions: FunctionRef[] = [];
  for (const file of files) {
    checked.files[file]!.functions.forEach((_, index) => {
      functions.push({ file, function: index });
    });
  }
  return functions.sort((a, b) => compareUtf8(idOf(checked, a), idOf(checked, b)));
}

function idOf(checked: CheckedProject, { file, function: index }: FunctionRef): string {
  return checked.functionIds[file]![index]!;
}

/** Phase 11 (6.3). */
function admitExports(
  checked: CheckedProject,
  { functions }: Closure,
  webExports: readonly string[],
): Outcome<null> {
  if (functions.length > EXPORTED_FUNCTIONS_MAX) {
    return refuse("SPX-W116", `entry reaches over ${EXPORTED_FUNCTIONS_MAX} functions`);
  }
  for (const reference of functions) {
    const declared = functionAt(checked, reference);
    const name = clip(declared.name.text);
    if (declared.authoredId === null) return refuse("SPX-W115", `function needs an @id: ${name}`);
    if (declared.parameters.length > EXPORTED_PARAMETERS_MAX) {
      return refuse("SPX-W116", `over ${EXPORTED_PARAMETERS_MAX} parameters: ${name}`);
    }
    if (!computesScalarsOnly(checked, reference)) {
      return refuse("SPX-W115", `entry uses i64 and bool only: ${name}`);
    }
  }
  const ids = new TextIndex(functions.map((reference) => idOf(checked, reference)));
  for (const id of webExports) {
    if (!ids.has(id)) return refuse("SPX-W115", `entry reaches no such export: ${clip(id)}`);
  }
  return success(null);
}

/** Whether all expressions of a function are `i64` or `bool`; a local has the type of its initialiser. */
function computesScalarsOnly(checked: CheckedProject, { file, function: index }: FunctionRef): boolean {
  const { nodeType } = checked.modules[file]!;
  const { tree, functions } = checked.files[file]!;
  const { requires, body, ensures } = functions[index]!;
  for (const root of [...requires, body, ...ensures]) {
    for (let node = firstNodeOf(tree, root); node <= root; node++) {
      if (!isExportable(nodeType[node]!)) return false;
    }
  }
  return true;
}

/** The lowest node of a subtree: nodes are in post-order, so the subtree is everything from there to its root. */
function firstNodeOf(tree: Tree, root: number): number {
  let node = root;
  while (tree.childStart[node]! < tree.childStart[node + 1]!) node = tree.child[tree.childStart[node]!]!;
  return node;
}
