/** Phase 5: what each `use` names (language.md 5.1). */
import { type Outcome, refuseAt, success } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import { type FunctionRef, type ResolvedProject, TypeId } from "./checked.ts";
import type { DeclarationTable } from "./declarations.ts";
import { spanOf } from "./source.ts";
import type { FunctionSyntax, SyntaxFile, TypeSyntax, UseSyntax } from "./syntax.ts";
import { scalarType } from "./types.ts";

export interface UseContext {
  readonly files: readonly SyntaxFile[];
  /** Module names, numbered as the files are. */
  readonly modules: TextIndex;
  readonly declarations: DeclarationTable;
}

/** File by file, in source order; the first bad `use` ends everything with one G172 at its place. */
export function resolveUses(
  context: UseContext,
): Outcome<Pick<ResolvedProject, "imports" | "importedFiles">> {
  const imports: (readonly (FunctionRef | null)[])[] = [];
  const importedFiles: Uint32Array[] = [];
  const authoredTypes = context.files.map((file) => new AuthoredTypes(file));
  for (let fileIndex = 0; fileIndex < context.files.length; fileIndex++) {
    const file = context.files[fileIndex]!;
    const seen = namesOfFile(file);
    const functions: (FunctionRef | null)[] = [];
    const targets = new Uint32Array(file.uses.length);
    for (let index = 0; index < file.uses.length; index++) {
      const use = file.uses[index]!;
      const target = resolveUse(context, authoredTypes, fileIndex, use, seen);
      if (typeof target === "string") {
        return refuseAt("SPX-G172", file.source.path, spanOf(file.source, use), target);
      }
      functions.push(use.kind === "function" ? target : null);
      targets[index] = target.file;
    }
    imports.push(functions);
    importedFiles.push(targets);
  }
  return success({ imports, importedFiles });
}

/** What the uses of one file must not repeat. */
interface FileNames {
  readonly functionIds: TextIndex;
  readonly typeIds: TextIndex;
  /** `main`, names of functions and, as they come, aliases of imported ones. */
  readonly functions: TextIndex;
  /** Ids of all imported types, also of those that stand further down. */
  readonly importedTypes: TextIndex;
}

function namesOfFile(file: SyntaxFile): FileNames {
  const importedTypes = new TextIndex();
  for (const use of file.uses) if (use.kind === "type") importedTypes.add(use.id);
  return {
    functionIds: new TextIndex(),
    typeIds: new TextIndex(),
    functions: new TextIndex(["main", ...file.functions.map(({ name }) => name.text)]),
    importedTypes,
  };
}

/** The target (of a `use type`, only its file matters), or words about the first of the seven rules that it breaks. */
function resolveUse(
  { files, modules, declarations }: UseContext,
  authoredTypes: readonly AuthoredTypes[],
  fileIndex: number,
  use: UseSyntax,
  seen: FileNames,
): FunctionRef | string {
  const ids = use.kind === "function" ? seen.functionIds : seen.typeIds;
  if (!ids.add(use.id)) return `imported twice: ${clip(use.id)}`;
  const provider = modules.find(use.module);
  if (provider === fileIndex) return "a module cannot import from itself";
  if (provider === undefined) return `no source declares module ${clip(use.module)}`;
  if (use.kind === "function" && !seen.functions.add(use.alias.text)) {
    return `alias is already in use: ${clip(use.alias.text)}`;
  }
  // Only explicit ids are found, so an automatic one is refused whether it exists or not.
  const found = declarations.find(use.id);
  if (found === undefined) return `no declaration has this @id: ${clip(use.id)}`;
  if (found.file !== provider) return `id belongs to another module: ${clip(use.id)}`;
  if (found.kind !== use.kind) return `id does not name a ${use.kind}: ${clip(use.id)}`;
  if (found.kind === "function") {
    const target = files[provider]!.functions[found.index]!;
    const obstacle = importObstacle(target, authoredTypes[provider]!, seen.importedTypes);
    if (obstacle !== null) return obstacle;
  }
  return { file: provider, function: found.index };
}

/** Rules 6 and 7. */
function importObstacle(
  target: FunctionSyntax,
  providerTypes: AuthoredTypes,
  importedTypes: TextIndex,
): string | null {
  if (target.typeParameters.length > 0) return "a generic function cannot be imported";
  if (target.parameters.some(({ mode }) => mode !== null)) return "a parameter has an ownership mode";
  const pending: TypeSyntax[] = [target.returnType, ...target.parameters.map(({ type }) => type)];
  for (let type = pending.pop(); type !== undefined; type = pending.pop()) {
    if (scalarType(type) !== TypeId.Untyped) continue;
    const id = providerTypes.idOf(type.name);
    if (id === null || !importedTypes.has(id)) return `type is not imported: ${clip(type.name)}`;
    for (const argument of type.arguments) pending.push(argument);
  }
  return null;
}

/** The explicit ids behind the names of one module's types; few modules are asked, so this is made when it is needed. */
class AuthoredTypes {
  private names: TextIndex | null = null;
  private readonly ids: (string | null)[] = [];

  constructor(private readonly file: SyntaxFile) {}

  /** Null for an automatic id and for a name that the module neither declares nor imports. */
  idOf(name: string): string | null {
    this.names ??= this.collect();
    const index = this.names.find(name);
    return index === undefined ? null : this.ids[index]!;
  }

  private collect(): TextIndex {
    const names = new TextIndex();
    for (const type of this.file.types) if (names.add(type.name.text)) this.ids.push(type.authoredId);
    for (const use of this.file.uses) {
      if (use.kind === "type" && names.add(use.alias.text)) this.ids.push(use.id);
    }
    return names;
  }
}
