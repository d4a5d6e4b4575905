import { describe, expect, test } from "bun:test";
import type { Code, Outcome } from "../../src/kernel/failure.ts";
import { NESTING_MAX } from "../../src/lang/limits.ts";
import { parse } from "../../src/lang/parser.ts";
import { NodeKind, type SyntaxFile } from "../../src/lang/syntax.ts";
import { marked, withoutWords } from "../support/marked.ts";

const decoder = new TextDecoder();

function parseText(text: string): Outcome<SyntaxFile> {
  return parse({ path: "src/a.spx", bytes: new TextEncoder().encode(text) });
}

function parsed(text: string): SyntaxFile {
  const outcome = parseText(text);
  if (!outcome.ok) throw new Error(`${outcome.failure[0].code} ${outcome.failure[0].message}`);
  return outcome.value;
}

function inBody(expression: string): string {
  return `module m; fn f() -> i64 { ${expression} }`;
}

const KIND_NAMES: Readonly<Record<NodeKind, string>> = {
  [NodeKind.Integer]: "integer",
  [NodeKind.Float64]: "f64",
  [NodeKind.Float32]: "f32",
  [NodeKind.Char]: "char",
  [NodeKind.Bool]: "bool",
  [NodeKind.Variable]: "variable",
  [NodeKind.Unary]: "unary",
  [NodeKind.Binary]: "binary",
  [NodeKind.Call]: "call",
  [NodeKind.Block]: "block",
  [NodeKind.If]: "if",
  [NodeKind.Match]: "match",
  [NodeKind.RecordValue]: "record",
  [NodeKind.VariantValue]: "variant",
  [NodeKind.With]: "with",
  [NodeKind.Projection]: "projection",
  [NodeKind.Try]: "try",
};

/** `kind text` for every node in post-order, without the body. */
function nodes({ source, tree }: SyntaxFile): readonly string[] {
  return Array.from({ length: tree.nodeCount - 1 }, (_, node) => {
    const text = decoder.decode(source.bytes.subarray(tree.nodeStart[node], tree.nodeEnd[node]));
    return `${KIND_NAMES[tree.nodeKind[node]! as NodeKind]} ${text}`;
  });
}

