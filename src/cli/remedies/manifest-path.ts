/** Remedies for the manifest's path: one that is spelt in a way that is refused, or at which no manifest is (P1 to P3). */
import { existsSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, normalize, resolve } from "node:path";
import { errorCode } from "../../project/file-system.ts";
import { MANIFEST_NAME } from "../../project/limits.ts";
import { shellWord } from "../visible-text.ts";

/** J100 for the spelling alone; null for one that is accepted. */
export function spellingRemedy(path: string): string[] | null {
  const components = path.split("/");
  if (components.includes("..")) return [`give the absolute path ${shellWord(absolutePath(path))}`];
  if (components[0] === ".") {
    return [`write ${shellWord(normalize(withManifest(path)))}, without the leading ./`];
  }
  const last = components.at(-1);
  return last === MANIFEST_NAME || last === "" || last === "."
    ? null
    : [`the file is called ${MANIFEST_NAME}`];
}

/** J102 at a path where nothing is, or a folder; null where something else is the matter. */
export function placeRemedy(path: string): string[] | null {
  if (isFolder(path)) {
    const inside = join(path, MANIFEST_NAME);
    if (isFile(inside)) return [`${path} is a folder: give ${shellWord(inside)}`];
    return [`${path} is a folder without a ${MANIFEST_NAME}${meant(manifestAbove(resolve(path)))}`];
  }
  if (existsSync(path)) return null;
  if (path !== MANIFEST_NAME) return [`there is no ${path}${meant(manifestAbove(resolve(dirname(path))))}`];
  const above = manifestAbove(process.cwd());
  return above === null
    ? ["run it in the folder of a project, or give --manifest-path PATH"]
    : [`a folder above has one: --manifest-path ${shellWord(above)}`];
}

function meant(manifest: string | null): string {
  return manifest === null ? "" : `; did you mean ${shellWord(manifest)}?`;
}

/** The manifest of the project that a folder belongs to, if any. */
function manifestAbove(start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, MANIFEST_NAME);
    if (isFile(path)) return path;
    if (folder === dirname(folder)) return null;
  }
}

/** As the system follows it: a `..` after a link leads to where the link's target is, not back to the link's folder. */
function absolutePath(path: string): string {
  const file = withManifest(path);
  try {
    return join(realpathSync.native(dirname(file)), basename(file));
  } catch (error) {
    errorCode(error);
    return resolve(file);
  }
}

function withManifest(path: string): string {
  return isFolder(path) ? `${path}/${MANIFEST_NAME}` : path;
}

function isFolder(path: string): boolean {
  return statsOf(path)?.isDirectory() ?? false;
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() ?? false;
}

function statsOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch (error) {
    errorCode(error);
    return null;
  }
}
