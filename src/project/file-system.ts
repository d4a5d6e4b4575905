import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
} from "node:fs";

/**
 * The system calls that reading a project takes. Each throws the system's error; nothing here judges what was found.
 * It is an argument of everything that opens inputs, so that a test can let the nth call fail, or change the disk
 * between two calls.
 */
export interface FileSystem {
  /** The physical working directory, not the shell's idea of it (P1). */
  readonly workingDirectory: () => string;
  readonly realpath: (path: string) => string;
  readonly lstat: (path: string) => BigIntStats;
  readonly fstat: (descriptor: number) => BigIntStats;
  /** Refuses links and everything that is no directory (P7). */
  readonly openDirectory: (path: string) => number;
  /** Refuses links and does not wait for the other end of a FIFO (P8). */
  readonly openFile: (path: string) => number;
  /** Fills `into` from its index `at` on with bytes from `position` of the file; 0 is the end. */
  readonly read: (descriptor: number, into: Uint8Array, at: number, position: number) => number;
  readonly close: (descriptor: number) => void;
}

const OPEN_DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const OPEN_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const EXACT = { bigint: true } as const;

/** The disk. */
export const systemFiles: FileSystem = {
  workingDirectory: () => process.cwd(),
  realpath: (path) => realpathSync.native(path),
  lstat: (path) => lstatSync(path, EXACT),
  fstat: (descriptor) => fstatSync(descriptor, EXACT),
  openDirectory: (path) => openSync(path, OPEN_DIRECTORY),
  openFile: (path) => openSync(path, OPEN_FILE),
  read: (descriptor, into, at, position) => readSync(descriptor, into, at, into.length - at, position),
  close: (descriptor) => closeSync(descriptor),
};

/**
 * The name of a failed system call's error, for example `ENOENT`; a path that no system call can take has one too (P4).
 * Anything else that was thrown is a bug of ours and is thrown again (P43).
 */
export function errorCode(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  throw error;
}
