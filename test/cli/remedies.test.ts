// L9: what a diagnostic advises. Each case is the calculator with one change; of the answer the `help:` is compared.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runInProcess } from "../support/memory-io.ts";
import { copyProject, removeTemporaryFolders, temporaryFolder, writeFiles } from "../support/projects.ts";

afterAll(removeTemporaryFolders);

type Edit = readonly [path: string, from: string, to: string];

function helpAfter(edits: readonly Edit[], extra: readonly (readonly [string, string])[] = []): string[] {
  const root = copyProject("calculator");
  for (const [path, from, to] of edits) {
    const text = readFileSync(join(root, path), "utf8");
    if (!text.includes(from)) throw new Error(`${from} is not in ${path}`);
    writeFileSync(join(root, path), text.replace(from, to));
  }
  writeFiles(root, extra);
  return helpOf(root);
}

function helpOf(root: string): string[] {
  const { status, stderr } = runInProcess(["check", "--manifest-path", join(root, "semaprax.toml")]);
  if (status !== 1) throw new Error(`the project is valid, or ${stderr}`);
  const lines = stderr.replaceAll(root, "ROOT").split("\n");
  return lines.filter((line) => line.startsWith("help: ")).map((line) => line.slice(6));
}

const MANIFEST = "semaprax.toml";
const APP = "src/app.spx";
const CORE = "src/core.spx";
const TESTS = "src/tests.spx";

/** Adds a function that nobody imports, whose value is 1. */
function extraFunction(signature: string): Edit {
  return [CORE, "core;\n", `core;\n\n@id("extra")\nfn extra${signature}\n{\n    1\n}\n`];
}