describe("syntax errors (language.md 2.3)", () => {
  const rows: readonly (readonly [Code, string])[] = [
    ["SPX-P101", "module m;«»"],
    ["SPX-P101", "module m;\npermit { a } \n«»"],
    ["SPX-P101", "module m; record R { }«»"],
    ["SPX-P102", 'module m; @name«(»"x") fn f() -> i64 { 0 }'],
    ["SPX-P102", "module m; @name«»"],
    ["SPX-P103", "module m; @id(«f») fn f() -> i64 { 0 }"],
    ["SPX-P103", "module m; @id«(» \n"],
    ["SPX-P104", "«»"],
    ["SPX-P104", "«modul» m;"],
    ["SPX-P104", "module m; «let» x = 1;"],
    ["SPX-P104", 'module m; @id("a") «@»id("b") fn f() -> i64 { 0 }'],
    ["SPX-P104", 'module m; @id("a") «use» function @id("b") from b as b;'],
    ["SPX-P104", "module m; permit { a } «permit» { b }"],
    ["SPX-P104", "module m; fn f() -> i64 { 0 } «}»"],
    ["SPX-P104", "module m; fn f() -> i64 { if a { 1 } «}»"],
    ["SPX-P105", "module «;»"],
    ["SPX-P105", "module m.«;»"],
    ["SPX-P105", "module m; @«(»"],
    ["SPX-P105", "module m; fn «(»)"],
    ["SPX-P105", "module m; fn f(a: i64, «)» -> i64 { 0 }"],
    ["SPX-P105", "module m; fn f(a: «)» -> i64 { 0 }"],
    ["SPX-P105", "module m; fn f(a: own «)» -> i64 { 0 }"],
    ["SPX-P105", "module m; fn f() -> «{» 0 }"],
    ["SPX-P105", "module m; fn f() -> i64 uses { a, «}» { 0 }"],
    ["SPX-P105", "module m; fn f() -> i64 { 1. «}»"],
    ["SPX-P105", inBody("let «=» 1; 0")],
    ["SPX-P105", inBody("T::«{» }")],
    ["SPX-P105", inBody("P { «,» }")],
    ["SPX-P105", inBody("match a { «1» => 2, }")],
    ["SPX-P105", inBody("match a { P { a: «1» } => 2, }")],
    ["SPX-P106", "module m; fn f<T«<»U>>() -> i64 { 0 }"],
    ["SPX-P106", "module m; fn f<«>»() -> i64 { 0 }"],
    ["SPX-P106", "module m; fn f<T, «>»() -> i64 { 0 }"],
    ["SPX-P106", "module m; fn f() -> Option<«>» { 0 }"],
    ["SPX-P106", "module m; fn f() -> Option<i64, «1»> { 0 }"],
    ["SPX-P106", "module m; fn f() -> Option<i64 «{» 0 }"],
    ["SPX-P106", "module m; fn f() «{» 0 }"],
    ["SPX-P106", "module m; fn f(a«)» -> i64 { 0 }"],
    ["SPX-P106", 'module m; @id«"x"» fn f() -> i64 { 0 }'],
    ["SPX-P106", 'module m; @id("x"«fn»'],
    ["SPX-P106", "module m; fn f() -> i64 requires p «=» 1 { 0 }"],
    ["SPX-P106", inBody("if a { 1 } else «if» b { 2 } else { 3 }")],
    ["SPX-P106", inBody("let mut «x» = 1; x")],
    ["SPX-P106", inBody("let x = 1; x «=» 2; x")],
    ["SPX-P106", inBody("n + 1; «n»")],
    ["SPX-P106", inBody("(1 «2»)")],
    ["SPX-P106", inBody("f(1 «2»)")],
    ["SPX-P106", inBody("a with «b»")],
    ["SPX-P106", inBody("P { a: 1 «b»: 2 }")],
    ["SPX-P106", inBody("T::C { a«}» }")],
    ["SPX-P106", inBody("match a { P «=>» 1, }")],
    ["SPX-P106", inBody("match a { _ => 1 «}» }")],
    ["SPX-P106", inBody("match a { T::C { a: T«::»C { } } => 1, }")],
    ["SPX-P106", inBody("f<«>»(1)")],
    ["SPX-P106", inBody("f<«,»>(1)")],
    ["SPX-P106", inBody("f<a.«>»(1)")],
    ["SPX-P106", inBody("f<a «b»>(1)")],
    ["SPX-P106", inBody("f<a<b>«c»>(1)")],
    ["SPX-P201", inBody("f(a,«)»")],
    ["SPX-P201", "module m; fn f() -> i64 { n + «}»"],
    ["SPX-P201", inBody("(«)»")],
    ["SPX-P201", inBody("a <«<» b")],
    ["SPX-P201", inBody('«"x"»')],
    ["SPX-P201", inBody("a - «->» b")],
    ["SPX-P201", inBody("«+»a")],
    ["SPX-P201", "module m; fn f() -> i64 {«»"],
    ["SPX-P106", inBody("f<a«,» b>;")],
    ["SPX-P202", inBody("1«(»n)")],
    ["SPX-P202", inBody("f(n)«(»n)")],
    ["SPX-P202", inBody("f()«(»n)")],
    ["SPX-P202", inBody("a.b«(»n)")],
    ["SPX-P202", inBody("if a { f } else { g } «(»n)")],
    ["SPX-P203", "module m; fn f() -> i64 { let x = 1; «}»"],
    ["SPX-P203", "module m; fn f() -> i64 { «}»"],
    ["SPX-P204", inBody("1«::»C { }")],
    ["SPX-P204", inBody("a.b«::»C { }")],
    ["SPX-P205", "module m; fn f() -> i64 { match a { «»"],
    ["SPX-P205", "module m; fn f() -> i64 { match a { _ => 1,\n«»"],
    ["SPX-G170", "module m; use «module» b;"],
    ["SPX-G170", "module m; use function «b»"],
    ["SPX-G170", 'module m; use function @«name»("b")'],
    ["SPX-G170", "module m; use function @id(«b»)"],
    ["SPX-G170", 'module m; use function @id("b") «as» b'],
    ["SPX-G170", 'module m; use function @id("b") from b.«;»'],
    ["SPX-G170", 'module m; use function @id("b") from b as «;»'],
    ["SPX-G170", 'module m; use type @id("b") from b as b«»'],
    ["SPX-G170", "module m; permit { a } «use» x"],
    ["SPX-G170", "module m; fn f() -> i64 { 0 } «use» x"],
    ["SPX-G170", "module m; record R { } «use»"],
    ["SPX-P104", "module m; resource R { «id» }"],
    ["SPX-P104", "module m; resource R { drop «;» }"],
    ["SPX-P106", "module m; resource R «drop»"],
    ["SPX-P106", "module m; resource R { drop import «key»; }"],
    ["SPX-P106", "module m; record R { a: i64 «}»"],
    ["SPX-P105", "module m; record R { a: i64, «»"],
    ["SPX-P106", "module m; variant V { A «B» }"],
    ["SPX-P106", "module m; variant V { A { a: i64 «}» }"],
    ["SPX-P104", "module m; interface I «{»"],
    ["SPX-P104", "module m; interface I permits { } { «fn» }"],
    ["SPX-P104", "module m; interface I permits { } { import fn f() -> «i64» }"],
    ["SPX-P104", "module m; interface I permits { } { import rust fn f() -> «f64» }"],
    ["SPX-P104", "module m; interface I permits { } { import rust fn f() -> unit «failure» }"],
    ["SPX-P104", "module m; interface I permits { } { import rust fn f() -> unit effects { } failure «;» }"],
    [
      "SPX-P106",
      "module m; interface I permits { } { import rust fn f() -> unit effects { } failure status «x» }",
    ],
    [
      "SPX-P104",
      "module m; interface I permits { } { import fn f() -> unit effects { } failure infallible «;» }",
    ],
    [
      "SPX-P106",
      "module m; interface I permits { } { import rust fn f() -> unit effects { } failure infallible «consumes» }",
    ],
    [
      "SPX-P104",
      "module m; interface I permits { } { import fn f() -> unit effects { } failure infallible consumes a «;» }",
    ],
  ];
  test.each(rows)("%s %j", (code, source) => {
    const { text, span } = marked(source);
    const outcome = parseText(text);
    if (outcome.ok) throw new Error("parsed");
    expect(outcome.failure.map(withoutWords)).toEqual([{ code, severity: "error", path: "src/a.spx", span }]);
  });

  test("the words say what was expected and what stands there (D29)", () => {
    const message = (text: string): string => {
      const outcome = parseText(text);
      return outcome.ok ? "" : outcome.failure[0].message;
    };
    expect(message("module m; fn f() { 0 }")).toBe('expected "->", not "{"');
    expect(message(inBody("1 +"))).toBe('expected an expression, not "}"');
    expect(message("module")).toBe("expected a name, not end of file");
    expect(message('module "\n"')).toBe("expected a name, not a string");
    expect(message("module m; fn f(a '\n'")).toBe('expected ":", not "\'?\'"');
    expect(message(`module m; ${"x".repeat(100)}`)).toBe(`expected "fn", not "${"x".repeat(64)}"`);
  });
});

