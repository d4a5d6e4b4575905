/**
 * Random modules that use the whole grammar, out-of-profile items too, without meaning anything: with superfluous
 * parentheses, with white space of every kind, with literals in unusual spellings. What they leave out is what the
 * formatter cannot print as a fixed point (language.md 3.3): a variable before `<`, a unary operator under a suffix.
 */
import type { Random } from "./random-project.ts";

const NAMES = ["a", "b", "_x", "long_name_1", "result", "f32", "use", "record"];
const SPACES = [" ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u3000", " // comment <{(\n"];
const INTEGERS = ["0", "007", "42", "9007199254740993", "9223372036854775807"];
const FLOATS = ["0.0", "1.50", "1.0e21", "1.0E-7f32", "0.1f32", "16777217.0f32", "5.0e-324", "123456.789e3"];
const CHARS = ["'a'", "'\\n'", "'\n'", "'\\u{61}'", "'é'", "'\\''", "'\"'", "'\u{1F600}'"];
const STRINGS = ['""', '"a.b"', '"\\n\\t\\"\\\\"', '"\n\u00e9"', '"\uFEFF\0"'];
const BINARY = ["||", "&&", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"];

export function randomModule(random: Random): string {
  return new Generator(random).module();
}

class Generator {
  constructor(private readonly random: Random) {}

  module(): string {
    const uses = this.some(3, () =>
      this.join([
        "use",
        this.pick(["function", "type"]),
        "@",
        "id",
        "(",
        this.pick(STRINGS),
        ")",
        "from",
        this.path(),
        "as",
        this.name(),
        ";",
      ]),
    );
    const permit = this.random(2) === 0 ? ["permit", this.effects()] : [];
    const items = this.some(4, () => this.item());
    return this.join([
      "module",
      this.path(),
      this.pick(["", ";"]),
      ...uses,
      ...permit,
      ...items,
      this.declaredFunction(),
    ]);
  }

  private item(): string {
    switch (this.random(5)) {
      case 0:
        return this.resource();
      case 1:
        return this.join([
          this.attribute(),
          "record",
          this.name(),
          this.typeParameters(),
          "{",
          ...this.members(),
          "}",
        ]);
      case 2:
        return this.variant();
      case 3:
        return this.declaredInterface();
      default:
        return this.declaredFunction();
    }
  }

  private declaredFunction(): string {
    const clauses = this.some(3, () =>
      this.join([this.pick(["requires", "ensures"]), this.expression(3, false)]),
    );
    const uses = this.random(3) === 0 ? ["uses", this.effects()] : [];
    const head = [
      this.attribute(),
      "fn",
      this.name(),
      this.typeParameters(),
      this.parameters(),
      "->",
      this.type(2),
    ];
    return this.join([...head, ...uses, ...clauses, this.block(4)]);
  }

  private resource(): string {
    const head = [this.attribute(), "resource", this.name(), this.typeParameters()];
    if (this.random(2) === 0) return this.join([...head, ";"]);
    const lifecycles = this.some(3, () => {
      const kind = this.random(2) === 0 ? ["trivial"] : ["import", this.pick(STRINGS)];
      return this.join([this.attribute(), "drop", ...kind, ";"]);
    });
    return this.join([...head, "{", ...lifecycles, "}"]);
  }

  private variant(): string {
    const cases = this.some(3, () => {
      const payload = this.random(2) === 0 ? ["{", ...this.members(), "}"] : [];
      return this.join([this.attribute(), this.name(), ...payload, ","]);
    });
    return this.join([this.attribute(), "variant", this.name(), this.typeParameters(), "{", ...cases, "}"]);
  }

  private declaredInterface(): string {
    const imports = this.some(3, () => {
      const isRust = this.random(2) === 0;
      const failure = this.random(2) === 0 ? ["infallible"] : ["status", this.pick(STRINGS)];
      const head = [
        this.attribute(),
        "import",
        isRust ? "rust" : "",
        "fn",
        this.name(),
        this.parameters(),
        "->",
      ];
      const result = isRust ? this.pick(["unit", "i64", "bool"]) : "unit";
      const tail = isRust ? [] : ["consumes", this.name(), "always"];
      return this.join([...head, result, "effects", this.effects(), "failure", ...failure, ...tail, ";"]);
    });
    return this.join([
      this.attribute(),
      "interface",
      this.name(),
      "permits",
      this.effects(),
      "{",
      ...imports,
      "}",
    ]);
  }

  private members(): readonly string[] {
    return this.some(3, () => this.join([this.attribute(), this.name(), ":", this.type(2), ","]));
  }

  private parameters(): string {
    const list = this.some(4, () =>
      this.join([this.name(), ":", this.pick(["", "", "own", "borrow", "shared"]), this.type(2)]),
    );
    return this.join(["(", list.join(","), ")"]);
  }

  private typeParameters(): string {
    return this.random(4) === 0 ? this.join(["<", this.name(), ",", this.name(), ">"]) : "";
  }

  private effects(): string {
    return this.join(["{", this.some(3, () => this.path()).join(","), "}"]);
  }

  private attribute(): string {
    return this.random(2) === 0 ? this.join(["@", "id", "(", this.pick(STRINGS), ")"]) : "";
  }

  private type(depth: number): string {
    if (depth === 0 || this.random(3) > 0) return this.pick(["i64", "bool", "f64", "a.b", "T"]);
    return this.join([this.path(), "<", this.type(depth - 1), ",", this.type(depth - 1), ">"]);
  }

  private block(depth: number): string {
    const lets = this.some(3, () =>
      this.join(["let", this.name(), "=", this.expression(depth - 1, true), ";"]),
    );
    return this.join(["{", ...lets, this.expression(depth - 1, true), this.pick(["", ";"]), "}"]);
  }

  /** `records`: whether a record value may stand here without parentheses. */
  private expression(depth: number, records: boolean): string {
    if (this.random(6) === 0) return this.join(["(", this.expression(depth, true), ")"]);
    if (depth <= 0) return this.leaf();
    switch (this.random(4)) {
      case 0: {
        const operator = this.pick(BINARY);
        const left = operator === "<" ? this.pick(INTEGERS) : this.expression(depth - 1, records);
        return this.join([left, operator, this.expression(depth - 1, records)]);
      }
      case 1:
        return this.join([this.pick(["-", "!"]), this.expression(depth - 1, records)]);
      default:
        return this.operand(depth, records);
    }
  }

  private operand(depth: number, records: boolean): string {
    switch (this.random(10)) {
      case 0: {
        const condition = this.expression(depth - 1, false);
        return this.join(["if", condition, this.block(depth - 1), "else", this.block(depth - 1)]);
      }
      case 1: {
        const arms = this.some(4, () =>
          this.join([this.pattern(2), "=>", this.expression(depth - 1, true), ","]),
        );
        return this.join(["match", this.expression(depth - 1, false), "{", ...arms, "}"]);
      }
      case 2:
        return this.block(depth);
      case 3:
        return records
          ? this.join([this.path(), "{", this.fields(depth, true), "}"])
          : this.join(["(", this.path(), "{", this.fields(depth, true), "}", ")"]);
      case 4:
        return this.join([
          this.name(),
          this.typeArguments(),
          "::",
          this.name(),
          "{",
          this.fields(depth, false),
          "}",
        ]);
      case 5:
        return this.join([this.base(depth), "with", "{", this.fields(depth, false), "}"]);
      case 6:
        return this.join([this.base(depth), ".", this.name()]);
      case 7:
        return this.join([this.base(depth), "?"]);
      default: {
        const values = this.some(4, () => this.expression(depth - 1, true));
        return this.join([this.name(), this.typeArguments(), "(", values.join(","), ")"]);
      }
    }
  }

  /** What a suffix may follow. */
  private base(depth: number): string {
    if (this.random(2) === 0) return this.operand(depth - 1, false);
    return this.random(2) === 0
      ? this.leaf()
      : this.join(["(", this.pick(INTEGERS), this.pick(BINARY), this.expression(depth - 1, true), ")"]);
  }

  private leaf(): string {
    return this.pick([...NAMES, "true", "false", ...INTEGERS, ...FLOATS, ...CHARS]);
  }

  private fields(depth: number, shorthands: boolean): string {
    const list = this.some(3, () =>
      shorthands && this.random(3) === 0
        ? this.name()
        : this.join([this.name(), ":", this.expression(depth - 1, true)]),
    );
    return list.join(",") + (list.length > 0 && this.random(2) === 0 ? "," : "");
  }

  private pattern(depth: number): string {
    if (this.random(3) === 0) return "_";
    const fields = this.some(3, () => this.patternField(depth)).join(",");
    const caseName = this.random(2) === 0 ? ["::", this.name()] : [];
    return this.join([this.name(), ...caseName, "{", fields, "}"]);
  }

  private patternField(depth: number): string {
    switch (this.random(depth > 0 ? 4 : 3)) {
      case 0:
        return this.name();
      case 1:
        return this.join([this.name(), ":", this.name()]);
      case 2:
        return this.join([this.name(), ":", "_"]);
      default:
        return this.join([this.name(), ":", this.name(), "{", this.patternField(depth - 1), "}"]);
    }
  }

  private typeArguments(): string {
    return this.random(4) === 0 ? this.join(["<", this.type(2), ",", this.type(1), ">"]) : "";
  }

  private path(): string {
    return this.random(3) === 0 ? this.join([this.name(), ".", this.name()]) : this.name();
  }

  private name(): string {
    return this.pick(NAMES);
  }

  private some<T>(bound: number, make: () => T): readonly T[] {
    return Array.from({ length: this.random(bound) }, make);
  }

  private pick<T>(choices: readonly T[]): T {
    return choices[this.random(choices.length)]!;
  }

  /** The parts with random white space between them. */
  private join(parts: readonly string[]): string {
    return parts.filter((part) => part !== "").join(this.random(3) === 0 ? this.pick(SPACES) : " ");
  }
}
