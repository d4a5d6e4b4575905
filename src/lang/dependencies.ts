/** Phase 6: the graph of modules, which has no cycle and a bounded depth (language.md 5.3). */
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import type { SyntaxFile } from "./syntax.ts";

/** A module that imports nothing has depth 1 (language.md 5.3). */
export const DEPENDENCY_DEPTH_MAX = 16;

/** Per file its depth, from the files that each file's uses name. */
export function dependencyDepths(
  files: readonly SyntaxFile[],
  importedFiles: readonly Uint32Array[],
): Outcome<Uint32Array> {
  const depth = new Uint32Array(files.length);
  const importers: number[][] = files.map(() => []);
  const open = new Uint32Array(files.length);
  importedFiles.forEach((targets, file) => {
    open[file] = targets.length;
    for (const target of targets) importers[target]!.push(file);
  });
  // A file is ready when all that it imports is; what never gets ready stands on a cycle or above one.
  const ready: number[] = [];
  for (let file = 0; file < files.length; file++) if (open[file] === 0) ready.push(file);
  for (let at = 0; at < ready.length; at++) {
    const file = ready[at]!;
    depth[file] = 1;
    for (const target of importedFiles[file]!) depth[file] = Math.max(depth[file], depth[target]! + 1);
    for (const importer of importers[file]!) if (--open[importer]! === 0) ready.push(importer);
  }
  if (ready.length < files.length) return refuse("SPX-G172", cycleWords(files, importedFiles, open));
  for (const value of depth) {
    if (value > DEPENDENCY_DEPTH_MAX) return refuse("SPX-G171", "imports are nested too deeply");
  }
  return success(depth);
}

/** Every file that is still open imports another open one, so following them must come to a file twice. */
function cycleWords(
  files: readonly SyntaxFile[],
  importedFiles: readonly Uint32Array[],
  open: Uint32Array,
): string {
  const path: number[] = [];
  const positionOf = new Map<number, number>();
  let file = open.findIndex((count) => count > 0);
  while (!positionOf.has(file)) {
    positionOf.set(file, path.length);
    path.push(file);
    file = importedFiles[file]!.find((target) => open[target]! > 0)!;
  }
  const cycle = [...path.slice(positionOf.get(file)), file].map((member) => clip(files[member]!.module));
  return `modules import in a circle: ${clip(cycle.join(" -> "))}`;
}
