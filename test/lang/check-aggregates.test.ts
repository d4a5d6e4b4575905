import { table } from "../support/check-table.ts";

/** With an `Option<i64>` called `o` and a `Result<i64, bool>` called `r`. */
function withVariants(body: string): string {
  return `@id("f") fn f(n: i64, o: Option<i64>, r: Result<i64, bool>) -> i64 { ${body} }`;
}

table(
  "variant and record values (4.6)",
  [
    [
      "all four cases",
      "let a = Option<i64>::None {}; let b = Option<bool>::Some { value: true }; let d = Result<i64, bool>::Ok { value: 1 }; let e = Result<i64, bool>::Err { error: true }; 0",
      [],
    ],
    [
      "values have their instance's type",
      "let a = Option<i64>::None {} == o; let b = Option<bool>::None {} == o; 0",
      ["T207 Option<bool>::None {} == o"],
    ],
    [
      "T001 the whole, then T215 and T212",
      "let a = Foo::Bar { v: zz }; a",
      ["T001 Foo::Bar { v: zz }", "T215 Foo::Bar { v: zz }", "T212 v: zz", "T202 zz", "T202 a"],
    ],
    [
      "T221 but the case is known",
      "let a = Option::Some { value: true }; 0",
      ["T221 Option::Some { value: true }"],
    ],
    [
      "T223, then the arguments",
      "let a = Option<foo>::None {}; 0",
      ["T223 Option<foo>::None {}", "T001 Option<foo>::None {}"],
    ],
    [
      "T215 unknown case: every field is unknown",
      "let a = Option<i64>::Most { value: 1 }; a",
      ["T215 Option<i64>::Most { value: 1 }", "T212 value: 1", "T202 a"],
    ],
    [
      "T212 unknown, repeated; T213 missing, last",
      "let a = Option<i64>::Some { v: 1, v: zz }; 0",
      ["T212 v: 1", "T212 v: zz", "T202 zz", "T213 Option<i64>::Some { v: 1, v: zz }"],
    ],
    [
      "T212 repeated known field, T215 on each value",
      "let a = Option<i64>::Some { value: true, value: true }; 0",
      ["T215 true", "T212 value: true", "T215 true"],
    ],
    ["T213", "let a = Result<i64, bool>::Err {}; 0", ["T213 Result<i64, bool>::Err {}"]],
    [
      "values nest",
      "let a = Option<i64>::Some { value: match Option<bool>::Some { value: n } { _ => true, } }; 0",
      ["T215 n", "T215 match Option<bool>::Some { value: n } { _ => true, }"],
    ],
    [
      "a record value: T001, T215, then T212 and the value of each field",
      "let a = P { x: zz, y: yy }; a",
      [
        "T001 P { x: zz, y: yy }",
        "T215 P { x: zz, y: yy }",
        "T212 x: zz",
        "T202 zz",
        "T212 y: yy",
        "T202 yy",
        "T202 a",
      ],
    ],
    [
      "a record value of a variant",
      "let a = Option<i64> { value: 1 }; 0",
      ["T215 Option<i64> { value: 1 }", "T212 value: 1"],
    ],
    ["shorthand fields", "let a = P { n }; 0", ["T001 P { n }", "T215 P { n }", "T212 n"]],
    ["T214", "let a = n.x; let b = o.value; a", ["T214 n.x", "T214 o.value", "T202 a"]],
    ["T214 is not held against an untyped base", "zz.x.y", ["T202 zz"]],
    ["T215 for with: the values are not checked", "let a = n with { x: zz, y: yy }; a", ["T215 n", "T202 a"]],
    ["with on an untyped base", "zz with { x: yy }", ["T202 zz"]],
    ["with without values", "let a = n with {}; 0", ["T215 n"]],
  ],
  withVariants,
);

