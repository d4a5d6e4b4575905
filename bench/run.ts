// bun bench [--short] [--only TEXT] [--json FILE]
// Runs every hot path, ours in turns with its rivals, and prints medians with ratios. --short only shows that everything
// runs and that the contenders agree; its numbers mean nothing. --json also writes them for bench/compare.ts.
import { writeFileSync } from "node:fs";
import {
  formatMeasured,
  formatRun,
  type HotPath,
  type Measured,
  measureCase,
  RESULT_SCHEMA,
  type ResultFile,
} from "./harness.ts";

/** Each module's default export is one hot path or several. */
const PATHS: readonly (() => Promise<{ default: HotPath | readonly HotPath[] }>)[] = [
  () => import("./frames.ts"),
  () => import("./requests.ts"),
  () => import("./authenticate.ts"),
  () => import("./load.ts"),
  () => import("./graph.ts"),
  () => import("./context.ts"),
  () => import("./interpret.ts"),
  () => import("./format.ts"),
  () => import("./rename.ts"),
  () => import("./session.ts"),
  () => import("./protocol.ts"),
];

interface Arguments {
  readonly short: boolean;
  readonly only: string;
  readonly json: string | null;
}

function parseArguments(argv: readonly string[]): Arguments {
  const options = { short: false, only: "", json: null as string | null };
  for (let index = 0; index < argv.length; index++) {
    const name = argv[index];
    const value = argv[index + 1];
    if (name === "--short") options.short = true;
    else if (name === "--only" && value !== undefined) options.only = argv[++index] ?? "";
    else if (name === "--json" && value !== undefined) options.json = argv[++index] ?? null;
    else throw new Error(`usage: bun bench [--short] [--only TEXT] [--json FILE]; not understood: ${name}`);
  }
  return options;
}

async function main(): Promise<void> {
  const options = parseArguments(process.argv.slice(2));
  const say = (text: string) => console.log(text);
  const results: Measured[] = [];
  const leftOut: string[] = [];
  for (const load of PATHS) {
    for (const path of [(await load()).default].flat()) {
      if (!path.name.includes(options.only)) continue;
      say(path.name);
      const cases = await path.prepare(options, (what) => leftOut.push(`${path.name}: ${what}`));
      for await (const item of cases) {
        const measured = await measureCase(path.name, item, options);
        results.push(measured);
        say(options.short ? formatRun(measured) : formatMeasured(measured));
      }
    }
  }
  if (options.json !== null) {
    const { short } = options;
    const document: ResultFile = { schema: RESULT_SCHEMA, bun: Bun.version, short, leftOut, results };
    writeFileSync(options.json, `${JSON.stringify(document, null, 1)}\n`);
  }
  for (const what of leftOut) say(`left out: ${what}`);
  say(`${results.length} cases ${options.short ? "ran" : "measured"}`);
}

await main();
