/**
 * The declarations of a project by id (language.md 5.2, 7.1).
 *
 * An automatic id repeats its owner's id, which may be megabytes long, and an owner may have thousands of members. So
 * no automatic id is spelt out here: two of them are equal exactly when their kinds, owners and names are, and an
 * explicit id is compared with them by taking it apart.
 */
import { clip } from "../kernel/text.ts";
import { TextIndex } from "../kernel/text-index.ts";
import { COMPILER_OWNED_IDS } from "./identity.ts";
import type { AuthoredId, InterfaceSyntax, NameSyntax, SyntaxFile, TypeDeclarationSyntax } from "./syntax.ts";

export interface Declaration {
  readonly file: number;
  /** Only functions and types can be imported. */
  readonly kind: "function" | "type" | "other";
  /** Of a function or type: its index in the file. */
  readonly index: number;
}

/** `auto:<kind>:<owner>.<name>`; a function's id has no kind. The owner is the module or a declaration's id. */
type AutomaticKind =
  | "function"
  | "record"
  | "variant"
  | "resource"
  | "interface"
  | "field"
  | "case"
  | "case-field"
  | "import";

const AUTOMATIC_PREFIX = "auto:";
const KIND_PREFIX = /^(?:(record|variant|resource|interface)|field|case|case-field|import):/;
/** A field of a case of a variant: no automatic id contains more of them, itself included. */
const AUTOMATIC_LEVELS_MAX = 3;

export class DeclarationTable {
  /** Words about the first id that is declared twice or is the compiler's own, else null. */
  clash: string | null = null;
  private readonly explicit = new TextIndex();
  private readonly automatic = new TextIndex();
  /** By the numbers that the two indices give. */
  private readonly explicitNumber: number[] = [];
  private readonly automaticNumber: number[] = [];
  private readonly declarations: Declaration[] = [];
  private readonly modules: TextIndex;

  /** Module names are distinct. */
  constructor(files: readonly SyntaxFile[]) {
    this.modules = new TextIndex(files.map(({ module }) => module));
    const owned = new TextIndex(COMPILER_OWNED_IDS);
    const explicitIds: string[] = [];
    files.forEach((file, index) => {
      this.addFile(file, index, (id) => {
        if (owned.has(id)) this.clash ??= `id belongs to the compiler: ${clip(id)}`;
        explicitIds.push(id);
      });
    });
    for (const id of explicitIds) {
      if (this.findAutomatic(id, AUTOMATIC_LEVELS_MAX) !== undefined) {
        this.clash ??= `id is also an automatic one: ${clip(id)}`;
      }
    }
  }

  /** By explicit id. */
  find(id: string): Declaration | undefined {
    const found = this.explicit.find(id);
    return found === undefined ? undefined : this.declarations[this.explicitNumber[found]!];
  }

  private addFile(file: SyntaxFile, index: number, onExplicit: (id: string) => void): void {
    const owner = moduleOwner(index);
    const other: Declaration = { file: index, kind: "other", index: 0 };
    const add = (
      authored: AuthoredId,
      kind: AutomaticKind,
      of: string,
      name: string,
      what = other,
    ): string => {
      if (authored !== null) onExplicit(authored);
      return declarationOwner(this.add(authored, automaticKey(kind, of, name), what));
    };
    file.functions.forEach(({ authoredId, name }, position) => {
      add(authoredId, "function", owner, name.text, { file: index, kind: "function", index: position });
    });
    file.types.forEach((type, position) => {
      const what: Declaration = { file: index, kind: "type", index: position };
      addMembers(type, add(type.authoredId, type.kind, owner, type.name.text, what), add);
    });
    for (const declared of file.interfaces) {
      const of = add(declared.authoredId, "interface", owner, declared.name.text);
      addImports(declared, of, add);
    }
  }

  /** Returns the declaration's number. `key` says what its automatic id would be made of. */
  private add(authored: AuthoredId, key: string, declaration: Declaration): number {
    const number = this.declarations.push(declaration) - 1;
    if (authored === null) {
      if (this.automatic.add(key)) this.automaticNumber.push(number);
      else this.clash ??= `declared twice without @id: ${clip(key.slice(key.lastIndexOf(" ") + 1))}`;
    } else if (this.explicit.add(authored)) this.explicitNumber.push(number);
    else this.clash ??= `id declared twice: ${clip(authored)}`;
    return number;
  }

  /** The number of the declaration whose automatic id this is. */
  private findAutomatic(id: string, levels: number): number | undefined {
    if (levels === 0 || !id.startsWith(AUTOMATIC_PREFIX)) return undefined;
    const rest = id.slice(AUTOMATIC_PREFIX.length);
    const match = KIND_PREFIX.exec(rest);
    const prefix = match?.[0] ?? "";
    const kind = prefix === "" ? "function" : prefix.slice(0, -1);
    // A name has no dot in it, so the last dot ends the owner.
    const dot = rest.lastIndexOf(".");
    if (dot < prefix.length) return undefined;
    const ownerId = rest.slice(prefix.length, dot);
    const ofModule = kind === "function" || match?.[1] !== undefined;
    const owner = ofModule ? this.findModule(ownerId) : this.findOwner(ownerId, levels);
    if (owner === undefined) return undefined;
    const found = this.automatic.find(automaticKey(kind, owner, rest.slice(dot + 1)));
    return found === undefined ? undefined : this.automaticNumber[found];
  }

  private findModule(name: string): string | undefined {
    const file = this.modules.find(name);
    return file === undefined ? undefined : moduleOwner(file);
  }

  private findOwner(id: string, levels: number): string | undefined {
    const found = this.explicit.find(id);
    const number = found === undefined ? this.findAutomatic(id, levels - 1) : this.explicitNumber[found];
    return number === undefined ? undefined : declarationOwner(number);
  }
}

type Add = (authored: AuthoredId, kind: AutomaticKind, of: string, name: string) => string;

function addMembers(type: TypeDeclarationSyntax, owner: string, add: Add): void {
  switch (type.kind) {
    case "resource":
      // A lifecycle without an id has none at all, so it cannot clash.
      for (const { authoredId } of type.lifecycles)
        if (authoredId !== null) add(authoredId, "field", owner, "");
      return;
    case "record":
      for (const field of type.fields) addNamed(field, "field", owner, add);
      return;
    case "variant":
      for (const variantCase of type.cases) {
        const caseOwner = addNamed(variantCase, "case", owner, add);
        for (const field of variantCase.fields) addNamed(field, "case-field", caseOwner, add);
      }
      return;
  }
}

function addImports(declared: InterfaceSyntax, owner: string, add: Add): void {
  for (const imported of declared.imports) addNamed(imported, "import", owner, add);
}

function addNamed(
  member: { readonly authoredId: AuthoredId; readonly name: NameSyntax },
  kind: AutomaticKind,
  owner: string,
  add: Add,
): string {
  return add(member.authoredId, kind, owner, member.name.text);
}

/** Equal for two declarations exactly when their automatic ids are equal. */
function automaticKey(kind: string, owner: string, name: string): string {
  return `${kind} ${owner} ${name}`;
}

/** Owners as they stand in the keys of automatic ids. */
function moduleOwner(file: number): string {
  return `m${file}`;
}

function declarationOwner(number: number): string {
  return `d${number}`;
}
