/** Responses to standard output (D19): completely, whatever the system takes at a time. */
import { writevSync } from "node:fs";
import { totalLength } from "../kernel/bytes.ts";
import type { Slices } from "./response.ts";
import { retryable, systemWords } from "./system.ts";

/** Writes a beginning of the slices and returns how many bytes that were. Throws the system's error. */
export type WriteSlices = (slices: Slices) => number;

const STDOUT = 1;
const STDERR = 2;

export const writeStdout: WriteSlices = (slices) => writevSync(STDOUT, [...slices]);
export const writeStderr: WriteSlices = (slices) => writevSync(STDERR, [...slices]);

/** Null once every byte is written, else words for why not, for example because nobody reads any more. */
export function writeResponse(write: WriteSlices, response: Slices): string | null {
  let rest = response;
  let length = totalLength(rest);
  while (length > 0) {
    try {
      const count = write(rest);
      length -= count;
      if (length > 0) rest = after(rest, count);
    } catch (error) {
      if (!retryable(error)) return `semapraxd: cannot write output: ${systemWords(error)}`;
    }
  }
  return null;
}

/** What remains of the slices after their first `count` bytes. */
function after(slices: Slices, count: number): Slices {
  let skip = count;
  let first = 0;
  while (skip >= slices[first]!.length) skip -= slices[first++]!.length;
  return [slices[first]!.subarray(skip), ...slices.slice(first + 1)];
}