describe("remedies for one module", () => {
  const cases: readonly [string, Edit, string[]][] = [
    ["P001 invisible", [CORE, "left + right", "left +\u200b right"], ["remove the invisible character"]],
    ["P001 BOM", [CORE, "module", "\ufeffmodule"], ["save the file without a byte order mark"]],
    ["P001 quotes", [CORE, '@id("calculator.not")', "@id(“calculator.not”)"], ['strings are written with "']],
    ["P001 letters", [CORE, "left + right", "léft + right"], ["names are made of A-Z, a-z, 0-9 and _"]],
    [
      "P001 hash",
      [CORE, "left + right", "left # right"],
      ["a comment begins with //, and the sources of a project have none"],
    ],
    ["P001 caret", [CORE, "left + right", "left ^ right"], ["there are no bit operators"]],
    [
      "P002",
      [CORE, "left + right", "left & right"],
      ["logical operators are && and ||; there are no bit operators"],
    ],
    [
      "P003 integer",
      [CORE, "left + right", "9223372036854775808"],
      ["the smallest i64 has no literal: write -9223372036854775807 - 1"],
    ],
    [
      "P003 float",
      [CORE, "left + right", "1.5e"],
      ["a float is digits, a point, digits, an optional exponent, and f32 for single precision"],
    ],
    [
      "P005",
      [CORE, "calculator.not", "calculator\\x"],
      ['the escapes of a string are \\n \\r \\t \\" and \\\\'],
    ],
    [
      "P007",
      [CORE, "left + right", "'\\q'"],
      ["the escapes of a character are \\n \\r \\t \\0 \\' \\\\ and \\u{HEX}"],
    ],
    ["P008", [CORE, "left + right", "'ab'"], ["strings occur in @id only"]],
    ["P102", [CORE, "@id", "@name"], ['write @id("module.name")']],
    ["P103", [CORE, '"calculator.add"', "add"], ['write @id("module.name")']],
    [
      "P104 module",
      [CORE, "module calculator.core;", "calculator.core;"],
      ["a source begins with module NAME;"],
    ],
    ["P104 attribute", [CORE, "fn add", '@id("x")\nfn add'], ["a function has at most one @id"]],
    ["P104 func", [CORE, "fn add", "func add"], ["a function is declared with fn"]],
    ["P104 let", [CORE, "\n@id", "\nlet x = 1;\n@id"], ["a module has functions only: fn"]],
    ["P104 else", [CORE, "left + right", "if true { 1 }"], ["every if has an else"]],
    ["P105 comma", [CORE, "right: i64)", "right: i64,)"], ["remove the comma before )"]],
    [
      "P106 else if",
      [CORE, "left + right", "if true { 1 } else if false { 2 } else { 3 }"],
      ["else takes a block: else { if … }"],
    ],
    ["P106 mut", [CORE, "left + right", "let mut x = left; x"], ["nothing is mutable: let NAME = VALUE;"]],
    [
      "P106 let type",
      [CORE, "left + right", "let x: i64 = left; x"],
      ["a let has no type: let NAME = VALUE;"],
    ],
    [
      "P106 assignment",
      [CORE, "left + right", "left = right"],
      ["there is no assignment: a let gives a value a new name"],
    ],
    [
      "P106 return",
      [CORE, "left + right", "return left"],
      ["there is no return: the last expression of a block is its value"],
    ],
    [
      "P106 while",
      [CORE, "left + right", "while left { 1 }"],
      ["there are no loops: a function repeats by calling itself"],
    ],
    [
      "P106 statement",
      [CORE, "left + right", "left; right"],
      ["an expression is no statement: a block has lets and then its value"],
    ],
    [
      "P104 import",
      [CORE, "core;\n", "core;\nimport calculator.app;\n"],
      [
        'functions of other modules are named directly after the module line: use function @id("ID") from MODULE as NAME;',
      ],
    ],
    [
      "P106 parameter without type",
      [CORE, "left: i64, right", "left, right"],
      ["write the type of left: left: i64 or left: bool"],
    ],
    [
      "P106 last parameter without type",
      [CORE, "right: i64)", "right)"],
      ["write the type of right: right: i64 or right: bool"],
    ],
    [
      "P106 type first",
      [CORE, "left: i64, right", "i64 left, right"],
      ["a type follows its name and a colon: left: i64"],
    ],
    [
      "P106 no colon",
      [CORE, "left: i64, right", "left i64, right"],
      ["a type follows its name and a colon: left: i64"],
    ],
    [
      "P106 no result type",
      [CORE, "right: i64) -> i64", "right: i64)"],
      ["write the type of the result after ): -> i64 or -> bool"],
    ],
    [
      "P106 result type after a colon",
      [CORE, "right: i64) -> i64", "right: i64): i64"],
      ["write the type of the result after ): -> i64 or -> bool"],
    ],
    [
      "P106 let without ;",
      [CORE, "left + right", "let a = left + right\n    a"],
      ["write ; after let a = left + right"],
    ],
    [
      "P106 let without ; before return",
      [CORE, "left + right", "let a = left\n    return a;"],
      ["write ; after let a = left", "there is no return: the last expression of a block is its value"],
    ],
    [
      "P106 long let without ;",
      [CORE, "left + right", `let a = ${"left + ".repeat(12)}right a`],
      ["a ; is missing before it"],
    ],
    [
      "P202 method",
      [CORE, "left + right", "left.add(right)"],
      ["there are no methods, and no module stands before a name: write add(ARGUMENTS)"],
    ],
    [
      "P202 module",
      [APP, "add(40,", "calculator.core.add(40,"],
      ["there are no methods, and no module stands before a name: write add(ARGUMENTS)"],
    ],
    [
      "P202 value",
      [CORE, "left + right", "add(1)(2)"],
      ["functions are no values: a call is NAME(ARGUMENTS)"],
    ],
    ["P201 comma", [APP, "divide(4, 2)", "divide(4, 2,)"], ["remove the comma before )"]],
    ["P201 string", [CORE, "left + right", '"sum"'], ["strings occur in @id only"]],
    [
      "P201 comment",
      [CORE, "left + right", "/* sum */ 1"],
      ["a comment begins with //, and the sources of a project have none"],
    ],
    ["P201 shift", [CORE, "left + right", "left << right"], ["there are no bit operators"]],
    ["P203", [CORE, "left + right", "let x = left;"], ["the value has no let and stands last"]],
    ["G170 use", [APP, "as add;", ";"], ['the form is: use function @id("ID") from MODULE as NAME;']],
    [
      "G170 misplaced use",
      [CORE, '\n@id("calculator.not")', '\nuse function @id("x") from y as z;\n@id("calculator.not")'],
      ["use declarations follow the module line directly"],
    ],
    [
      "S101",
      [CORE, "fn not", "fn add"],
      ["functions of a module have different names; there is no overloading"],
    ],
    ["S104", [CORE, "fn not", "fn own"], ["the word has a meaning of its own: try own_"]],
    [
      "S104 alias",
      [APP, "as add", "as own"],
      ["src/app.spx imports it as own, a word with a meaning: choose another", "this file imports it as own"],
    ],
    [
      "S105",
      [CORE, "value: i64", "let: i64"],
      ["the word has a meaning of its own: try let_", "in scope here: let"],
    ],
    [
      "S109",
      [CORE, "left + right", "let result = 1;\n    left"],
      ["the word has a meaning of its own: try result_"],
    ],
    [
      "T001 other language",
      extraFunction("(a: boolean) -> i64"),
      ["did you mean bool? signatures of a project have i64 and bool only"],
    ],
    [
      "T001 misspelt",
      extraFunction("() -> i46"),
      ["did you mean i64? signatures of a project have i64 and bool only"],
    ],
    [
      "T001 foreign",
      extraFunction("(a: i64, b: string) -> i64"),
      ["signatures of a project have i64 and bool only"],
    ],
    [
      "G172 unknown type of an imported function",
      [CORE, "fn not(value: bool)", "fn not(value: boolean)"],
      [
        "not has the type boolean at src/core.spx:23:15",
        "did you mean bool? signatures of a project have i64 and bool only",
      ],
    ],
    [
      "G172 unknown types of an imported function",
      [CORE, "fn add(left: i64, right: i64)", "fn add(left: int, right: i32)"],
      [
        "add has the type int at src/core.spx:4:14",
        "add has the type i32 at src/core.spx:4:26",
        "did you mean i64? signatures of a project have i64 and bool only",
      ],
    ],
    ["T202 nearest", [CORE, "left + right", "left + rihgt"], ["did you mean right?"]],
    ["T202 nearest let", [CORE, "left + right", "let total = left;\n    totl"], ["did you mean total?"]],
    [
      "T202 only what is visible",
      [CORE, "left + right", "let a = { let inner = 1; inner };\n    innr + a"],
      ["in scope here: left, right, a"],
    ],
    [
      "T202 later let",
      [CORE, "left + right", "let a = latr;\n    let later = 1;\n    later"],
      ["in scope here: left, right"],
    ],
    ["T202 literal", [CORE, "!value", "True"], ["did you mean true?"]],
    [
      "T202 function",
      [CORE, "left + right", "divide"],
      ["divide is a function and no value: call it, as in divide(left, right)"],
    ],
    [
      "T202 alias",
      [APP, "add(40, divide(4, 2))", "add"],
      ["add is a function and no value: call it, as in add(…)"],
    ],
    ["T202 nothing", [APP, "add(40, divide(4, 2))", "x"], ["no value has a name here"]],
    ["T203 nearest", [CORE, "left + right", "divid(left, right)"], ["did you mean divide?"]],
    [
      "T203 elsewhere",
      [APP, "add(40, divide(4, 2))", "is_negative(1)"],
      ['import it: use function @id("calculator.is-negative") from calculator.core as is_negative;'],
    ],
    ["T203 alias", [APP, "as add;", "as plus;"], ["this file imports it as plus"]],
    ["T203 value", [CORE, "left + right", "left(1)"], ["left is a value here and cannot be called"]],
    ["T203 unknown", [APP, "add(40, divide(4, 2))", "quux()"], ["functions here: main, add, divide"]],
    ["T204", [APP, "divide(4, 2)", "divide(4)"], ["it is divide(left: i64, right: i64) -> i64"]],
    ["T205", [APP, "divide(4, 2)", "divide(4, true)"], ["it is divide(left: i64, right: i64) -> i64"]],
    [
      "T205 own function",
      [CORE, "left + right", "divide(left, not(true))"],
      ["it is divide(left: i64, right: i64) -> i64"],
    ],
    ["T206", [CORE, "left + right", "-(left < right)"], ["- takes an i64 or a float, ! takes a bool"]],
    ["T207", [CORE, "!value", "value == 1"], ["both sides of == and != have one type; nothing is converted"]],
    ["T208 chain", [CORE, "value < 0", "0 < value < 9"], ["a comparison gives a bool: write a < b && b < c"]],
    ["T208 logical", [CORE, "!value", "value && 1"], ["&& and || take bools: compare, as in x != 0"]],
    [
      "T209",
      [CORE, "left + right", "let left = 1;\n    left"],
      ["left has a value here already and keeps it: choose another name"],
    ],
    [
      "T210",
      [CORE, "left + right", "if left { 1 } else { 2 }"],
      ["a condition is a bool: compare, as in x != 0"],
    ],
    [
      "T211",
      [CORE, "left + right", "if true { 1 } else { false }"],
      ["both branches of an if have one type"],
    ],
    [
      "C101",
      [CORE, "requires right != 0", "requires right"],
      ["a contract clause is a bool: compare, as in result >= 0"],
    ],
    ["O002", extraFunction("(a: own i64) -> i64"), ["remove the mode: numbers and bools are copied"]],
  ];
  test.each(cases)("%s", (_, edit, help) => {
    expect(helpAfter([edit])).toEqual(help);
  });

  test("G170: the command, and the first line that it changes", () => {
    const root = copyProject("calculator");
    const path = join(root, CORE);
    writeFileSync(path, readFileSync(path, "utf8").replace("left + right", "left  + right"));
    expect(helpOf(root)).toEqual(["semaprax fmt ROOT/src/core.spx changes line 6 first"]);
  });

  test("G170: comments, which the command would lose", () => {
    expect(helpAfter([[CORE, "left + right", "left + right // sum"]])).toEqual([
      "semaprax fmt --drop-comments ROOT/src/core.spx changes line 6 first and loses the comments in line 6",
    ]);
  });

  test("G170: more than one file", () => {
    const edits: readonly Edit[] = [
      [APP, "add(40,", "add(40 ,"],
      [TESTS, "if add", "if  add"],
    ];
    expect(helpAfter(edits)).toEqual([
      "semaprax fmt --manifest-path ROOT/semaprax.toml changes 2 sources, src/app.spx in line 8 first",
    ]);
    expect(helpAfter([...edits, [CORE, "left + right", "left + right // sum"]])).toEqual([
      "semaprax fmt --drop-comments --manifest-path ROOT/semaprax.toml changes 3 sources, src/app.spx in line 8 first and loses the comments in src/core.spx",
    ]);
  });

  test("G170: more than one file, of which one cannot be formatted", () => {
    expect(
      helpAfter([
        [APP, "add(40,", "add(40 ,"],
        [TESTS, "if add", "iff add"],
      ]),
    ).toEqual(["semaprax fmt ROOT/src/app.spx changes line 8 first"]);
  });

  test("G170: no canonical form at all (language.md 3.3)", () => {
    const trap = "two((left < right), left > (right + 1) * 2)";
    expect(helpAfter([[CORE, "left + right", trap]])).toEqual([
      "src/core.spx has no canonical form: two of its comparisons would read as type arguments; bind one with let",
    ]);
  });
});

