/** A file system for applies that shows every call before and after it is made: to count, to fail, to interfere, to die. */
import { type PublishFiles, systemPublishFiles } from "../../src/project/publish-fs.ts";

export interface PublishCall {
  readonly name: keyof PublishFiles;
  /** Absolute; for calls on a descriptor, the path that it was opened by. A path through a handle is spelt out. */
  readonly path: string;
  /** Whether the path led through a handle. */
  readonly anchored: boolean;
}

export interface Hooks {
  /** May throw a system error in place of the call. */
  readonly before?: (call: PublishCall) => void;
  readonly after?: (call: PublishCall) => void;
  /** How many bytes of so many a write takes. */
  readonly writeBytes?: (count: number) => number;
}

export interface InstrumentedPublish extends PublishFiles {
  /** Descriptors that are open now. */
  readonly descriptors: ReadonlySet<number>;
  /** Every call from now on goes by these hooks. */
  watch(hooks: Hooks): void;
}

export function instrumentPublish(base: PublishFiles = systemPublishFiles): InstrumentedPublish {
  let hooks: Hooks = {};
  const paths = new Map<number, string>();
  const descriptors = new Set<number>();

  function shown(name: keyof PublishFiles, at: string | number): PublishCall {
    if (typeof at === "number") return { name, path: paths.get(at) ?? "?", anchored: false };
    const handle = /^\/proc\/self\/fd\/(\d+)\//.exec(at);
    if (handle === null) return { name, path: at, anchored: false };
    const path = `${paths.get(Number(handle[1])) ?? "?"}/${at.slice(handle[0].length)}`;
    return { name, path, anchored: true };
  }

  function around<T>(name: keyof PublishFiles, at: string | number, call: () => T): T {
    const seen = shown(name, at);
    hooks.before?.(seen);
    const result = call();
    hooks.after?.(seen);
    return result;
  }

  function opening(name: keyof PublishFiles, path: string, open: () => number): number {
    return around(name, path, () => {
      const descriptor = open();
      paths.set(descriptor, shown(name, path).path);
      descriptors.add(descriptor);
      return descriptor;
    });
  }

  return {
    descriptors,
    watch(next) {
      hooks = next;
    },
    workingDirectory: () => around("workingDirectory", "", base.workingDirectory),
    realpath: (path) => around("realpath", path, () => base.realpath(path)),
    lstat: (path) => around("lstat", path, () => base.lstat(path)),
    fstat: (descriptor) => around("fstat", descriptor, () => base.fstat(descriptor)),
    openDirectory: (path) => opening("openDirectory", path, () => base.openDirectory(path)),
    openFile: (path) => opening("openFile", path, () => base.openFile(path)),
    createLock: (path) => opening("createLock", path, () => base.createLock(path)),
    createStage: (path) => opening("createStage", path, () => base.createStage(path)),
    read: (descriptor, into, at, position) =>
      around("read", descriptor, () => base.read(descriptor, into, at, position)),
    write: (descriptor, bytes, position) =>
      around("write", descriptor, () => {
        const count = hooks.writeBytes?.(bytes.length) ?? bytes.length;
        return base.write(descriptor, bytes.subarray(0, count), position);
      }),
    setMode: (descriptor, mode) => around("setMode", descriptor, () => base.setMode(descriptor, mode)),
    sync: (descriptor) => around("sync", descriptor, () => base.sync(descriptor)),
    rename: (from, to) => around("rename", from, () => base.rename(from, to)),
    unlink: (path) => around("unlink", path, () => base.unlink(path)),
    close: (descriptor) => {
      // The system lets go of a descriptor whatever it says, and so does a process that dies.
      descriptors.delete(descriptor);
      base.close(descriptor);
      const seen = shown("close", descriptor);
      hooks.before?.(seen);
      hooks.after?.(seen);
    },
  };
}
