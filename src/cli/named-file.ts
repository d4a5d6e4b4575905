/** Files that somebody named on the command line: read as they are, and replaced atomically (L12). */
import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { errorCode, systemFiles } from "../project/file-system.ts";
import { readBounded } from "../project/read.ts";

/** A regular file as it was when it was read. */
export interface NamedFile {
  /** As it was named. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly stats: BigIntStats;
}

export type FileOutcome<T> =
  | { readonly ok: true; readonly value: T }
  /** Words without the file's name. */
  | { readonly ok: false; readonly words: string };

/**
 * Reads a regular file. A link is refused, whatever it leads to: a replacement would put a file where the link was, or
 * change a file that nobody named, and whoever only asks should hear the same answer as whoever writes.
 */
export function readNamedFile(path: string, bytesMax: number): FileOutcome<NamedFile> {
  let descriptor: number | null = null;
  try {
    descriptor = systemFiles.openFile(path);
    const stats = systemFiles.fstat(descriptor);
    if (!stats.isFile()) return refused("is not a regular file");
    const bytes = readBounded(systemFiles, descriptor, stats.size, bytesMax);
    if (bytes === null) return refused(`has more than ${bytesMax} bytes`);
    return { ok: true, value: { path, bytes, stats } };
  } catch (error) {
    return refused(systemWords(errorCode(error)));
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Stage files are numbered; another one in the way is not ours and is never touched. */
const STAGES_MAX = 32;
const PERMISSIONS = 0o7777n;
const CREATE_NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/**
 * Puts `bytes` in place of what was read: a new file beside it gets the bytes, the owner and the mode, is synced and
 * renamed over it. Whoever looks sees the old file or the new one, and a failure leaves the old one.
 */
export function replaceFile(file: NamedFile, bytes: Uint8Array): FileOutcome<void> {
  const obstacle = replacementObstacle(file);
  if (obstacle !== null) return refused(obstacle);
  let stage: string | null = null;
  try {
    const created = createStage(file.path);
    if (created === null) return refused("has too many leftover stage files beside it");
    stage = created.path;
    fillStage(created.descriptor, bytes, file.stats);
    if (!isStillThere(file)) return refused("changed while it was being formatted");
    renameSync(stage, file.path);
    stage = null;
    syncDirectory(dirname(file.path));
    return { ok: true, value: undefined };
  } catch (error) {
    return refused(`cannot be replaced (${errorCode(error)})`);
  } finally {
    if (stage !== null) removeStage(stage);
  }
}

/** Why a file may not be replaced, as words without its name, or null. */
export function replacementObstacle(file: NamedFile): string | null {
  return file.stats.nlink === 1n
    ? null
    : `has ${file.stats.nlink} names (hard links), and only one would be replaced`;
}

function createStage(path: string): { readonly path: string; readonly descriptor: number } | null {
  for (let number = 0; number < STAGES_MAX; number++) {
    const stage = join(dirname(path), `.${basename(path)}.semaprax-fmt.${number}.tmp`);
    try {
      return { path: stage, descriptor: openSync(stage, CREATE_NEW, 0o600) };
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }
  return null;
}

function fillStage(descriptor: number, bytes: Uint8Array, like: BigIntStats): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
    const stage = systemFiles.fstat(descriptor);
    // The owner first: changing it clears the set-id bits of the mode.
    if (stage.uid !== like.uid || stage.gid !== like.gid) {
      fchownSync(descriptor, Number(like.uid), Number(like.gid));
    }
    fchmodSync(descriptor, Number(like.mode & PERMISSIONS));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Nobody has replaced or rewritten the file since it was read. */
function isStillThere({ path, stats }: NamedFile): boolean {
  const now = lstatSync(path, { bigint: true });
  return (
    now.dev === stats.dev &&
    now.ino === stats.ino &&
    now.mode === stats.mode &&
    now.nlink === stats.nlink &&
    now.size === stats.size &&
    now.mtimeNs === stats.mtimeNs &&
    now.ctimeNs === stats.ctimeNs
  );
}

/** Makes the renaming itself durable, where the system can; the file is replaced in any case. */
function syncDirectory(path: string): void {
  try {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    errorCode(error);
  }
}

function removeStage(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // It was ours and may be gone already; the outcome is decided either way.
    errorCode(error);
  }
}

function refused(words: string): { readonly ok: false; readonly words: string } {
  return { ok: false, words };
}

function systemWords(code: string): string {
  switch (code) {
    case "ENOENT":
      return "does not exist";
    case "ELOOP":
      return "is a link; name the file itself";
    case "EISDIR":
      return "is a folder";
    default:
      return `cannot be read (${code})`;
  }
}
