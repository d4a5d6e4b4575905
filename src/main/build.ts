/**
 * Builds the two programs. `bun run build` writes dist/semapraxd.js and dist/semaprax.js: one file each, which requires
 * built-in modules alone (D69) and is what the launchers prefer, since a start then resolves no module. `bun run compile`
 * writes dist/semapraxd and dist/semaprax: executables with the runtime inside, which need no launcher (D78).
 */
import { join } from "node:path";

const PROGRAMS = ["semapraxd", "semaprax"] as const;
export type Program = (typeof PROGRAMS)[number];

const PACKAGE = join(import.meta.dir, "..", "..");

const SHARED = {
  target: "bun",
  // The TOML reader asks for `util` inside an `eval`, to name a method that only printing would use, and does without
  // where it gets nothing. Dropping the call leaves no evaluated code (D69).
  drop: ["eval"],
  // Names are kept: they make the stack of a bug readable and cost a start nothing that could be measured.
  minify: { whitespace: true, syntax: true, identifiers: false },
  // Spares a start the parsing: a fifth of its processor time. Bun takes it with CommonJS only, beside the file.
  bytecode: true,
  format: "cjs",
} as const satisfies Partial<Bun.BuildConfig>;

/**
 * Writes FOLDER/PROGRAM.js, for a launcher to start, and returns its path. The bytecode beside it is used only where it was
 * made from that very text by the same runtime.
 */
export async function bundle(program: Program, folder: string): Promise<string> {
  const name = `${program}.js`;
  await Bun.build({ ...SHARED, entrypoints: [entry(program, "main")], outdir: folder, naming: name });
  return join(folder, name);
}

/**
 * Writes the executable FOLDER/PROGRAM and returns its path. By default an executable would load `.env` and `bunfig.toml`
 * from its working directory (D70).
 */
export async function compile(program: Program, folder: string): Promise<string> {
  const outfile = join(folder, program);
  await Bun.build({
    ...SHARED,
    entrypoints: [entry(program, "executable")],
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      autoloadTsconfig: false,
      autoloadPackageJson: false,
    },
  });
  return outfile;
}

function entry(program: Program, kind: "main" | "executable"): string {
  return join(PACKAGE, "src", "main", `${program}-${kind}.ts`);
}

if (import.meta.main) {
  const make = process.argv.includes("--compile") ? compile : bundle;
  for (const program of PROGRAMS) console.log(await make(program, join(PACKAGE, "dist")));
}
