// bun bench/compare.ts BEFORE.json AFTER.json [--worse PERCENT]
// Compares two result files by each case's ratio to its first rival, so that files from different machines can be
// compared. Exits 1 where a ratio got worse by more than PERCENT (default 25), or a case is missing.
import { readFileSync } from "node:fs";
import { RESULT_SCHEMA, type ResultFile } from "./harness.ts";

const WORSE_PERCENT_DEFAULT = 25;

function read(file: string): Map<string, number> {
  const document = JSON.parse(readFileSync(file, "utf8")) as ResultFile;
  if (document.schema !== RESULT_SCHEMA) throw new Error(`${file}: not a result file`);
  if (document.short) throw new Error(`${file}: made by --short, so it says nothing`);
  return new Map(document.results.map((result) => [`${result.path}: ${result.name}`, result.ratio]));
}

function main(argv: readonly string[]): number {
  const [before, after, flag, percent] = argv;
  if (before === undefined || after === undefined || (flag !== undefined && flag !== "--worse")) {
    console.error("usage: bun bench/compare.ts BEFORE.json AFTER.json [--worse PERCENT]");
    return 2;
  }
  const limit = 1 - Number(percent ?? WORSE_PERCENT_DEFAULT) / 100;
  const [old, now] = [read(before), read(after)];
  let worse = 0;
  for (const [name, ratio] of now) {
    const earlier = old.get(name);
    if (earlier === undefined) {
      console.log(`new      ${name}: x${ratio.toFixed(2)}`);
      continue;
    }
    const change = ratio / earlier;
    if (change < limit) worse++;
    const word = change < limit ? "WORSE   " : change > 1 / limit ? "better  " : "same    ";
    console.log(`${word} ${name}: x${earlier.toFixed(2)} -> x${ratio.toFixed(2)}`);
  }
  for (const name of old.keys()) {
    if (now.has(name)) continue;
    worse++;
    console.log(`MISSING  ${name}`);
  }
  return worse === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
