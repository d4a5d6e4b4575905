import { describe, expect, test } from "bun:test";
import recorded from "../../fixtures/language.json";
import { utf8 } from "../../src/kernel/bytes.ts";
import type { Diagnostic } from "../../src/kernel/failure.ts";
import { admitSource } from "../../src/lang/admit.ts";
import { NO_TOTALS, type Totals } from "../../src/lang/limits.ts";

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, unknown>>;
  /** Absent for an accepted project. */
  readonly diagnostics?: readonly { readonly code: string }[];
}

const cases: readonly Case[] = recorded;

/** The diagnostic of the first source in path order that is refused on its own. */
function firstRefusal(files: Case["files"]): Diagnostic | null {
  const listed = /^sources = \[(.*)\]$/m.exec(String(files["semaprax.toml"]))?.[1] ?? "";
  const paths = [...listed.matchAll(/"([^"]*)"/g)].map(([, path]) => path!).sort();
  let totals = NO_TOTALS;
  for (const path of paths) {
    const admitted = admitSource({ path, bytes: utf8(String(files[path])) }, totals);
    if (!admitted.ok) return admitted.failure[0];
    totals = admitted.value.totals;
  }
  return null;
}

describe("recorded projects (language.md 12.1, phase 3)", () => {
  const refusedLater = cases.filter(({ diagnostics }) => !isCode(diagnostics, /^SPX-(P|G170|G218|J)/));
  const refusedHere = cases.filter(({ diagnostics }) => isCode(diagnostics, /^SPX-(P|G170|G218)/));
  test.each(refusedHere.map(({ name, ...rest }) => [name, rest] as const))(
    "%s",
    (_, { files, diagnostics }) => {
      const found = firstRefusal(files);
      const { line, column, start, end } = found?.span ?? {
        line: null,
        column: null,
        start: null,
        end: null,
      };
      const { code, severity, path } = found ?? {};
      expect(diagnostics as readonly unknown[]).toEqual([{ code, severity, path, line, column, start, end }]);
    },
  );

  test("all others pass this phase", () => {
    expect(refusedLater.length).toBeGreaterThan(190);
    for (const { name, files } of refusedLater) expect([name, firstRefusal(files)]).toEqual([name, null]);
  });
});

function isCode(diagnostics: Case["diagnostics"], pattern: RegExp): boolean {
  return diagnostics !== undefined && pattern.test(diagnostics[0]!.code);
}

describe("the order of the steps of one file (language.md 12.1)", () => {
  const f = "fn f() -> i64 { 0 }";
  const native = "interface I permits { } { import rust fn g() -> unit effects { } failure infallible; }";
  const foreign =
    "interface I permits { } { import fn g(r: own R) -> unit effects { } failure infallible consumes r always; }";
  const full: Totals = { declarations: 4096, callables: 1024, callSites: 65_536, uses: 4096 };
  const rows: readonly (readonly [text: string, code: string, message: string])[] = [
    [`module m ${native} ${f} } #`, "SPX-P001", "illegal character U+0023"],
    [`module m ${native} ${f} }`, "SPX-P104", 'expected "fn", not "}"'],
    [`module m ${native} ${f}`, "SPX-G218", "src/a.spx imports a native function"],
    [`module m ${foreign} ${f}`, "SPX-G170", "src/a.spx is not canonical at line 1"],
    [`module m;\n\n${f}\n`, "SPX-G170", "src/a.spx is not canonical at line 3"],
    ["module m;\n\nfn f() -> i64\n{\n    0\n}\n", "SPX-G171", "more than 4096 declarations in a project"],
  ];
  test.each(rows)("%j", (text, code, message) => {
    const admitted = admitSource({ path: "src/a.spx", bytes: utf8(text) }, full);
    if (admitted.ok) throw new Error("admitted");
    expect(admitted.failure).toMatchObject([{ code, message }]);
    if (!code.startsWith("SPX-P")) expect(admitted.failure).toMatchObject([{ path: null, span: null }]);
  });

  test("a file that is fine comes with its totals", () => {
    const bytes = utf8("module m;\n\nfn f() -> i64\n{\n    f()\n}\n");
    const admitted = admitSource({ path: "a.spx", bytes }, { ...NO_TOTALS, uses: 7 });
    if (!admitted.ok) throw new Error("refused");
    expect(admitted.value.totals).toEqual({ declarations: 1, callables: 1, callSites: 1, uses: 7 });
    expect(admitted.value.file.source.bytes).toBe(bytes);
  });
});
