/** Remedies for inputs that are not there or not what they should be (J102). */
import { isUtf8 } from "node:buffer";
import { type BigIntStats, existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../project/file-system.ts";
import { MANIFEST_NAME } from "../../project/limits.ts";
import { nearestName } from "../nearest-name.ts";
import type { ProjectText } from "../project-text.ts";
import { placeRemedy } from "./manifest-path.ts";

/** The first declared input with something wrong that can be seen. */
export function inputRemedy(project: ProjectText): string[] {
  const place = placeRemedy(project.manifestPath);
  if (place !== null) return place;
  const manifest = fileProblem(project.manifestPath, project.manifestPath);
  if (manifest !== null) return [manifest];
  if (project.manifestBytes !== null && !isUtf8(project.manifestBytes))
    return [`save ${MANIFEST_NAME} as UTF-8`];
  for (const path of project.manifest?.sources ?? []) {
    const file = join(project.root, path);
    if (!existsSync(file)) return missingSource(project, path);
    const problem = fileProblem(file, path);
    if (problem !== null) return [problem];
    const source = project.source(path);
    if (source !== null && !isUtf8(source.bytes)) return [`save ${path} as UTF-8`];
  }
  return [];
}

function missingSource(project: ProjectText, path: string): string[] {
  const nearest = nearestName(path, project.unlistedSources());
  if (nearest !== null) return [`the manifest declares ${path}; did you mean ${nearest}?`];
  return [`create ${path} or take it out of sources in the manifest`];
}

function fileProblem(file: string, shown: string): string | null {
  const stats = statsOf(file);
  if (stats === null) return null;
  if (stats.isSymbolicLink()) return `links are not followed: put the file itself at ${shown}`;
  if (!stats.isFile()) return `put a regular file at ${shown}`;
  return stats.nlink === 1n ? null : `${shown} has ${stats.nlink} names (hard links): put a copy there`;
}

function statsOf(file: string): BigIntStats | null {
  try {
    return lstatSync(file, { bigint: true });
  } catch (error) {
    errorCode(error);
    return null;
  }
}
