/**
 * The numbering that the build works with until strings and declarations are sorted: functions and uses are numbered
 * through all files in path and source order, and every name has a *symbol*, an occurrence of a string, of which equal
 * ones are merged later (symbols.ts).
 */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { quotedLength } from "../kernel/json-write.ts";
import { utf8Length } from "../kernel/text.ts";
import type { CheckedProject } from "../lang/checked.ts";
import { COMPILER_OWNED_IDS } from "../lang/identity.ts";
import { countCalls } from "../lang/limits.ts";
import { ARTIFACT_BYTES_MAX } from "./limits.ts";
import { NONE } from "./storage.ts";

export class Outline {
  readonly moduleCount: number;
  readonly functionCount: number;
  /** Functions and the compiler's own declarations. */
  readonly declarationCount: number;
  readonly useCount: number;
  /** Call nodes in bodies and clauses, local ones included. */
  readonly callSiteCount: number;
  /** The first function and the first use of each file; the last entry is the count. */
  readonly functionBase: Uint32Array;
  readonly useBase: Uint32Array;
  readonly fileOfFunction: Uint32Array;
  /** Per use the number of the function that it names; {@link NONE} for a `use type`. */
  readonly importedFunction: Uint32Array;
  /** The text of each symbol that is not the path of a call: see the methods for their order. */
  readonly texts: readonly string[];
  /** Per text. */
  readonly utf8Length: Float64Array;
  readonly quotedLength: Float64Array;

  /** G171 when the names alone are more than the artifact, which contains each, may have. */
  static of(project: CheckedProject): Outcome<Outline> {
    const texts = symbolTexts(project);
    // Before anything looks into the texts: 1024 automatic ids in a module with a name of a megabyte are still ropes here.
    let length = 0;
    for (const text of texts) length += text.length;
    if (length > ARTIFACT_BYTES_MAX) return refuse("SPX-G171", "project graph is too long");
    return success(new Outline(project, texts));
  }

  private constructor(
    readonly project: CheckedProject,
    texts: readonly string[],
  ) {
    const { files, imports } = project;
    this.texts = texts;
    this.moduleCount = files.length;
    this.functionBase = runningTotal(files.map((file) => file.functions.length));
    this.useBase = runningTotal(files.map((file) => file.uses.length));
    this.functionCount = this.functionBase[files.length]!;
    this.declarationCount = this.functionCount + COMPILER_OWNED_IDS.length;
    this.useCount = this.useBase[files.length]!;
    this.fileOfFunction = Uint32Array.from(files.flatMap((file, index) => file.functions.map(() => index)));
    this.importedFunction = Uint32Array.from(imports.flat(), (target) =>
      target === null ? NONE : this.functionBase[target.file]! + target.function,
    );
    this.callSiteCount = files.reduce((sum, file) => sum + countCalls(file), 0);
    this.utf8Length = lengthsOf(texts, utf8Length);
    this.quotedLength = lengthsOf(texts, quotedLength);
  }

  modulePath(file: number): number {
    return file;
  }

  moduleName(file: number): number {
    return this.moduleCount + file;
  }

  functionId(number: number): number {
    return 2 * this.moduleCount + number;
  }

  compilerOwnedId(index: number): number {
    return 2 * this.moduleCount + this.functionCount + index;
  }

  alias(use: number): number {
    return 2 * this.moduleCount + this.functionCount + COMPILER_OWNED_IDS.length + use;
  }

  usePath(use: number): number {
    return this.alias(use) + this.useCount;
  }
}

/** In the order of the methods of {@link Outline}. */
function symbolTexts({ files, functionIds }: CheckedProject): string[] {
  return [
    ...files.map((file) => file.source.path),
    ...files.map((file) => file.module),
    ...functionIds.flat(),
    ...COMPILER_OWNED_IDS,
    ...files.flatMap((file) => file.uses.map((use) => use.alias.text)),
    // `use.N` is both AST path and expression of an import (G10).
    ...files.flatMap((file) => file.uses.map((_, index) => `use.${index}`)),
  ];
}

function lengthsOf(texts: readonly string[], lengthOf: (text: string) => number): Float64Array {
  const lengths = new Float64Array(texts.length);
  for (let at = 0; at < texts.length; at++) lengths[at] = lengthOf(texts[at]!);
  return lengths;
}

function runningTotal(counts: readonly number[]): Uint32Array {
  const total = new Uint32Array(counts.length + 1);
  for (let at = 0; at < counts.length; at++) total[at + 1] = total[at]! + counts[at]!;
  return total;
}
