import { constants, fchmodSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from "node:fs";
import { type FileSystem, systemFiles } from "./file-system.ts";

/**
 * The system calls that publishing a source takes besides those that read it; the only ones of the daemon that write.
 * Each throws the system's error. It is an argument of everything that publishes, so that a test can let the nth call
 * fail, change the disk between two calls, or end the process there.
 */
export interface PublishFiles extends FileSystem {
  /** A new empty file that only its owner can use; any object of that name is an error (N24). */
  readonly createLock: (path: string) => number;
  /** The same, to write and read (A11). */
  readonly createStage: (path: string) => number;
  /** Writes a beginning of `bytes` at `position` of the file and returns its length, which may be short. */
  readonly write: (descriptor: number, bytes: Uint8Array, position: number) => number;
  /** Sets permission bits. */
  readonly setMode: (descriptor: number, mode: number) => void;
  /** Returns once the file, or a directory's entries, are on the disk. */
  readonly sync: (descriptor: number) => void;
  /** Replaces what is called `to`, in one call (N32). */
  readonly rename: (from: string, to: string) => void;
  readonly unlink: (path: string) => void;
}

const CREATE_NEW = constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const OWNER_ONLY = 0o600;

/** The disk. */
export const systemPublishFiles: PublishFiles = {
  ...systemFiles,
  createLock: (path) => openSync(path, CREATE_NEW | constants.O_WRONLY, OWNER_ONLY),
  createStage: (path) => openSync(path, CREATE_NEW | constants.O_RDWR, OWNER_ONLY),
  write: (descriptor, bytes, position) => writeSync(descriptor, bytes, 0, bytes.length, position),
  setMode: (descriptor, mode) => fchmodSync(descriptor, mode),
  sync: (descriptor) => fsyncSync(descriptor),
  rename: (from, to) => renameSync(from, to),
  unlink: (path) => unlinkSync(path),
};
