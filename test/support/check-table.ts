/** Tables of one-module sources and what checking finds in them, as `shown` writes it. */
import { describe, expect, test } from "bun:test";
import { checkTexts, shown } from "./language.ts";

export type Row = readonly [title: string, source: string, expected: readonly string[]];

export function findings(source: string): readonly string[] {
  const texts = { "m.spx": `module m;\n${source}` };
  return shown(texts, checkTexts(texts));
}

/** A function with an id and a parameter of each scalar type. */
export function inFunction(body: string): string {
  return `@id("f") fn f(n: i64, p: bool, x: f64, y: f32, c: char) -> i64 { ${body} }`;
}

export function table(
  title: string,
  rows: readonly Row[],
  wrap: (source: string) => string = (source) => source,
): void {
  describe(title, () => {
    test.each(rows)("%s", (_, source, expected) => {
      expect(findings(wrap(source))).toEqual([...expected]);
    });
  });
}
