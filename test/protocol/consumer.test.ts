// R5: the packed package and an example consumer stand alone, in a temporary folder, with zod and the type checker from what
// is installed; and once more with only those files of the package that its protocol entry points reach.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const EXAMPLE = join(ROOT, "fixtures", "examples", "protocol");
/** Types of the runtime and what they need; zod is the only package that is there when the consumer runs. */
const TYPES = ["bun-types", "@types/node", "undici-types"];

/** The type checker is a process of its own, on a machine that may be busy. */
const TIMEOUT_MS = 60_000;

const EXPECTED = `c1-1 {"version":"1.0","capabilities":["project_events.v1"],"connection_id":"connection-1"}
c1-2 {"event_id":"event-1","delivery_attempt_id":"attempt-1","acceptance":"received","deduplicated":false}
uncertain: command-2
c2-1 {"version":"1.0","capabilities":["project_events.v1"],"connection_id":"connection-2"}
c2-2 {"event_id":"event-1","acceptance":"received","processing_status":"pending","deliveries":2,"updated_at":"2031-04-05T06:07:08Z"}
uncertain: 0
`;

interface Manifest {
  readonly exports: Readonly<Record<string, string>>;
}

/** The entry points of R4 by the name that a consumer imports. */
function entryPoints(): (readonly [name: string, file: string])[] {
  const { exports } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
  const ours = Object.entries(exports).filter(
    ([name, file]) => name.startsWith("./protocol") && existsSync(join(ROOT, file)),
  );
  return ours.map(([name, file]) => [name.replace(".", "semaprax"), file] as const);
}

function run(command: string[], cwd: string): string {
  // Nothing of this process's environment but where programs are.
  const env = { PATH: process.env["PATH"] ?? "", HOME: cwd };
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd, env });
  const text = stdout.toString();
  if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${exitCode}\n${text}${stderr}`);
  return text;
}

let temporary = "";
let packed = "";

beforeAll(() => {
  temporary = mkdtempSync(join(tmpdir(), "consumer-"));
  run([process.execPath, "pm", "pack", "--quiet", "--destination", temporary], ROOT);
  const [archive = ""] = readdirSync(temporary);
  run(["tar", "xzf", archive], temporary);
  packed = join(temporary, "package");
});

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** A folder with the consumer, zod, and the given files of the packed package. */
function consumer(name: string, files: readonly string[]): string {
  const folder = join(temporary, name);
  const installed = join(folder, "node_modules");
  mkdirSync(installed, { recursive: true });
  for (const file of files) {
    const target = join(installed, "semaprax", file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(packed, file), target, { recursive: true });
  }
  for (const needed of ["zod", ...TYPES]) {
    mkdirSync(dirname(join(installed, needed)), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", needed), join(installed, needed));
  }
  cpSync(EXAMPLE, folder, { recursive: true });
  const imports = entryPoints().map(([entry], index) => `import * as entry${index} from "${entry}";`);
  const count = `console.log([${imports.map((_, index) => `entry${index}`).join()}].every((entry) => Object.keys(entry).length > 0));`;
  writeFileSync(join(folder, "entries.ts"), `${imports.join("\n")}\n${count}\n`);
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, "tsconfig.json"), "utf8"));
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["consumer.ts", "entries.ts"] }),
  );
  writeFileSync(join(folder, "package.json"), '{ "name": "consumer", "private": true, "type": "module" }');
  return folder;
}

/** Every file that is reached from the entry points by relative imports. */
function reached(): string[] {
  const found = new Set(entryPoints().map(([, file]) => relative(ROOT, join(ROOT, file))));
  for (const file of found) {
    const text = readFileSync(join(packed, file), "utf8");
    for (const [, specifier = ""] of text.matchAll(/\bfrom\s+"(\.[^"]+)"/g))
      found.add(join(dirname(file), specifier));
  }
  return [...found];
}

function check(folder: string): void {
  expect(
    run([process.execPath, join(ROOT, "node_modules", "typescript", "bin", "tsc"), "--noEmit"], folder),
  ).toBe("");
  expect(run([process.execPath, "--no-install", "consumer.ts"], folder)).toBe(EXPECTED);
  expect(run([process.execPath, "--no-install", "entries.ts"], folder)).toBe("true\n");
}

describe("the package without its repository (R5)", () => {
  test(
    "as it is packed",
    () => {
      check(consumer("whole", readdirSync(packed)));
    },
    TIMEOUT_MS,
  );

  test(
    "with only the files that its protocol entry points reach, none of them of the daemon's side",
    () => {
      const files = reached();
      expect(files).toContain("src/protocol/index.ts");
      expect(files.filter((file) => !/^src\/(kernel|protocol)\//.test(file))).toEqual([]);
      check(consumer("reached", ["package.json", ...files]));
    },
    TIMEOUT_MS,
  );
});
