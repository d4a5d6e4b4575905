/** The formatter: a file's syntax to its canonical text (language.md 3). Linear in the size of the file. */
import { ExpressionFormatter, type Renaming } from "./format-expressions.ts";
import { stringLiteral } from "./format-literals.ts";
import { formatType } from "./format-types.ts";
import type {
  AuthoredId,
  CaseSyntax,
  FunctionSyntax,
  ImportSyntax,
  InterfaceSyntax,
  MemberSyntax,
  ParameterSyntax,
  SyntaxFile,
  TypeDeclarationSyntax,
} from "./syntax.ts";
import { TextBuilder, type TextSink } from "./text-sink.ts";

/** The canonical text of a file, with the function `renaming.from` and the calls of it renamed if asked for. */
export function formatFile(file: SyntaxFile, renaming: Renaming | null = null): Uint8Array {
  const out = new TextBuilder(file.source.bytes.length + 64);
  printFile(file, renaming, out);
  return out.finish();
}

/** Prints the canonical text of a file. */
export function printFile(file: SyntaxFile, renaming: Renaming | null, out: TextSink): void {
  const expressions = new ExpressionFormatter(file.tree, out, renaming);
  out.text(`module ${file.module};\n`);
  for (const use of file.uses) {
    out.text(`use ${use.kind} @id(${stringLiteral(use.id)}) from ${use.module} as ${use.alias.text};\n`);
  }
  if (file.permits.length > 0) out.text(`\npermit ${effectSet(file.permits)}\n`);
  for (const type of file.types) formatTypeDeclaration(type, out);
  for (const declared of file.interfaces) formatInterface(declared, out);
  for (const declared of file.functions) formatFunction(declared, expressions, renaming, out);
}

function formatFunction(
  declared: FunctionSyntax,
  expressions: ExpressionFormatter,
  renaming: Renaming | null,
  out: TextSink,
): void {
  out.text("\n");
  formatId(declared.authoredId, "", out);
  const name = declared.name.text === renaming?.from ? renaming.to : declared.name.text;
  out.text(`fn ${name}${typeParameters(declared.typeParameters)}`);
  formatParameters(declared.parameters, out);
  out.text(" -> ");
  formatType(declared.returnType, out);
  out.text("\n");
  if (declared.effects.length > 0) out.text(`    uses ${effectSet(declared.effects)}\n`);
  for (const clause of declared.requires) {
    out.text("    requires ");
    expressions.clause(clause);
    out.text("\n");
  }
  for (const clause of declared.ensures) {
    out.text("    ensures ");
    expressions.clause(clause);
    out.text("\n");
  }
  expressions.body(declared.body);
  out.text("\n");
}

function formatTypeDeclaration(type: TypeDeclarationSyntax, out: TextSink): void {
  out.text("\n");
  formatId(type.authoredId, "", out);
  out.text(`${type.kind} ${type.name.text}${typeParameters(type.typeParameters)}`);
  if (type.kind === "resource" && type.lifecycles.length === 0) {
    out.text(";\n");
    return;
  }
  out.text(" {\n");
  switch (type.kind) {
    case "resource":
      for (const { authoredId, importKey } of type.lifecycles) {
        formatId(authoredId, "    ", out);
        out.text(`    drop ${importKey === null ? "trivial" : `import ${stringLiteral(importKey)}`};\n`);
      }
      break;
    case "record":
      formatMembers(type.fields, "    ", out);
      break;
    case "variant":
      for (const variantCase of type.cases) formatCase(variantCase, out);
      break;
  }
  out.text("}\n");
}

function formatCase({ authoredId, name, fields }: CaseSyntax, out: TextSink): void {
  formatId(authoredId, "    ", out);
  out.text(`    ${name.text}`);
  if (fields.length > 0) {
    out.text(" {\n");
    formatMembers(fields, "        ", out);
    out.text("    }");
  }
  out.text(",\n");
}

function formatMembers(members: readonly MemberSyntax[], indent: string, out: TextSink): void {
  for (const { authoredId, name, type } of members) {
    formatId(authoredId, indent, out);
    out.text(`${indent}${name.text}: `);
    formatType(type, out);
    out.text(",\n");
  }
}

function formatInterface(declared: InterfaceSyntax, out: TextSink): void {
  out.text("\n");
  formatId(declared.authoredId, "", out);
  out.text(`interface ${declared.name.text}\n    permits ${effectSet(declared.permits)}\n{\n`);
  for (const imported of declared.imports) formatImport(imported, out);
  out.text("}\n");
}

function formatImport(imported: ImportSyntax, out: TextSink): void {
  formatId(imported.authoredId, "    ", out);
  out.text(`    import ${imported.rust ? "rust " : ""}fn ${imported.name.text}`);
  formatParameters(imported.parameters, out);
  out.text(` -> ${imported.result}\n        effects ${effectSet(imported.effects)}\n        failure `);
  const { failureDomain, consumes } = imported;
  out.text(failureDomain === null ? "infallible" : `status ${stringLiteral(failureDomain)}`);
  if (consumes !== null) out.text(`\n        consumes ${consumes} always`);
  out.text(";\n");
}

function formatParameters(parameters: readonly ParameterSyntax[], out: TextSink): void {
  out.text("(");
  parameters.forEach(({ name, mode, type }, index) => {
    out.text(`${index === 0 ? "" : ", "}${name.text}: ${mode === null ? "" : `${mode} `}`);
    formatType(type, out);
  });
  out.text(")");
}

/** The line of an explicit id; an automatic one has none. */
function formatId(id: AuthoredId, indent: string, out: TextSink): void {
  if (id !== null) out.text(`${indent}@id(${stringLiteral(id)})\n`);
}

function typeParameters(names: readonly string[]): string {
  return names.length === 0 ? "" : `<${names.join(", ")}>`;
}

/** `{ a, b }`; the empty set has two blanks. */
function effectSet(names: readonly string[]): string {
  return `{ ${names.join(", ")} }`;
}
