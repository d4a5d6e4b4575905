/** Remedies for a `use` that names nothing (language.md 5.1), in the order in which the checks are made. */
import type { Span } from "../../kernel/failure.ts";
import type { FunctionSyntax, SyntaxFile, UseSyntax } from "../../lang/syntax.ts";
import { isForbiddenName } from "../../lang/names.ts";
import { spanOf } from "../../lang/source.ts";
import { nearestName } from "../nearest-name.ts";
import type { ProjectText } from "../project-text.ts";
import { idLine, isIdOf, unknownType } from "./types.ts";

const IDS_SHOWN_MAX = 8;
const TYPES_SHOWN_MAX = 4;
const SCALAR_TYPES: readonly string[] = ["i64", "bool", "char", "f32", "f64"];

export function useRemedy(project: ProjectText, file: SyntaxFile, span: Span): string[] {
  const index = file.uses.findIndex(({ start }) => start === span.start);
  const use = file.uses[index];
  if (use === undefined) return [];
  const earlier = file.uses.slice(0, index);
  const twice = earlier.find(({ kind, id }) => kind === use.kind && id === use.id);
  if (twice !== undefined) return [`it is imported already, as ${twice.alias.text}`];
  const provider = project.files().find(({ module }) => module === use.module);
  if (provider === file) return ["functions of the module itself are called by their names, without a use"];
  if (provider === undefined) return moduleRemedy(project, file, use.module);
  if (isAliasTaken(file, earlier, use)) return [`choose another alias than ${use.alias.text}`];
  return targetRemedy(project, provider, use);
}

/** S104 at an imported function: it is the alias in the importing file that may not be. */
export function reservedAlias(project: ProjectText, importer: string): string[] {
  const use = project.file(importer)?.uses.find(({ alias }) => isForbiddenName(alias.text));
  return use === undefined
    ? []
    : [`${importer} imports it as ${use.alias.text}, a word with a meaning: choose another`];
}

/** A module that no declared source declares. */
export function moduleRemedy(project: ProjectText, asking: SyntaxFile | null, module: string): string[] {
  const modules = project
    .files()
    .filter((file) => file !== asking)
    .map((file) => file.module);
  const unlisted = project.unlistedSourceOf(module);
  if (unlisted !== null) return [`${unlisted} declares module ${module}: add it to sources in the manifest`];
  const nearest = nearestName(module, modules);
  if (nearest !== null) return [`did you mean ${nearest}?`];
  return modules.length === 0 ? [] : [`modules of the project: ${modules.join(", ")}`];
}

function isAliasTaken(file: SyntaxFile, earlier: readonly UseSyntax[], use: UseSyntax): boolean {
  const alias = use.alias.text;
  return (
    alias === "main" ||
    earlier.some((other) => other.kind === "function" && other.alias.text === alias) ||
    file.functions.some((declared) => declared.name.text === alias)
  );
}

function targetRemedy(project: ProjectText, provider: SyntaxFile, use: UseSyntax): string[] {
  if (use.kind === "type") return ["a project imports functions only: use function"];
  const automatic = provider.functions.find(
    ({ authoredId, name }) => authoredId === null && `auto:${provider.module}.${name.text}` === use.id,
  );
  if (automatic !== undefined) return inFile(provider, idLine(provider, automatic.name.text));
  const declared = provider.functions.find(({ authoredId }) => authoredId === use.id);
  if (declared !== undefined) return signatureRemedy(provider, declared);
  const elsewhere = project
    .files()
    .find((file) => file.functions.some(({ authoredId }) => authoredId === use.id));
  if (elsewhere !== undefined)
    return [`that id is declared in ${elsewhere.module}: write from ${elsewhere.module}`];
  return idRemedy(provider, use);
}

/** Checks 6 and 7. */
function signatureRemedy(provider: SyntaxFile, declared: FunctionSyntax): string[] {
  const types = [...declared.parameters.map(({ type }) => type), declared.returnType];
  const odd = types.filter(({ name }) => !SCALAR_TYPES.includes(name)).slice(0, TYPES_SHOWN_MAX);
  if (odd.length === 0) return [`${declared.name.text} has type parameters or modes; a project has neither`];
  const places = odd.map((type) => {
    const { line, column } = spanOf(provider.source, type);
    return `${declared.name.text} has the type ${type.name} at ${provider.source.path}:${line}:${column}`;
  });
  return [...places, ...new Set(odd.flatMap(({ name }) => unknownType(name)))];
}

/** An id of nobody: that of a function without one, of a function that has another, or a misspelt one. */
function idRemedy(provider: SyntaxFile, { id, alias }: UseSyntax): string[] {
  const anonymous = provider.functions.filter(({ authoredId }) => authoredId === null);
  const asked =
    anonymous.find(({ name }) => isIdOf(id, name.text)) ??
    anonymous.find(({ name }) => name.text === alias.text);
  if (asked !== undefined) return inFile(provider, idLine(provider, asked.name.text, id));
  const named = provider.functions.find(({ name }) => isIdOf(id, name.text));
  if (named !== undefined) return [`the id of ${named.name.text} is @id("${named.authoredId}")`];
  const ids = provider.functions.map(({ authoredId }) => authoredId).filter((known) => known !== null);
  const nearest = nearestName(id, ids);
  if (nearest !== null) return [`did you mean @id("${nearest}")?`];
  const [only, ...others] = anonymous;
  if (only !== undefined && others.length === 0) {
    return inFile(provider, idLine(provider, only.name.text, id));
  }
  if (ids.length === 0) return [`no function of ${provider.module} has an @id`];
  return ids.length > IDS_SHOWN_MAX ? [] : [`ids of ${provider.module}: ${ids.join(", ")}`];
}

function inFile(file: SyntaxFile, lines: readonly string[]): string[] {
  return lines.map((line) => `${line} in ${file.source.path}`);
}
