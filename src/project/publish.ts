/**
 * Replacing one source by another text, completely or not at all (rename.md 4 and 5). Everything is done through one
 * handle of the source's folder, so a folder that is swapped in between cannot redirect a write (N77), and nothing is
 * ever written into the source itself (N32).
 */
import { equalBytes } from "../kernel/bytes.ts";
import { type Code, type Failure, type Outcome, refuse, success } from "../kernel/failure.ts";
import { errorCode } from "./file-system.ts";
import { closeAll, type HeldDirectory, type HeldFile } from "./held.ts";
import { type Identity, isSameDirectory, isSameFile } from "./identity.ts";
import { SCRATCH_BYTES, SOURCE_BYTES_MAX, STAGES_MAX } from "./limits.ts";
import type { PublishFiles } from "./publish-fs.ts";
import { holdsExactly, readBounded } from "./read.ts";

/** The lock of a source, beside it (N21). */
export function lockPath(source: string): string {
  return hiddenBeside(source, "semaprax-patch.lock");
}

/** Stage `number` of a source, beside it (N21). */
export function stagePath(source: string, number: number): string {
  return hiddenBeside(source, `semaprax-stage.${number}.tmp`);
}

/** `DIR/.FILE.SUFFIX` for `DIR/FILE`, or without a folder for a name alone. */
function hiddenBeside(path: string, suffix: string): string {
  const name = path.lastIndexOf("/") + 1;
  return `${path.slice(0, name)}.${path.slice(name)}.${suffix}`;
}

/** What became of a commit. */
export type Commit =
  | { readonly kind: "done" }
  /** A11 to A19: as far as the system's answers go, the source is as it was. */
  | { readonly kind: "failed"; readonly failure: Failure }
  /** A20: the source is replaced, but the disk may not know it yet. */
  | { readonly kind: "unsynced"; readonly failure: Failure };

/** A file that this publication created. */
interface Created {
  readonly path: string;
  readonly descriptor: number;
}

const PERMISSIONS = 0o7777n;

/** One attempt on one source: {@link open}, {@link readSource}, {@link commit}, each once, and {@link close} in any case. */
export class Publication {
  readonly #files: PublishFiles;
  readonly #source: HeldFile;
  readonly #directory: HeldDirectory;
  readonly #name: string;
  readonly #scratch = Buffer.alloc(SCRATCH_BYTES);
  /** Everything that was opened. */
  readonly #descriptors: number[] = [];
  #folderDescriptor = -1;
  /** How the folder is reached: through its handle where the system allows. */
  #folder = "";
  #sourceDescriptor = -1;
  #lock: Created | null = null;
  /** Null again once it has become the source. */
  #stage: Created | null = null;

  /** `directory` is the folder of `source`; both as the project holds them, which need not last. */
  constructor(files: PublishFiles, source: HeldFile, directory: HeldDirectory) {
    this.#files = files;
    this.#source = source;
    this.#directory = directory;
    this.#name = source.path.slice(source.path.lastIndexOf("/") + 1);
  }

