/** Remedies for names that mean nothing where they stand (T001, T202 to T205). */
import type { Span } from "../../kernel/failure.ts";
import { type FunctionSyntax, NodeKind, type SyntaxFile } from "../../lang/syntax.ts";
import { nearestName } from "../nearest-name.ts";
import type { ProjectText } from "../project-text.ts";
import { signature, textOf } from "../signature.ts";
import { unknownType } from "./types.ts";

const SHOWN_NAMES_MAX = 8;

/** T202: a value by its name. */
export function unknownValue(file: SyntaxFile, span: Span): string[] {
  const name = textOf(file, span.start, span.end);
  const scope = valuesInScope(file, span.start);
  const nearest = nearestName(name, [...scope, "true", "false"]);
  if (nearest !== null) return [`did you mean ${nearest}?`];
  const callable = calledBy(file, name);
  if (callable !== null) return [`${name} is a function and no value: call it, as in ${callable}`];
  if (scope.length === 0) return ["no value has a name here"];
  if (scope.length > SHOWN_NAMES_MAX) return [];
  return [`in scope here: ${scope.join(", ")}`];
}

/** Parameters and visible lets at a byte offset, innermost last (language.md 4.3). */
export function valuesInScope(file: SyntaxFile, offset: number): string[] {
  const around = functionAt(file, offset);
  if (around === null) return [];
  const { tree } = file;
  const names = around.parameters.map(({ name }) => name.text);
  // Post-order: an enclosing block has a larger number than an inner one, so outer lets are found first.
  for (let node = tree.nodeCount - 1; node >= 0; node--) {
    const isAround =
      tree.nodeKind[node] === NodeKind.Block &&
      tree.nodeStart[node]! <= offset &&
      offset < tree.nodeEnd[node]!;
    if (!isAround) continue;
    const firstLet = tree.nodeData[node]!;
    const letCount = tree.childStart[node + 1]! - tree.childStart[node]! - 1;
    for (let index = firstLet; index < firstLet + letCount; index++) {
      if (tree.letEnd[index]! <= offset) names.push(tree.names[tree.letName[index]!]!);
    }
  }
  return names;
}

/** T203: a function by its name. */
export function unknownFunction(project: ProjectText, file: SyntaxFile, span: Span): string[] {
  const name = calleeName(file, span);
  const callable = [...file.functions.map((own) => own.name.text), ...functionAliases(file)];
  const nearest = nearestName(name, callable);
  if (nearest !== null) return [`did you mean ${nearest}?`];
  for (const use of file.uses) {
    const target = functionById(project, use.module, use.id);
    if (target?.declared.name.text === name) return [`this file imports it as ${use.alias.text}`];
  }
  if (valuesInScope(file, span.start).includes(name)) return [`${name} is a value here and cannot be called`];
  const imported = importLine(project, file, name);
  if (imported.length > 0 || callable.length > SHOWN_NAMES_MAX) return imported;
  return [`functions here: ${callable.join(", ")}`];
}

/** T204 and T205: how the callee is declared. */
export function calleeSignature(project: ProjectText, file: SyntaxFile, name: string): string[] {
  const own = file.functions.find((declared) => declared.name.text === name);
  if (own !== undefined) return [`it is ${signature(file, own)}`];
  const use = file.uses.find((candidate) => candidate.kind === "function" && candidate.alias.text === name);
  const target = use === undefined ? null : functionById(project, use.module, use.id);
  return target === null ? [] : [`it is ${signature(target.file, target.declared, name)}`];
}

/** The name that a call begins with; its span may begin with parentheses around that name. */
export function calleeName(file: SyntaxFile, span: Span): string {
  return /[A-Za-z_][A-Za-z0-9_]*/.exec(textOf(file, span.start, span.end))?.[0] ?? "";
}

/** The innermost call whose arguments contain a byte range, by its callee's name, or null. */
export function callAround(file: SyntaxFile, span: Span): string | null {
  const { tree } = file;
  for (let node = 0; node < tree.nodeCount; node++) {
    if (tree.nodeKind[node] !== NodeKind.Call) continue;
    for (let at = tree.childStart[node]!; at < tree.childStart[node + 1]!; at++) {
      const argument = tree.child[at]!;
      if (tree.nodeStart[argument] === span.start && tree.nodeEnd[argument] === span.end) {
        return tree.names[tree.nodeData[node]!] ?? null;
      }
    }
  }
  return null;
}

/** T001: what the unknown type of a function or a parameter probably should be. */
export function unknownTypeAt(file: SyntaxFile, span: Span): string[] {
  const around = functionAt(file, span.start);
  if (around === null) return [];
  const type =
    around.start === span.start
      ? around.returnType
      : around.parameters.find(({ name }) => name.start === span.start)?.type;
  return type === undefined ? [] : unknownType(type.name);
}

export interface FoundFunction {
  readonly file: SyntaxFile;
  readonly declared: FunctionSyntax;
}

/** The function with an explicit id in a module. */
export function functionById(project: ProjectText, module: string, id: string): FoundFunction | null {
  for (const file of project.files()) {
    if (file.module !== module) continue;
    const declared = file.functions.find((candidate) => candidate.authoredId === id);
    if (declared !== undefined) return { file, declared };
  }
  return null;
}

/** The `use` line for a function of another module that has this name and an id. */
function importLine(project: ProjectText, importer: SyntaxFile, name: string): string[] {
  for (const file of project.files()) {
    if (file.module === importer.module) continue;
    const declared = file.functions.find((candidate) => candidate.name.text === name);
    if (declared === undefined || name === "main") continue;
    if (declared.authoredId === null) {
      return [`${file.module} has ${name}, but without an @id it cannot be imported`];
    }
    return [`import it: use function @id("${declared.authoredId}") from ${file.module} as ${name};`];
  }
  return [];
}

function functionAliases(file: SyntaxFile): string[] {
  return file.uses.filter(({ kind }) => kind === "function").map(({ alias }) => alias.text);
}

function calledBy(file: SyntaxFile, name: string): string | null {
  const own = file.functions.find((declared) => declared.name.text === name);
  if (own !== undefined)
    return `${name}(${own.parameters.map((parameter) => parameter.name.text).join(", ")})`;
  return functionAliases(file).includes(name) ? `${name}(…)` : null;
}

function functionAt(file: SyntaxFile, offset: number): FunctionSyntax | null {
  return file.functions.find(({ start, end }) => start <= offset && offset < end) ?? null;
}
