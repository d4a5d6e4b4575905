/** Phases 4 to 6: module names and ids, `use` declarations, the dependency graph (language.md 5). */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import type { ResolvedProject } from "./checked.ts";
import { DeclarationTable } from "./declarations.ts";
import { dependencyDepths } from "./dependencies.ts";
import { automaticFunctionId, syntheticMainId } from "./identity.ts";
import { resolveUses } from "./resolve-uses.ts";
import type { FunctionSyntax, SyntaxFile } from "./syntax.ts";

/** `files` in path order. Reports exactly one diagnostic. */
export function resolveProject(files: readonly SyntaxFile[]): Outcome<ResolvedProject> {
  const modules = new TextIndex();
  for (const { module } of files) {
    if (!modules.add(module)) return refuse("SPX-G172", `module declared twice: ${clip(module)}`);
  }
  const declarations = new DeclarationTable(files);
  if (declarations.clash !== null) {
    return refuse("SPX-G172", declarations.clash);
  }
  for (const file of files) {
    if (!declaresMain(file) && declarations.find(syntheticMainId(file.module)) !== undefined) {
      return refuse("SPX-G173", `id stands for the main of ${clip(file.module)}`);
    }
  }
  const uses = resolveUses({ files, modules, declarations });
  if (!uses.ok) return uses;
  const depths = dependencyDepths(files, uses.value.importedFiles);
  if (!depths.ok) return depths;
  const functionIds = files.map((file) => file.functions.map((declared) => functionId(file, declared)));
  return success({ files, ...uses.value, dependencyDepth: depths.value, functionIds });
}

function functionId(file: SyntaxFile, { authoredId, name }: FunctionSyntax): string {
  return authoredId ?? automaticFunctionId(file.module, name.text);
}

function declaresMain(file: SyntaxFile): boolean {
  return file.functions.some(({ name }) => name.text === "main");
}