  /** A6, the folder's own handle (N77), and the lock (A7). Refuses with I201, or I205 for the lock. */
  open(): Outcome<void> {
    const { input, path, identity } = this.#source;
    const found = attempt("SPX-I201", `cannot look at ${input}`, () => {
      if (this.#files.realpath(path) !== path || !isSameFile(this.#files.lstat(path), identity)) {
        return refuse("SPX-I201", `${input} is not the same file`);
      }
      return this.#openFolder();
    });
    if (!found.ok) return found;
    return attempt("SPX-I205", `cannot lock ${input}`, () => {
      const lock = lockPath(this.#ownSource());
      this.#lock = { path: lock, descriptor: this.#keep(this.#files.createLock(lock)) };
      return success(undefined);
    });
  }

  /** A8: the source by a handle of its own, read completely. I201, or G133 for other bytes than are held. */
  readSource(): Outcome<Uint8Array> {
    const { input, identity, bytes: base } = this.#source;
    return attempt("SPX-I201", `cannot read ${input}`, () => {
      this.#sourceDescriptor = this.#keep(this.#files.openFile(this.#ownSource()));
      const stats = this.#files.fstat(this.#sourceDescriptor);
      if (!isSameFile(stats, identity)) return refuse("SPX-I201", `${input} is not the same file`);
      const bytes = readBounded(this.#files, this.#sourceDescriptor, stats.size, SOURCE_BYTES_MAX);
      if (bytes === null || !equalBytes(bytes, base)) return refuse("SPX-G133", `${input} has other bytes`);
      return success(bytes);
    });
  }

  /** A11 to A20: puts `candidate` in place of the source. No step is made twice, and none is undone (N35). */
  commit(candidate: Uint8Array): Commit {
    const steps: readonly (() => Outcome<void>)[] = [
      () => this.#createStage(),
      () => this.#fillStage(candidate),
      () => this.#checkStage(candidate),
      () => this.#checkSource(),
      // Once more, with nothing between this and the one call that replaces the source (N60).
      () => this.#checkStage(candidate),
      () => this.#checkSource(),
      () => this.#replaceSource(),
    ];
    for (const step of steps) {
      const outcome = step();
      if (!outcome.ok) return { kind: "failed", failure: outcome.failure };
    }
    const synced = attempt("SPX-I204", `cannot sync ${this.#source.input}`, () => {
      this.#files.sync(this.#folderDescriptor);
      return success(undefined);
    });
    return synced.ok ? { kind: "done" } : { kind: "unsynced", failure: synced.failure };
  }

  /** A stage that did not become the source (N31), the lock (A21, N26), all handles. What fails here changes nothing. */
  close(): void {
    this.#remove(this.#stage);
    this.#remove(this.#lock);
    this.#stage = this.#lock = null;
    closeAll(this.#files, this.#descriptors.splice(0));
  }

  // What is looked at by path before and after the opening cannot have been swapped for another in between (P44).
  #openFolder(): Outcome<void> {
    const { path, identity } = this.#directory;
    const before = this.#files.lstat(path);
    const descriptor = this.#keep(this.#files.openDirectory(path));
    const seen = [before, this.#files.fstat(descriptor), this.#files.lstat(path)];
    this.#folderDescriptor = descriptor;
    this.#folder = this.#anchor(descriptor);
    return seen.every((now) => isSameDirectory(now, identity))
      ? success(undefined)
      : refuse("SPX-I201", `a folder above ${this.#source.input} changed`);
  }

  /** A path that leads to the folder by its handle (P45); its own where there is no such path on this system. */
  #anchor(descriptor: number): string {
    const anchor = `/proc/self/fd/${descriptor}`;
    if (process.platform !== "linux") return this.#directory.path;
    try {
      this.#files.lstat(`${anchor}/.`);
      return anchor;
    } catch (error) {
      if (errorCode(error) === "ENOENT") return this.#directory.path;
      throw error;
    }
  }

  /** A11. */
  #createStage(): Outcome<void> {
    const { input } = this.#source;
    for (let number = 0; number < STAGES_MAX; number++) {
      const path = stagePath(this.#ownSource(), number);
      try {
        this.#stage = { path, descriptor: this.#keep(this.#files.createStage(path)) };
        return success(undefined);
      } catch (error) {
        const code = errorCode(error);
        if (code !== "EEXIST") return refuse("SPX-I203", `cannot stage ${input} (${code})`);
      }
    }
    return refuse("SPX-I203", `all stages of ${input} are taken`);
  }

  /** A12 to A14. */
  #fillStage(candidate: Uint8Array): Outcome<void> {
    const { input, identity } = this.#source;
    const { descriptor } = this.#staged();
    return attempt("SPX-I203", `cannot stage ${input}`, () => {
      for (let at = 0; at < candidate.length; ) {
        const count = this.#files.write(descriptor, candidate.subarray(at), at);
        if (count === 0) return refuse("SPX-I203", `stage of ${input} takes no bytes`);
        at += count;
      }
      this.#files.setMode(descriptor, Number(identity.mode & PERMISSIONS));
      this.#files.sync(descriptor);
      return success(undefined);
    });
  }

  /** A15, A17: the stage by its name is the one that was written, and nobody else has written to it. */
  #checkStage(candidate: Uint8Array): Outcome<void> {
    const { input, identity } = this.#source;
    const { path, descriptor } = this.#staged();
    return attempt("SPX-I203", `bad stage of ${input}`, () => {
      const own = this.#files.fstat(descriptor);
      const isWhole =
        holdsExactly(this.#files, descriptor, candidate, this.#scratch) &&
        own.mode === identity.mode &&
        own.nlink === 1n &&
        isSameFile(this.#files.lstat(path), own);
      return isWhole ? success(undefined) : refuse("SPX-I203", `stage of ${input} changed`);
    });
  }

  /** A16, A18: the source is the held one by handle, in the folder that is held, and by its full path. */
  #checkSource(): Outcome<void> {
    const { input, path, identity, bytes } = this.#source;
    return attempt("SPX-I207", `cannot check ${input}`, () => {
      const isBase =
        isSameFile(this.#files.fstat(this.#sourceDescriptor), identity) &&
        holdsExactly(this.#files, this.#sourceDescriptor, bytes, this.#scratch) &&
        isSameFile(this.#files.lstat(this.#ownSource()), identity) &&
        isSameFile(this.#files.lstat(path), identity);
      return isBase ? success(undefined) : refuse("SPX-I207", `${input} changed meanwhile`);
    });
  }

  /** A19. */
  #replaceSource(): Outcome<void> {
    return attempt("SPX-I204", `cannot replace ${this.#source.input}`, () => {
      this.#files.rename(this.#staged().path, this.#ownSource());
      this.#stage = null;
      return success(undefined);
    });
  }

  #staged(): Created {
    if (this.#stage === null) throw new Error("there is no stage");
    return this.#stage;
  }

  /** The source, reached through the folder's handle. */
  #ownSource(): string {
    return `${this.#folder}/${this.#name}`;
  }

  #keep(descriptor: number): number {
    this.#descriptors.push(descriptor);
    return descriptor;
  }

  /** Removes a file that is still the one that was created: never somebody else's of that name (N25, N31). */
  #remove(created: Created | null): void {
    if (created === null) return;
    try {
      const own = this.#files.fstat(created.descriptor);
      if (isSameInode(this.#files.lstat(created.path), own)) this.#files.unlink(created.path);
    } catch (error) {
      // It stays, or is gone already. The outcome is decided without it.
      errorCode(error);
    }
  }
}

function isSameInode(left: Identity, right: Identity): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

/** Makes a failing system call a refusal with the code of its step (P43). */
function attempt<T>(code: Code, words: string, step: () => Outcome<T>): Outcome<T> {
  try {
    return step();
  } catch (error) {
    return refuse(code, `${words} (${errorCode(error)})`);
  }
}