describe("remedies for uses (language.md 5.1)", () => {
  const cases: readonly [string, Edit, string[]][] = [
    [
      "twice",
      [APP, 'use function @id("calculator.divide")', 'use function @id("calculator.add")'],
      ["it is imported already, as add"],
    ],
    [
      "own module",
      [CORE, "core;\n", 'core;\nuse function @id("calculator.not") from calculator.core as n;\n'],
      ["functions of the module itself are called by their names, without a use"],
    ],
    [
      "misspelt module",
      [APP, "from calculator.core as add", "from calculator.cor as add"],
      ["did you mean calculator.core?"],
    ],
    [
      "unknown module",
      [APP, "from calculator.core as add", "from maths as add"],
      ["modules of the project: calculator.core, calculator.tests"],
    ],
    ["alias twice", [APP, "as divide", "as add"], ["choose another alias than add"]],
    ["alias main", [APP, "as divide", "as main"], ["choose another alias than main"]],
    [
      "misspelt id",
      [APP, '@id("calculator.add")', '@id("calculator.ad")'],
      ['did you mean @id("calculator.add")?'],
    ],
    [
      "function name for id",
      [APP, '@id("calculator.add")', '@id("is_negative")'],
      ['the id of is_negative is @id("calculator.is-negative")'],
    ],
    [
      "unknown id",
      [APP, '@id("calculator.add")', '@id("zzzzzzzzzzzzzzzz")'],
      ["ids of calculator.core: calculator.add, calculator.divide, calculator.is-negative, calculator.not"],
    ],
    [
      "other module",
      [APP, "from calculator.core as add", "from calculator.tests as add"],
      ["that id is declared in calculator.core: write from calculator.core"],
    ],
    [
      "no id",
      [CORE, '@id("calculator.add")\n', ""],
      ['write @id("calculator.add") on the line above fn add in src/core.spx'],
    ],
    [
      "no id, by a name with _",
      [CORE, '@id("calculator.is-negative")\n', ""],
      ['write @id("calculator.is-negative") on the line above fn is_negative in src/core.spx'],
    ],
    [
      "no id, by the alias",
      [CORE, '@id("calculator.not")\nfn not', "fn not_"],
      ['write @id("calculator.not") on the line above fn not_ in src/core.spx'],
    ],
    [
      "automatic id",
      [APP, '@id("calculator.add")', '@id("auto:calculator.core.add")'],
      ['the id of add is @id("calculator.add")'],
    ],
    [
      "use type",
      [APP, 'use function @id("calculator.add")', 'use type @id("calculator.add")'],
      ["a project imports functions only: use function"],
    ],
  ];
  test.each(cases)("%s", (_, edit, help) => {
    expect(helpAfter([edit])).toEqual(help);
  });

  test("an unlisted file declares the module", () => {
    const extra = [
      ["lib/maths.spx", 'module maths;\n\n@id("m.add")\nfn add() -> i64\n{\n    1\n}\n'],
    ] as const;
    expect(helpAfter([[APP, "from calculator.core as add", "from maths as add"]], extra)).toEqual([
      "lib/maths.spx declares module maths: add it to sources in the manifest",
    ]);
  });
});