describe("nodes and spans (language.md 2.2)", () => {
  const rows: readonly (readonly [expression: string, nodes: readonly string[]])[] = [
    ["-a * b", ["variable a", "unary -a", "variable b", "binary -a * b"]],
    ["-f(x)", ["variable x", "call f(x)", "unary -f(x)"]],
    ["--a", ["variable a", "unary -a", "unary --a"]],
    ["-!a.b", ["variable a", "projection a.b", "unary !a.b", "unary -!a.b"]],
    ["a - b - c", ["variable a", "variable b", "binary a - b", "variable c", "binary a - b - c"]],
    ["a < b < c", ["variable a", "variable b", "binary a < b", "variable c", "binary a < b < c"]],
    ["a == b == p", ["variable a", "variable b", "binary a == b", "variable p", "binary a == b == p"]],
    ["a || b && c", ["variable a", "variable b", "variable c", "binary b && c", "binary a || b && c"]],
    ["a && b || c", ["variable a", "variable b", "binary a && b", "variable c", "binary a && b || c"]],
    ["1 + 2 * 3", ["integer 1", "integer 2", "integer 3", "binary 2 * 3", "binary 1 + 2 * 3"]],
    ["((a)) + (b)", ["variable ((a))", "variable (b)", "binary ((a)) + (b)"]],
    ["-(a)", ["variable (a)", "unary -(a)"]],
    ["(f)(x)", ["variable x", "call (f)(x)"]],
    ["f ( )", ["call f ( )"]],
    ["f(a < b, c > (d))", ["variable d", "call a < b, c > (d)", "call f(a < b, c > (d))"]],
    [
      "f(a < b, c > d)",
      [
        "variable a",
        "variable b",
        "binary a < b",
        "variable c",
        "variable d",
        "binary c > d",
        "call f(a < b, c > d)",
      ],
    ],
    ["f<a.b, c<d>>(1)", ["integer 1", "call f<a.b, c<d>>(1)"]],
    [
      "a < b + c > (d)",
      [
        "variable a",
        "variable b",
        "variable c",
        "binary b + c",
        "binary a < b + c",
        "variable (d)",
        "binary a < b + c > (d)",
      ],
    ],
    [
      "a.b < c > (d)",
      [
        "variable a",
        "projection a.b",
        "variable c",
        "binary a.b < c",
        "variable (d)",
        "binary a.b < c > (d)",
      ],
    ],
    ["(a)<b>(c)", ["variable c", "call (a)<b>(c)"]],
    [
      "1.5f32 + 2.5 + 'a'",
      ["f32 1.5f32", "f64 2.5", "binary 1.5f32 + 2.5", "char 'a'", "binary 1.5f32 + 2.5 + 'a'"],
    ],
    [
      "if a { 1 } else { 2 } + 3",
      [
        "variable a",
        "integer 1",
        "block { 1 }",
        "integer 2",
        "block { 2 }",
        "if if a { 1 } else { 2 }",
        "integer 3",
        "binary if a { 1 } else { 2 } + 3",
      ],
    ],
    [
      "if p { 1 } else { 2 }",
      ["variable p", "integer 1", "block { 1 }", "integer 2", "block { 2 }", "if if p { 1 } else { 2 }"],
    ],
    [
      "if (p { x }) { 1 } else { 2 }",
      [
        "variable x",
        "record (p { x })",
        "integer 1",
        "block { 1 }",
        "integer 2",
        "block { 2 }",
        "if if (p { x }) { 1 } else { 2 }",
      ],
    ],
    ["{ let x = a; x; }", ["variable a", "variable x", "block { let x = a; x; }"]],
    [
      "match a { _ => 1, T::C { f } => (2), }",
      ["variable a", "integer 1", "integer (2)", "match match a { _ => 1, T::C { f } => (2), }"],
    ],
    ["match p { }", ["variable p", "match match p { }"]],
    ["a.b.P { x: 1, y, }", ["integer 1", "variable y", "record a.b.P { x: 1, y, }"]],
    ["P<i64> { }", ["record P<i64> { }"]],
    [
      "if a < b { 1 } else { 2 }",
      [
        "variable a",
        "variable b",
        "binary a < b",
        "integer 1",
        "block { 1 }",
        "integer 2",
        "block { 2 }",
        "if if a < b { 1 } else { 2 }",
      ],
    ],
    ["T<A, B>::C { f: 1 }", ["integer 1", "variant T<A, B>::C { f: 1 }"]],
    [
      "a with { f: 1, }.g?",
      [
        "variable a",
        "integer 1",
        "with a with { f: 1, }",
        "projection a with { f: 1, }.g",
        "try a with { f: 1, }.g?",
      ],
    ],
    [
      "(let) + fn + else",
      ["variable (let)", "variable fn", "binary (let) + fn", "variable else", "binary (let) + fn + else"],
    ],
    // A node may take over the number of the name that it began with.
    ["f()?.a", ["call f()", "try f()?", "projection f()?.a"]],
    ["f() with { }", ["call f()", "with f() with { }"]],
    ["T::C { }.a + 1", ["variant T::C { }", "projection T::C { }.a", "integer 1", "binary T::C { }.a + 1"]],
    ["true || false", ["bool true", "bool false", "binary true || false"]],
  ];
  test.each(rows)("%s", (expression, expected) => {
    expect(nodes(parsed(inBody(expression)))).toEqual([...expected]);
  });

  test("post-order: children come before their node and are in order", () => {
    const { tree } = parsed(inBody("{ let x = f(1, 2 + 3); if x < 4 { x } else { -x } }"));
    for (let node = 0; node < tree.nodeCount; node++) {
      const children = [...tree.child.subarray(tree.childStart[node], tree.childStart[node + 1])];
      expect(children).toEqual([...children].sort((a, b) => a - b));
      expect(children.every((child) => child < node)).toBe(true);
      if (children.length > 0) expect(children.at(-1)).toBe(node - 1);
    }
    expect(tree.childStart).toHaveLength(tree.nodeCount + 1);
    expect(tree.child).toHaveLength(tree.nodeCount - 1);
  });

  test("values of literals", () => {
    const text =
      "f(0, 007, 9007199254740991, 9007199254740992, 9223372036854775807, 1.50, 0.1f32, 'é', '\\u{1F600}', '\\n')";
    const { tree } = parsed(inBody(text));
    expect(tree.integers).toEqual([0, 7, 9007199254740991, 9007199254740992n, 9223372036854775807n]);
    expect(tree.floats).toEqual([1.5, Math.fround(0.1)]);
    expect([...tree.nodeData.subarray(7, 10)]).toEqual([0xe9, 0x1f600, 0x0a]);
  });

  test("lets of a block are neighbours in the let table, inner blocks first", () => {
    const { source, tree } = parsed(inBody("let a = { let b = 1; let c = 2; b }; let d = 3; d"));
    const shown = Array.from({ length: tree.letCount }, (_, at) => [
      tree.names[tree.letName[at]!],
      decoder.decode(source.bytes.subarray(tree.letNameStart[at], tree.letNameEnd[at])),
      decoder.decode(source.bytes.subarray(tree.letStart[at], tree.letEnd[at])),
    ]);
    expect(shown).toEqual([
      ["b", "b", "let b = 1;"],
      ["c", "c", "let c = 2;"],
      ["a", "a", "let a = { let b = 1; let c = 2; b };"],
      ["d", "d", "let d = 3;"],
    ]);
    const blocks = [...tree.nodeKind].flatMap((kind, node) =>
      kind === NodeKind.Block ? [tree.nodeData[node]] : [],
    );
    expect(blocks).toEqual([0, 2]);
  });

  test("a name is stored once", () => {
    const { tree } = parsed(inBody("a + b + a + f(b) + f(a)"));
    expect(tree.names).toEqual(["a", "b", "f"]);
    const many = Array.from({ length: 500 }, (_, at) => `n${at % 250}`);
    expect(parsed(inBody(many.join(" + "))).tree.names).toEqual(many.slice(0, 250));
  });
});

