/** Opening the inputs of a project and keeping them open (P5 to P14, P20), up to where their text is first read. */
import { isUtf8 } from "node:buffer";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import type { Source } from "../lang/source.ts";
import type { FileSystem } from "./file-system.ts";
import { closeAll, type HeldEntry, HeldInputs, unreadable } from "./held.ts";
import {
  type Identity,
  identityOf,
  isDirectory,
  isLink,
  isRegularFile,
  isSameDirectory,
  isSameFile,
} from "./identity.ts";
import { HELD_DIRECTORIES_MAX, MANIFEST_BYTES_MAX, MANIFEST_NAME, SOURCE_BYTES_MAX } from "./limits.ts";
import { type Manifest, parseManifest } from "./manifest.ts";
import { joinPath, locateManifest, sourceDirectories } from "./manifest-path.ts";
import { readBounded } from "./read.ts";

export interface OpenedInputs {
  readonly held: HeldInputs;
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  /** In manifest order, which is path order. */
  readonly sources: readonly Source[];
}

/** Opens and reads the manifest and every source it declares. A refusal leaves no handle open (P23). */
export function openInputs(manifestPath: string, files: FileSystem): Outcome<OpenedInputs> {
  const opener = new Opener(files);
  let opened = false;
  try {
    const outcome = openProject(opener, manifestPath);
    opened = outcome.ok;
    return outcome;
  } finally {
    if (!opened) opener.close();
  }
}

function openProject(opener: Opener, manifestPath: string): Outcome<OpenedInputs> {
  const located = opener.locate(manifestPath);
  if (!located.ok) return located;
  const { path, name, directories, asksForDirectory } = located.value;
  const root = directories.at(-1) ?? "/";

  const rooted = opener.openDirectories(directories, MANIFEST_NAME);
  if (!rooted.ok) return rooted;
  if (asksForDirectory) return refuse("SPX-J102", "manifest path names a folder");
  const file = opener.openFile(path, MANIFEST_NAME);
  if (!file.ok) return file;
  if (name !== MANIFEST_NAME) return refuse("SPX-J100", `manifest is not called ${MANIFEST_NAME}`);
  const manifestBytes = opener.hold(file.value, MANIFEST_BYTES_MAX);
  if (!manifestBytes.ok) return manifestBytes;
  const manifest = parseManifest(manifestBytes.value);
  if (!manifest.ok) return manifest;

  const sources = openSources(opener, root, manifest.value.sources);
  if (!sources.ok) return sources;
  return success({
    held: opener.finish(),
    manifest: manifest.value,
    manifestBytes: manifestBytes.value,
    sources: sources.value,
  });
}

/** All sources are read before the first is parsed (P21). */
function openSources(opener: Opener, root: string, paths: readonly string[]): Outcome<readonly Source[]> {
  const sources: Source[] = [];
  let room = SOURCE_BYTES_MAX;
  for (const path of paths) {
    const below = opener.openDirectories(sourceDirectories(root, path), path);
    if (!below.ok) return below;
    const file = opener.openFile(joinPath(root, path), path);
    if (!file.ok) return file;
    const bytes = opener.hold(file.value, room);
    if (!bytes.ok) return bytes;
    room -= bytes.value.length;
    sources.push({ path, bytes: bytes.value });
  }
  return success(sources);
}

/** An open file that was found to be what P8, P9 and P12 ask for; not read yet. */
interface OpenFile {
  readonly path: string;
  readonly input: string;
  readonly descriptor: number;
  readonly identity: Identity;
  /** What the system says of its length. */
  readonly size: bigint;
}

/** Collects what is opened, so that it can become a {@link HeldInputs} as a whole or be let go as a whole. */
class Opener {
  readonly #files: FileSystem;
  readonly #entries: HeldEntry[] = [];
  /** Everything that was opened, also what was found wanting right after. */
  readonly #descriptors: number[] = [];
  readonly #directories = new Set<string>();
  readonly #inodes = new Set<string>();

  constructor(files: FileSystem) {
    this.#files = files;
  }