describe("remedies for the whole project (language.md 5, 6)", () => {
  const cases: readonly [string, readonly Edit[], string[]][] = [
    [
      "duplicate module",
      [[TESTS, "module calculator.tests", "module calculator.app"]],
      ["src/app.spx and src/tests.spx both declare calculator.app"],
    ],
    [
      "duplicate id",
      [[CORE, "calculator.not", "calculator.add"]],
      ['@id("calculator.add") stands on add in src/core.spx and on not in src/core.spx'],
    ],
    [
      "compiler-owned id",
      [[CORE, "calculator.not", "core.option"]],
      ['@id("core.option") belongs to the language: give not in src/core.spx another one'],
    ],
    [
      "synthetic main",
      [[CORE, "calculator.not", "workspace.synthetic.main.calculator.core"]],
      ["give not in src/core.spx another id"],
    ],
    [
      "cycle",
      [[CORE, "core;\n", 'core;\nuse function @id("calculator.app.main") from calculator.app as app;\n']],
      [
        "calculator.app uses calculator.core uses calculator.app: move what both need into a module of its own",
      ],
    ],
    [
      "entry misspelt",
      [[MANIFEST, '"calculator.app"', '"calculator.ap"']],
      ["entry in the manifest is calculator.ap, which no source declares", "did you mean calculator.app?"],
    ],
    [
      "tests misspelt",
      [[MANIFEST, '"calculator.tests"', '"calculator.test"']],
      [
        "tests in the manifest is calculator.test, which no source declares",
        "did you mean calculator.tests?",
      ],
    ],
    [
      "main elsewhere",
      [[CORE, "core;\n", 'core;\n\n@id("m")\nfn main() -> i64\n{\n    1\n}\n']],
      ["main in src/core.spx may not be called main: only the entry and the test module have one"],
    ],
    ["no main", [[APP, "fn main", "fn start"]], ["src/app.spx needs fn main() -> i64"]],
    [
      "main without id",
      [[APP, '@id("calculator.app.main")\n', ""]],
      ['write @id("calculator.app.main") on the line above fn main in src/app.spx'],
    ],
    [
      "entry reaches tests",
      [[APP, "app;\n", 'app;\nuse function @id("calculator.tests.main") from calculator.tests as check;\n']],
      [
        "calculator.app reaches calculator.tests, which has a main: move what is shared into a module without one",
      ],
    ],
    [
      "float in a signature",
      [
        [CORE, "(value: i64) -> bool\n{\n    value < 0", "(value: f64) -> bool\n{\n    value < 0.0"],
        [TESTS, "is_negative(-1)", "is_negative(-1.0)"],
      ],
      ["is_negative in src/core.spx has f64 in its signature; only i64 and bool may stand there"],
    ],
    [
      "permit",
      [[CORE, "core;\n", "core;\n\npermit { net }\n"]],
      ["remove permit from src/core.spx: a project has no effects"],
    ],
    [
      "record",
      [[CORE, "core;\n", "core;\n\nrecord P {\n    x: i64,\n}\n"]],
      ["src/core.spx declares types or interfaces; a project has functions only"],
    ],
    [
      "float in the entry",
      [[CORE, "    left + right", "    let x = 1.5;\n    left + right"]],
      ["the entry reaches src/core.spx, which may have i64 and bool values only"],
    ],
    [
      "Option in the entry",
      [[CORE, "    left + right", "    let x = Option<i64>::None {};\n    left + right"]],
      ["Option and Result may occur only in modules that neither the entry nor the tests use"],
    ],
    [
      "export misspelt",
      [[MANIFEST, '"calculator.add"', '"calculator.ad"']],
      ["no function has the id calculator.ad", "did you mean calculator.add?"],
    ],
    [
      "export of tests",
      [[MANIFEST, '"calculator.not"]', '"calculator.tests.main"]']],
      [
        "calculator.tests.main is in calculator.tests, which calculator.app does not use; exports come from what it uses",
      ],
    ],
    [
      "function without id",
      [
        [CORE, '@id("calculator.not")\n', ""],
        [TESTS, 'use function @id("calculator.not") from calculator.core as not;\n', ""],
        [TESTS, "not(false)", "true"],
        [MANIFEST, ', "calculator.not"', ""],
      ],
      ['write @id("calculator.core.not") on the line above fn not in src/core.spx'],
    ],
    [
      "function without id that web_exports names",
      [
        [CORE, '@id("calculator.not")\n', ""],
        [TESTS, 'use function @id("calculator.not") from calculator.core as not;\n', ""],
        [TESTS, "not(false)", "true"],
      ],
      ['write @id("calculator.not") on the line above fn not in src/core.spx'],
    ],
    [
      "nine parameters",
      [
        [
          CORE,
          "fn not(value: bool)",
          "fn not(value: bool, a: i64, b: i64, c: i64, d: i64, e: i64, f: i64, g: i64, h: i64)",
        ],
        [TESTS, "not(false)", "not(false, 1, 2, 3, 4, 5, 6, 7, 8)"],
      ],
      ["functions that the entry reaches have at most 8 parameters; not in src/core.spx has 9"],
    ],
  ];
  test.each(cases)("%s", (_, edits, help) => {
    expect(helpAfter(edits)).toEqual(help);
  });
});