table(
  "match (4.6)",
  [
    ["exhaustive", "match o { Option::None {} => 0, Option::Some { value } => value, }", []],
    ["with a wildcard", "match r { Result::Err { error: e } => if e { 1 } else { 2 }, _ => 0, }", []],
    [
      "M101 the whole, last",
      "match o { Option::Some { value } => zz, }",
      ["T202 zz", "M101 match o { Option::Some { value } => zz, }"],
    ],
    ["M101 without arms", "match o {}", ["M101 match o {}"]],
    ["M103 scalar scrutinee", "match n { _ => 0, }", ["M103 n"]],
    ["M103 untyped scrutinee", "match zz { _ => 0, }", ["T202 zz", "M103 zz"]],
    [
      "M103 scrutinee, then each case pattern",
      "match n { Option::Some { value } => value, _ => 0, }",
      ["M103 n", "M103 Option::Some { value }", "T202 value"],
    ],
    [
      "M103 other variant, unknown case, record pattern",
      "match o { Result::Ok { value } => 1, Option::Most {} => 2, P { x } => 3, _ => 4, }",
      ["M103 Result::Ok { value }", "M103 Option::Most {}", "M103 P { x }"],
    ],
    ["M102 second wildcard", "match o { _ => 0, _ => 1, }", ["M102 _"]],
    [
      "M102 wildcard after all cases",
      "match o { Option::None {} => 0, Option::Some { value } => value, _ => 1, }",
      ["M102 _"],
    ],
    [
      "M102 case after a wildcard, case twice",
      "match o { Option::None {} => 0, Option::None {} => 1, _ => 2, Option::Some { value } => value, }",
      ["M102 Option::None {}", "M102 Option::Some { value }"],
    ],
    [
      "M104 unknown and missing",
      "match o { Option::Some { val } => 1, Option::None {} => 0, }",
      ["M104 val", "M104 Option::Some { val }"],
    ],
    [
      "M104 repeated field and binding",
      "match o { Option::Some { value, value } => value, _ => 0, }",
      ["M104 value", "M104 value"],
    ],
    [
      "M104 forbidden and taken bindings",
      "match r { Result::Ok { value: let } => 1, Result::Err { error: n } => 0, }",
      ["M104 let", "M104 n"],
    ],
    [
      "M104 a name that only outer patterns have",
      "match o { Option::Some { value: v } => match o { Option::Some { value: v } => 1, _ => 0, }, _ => 0, }",
      ["M104 v"],
    ],
    ["a binding ends with its arm", "match o { Option::Some { value: v } => v, _ => v, }", ["T202 v"]],
    [
      "sibling arms may reuse a name",
      "match r { Result::Ok { value: v } => v, Result::Err { error: v } => if v { 1 } else { 2 }, }",
      [],
    ],
    [
      "a binding has the field's type",
      "match r { Result::Ok { value: v } => !v, Result::Err { error: v } => v, } && true",
      [
        "T206 !v",
        "T103 { match r { Result::Ok { value: v } => !v, Result::Err { error: v } => v, } && true }",
      ],
    ],
    [
      "T216 against the first typed arm",
      "match o { Option::None {} => zz, Option::Some { value } => value, _ => true, }",
      ["T202 zz", "M102 _", "T216 true"],
    ],
  ],
  withVariants,
);

table("the operator ? (4.6)", [
  [
    "payload of an Option",
    `@id("f") fn f(o: Option<i64>) -> Option<bool> { Option<bool>::Some { value: o? > 0 } }`,
    [],
  ],
  [
    "payload of a Result with the same error",
    `@id("f") fn f(r: Result<i64, bool>) -> Result<bool, bool> { Result<bool, bool>::Ok { value: r? > 0 } }`,
    [],
  ],
  ["T218 on a scalar", `@id("f") fn f(n: i64) -> i64 { n? }`, ["T218 n?"]],
  [
    "T218 in a function that returns another",
    `@id("f") fn f(o: Option<i64>, r: Result<i64, bool>) -> Result<i64, bool> { let a = o?; r }`,
    ["T218 o?"],
  ],
  ["T218 in a function that returns a scalar", `@id("f") fn f(o: Option<i64>) -> i64 { o? }`, ["T218 o?"]],
  [
    "T219 another error type",
    `@id("f") fn f(r: Result<i64, bool>) -> Result<i64, i64> { let a = r?; Result<i64, i64>::Ok { value: 1 } }`,
    ["T219 r?"],
  ],
  ["nothing on an untyped operand", `@id("f") fn f() -> i64 { zz? }`, ["T202 zz"]],
]);

table("what is outside the profile is not held against a module (4.6)", [
  [
    "generic functions",
    `@id("g") fn g<T>(x: T, o: Option<T>) -> T { let y = x; y } @id("f") fn f() -> i64 { let a = g<i64>(1, Option<i64>::None {}); a }`,
    [],
  ],
  [
    "records",
    `@id("P") record P { x: i64, } @id("f") fn f(p: P) -> P { let q = P { x: 1 }; let r = q with { x: p.x + 1 }; r }`,
    [],
  ],
  [
    "authored variants",
    `@id("V") variant V { A, B { x: i64, }, } @id("f") fn f(v: V) -> i64 { match v { V::A {} => 0, V::B { x } => x, } }`,
    [],
  ],
  [
    "record patterns",
    `@id("P") record P { x: i64, } @id("Q") record Q { p: P, } @id("f") fn f(q: Q) -> i64 { match q { Q { p: P { x } } => x, } }`,
    [],
  ],
  ["modes on resources", `@id("R") resource R; @id("f") fn f(r: own R, s: borrow R) -> i64 { 0 }`, []],
  [
    "but scalar errors in them are found",
    `@id("g") fn g<T>(x: T, n: i64) -> i64 { g(x, true) } @id("f") fn f(p: P) -> i64 { p.x + zz } @id("P") record P { x: i64, }`,
    ["T205 true", "T202 zz"],
  ],
]);
