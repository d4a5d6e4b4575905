/** Complete projects of any size that the limits admit, the same ones in each run. */
import { utf8 } from "../../src/kernel/bytes.ts";
import { formatFile } from "../../src/lang/format.ts";
import { parse } from "../../src/lang/parser.ts";
import { numbers } from "./fuzz.ts";
import { must } from "./graph-project.ts";
import type { ProjectFiles } from "./projects.ts";

export interface Scale {
  /** Besides the entry and the test module; 1 to 14. */
  readonly libraries: number;
  readonly functionsPerLibrary: number;
  /** Calls in each function, about half of them of functions of other modules. */
  readonly calls: number;
}

/** From a project as one begins with, to the largest that is admitted. */
export const SCALES = {
  small: { libraries: 1, functionsPerLibrary: 8, calls: 2 },
  large: { libraries: 14, functionsPerLibrary: 4, calls: 5 },
  beyond: { libraries: 14, functionsPerLibrary: 18, calls: 6 },
  /** 1,024 functions, the most that are admitted. */
  full: { libraries: 14, functionsPerLibrary: 73, calls: 8 },
} as const satisfies Readonly<Record<string, Scale>>;

/** Manifest and sources by path, in canonical form. The test module's `main` returns 0 after a few steps. */
export function scaleProject({ libraries, functionsPerLibrary, calls }: Scale): ProjectFiles {
  const random = numbers(7);
  const files = new Map<string, Uint8Array>();
  const add = (name: string, text: string): void => {
    const path = `src/${name}.spx`;
    files.set(path, formatFile(must(parse({ path, bytes: utf8(text) }))));
  };
  const top = 'use function @id("p.a.f0") from p.a as top;\n';
  add("app", `module p.app;\n${top}@id("p.app.main") fn main() -> i64 { top(0) }`);
  add("tests", `module p.tests;\n${top}@id("p.tests.main") fn main() -> i64 { top(0) }`);
  for (let library = 0; library < libraries; library++) {
    add(nameOf(library), libraryText(random, library, functionsPerLibrary, calls));
  }
  const sources = [...files.keys()].sort().map((path) => `"${path}"`);
  const manifest = [
    'schema = "semaprax.project.v1"\nname = "scale"\nentry = "p.app"',
    `sources = [${sources.join(", ")}]\nweb_exports = ["p.a.f0", "p.app.main"]\ntests = ["p.tests"]\n`,
  ];
  return new Map([["semaprax.toml", utf8(manifest.join("\n"))], ...files]);
}

function nameOf(library: number): string {
  return String.fromCharCode(0x61 + library);
}

/** A function calls functions before it, in its own module and in earlier ones. */
function libraryText(
  random: (bound: number) => number,
  library: number,
  functions: number,
  calls: number,
): string {
  const own = nameOf(library);
  const uses = new Set<string>();
  const callee = (index: number): string | null => {
    if (library > 0 && random(2) === 0) {
      const other = nameOf(random(library));
      const at = random(functions);
      uses.add(`use function @id("p.${other}.f${at}") from p.${other} as x${other}${at};\n`);
      return `x${other}${at}`;
    }
    return index === 0 ? null : `f${random(index)}`;
  };
  const texts = Array.from({ length: functions }, (_, index) => {
    const lets: string[] = [];
    for (let call = 0; call < calls; call++) {
      const name = callee(index);
      const before = call === 0 ? "n" : `v${call - 1}`;
      const value = name === null ? `${before} + 0` : call % 2 === 0 ? `${name}(${before} - ${call})` : null;
      lets.push(
        `let v${call} = ${value ?? `if ${before} > 9 { ${name}(${before} - 1) } else { ${before} }`};`,
      );
    }
    return `@id("p.${own}.f${index}") fn f${index}(n: i64) -> i64 { ${lets.join(" ")} v${calls - 1} }\n`;
  });
  return `module p.${own};\n${[...uses].join("")}${texts.join("")}`;
}
