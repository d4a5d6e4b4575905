import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Outcome } from "../../src/kernel/failure.ts";
import { parse } from "../../src/lang/parser.ts";
import { admitTexts, type Texts } from "../support/language.ts";
import { numbers } from "../support/fuzz.ts";
import { FIXTURES } from "../support/projects.ts";

const RUNS = 1000;
const MUTATIONS_MAX = 4;
/** Words and marks that lead a program from one meaning to another. */
const POOL =
  'n p a b f g main result let own zz i64 bool f64 char Option<i64> Option Result foo true 1 1.5 \'c\' -n !p n? o.value "" "core.option" f(n) 0 { n } Option<i64>::None {} Option<i64>::Some { value: n } match n { _ => 0, } + && == % uses { e } requires n ensures result'.split(
    /(?<![:{}]) (?![:{}])/,
  );
const TOKEN = /"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|\d+|[-+*/%!<>=&|]+/g;

const encoder = new TextEncoder();

function mutated(text: string, random: (bound: number) => number): string {
  const tokens = [...text.matchAll(TOKEN)];
  const token = tokens[random(tokens.length)]!;
  const replacement = random(2) === 0 ? POOL[random(POOL.length)]! : tokens[random(tokens.length)]![0];
  return text.slice(0, token.index) + replacement + text.slice(token.index + token[0].length);
}

function isParsable(texts: Texts): boolean {
  return Object.entries(texts).every(([path, text]) => parse({ path, bytes: encoder.encode(text) }).ok);
}

/** Sources of the recorded projects, in path order. */
function parsableProjects(): readonly Record<string, string>[] {
  const recorded: readonly { readonly files: Readonly<Record<string, unknown>> }[] = JSON.parse(
    readFileSync(join(FIXTURES, "language.json"), "utf8"),
  );
  return recorded
    .map(({ files }) => {
      const paths = Object.keys(files).filter((path) => path.endsWith(".spx"));
      return Object.fromEntries(paths.sort().map((path) => [path, String(files[path])]));
    })
    .filter(isParsable);
}

/** Every diagnostic is bare or lies inside the file that it names, and its words fit one short line (D29). */
function expectSound(texts: Texts, outcome: Outcome<unknown>): void {
  if (outcome.ok) return;
  for (const { code, path, span, spanPath, message } of outcome.failure) {
    expect(code).toMatch(/^SPX-[A-Z]\d{3}$/);
    expect(message).toMatch(/^[^\n\r]{1,104}$/);
    expect(span === null).toBe(path === null);
    if (path === null || span === null) continue;
    expect(Object.keys(texts)).toContain(path);
    const { length } = encoder.encode(texts[spanPath ?? path]);
    expect(0 <= span.start && span.start < span.end && span.end <= length).toBe(true);
  }
}

test("programs with a few tokens exchanged are admitted or refused with sound diagnostics", () => {
  const projects = parsableProjects();
  const random = numbers();
  let refused = 0;
  let admitted = 0;
  for (let run = 0; run < RUNS; run++) {
    const texts = { ...projects[random(projects.length)]! };
    const paths = Object.keys(texts);
    for (let count = random(MUTATIONS_MAX) + 1; count > 0; count--) {
      const path = paths[random(paths.length)]!;
      const changed = mutated(texts[path]!, random);
      if (isParsable({ [path]: changed })) texts[path] = changed;
    }
    const outcome = admitTexts(texts, {
      entry: "shop.app",
      testModule: "shop.tests",
      webExports: ["shop.main"],
    });
    expectSound(texts, outcome);
    if (outcome.ok) admitted++;
    else refused++;
  }
  // Neither way out is an accident.
  expect(refused).toBeGreaterThan(RUNS / 10);
  expect(admitted).toBeGreaterThan(RUNS / 100);
});
