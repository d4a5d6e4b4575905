import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { errorCode, type FileSystem } from "./file-system.ts";
import { type Identity, isSameDirectory, isSameFile } from "./identity.ts";
import { SCRATCH_BYTES } from "./limits.ts";
import { holdsExactly } from "./read.ts";

/** A directory that is kept open (P5). */
export interface HeldDirectory {
  readonly kind: "directory";
  /** Absolute. */
  readonly path: string;
  readonly descriptor: number;
  readonly identity: Identity;
  /** The first declared input that needs it, for words. */
  readonly input: string;
}

/** The manifest or a source, kept open together with the bytes that were loaded. */
export interface HeldFile {
  readonly kind: "file";
  /** Absolute. */
  readonly path: string;
  readonly descriptor: number;
  readonly identity: Identity;
  /** `semaprax.toml`, or the path exactly as declared. */
  readonly input: string;
  readonly bytes: Uint8Array;
}

export type HeldEntry = HeldDirectory | HeldFile;

/**
 * The open inputs of one load. {@link authenticate} proves that they still are what was loaded; nothing is cached
 * between two proofs (D59).
 */
export class HeldInputs {
  readonly #files: FileSystem;
  readonly #entries: readonly HeldEntry[];
  readonly #scratch = Buffer.alloc(SCRATCH_BYTES);
  #open = true;

  /** `entries` are in order of first use: the directories of an input from `/` downwards, then the input. */
  constructor(files: FileSystem, entries: readonly HeldEntry[]) {
    this.#files = files;
    this.#entries = entries;
  }

  /** The manifest (`semaprax.toml`) or a declared source. */
  file(input: string): HeldFile | undefined {
    for (const entry of this.#entries) if (entry.kind === "file" && entry.input === input) return entry;
    return undefined;
  }

  /** A held directory by its absolute path. */
  directory(path: string): HeldDirectory | undefined {
    for (const entry of this.#entries) if (entry.kind === "directory" && entry.path === path) return entry;
    return undefined;
  }

  /**
   * One authentication (D53 to D57): (a) every input and its directories by path, (b) the directories by handle, (c, d)
   * the files and their bytes by handle. The first difference, a failing system call included, is SPX-J102.
   */
  authenticate(): Outcome<void> {
    if (!this.#open) return refuse("SPX-J102", "inputs are no longer held");
    for (const entry of this.#entries) {
      const finding = this.#look(entry, "path");
      if (finding !== null) return refuse("SPX-J102", finding);
    }
    for (const entry of this.#entries) {
      if (entry.kind === "file") continue;
      const finding = this.#look(entry, "handle");
      if (finding !== null) return refuse("SPX-J102", finding);
    }
    for (const entry of this.#entries) {
      if (entry.kind === "directory") continue;
      const finding = this.#look(entry, "handle") ?? this.#reread(entry);
      if (finding !== null) return refuse("SPX-J102", finding);
    }
    return success(undefined);
  }

  /** Lets go of every handle. The system releases a descriptor also when closing it reports an error. */
  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeAll(
      this.#files,
      this.#entries.map((entry) => entry.descriptor),
    );
  }

  /** What differs in an entry's identity, as words, or null. */
  #look(entry: HeldEntry, by: "path" | "handle"): string | null {
    let now: Identity;
    try {
      now = by === "path" ? this.#files.lstat(entry.path) : this.#files.fstat(entry.descriptor);
    } catch (error) {
      return unreadable(entry.input, error);
    }
    if (entry.kind === "file") {
      return isSameFile(now, entry.identity) ? null : `${entry.input} is not the same file`;
    }
    return isSameDirectory(now, entry.identity) ? null : `a folder above ${entry.input} changed`;
  }

  #reread(file: HeldFile): string | null {
    try {
      return holdsExactly(this.#files, file.descriptor, file.bytes, this.#scratch)
        ? null
        : `${file.input} has other bytes`;
    } catch (error) {
      return unreadable(file.input, error);
    }
  }
}

/** Closes descriptors and carries on past errors: there is nothing else to do about them (P23). */
export function closeAll(files: FileSystem, descriptors: readonly number[]): void {
  for (const descriptor of descriptors) {
    try {
      files.close(descriptor);
    } catch (error) {
      errorCode(error);
    }
  }
}

/** Words for a system call that failed; rethrows what is not a system's error (P43). */
export function unreadable(input: string, error: unknown): string {
  return `cannot read ${input} (${errorCode(error)})`;
}
