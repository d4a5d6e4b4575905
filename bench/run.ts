// bun bench [--short] [--only TEXT] [--json FILE]
// Runs every hot path, ours beside its rivals, and prints times with ratios. --short only shows that everything runs;
// its numbers mean nothing. --json also writes them for bench/compare.ts.
import { writeFileSync } from "node:fs";
import { formatMeasured, type HotPath, type Measured, measureCase } from "./harness.ts";

/** Each module's default export is one hot path or several. */
const PATHS: readonly (() => Promise<{ default: HotPath | readonly HotPath[] }>)[] = [
  () => import("./frames.ts"),
  () => import("./authenticate.ts"),
  () => import("./protocol.ts"),
  () => import("./interpret.ts"),
  () => import("./graph.ts"),
  () => import("./context.ts"),
];

interface Options {
  readonly short: boolean;
  readonly only: string;
  readonly json: string | null;
}

function parseArguments(argv: readonly string[]): Options {
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
  const results: Measured[] = [];
  for (const load of PATHS) {
    const exported = (await load()).default;
    for (const path of Array.isArray(exported) ? exported : [exported as HotPath]) {
      if (!path.name.includes(options.only)) continue;
      console.log(path.name);
      for (const item of await path.prepare({ short: options.short })) {
        const measured = await measureCase(path.name, item, options.short);
        results.push(measured);
        console.log(formatMeasured(measured));
      }
    }
  }
  if (options.json !== null) {
    const document = { schema: "semaprax.bench.v1", bun: Bun.version, short: options.short, results };
    writeFileSync(options.json, `${JSON.stringify(document, null, 1)}\n`);
  }
  console.log(`${results.length} cases measured`);
}

await main();
