import { type Outcome, refuse, success } from "../kernel/failure.ts";

/** Where a manifest path leads, before anything there was looked at. */
export interface ManifestLocation {
  /** Absolute, without empty and `.` components. */
  readonly path: string;
  /** Last component of {@link path}. */
  readonly name: string;
  /** Every directory from `/` down to the root, absolute. */
  readonly directories: readonly [string, ...string[]];
  /** The spelling asks for a directory: it ends in `/` or `/.` (P3). */
  readonly asksForDirectory: boolean;
}

/**
 * Resolves the command line's manifest path against the physical working directory (P1, P2). Only spellings are
 * judged here, so a path that is refused has touched no file. `//` and an inner `/./` are tolerated.
 */
export function locateManifest(given: string, workingDirectory: () => string): Outcome<ManifestLocation> {
  const components = given.split("/");
  if (components[0] === "." || components.includes("..")) {
    return refuse("SPX-J100", "manifest path has . or ..");
  }
  const named = components.filter(isNamed);
  if (named.length === 0) return refuse("SPX-J100", "manifest path names no file");

  let base: string[] = [];
  if (!given.startsWith("/")) {
    const directory = workingDirectory();
    // Linux spells a directory that is outside of every mount "(unreachable)/...".
    if (!directory.startsWith("/")) return refuse("SPX-J102", "working folder has no path");
    base = directory.split("/").filter(isNamed);
  }
  const last = components.at(-1);
  const all = [...base, ...named];
  return success({
    path: `/${all.join("/")}`,
    name: all.at(-1) ?? "",
    directories: prefixes(all.slice(0, -1)),
    asksForDirectory: last === "" || last === ".",
  });
}

/** The directories below `root` that lead to a source path, outermost first; none for a source in the root itself. */
export function sourceDirectories(root: string, source: string): readonly string[] {
  const directories: string[] = [];
  for (let slash = source.indexOf("/"); slash >= 0; slash = source.indexOf("/", slash + 1)) {
    directories.push(joinPath(root, source.slice(0, slash)));
  }
  return directories;
}

export function joinPath(directory: string, relative: string): string {
  return directory === "/" ? `/${relative}` : `${directory}/${relative}`;
}

function isNamed(component: string): boolean {
  return component !== "" && component !== ".";
}

function prefixes(components: readonly string[]): [string, ...string[]] {
  const paths: [string, ...string[]] = ["/"];
  let path = "/";
  for (const component of components) {
    path = joinPath(path, component);
    paths.push(path);
  }
  return paths;
}
