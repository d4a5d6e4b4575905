/** The synthetic module that a file is checked as (language.md 4.1): its functions and a stub for each import. */
import { TextIndex } from "../kernel/text-index.ts";
import { NO_TARGET, type ResolvedProject, type TypeId } from "./checked.ts";
import type { Source } from "./source.ts";
import type { FunctionSyntax, SyntaxFile, UseSyntax } from "./syntax.ts";
import { type NameSet, NO_NAMES, scalarOrUnmodelled, TypeTable } from "./types.ts";

/** A function that the module can call: its own, or one that it imports. */
export interface Callee {
  /** What the module calls it. */
  readonly name: string;
  readonly id: string;
  readonly syntax: FunctionSyntax;
  /** Where the signature stands. */
  readonly source: Source;
  readonly isStub: boolean;
  readonly isGeneric: boolean;
  readonly typeParameters: NameSet;
  readonly parameterTypes: readonly TypeId[];
  readonly returnType: TypeId;
  /** Its declared effects, as {@link ModuleScope.effects} numbers them. */
  readonly effects: Uint32Array;
}

/** In {@link ModuleScope.calleeByName}: the `main` that a module without one is given. It returns 0. */
export const SYNTHETIC_MAIN = -3;

export interface ModuleScope {
  readonly file: SyntaxFile;
  readonly types: TypeTable;
  /** Continues the numbering of `Tree.names` with names that occur in declarations and patterns only. */
  readonly names: TextIndex;
  /** Own functions, then one entry per `use`, which is null for a `use type`: numbered as `CheckedModule.target` is. */
  readonly callees: readonly (Callee | null)[];
  /** By index into `Tree.names`: a callee, {@link SYNTHETIC_MAIN} or {@link NO_TARGET}. */
  readonly calleeByName: Int32Array;
  /** Every effect that a callee declares. */
  readonly effects: TextIndex;
}

export function moduleScope(project: ResolvedProject, fileIndex: number): ModuleScope {
  const file = project.files[fileIndex]!;
  const types = new TypeTable(authoredTypeNames(file));
  const names = new TextIndex(file.tree.names);
  const effects = new TextIndex();
  const callees: (Callee | null)[] = file.functions.map((syntax, index) =>
    ownFunction(file, syntax, project.functionIds[fileIndex]![index]!, types, effects),
  );
  file.uses.forEach((use, index) => {
    const reference = project.imports[fileIndex]![index]!;
    if (reference === null) {
      callees.push(null);
      return;
    }
    const provider = project.files[reference.file]!;
    const syntax = provider.functions[reference.function]!;
    callees.push(stub(use, provider, syntax, effects));
  });
  return { file, types, names, callees, calleeByName: namesToCallees(file, names, callees), effects };
}

function authoredTypeNames(file: SyntaxFile): NameSet {
  const names = new TextIndex();
  for (const type of file.types) names.add(type.name.text);
  for (const use of file.uses) if (use.kind === "type") names.add(use.alias.text);
  return names;
}

function ownFunction(
  file: SyntaxFile,
  syntax: FunctionSyntax,
  id: string,
  types: TypeTable,
  effects: TextIndex,
): Callee {
  const isGeneric = syntax.typeParameters.length > 0;
  const typeParameters = isGeneric ? new TextIndex(syntax.typeParameters) : NO_NAMES;
  return {
    name: syntax.name.text,
    id,
    syntax,
    source: file.source,
    isStub: false,
    isGeneric,
    typeParameters,
    parameterTypes: syntax.parameters.map(({ type }) => types.resolve(type, typeParameters)),
    returnType: types.resolve(syntax.returnType, typeParameters),
    effects: effectNumbers(syntax, effects),
  };
}

/** A named type in an imported signature is one that the importing file imports too (5.1), so it is not modelled. */
function stub(
  { alias, id }: UseSyntax,
  provider: SyntaxFile,
  syntax: FunctionSyntax,
  effects: TextIndex,
): Callee {
  return {
    name: alias.text,
    id,
    syntax,
    source: provider.source,
    isStub: true,
    isGeneric: false,
    typeParameters: NO_NAMES,
    parameterTypes: syntax.parameters.map(({ type }) => scalarOrUnmodelled(type)),
    returnType: scalarOrUnmodelled(syntax.returnType),
    effects: effectNumbers(syntax, effects),
  };
}

function effectNumbers(syntax: FunctionSyntax, effects: TextIndex): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(syntax.effects, (effect) => effects.intern(effect));
}

function namesToCallees(
  file: SyntaxFile,
  names: TextIndex,
  callees: readonly (Callee | null)[],
): Int32Array<ArrayBuffer> {
  const calleeByName = new Int32Array(file.tree.names.length).fill(NO_TARGET);
  const main = names.find("main");
  if (main !== undefined) calleeByName[main] = SYNTHETIC_MAIN;
  // Of functions with the same name the last is the one that calls resolve to (4.2).
  callees.forEach((callee, index) => {
    const name = callee === null ? undefined : names.find(callee.name);
    if (name !== undefined) calleeByName[name] = index;
  });
  return calleeByName;
}
