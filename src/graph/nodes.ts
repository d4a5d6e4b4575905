/** The node arrays: modules in path order, declarations in the byte order of their ids (G3, G5, G15). */
import type { Outline } from "./outline.ts";
import { DeclarationKind, IdentityOrigin, type NodeArrays, NONE } from "./storage.ts";
import type { SymbolNumbers } from "./symbols.ts";

interface CompilerOwned {
  readonly kind: DeclarationKind;
  /** Index of the owner in the same table, or null. */
  readonly owner: number | null;
}

/** What G5 says of each id of `COMPILER_OWNED_IDS`, in that order. */
const COMPILER_OWNED: readonly CompilerOwned[] = [
  { kind: DeclarationKind.Variant, owner: null },
  { kind: DeclarationKind.VariantCase, owner: 0 },
  { kind: DeclarationKind.VariantCase, owner: 0 },
  { kind: DeclarationKind.CaseField, owner: 2 },
  { kind: DeclarationKind.Variant, owner: null },
  { kind: DeclarationKind.VariantCase, owner: 4 },
  { kind: DeclarationKind.CaseField, owner: 5 },
  { kind: DeclarationKind.VariantCase, owner: 4 },
  { kind: DeclarationKind.CaseField, owner: 7 },
];

export interface BuiltNodes {
  readonly arrays: NodeArrays;
  /** Per function number of the outline its declaration. */
  readonly declarationOf: Uint32Array;
}

export function buildNodes(outline: Outline, { numberOf }: SymbolNumbers): BuiltNodes {
  const { moduleCount, functionCount, declarationCount, project } = outline;
  const declarationOf = new Uint32Array(functionCount);
  const nodes = {
    modulePath: new Uint32Array(moduleCount),
    moduleName: new Uint32Array(moduleCount),
    moduleDepth: project.dependencyDepth.slice(),
    declId: new Uint32Array(declarationCount),
    declOwner: new Uint32Array(declarationCount).fill(NONE),
    declModule: new Uint32Array(declarationCount).fill(NONE),
    declKind: new Uint8Array(declarationCount),
    declOrigin: new Uint8Array(declarationCount),
  };
  for (let file = 0; file < moduleCount; file++) {
    nodes.modulePath[file] = numberOf[outline.modulePath(file)]!;
    nodes.moduleName[file] = numberOf[outline.moduleName(file)]!;
  }

  // Ids are distinct (language.md 5.2) and strings are numbered in byte order.
  const compilerId = (index: number): number => numberOf[outline.compilerOwnedId(index)]!;
  for (let index = 0; index < functionCount; index++) {
    nodes.declId[index] = numberOf[outline.functionId(index)]!;
  }
  for (let index = 0; index < COMPILER_OWNED.length; index++) {
    nodes.declId[functionCount + index] = compilerId(index);
  }
  nodes.declId.sort();
  const declarationOfId = new Map<number, number>();
  for (const [declaration, id] of nodes.declId.entries()) declarationOfId.set(id, declaration);

  let number = 0;
  for (const [file, { functions }] of project.files.entries()) {
    for (const { authoredId } of functions) {
      const declaration = declarationOfId.get(numberOf[outline.functionId(number)]!)!;
      declarationOf[number++] = declaration;
      nodes.declModule[declaration] = file;
      nodes.declKind[declaration] = DeclarationKind.Function;
      nodes.declOrigin[declaration] =
        authoredId === null ? IdentityOrigin.Automatic : IdentityOrigin.Explicit;
    }
  }
  for (const [index, { kind, owner }] of COMPILER_OWNED.entries()) {
    const declaration = declarationOfId.get(compilerId(index))!;
    nodes.declKind[declaration] = kind;
    nodes.declOrigin[declaration] = IdentityOrigin.CompilerOwned;
    if (owner !== null) nodes.declOwner[declaration] = compilerId(owner);
  }
  return { arrays: nodes, declarationOf };
}
