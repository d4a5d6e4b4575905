import type { BigIntStats } from "node:fs";

/** What makes a held directory or file the same one (P13). Exact integers: inodes exceed 2^53 on real systems (D58). */
export interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
  /** Kind (0o170000) and permission bits (0o7777); a mode has no other bits. */
  readonly mode: bigint;
  /** Part of a file's identity only: a directory's changes with its sub-directories. */
  readonly nlink: bigint;
}

const KIND = 0o170000n;
const DIRECTORY = 0o040000n;
const REGULAR_FILE = 0o100000n;
const LINK = 0o120000n;

export function identityOf(stats: BigIntStats): Identity {
  return { dev: stats.dev, ino: stats.ino, mode: stats.mode, nlink: stats.nlink };
}

/** A real directory and not a link to one, when seen by `lstat` (P7). */
export function isDirectory(identity: Identity): boolean {
  return (identity.mode & KIND) === DIRECTORY;
}

export function isLink(identity: Identity): boolean {
  return (identity.mode & KIND) === LINK;
}

export function isRegularFile(identity: Identity): boolean {
  return (identity.mode & KIND) === REGULAR_FILE;
}

/** Same device, inode, kind and permission bits (D54). */
export function isSameDirectory(left: Identity, right: Identity): boolean {
  return left.dev === right.dev && left.ino === right.ino && left.mode === right.mode;
}

/** Same device, inode, kind, permission bits and link count (D55). */
export function isSameFile(left: Identity, right: Identity): boolean {
  return isSameDirectory(left, right) && left.nlink === right.nlink;
}
