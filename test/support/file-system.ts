/** A file system that shows every call before it is made, so that a test can count, fail or interfere. */
import { readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { type FileSystem, systemFiles } from "../../src/project/file-system.ts";

export interface Call {
  readonly name: keyof FileSystem;
  /** The path; for calls on a descriptor, the path that it was opened by. */
  readonly path: string;
  /** How many calls there were before, of any kind. */
  readonly index: number;
}

export interface Instrumented extends FileSystem {
  /** Descriptors that are open now. */
  readonly descriptors: ReadonlySet<number>;
}

/** `before` may throw a system error in place of the call, or change the disk first. */
export function instrument(before: (call: Call) => void, base: FileSystem = systemFiles): Instrumented {
  let index = 0;
  const paths = new Map<number, string>();
  const show = (name: keyof FileSystem, path: string) => before({ name, path, index: index++ });
  const opened = (path: string, descriptor: number) => {
    paths.set(descriptor, path);
    descriptors.add(descriptor);
    return descriptor;
  };
  const descriptors = new Set<number>();
  return {
    descriptors,
    workingDirectory: () => {
      show("workingDirectory", "");
      return base.workingDirectory();
    },
    realpath: (path) => {
      show("realpath", path);
      return base.realpath(path);
    },
    lstat: (path) => {
      show("lstat", path);
      return base.lstat(path);
    },
    fstat: (descriptor) => {
      show("fstat", paths.get(descriptor) ?? "?");
      return base.fstat(descriptor);
    },
    openDirectory: (path) => {
      show("openDirectory", path);
      return opened(path, base.openDirectory(path));
    },
    openFile: (path) => {
      show("openFile", path);
      return opened(path, base.openFile(path));
    },
    read: (descriptor, into, at, position) => {
      show("read", paths.get(descriptor) ?? "?");
      return base.read(descriptor, into, at, position);
    },
    close: (descriptor) => {
      descriptors.delete(descriptor);
      base.close(descriptor);
      show("close", paths.get(descriptor) ?? "?");
    },
  };
}

/** An error as a system call reports it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

/** How many descriptors of files and directories this process has open. */
export function descriptorCount(): number {
  return readdirSync("/proc/self/fd").filter(leadsToDisk).length;
}

function leadsToDisk(descriptor: string): boolean {
  try {
    return readlinkSync(join("/proc/self/fd", descriptor)).startsWith("/");
  } catch {
    // The one that was open for looking.
    return false;
  }
}
