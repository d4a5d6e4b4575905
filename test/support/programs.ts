/** Programs from source text, admitted and compiled, for tests and benchmarks of the evaluator. */
import { utf8 } from "../../src/kernel/bytes.ts";
import { checkProject } from "../../src/lang/check.ts";
import type { AdmittedProject } from "../../src/lang/checked.ts";
import { compileClosure } from "../../src/lang/compile.ts";
import { admitProject } from "../../src/lang/link.ts";
import type { Program } from "../../src/lang/machine.ts";
import { parse } from "../../src/lang/parser.ts";
import { resolveProject } from "../../src/lang/resolve.ts";
import { must } from "./graph-project.ts";

export interface TestProgram {
  readonly project: AdmittedProject;
  /** The test closure. */
  readonly program: Program;
}

const APP = 'module p.app;\n@id("p.app.main") fn main() -> i64 { 0 }\n';
const USE = 'use function @id("p.f") from p.core as f;\n';

/**
 * A project of three modules whose test module is `use` lines and `tests`, functions with a `main` that has an id.
 * `core` is the text of the functions of module `p.core`.
 */
export function testProgram(tests: string, core = '@id("p.f") fn f(a: i64) -> i64 { a }'): TestProgram {
  const sources = [
    { path: "app.spx", bytes: utf8(APP) },
    { path: "core.spx", bytes: utf8(`module p.core;\n${core}\n`) },
    { path: "tests.spx", bytes: utf8(`module p.tests;\n${USE}${tests}\n`) },
  ];
  const facts = { entry: "p.app", testModule: "p.tests", webExports: ["p.app.main"] };
  const files = sources.map((source) => must(parse(source)));
  const checked = must(checkProject(must(resolveProject(files))));
  const project = must(admitProject(checked, facts));
  return { project, program: compileClosure(project, project.test) };
}

/** The same with a `main` that is only a body, without its braces. */
export function testBody(body: string, core?: string): TestProgram {
  return testProgram(`@id("p.tests.main") fn main() -> i64 { ${body} }`, core);
}