describe("declarations (language.md 2.1, 2.2)", () => {
  test("a function: name, parameters and range from fn to the brace", () => {
    const text =
      'module a . b\n@id("\\"x\\n") fn f<T, U>(a: own R<T>, i64: i64) -> Option<i64>\n uses { x.y } ensures 1 requires 2 ensures 3 { 4 } ';
    const file = parsed(text);
    const [declared] = file.functions;
    expect(file.module).toBe("a.b");
    expect(declared).toMatchObject({
      authoredId: '"x\n',
      name: { text: "f" },
      typeParameters: ["T", "U"],
      parameters: [
        { name: { text: "a" }, mode: "own", type: { name: "R", arguments: [{ name: "T", arguments: [] }] } },
        { name: { text: "i64" }, mode: null, type: { name: "i64", arguments: [] } },
      ],
      returnType: { name: "Option" },
      effects: ["x.y"],
      requires: [1],
      ensures: [0, 2],
      body: 4,
      start: text.indexOf("fn"),
      end: text.length - 1,
    });
  });

  test("uses before permit before items", () => {
    const file = parsed(
      'module m; use type @id("t") from a.b as T; use function @id("") from c as d; permit { x, y.z } fn f() -> i64 { 0 }',
    );
    expect(file.uses).toMatchObject([
      { kind: "type", id: "t", module: "a.b", alias: { text: "T" } },
      { kind: "function", id: "", module: "c", alias: { text: "d" } },
    ]);
    expect(decoder.decode(file.source.bytes.subarray(file.uses[1]!.start, file.uses[1]!.end))).toBe(
      'use function @id("") from c as d;',
    );
    expect(file.permits).toEqual(["x", "y.z"]);
  });

  test("a string may begin with U+FEFF", () => {
    expect(parsed('module m; @id("\uFEFFx\\\\") fn f() -> i64 { 0 }').functions[0]?.authoredId).toBe(
      "\uFEFFx\\",
    );
  });

  test("patterns", () => {
    const { tree } = parsed(
      inBody("match a { T::C { f, g: h, i: _, j: P { k, }, } => 1, P { } => 2, _ => 3, }"),
    );
    expect(tree.matches[0]?.arms.map(({ pattern }) => pattern)).toMatchObject([
      {
        kind: "case",
        typeName: "T",
        caseName: "C",
        fields: [
          { name: "f", binding: { kind: "name", name: "f" } },
          { name: "g", binding: { kind: "name", name: "h" } },
          { name: "i", binding: { kind: "wildcard" } },
          {
            name: "j",
            binding: { kind: "pattern", pattern: { kind: "record", typeName: "P", fields: [{ name: "k" }] } },
          },
        ],
      },
      { kind: "record", typeName: "P", fields: [] },
      { kind: "wildcard" },
    ]);
  });
});

