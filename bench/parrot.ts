// bun bench/parrot.ts FILE: answers every request with the bytes of a file, and does nothing else.
import { readFileSync, readSync, writeSync } from "node:fs";

const answer = readFileSync(process.argv[2]!);
const buffer = new Uint8Array(65_536);
while (readSync(0, buffer) > 0) {
  for (let done = 0; done < answer.length; ) done += writeSync(1, answer, done);
}
