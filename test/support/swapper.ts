/**
 * Swaps what a path is, as fast as it can. Arguments: PATH OUTSIDE. For each byte on stdin the file or folder becomes a link
 * to OUTSIDE and itself again, over and over for some milliseconds; then a byte is written. Meanwhile it is called
 * `PATH-moved`, in the end it is as it was.
 */
import { readSync, renameSync, rmSync, symlinkSync, writeSync } from "node:fs";

const SWAPPING_MS = 15;

const [path = "", outside = ""] = process.argv.slice(2);
const moved = `${path}-moved`;
const byte = new Uint8Array(1);
while (readSync(0, byte) === 1) {
  const end = performance.now() + SWAPPING_MS;
  while (performance.now() < end) {
    renameSync(path, moved);
    try {
      symlinkSync(outside, path);
      rmSync(path);
    } catch (error) {
      // An apply that had made its last check put the candidate there just now (N60).
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    } finally {
      renameSync(moved, path);
    }
  }
  writeSync(1, byte);
}