describe("nesting (language.md 2.1)", () => {
  /** Each takes as many open levels as it is asked for; the body's own expression is one of them. */
  const shapes: Readonly<Record<string, (levels: number) => string>> = {
    parentheses: (levels) => around("(", "1", ")", levels - 1),
    blocks: (levels) => around("{ ", "1", " }", levels - 1),
    lets: (levels) => around("{ let x = ", "1", "; x }", levels - 1),
    "if branches": (levels) => around("if a { ", "1", " } else { 0 }", levels - 1),
    "else branches": (levels) => around("if a { 0 } else { ", "1", " }", levels - 1),
    "if conditions": (levels) => around("if ", "a", " { b } else { c }", levels - 1),
    calls: (levels) => around("f(", "1", ")", levels - 1),
    "match arms": (levels) => around("match a { _ => ", "1", ", }", levels - 1),
    "record fields": (levels) => around("P { x: ", "1", " }", levels - 1),
    "variant fields": (levels) => around("P::C { x: ", "1", " }", levels - 1),
    "with fields": (levels) => around("a with { x: ", "1", " }", levels - 1),
    "right operands": (levels) => around("1 || 2 && 3 == 4 < 5 + 6 * -!(", "1", ")", levels - 1),
    "type arguments": (levels) => `f<${around("a<", "a", ">", levels - 1)}>(1)`,
    patterns: (levels) => `match a { T::C { ${around("f: P { ", "g", " }", levels - 2)} } => 1, }`,
  };
  test.each(Object.entries(shapes))("%s: exactly the limit passes, from a deep stack", (_, shape) => {
    const beneath = (frames: number, text: string): Outcome<SyntaxFile> =>
      frames === 0 ? parseText(text) : beneath(frames - 1, text);
    expect(beneath(2000, inBody(shape(NESTING_MAX))).ok).toBe(true);
    const refused = parseText(inBody(shape(NESTING_MAX + 1)));
    if (refused.ok) throw new Error("parsed");
    expect(refused.failure.map(withoutWords)).toEqual([
      { code: "SPX-G171", severity: "error", path: null, span: null },
    ]);
    expect(parseText(inBody(shape(10_000))).ok).toBe(false);
  });

  test("at least 2000 levels", () => {
    expect(NESTING_MAX).toBeGreaterThan(2000);
  });

  const chains: Readonly<Record<string, string>> = {
    additions: `1${" + 1".repeat(100_000)}`,
    "mixed precedences": `a${" || b && c == d + e * f".repeat(20_000)}`,
    "unary operators": `${"-!".repeat(20_000)}a`,
    projections: `a${".b".repeat(100_000)}`,
    "a long path of a record": `a${".b".repeat(100_000)} { }`,
    tries: `a${"?".repeat(20_000)}`,
    updates: `a${" with { }".repeat(20_000)}`,
    comparisons: `a${" < a".repeat(20_000)}`,
    "one call after the other": `f<a>(1)${" < f<a>(1)".repeat(20_000)}`,
    lets: `${"let x = 1; ".repeat(20_000)}x`,
  };
  test.each(Object.entries(chains))("a chain of %s is not nesting and takes linear time", (_, chain) => {
    expect(parseText(inBody(chain)).ok).toBe(true);
  });
});

function around(open: string, middle: string, close: string, times: number): string {
  return open.repeat(times) + middle + close.repeat(times);
}