describe("remedies for the manifest and the inputs (project.md)", () => {
  const cases: readonly [string, Edit, string[]][] = [
    [
      "order of sources",
      [MANIFEST, '"src/app.spx", "src/core.spx"', '"src/core.spx", "src/app.spx"'],
      ['line 4 should be: sources = ["src/app.spx", "src/core.spx", "src/tests.spx"]'],
    ],
    [
      "source twice",
      [MANIFEST, '"src/core.spx"', '"src/app.spx", "src/core.spx"'],
      ['line 4 should be: sources = ["src/app.spx", "src/core.spx", "src/tests.spx"]'],
    ],
    [
      "order of keys",
      [
        MANIFEST,
        'name = "calculator"\nentry = "calculator.app"',
        'entry = "calculator.app"\nname = "calculator"',
      ],
      ['line 2 should be: name = "calculator"'],
    ],
    ["blanks", [MANIFEST, "name = ", "name="], ['line 2 should be: name = "calculator"']],
    [
      "array over lines",
      [MANIFEST, '["calculator.tests"]', '[\n  "calculator.tests",\n]'],
      ['line 6 should be: tests = ["calculator.tests"]'],
    ],
    [
      "comment",
      [MANIFEST, "schema", "# project\nschema"],
      ["remove the comment in line 1: a manifest has none"],
    ],
    [
      "comment after a value",
      [MANIFEST, '["calculator.tests"]', '["calculator.tests"] # all'],
      ["remove the comment in line 6: a manifest has none"],
    ],
    [
      "# in a value",
      [MANIFEST, '"calculator.add"', '"calculator.#"'],
      ["ids of exports are made of a-z, 0-9, ., _ and - and have at most 128 characters"],
    ],
    [
      "missing key",
      [MANIFEST, 'tests = ["calculator.tests"]\n', ""],
      ["the six lines of a manifest are schema, name, entry, sources, web_exports, tests; missing: tests"],
    ],
    ["CR", [MANIFEST, "\n", "\r\n"], ["end the lines with LF alone, without CR"]],
    [
      "no final LF",
      [MANIFEST, '["calculator.tests"]\n', '["calculator.tests"]'],
      ["end the last line with LF"],
    ],
    [
      "more lines",
      [MANIFEST, '["calculator.tests"]\n', '["calculator.tests"]\n\n'],
      ["nothing follows the six lines"],
    ],
    ["schema", [MANIFEST, "project.v1", "project.v2"], ['line 1 should be: schema = "semaprax.project.v1"']],
    [
      "name",
      [MANIFEST, 'name = "calculator"', 'name = "Calculator"'],
      ["a name is made of a-z, 0-9 and -, begins with a letter and has at most 64 characters"],
    ],
    [
      "module name",
      [MANIFEST, '"calculator.tests"', '"calculator-tests"'],
      ["module names are letters, digits and _ in parts joined by dots; no part begins with a digit"],
    ],
    [
      "path",
      [MANIFEST, '"src/app.spx"', '"src/App.spx"'],
      [
        "src/App.spx: paths are relative, made of a-z, 0-9, ., _ and -, without . and .. parts, and end in .spx",
      ],
    ],
    [
      "export",
      [MANIFEST, '"calculator.add"', '"calculator.Add"'],
      ["ids of exports are made of a-z, 0-9, ., _ and - and have at most 128 characters"],
    ],
    [
      "entry is tests",
      [MANIFEST, '"calculator.tests"', '"calculator.app"'],
      ["entry and tests are two modules"],
    ],
    [
      "too many sources",
      [
        MANIFEST,
        '"src/app.spx"',
        Array.from({ length: 15 }, (_, n) => `"a${n}.spx"`)
          .sort()
          .join(", "),
      ],
      ["a project has at most 16 sources; this one has 17"],
    ],
    [
      "missing source, nearly there",
      [MANIFEST, '"src/core.spx"', '"src/cor.spx"'],
      ["the manifest declares src/cor.spx; did you mean src/core.spx?"],
    ],
    [
      "missing source",
      [MANIFEST, '"src/core.spx"', '"src/mathematics.spx"'],
      ["create src/mathematics.spx or take it out of sources in the manifest"],
    ],
  ];
  test.each(cases)("%s", (_, edit, help) => {
    expect(helpAfter([edit])).toEqual(help);
  });

  test("no manifest", () => {
    const root = copyProject("calculator");
    rmSync(join(root, MANIFEST));
    expect(helpOf(root)).toEqual(["there is no ROOT/semaprax.toml"]);
  });

  test("bytes that are no UTF-8", () => {
    const root = copyProject("calculator");
    writeFileSync(join(root, CORE), new Uint8Array([0x6d, 0xff]));
    expect(helpOf(root)).toEqual(["save src/core.spx as UTF-8"]);
  });

  test("the path of the manifest: spellings that are refused, folders, nothing there", () => {
    const root = copyProject("calculator");
    const away = join(temporaryFolder(), "away");
    symlinkSync(join(root, "src"), away);
    const help = (path: string) => {
      const { status, stderr } = runInProcess(["check", "--manifest-path", path]);
      expect(status).toBe(1);
      return stderr.split("\n")[1]?.replaceAll(root, "ROOT").slice("help: ".length);
    };
    const cases: readonly [string, string][] = [
      [`${root}/../x/semaprax.toml`, `give the absolute path ${join(root, "..", "x", MANIFEST)}`],
      [`${root}/src/../semaprax.toml`, "give the absolute path ROOT/semaprax.toml"],
      [`${root}/src/..`, "give the absolute path ROOT/semaprax.toml"],
      // A `..` after a link is another folder than the one that the link is in.
      [`${away}/../semaprax.toml`, "give the absolute path ROOT/semaprax.toml"],
      ["././nowhere/semaprax.toml", "write nowhere/semaprax.toml, without the leading ./"],
      [root, "ROOT is a folder: give ROOT/semaprax.toml"],
      [`${root}/`, "ROOT/ is a folder: give ROOT/semaprax.toml"],
      [`${root}/src`, "ROOT/src is a folder without a semaprax.toml; did you mean ROOT/semaprax.toml?"],
      [`${root}/nope.toml`, "there is no ROOT/nope.toml; did you mean ROOT/semaprax.toml?"],
      [`${root}/${APP}`, "the file is called semaprax.toml"],
    ];
    for (const [path, expected] of cases) expect([path, help(path)]).toEqual([path, expected]);
  });
});
