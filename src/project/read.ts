import type { FileSystem } from "./file-system.ts";

/**
 * All bytes of an open file, or null where it is longer than `bytesMax` (P10). `size` is what the system says of the
 * file and only a hint: the file may grow or shrink meanwhile, so the bound is kept by the reading itself. Never
 * allocates or reads more than `bytesMax + 1` bytes.
 */
export function readBounded(
  files: FileSystem,
  descriptor: number,
  size: bigint,
  bytesMax: number,
): Uint8Array | null {
  if (size > BigInt(bytesMax)) return null;
  // One byte of room beyond the end: that is where the read that returns 0 is aimed.
  let bytes: Uint8Array = new Uint8Array(Number(size) + 1);
  let length = 0;
  for (;;) {
    const count = files.read(descriptor, bytes, length, length);
    if (count === 0) return bytes.subarray(0, length);
    length += count;
    if (length > bytesMax) return null;
    if (length === bytes.length) {
      const larger = new Uint8Array(Math.min(length * 2, bytesMax) + 1);
      larger.set(bytes);
      bytes = larger;
    }
  }
}

/**
 * Whether an open file holds exactly `bytes` and ends there (D56): reread completely by position through `scratch`,
 * without an allocation.
 */
export function holdsExactly(
  files: FileSystem,
  descriptor: number,
  bytes: Uint8Array,
  scratch: Buffer,
): boolean {
  let position = 0;
  for (;;) {
    const count = files.read(descriptor, scratch, 0, position);
    if (count === 0) return position === bytes.length;
    const end = position + count;
    if (end > bytes.length || scratch.compare(bytes, position, end, 0, count) !== 0) return false;
    position = end;
  }
}