  locate(manifestPath: string): ReturnType<typeof locateManifest> {
    return attempt(MANIFEST_NAME, () => locateManifest(manifestPath, this.#files.workingDirectory));
  }

  /** Opens those of `paths` that are not held yet, outermost first (P6, P7). */
  openDirectories(paths: readonly string[], input: string): Outcome<void> {
    const missing = paths.filter((path) => !this.#directories.has(path));
    if (this.#directories.size + missing.length > HELD_DIRECTORIES_MAX) {
      return refuse("SPX-J101", `too many folders down to ${input}`);
    }
    for (const path of missing) {
      const opened = attempt(input, () => this.#openDirectory(path, input));
      if (!opened.ok) return opened;
    }
    return success(undefined);
  }

  /** P8, P9, P12. */
  openFile(path: string, input: string): Outcome<OpenFile> {
    return attempt(input, () => this.#openFile(path, input));
  }

  /** Reads an open file to its end (P10, P11) and keeps it. */
  hold(file: OpenFile, bytesMax: number): Outcome<Uint8Array> {
    const { path, input, descriptor, identity, size } = file;
    return attempt(input, () => {
      const bytes = readBounded(this.#files, descriptor, size, bytesMax);
      if (bytes === null) return refuse("SPX-J101", `${input} is too long`);
      if (!isUtf8(bytes)) return refuse("SPX-J102", `${input} is not UTF-8`);
      this.#entries.push({ kind: "file", path, descriptor, identity, input, bytes });
      return success(bytes);
    });
  }

  finish(): HeldInputs {
    return new HeldInputs(this.#files, this.#entries);
  }

  close(): void {
    closeAll(this.#files, this.#descriptors);
  }

  // What is looked at by path before and after the opening cannot have been swapped for another in between (P44).

  #openDirectory(path: string, input: string): Outcome<void> {
    const before = identityOf(this.#files.lstat(path));
    if (isLink(before)) return refuse("SPX-J102", `a folder above ${input} is a link`);
    if (!isDirectory(before)) return refuse("SPX-J102", `a part above ${input} is no folder`);
    const descriptor = this.#keep(this.#files.openDirectory(path));
    const identity = identityOf(this.#files.fstat(descriptor));
    const after = identityOf(this.#files.lstat(path));
    if (!isSameDirectory(before, identity) || !isSameDirectory(identity, after)) {
      return refuse("SPX-J102", `a folder above ${input} changed`);
    }
    this.#directories.add(path);
    this.#entries.push({ kind: "directory", path, descriptor, identity, input });
    return success(undefined);
  }

  #openFile(path: string, input: string): Outcome<OpenFile> {
    const before = identityOf(this.#files.lstat(path));
    if (isLink(before)) return refuse("SPX-J102", `${input} is a link`);
    if (!isRegularFile(before)) return refuse("SPX-J102", `${input} is no regular file`);
    if (before.nlink !== 1n) return refuse("SPX-J102", `${input} has a second hard link`);
    const descriptor = this.#keep(this.#files.openFile(path));
    const stats = this.#files.fstat(descriptor);
    const identity = identityOf(stats);
    const after = identityOf(this.#files.lstat(path));
    if (!isSameFile(before, identity) || !isSameFile(identity, after)) {
      return refuse("SPX-J102", `${input} changed while it was opened`);
    }
    if (this.#files.realpath(path) !== path) {
      return refuse("SPX-J102", `${input} is spelled otherwise on disk`);
    }
    const inode = `${identity.dev}:${identity.ino}`;
    if (this.#inodes.has(inode)) return refuse("SPX-J102", `${input} is another input as well`);
    this.#inodes.add(inode);
    return success({ path, input, descriptor, identity, size: stats.size });
  }

  #keep(descriptor: number): number {
    this.#descriptors.push(descriptor);
    return descriptor;
  }
}

/** Makes a failing system call a value (P43). */
function attempt<T>(input: string, step: () => Outcome<T>): Outcome<T> {
  try {
    return step();
  } catch (error) {
    return refuse("SPX-J102", unreadable(input, error));
  }
}
