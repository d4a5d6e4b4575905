/**
 * Random well-typed test modules that are hard on an evaluator: i64 at the edges of both representations, every scalar
 * type, lets whose names a later block uses again, short circuits, contracts, recursion. See random-project.ts for
 * whole projects.
 */
import type { Random } from "./random-project.ts";

type Type = "i64" | "bool" | "f64" | "f32" | "char";

interface Signature {
  readonly name: string;
  readonly parameters: readonly Type[];
  readonly returns: "i64" | "bool";
}

interface Scope {
  readonly random: Random;
  readonly functions: readonly Signature[];
  /** Names and types that are visible. */
  readonly visible: readonly (readonly [string, Type])[];
  readonly depth: number;
}

const INTEGERS = [
  "0",
  "1",
  "2",
  "3",
  "7",
  "2147483648",
  "4294967296",
  "9007199254740991",
  "9007199254740992",
];
const WIDE_INTEGERS = ["9007199254740993", "4611686018427387904", "9223372036854775807"];
const FLOATS = ["0.0", "1.0", "0.1", "1.5", "16777217.0", "340282346638528859811704183484516925440.0"];
const CHARS = ["'a'", "'b'", "'\\u{10ffff}'", "'\\0'"];
const ARITHMETIC = ["+", "-", "*", "/", "%"];
const COMPARISONS = ["<", "<=", ">", ">=", "==", "!="];

/** The functions of a test module, `main` among them. */
export function randomTestModule(random: Random): string {
  const functions: Signature[] = Array.from({ length: 1 + random(3) }, (_, index) => ({
    name: `g${index}`,
    parameters: Array.from({ length: random(4) }, () => pick(random, ["i64", "i64", "bool"] as const)),
    returns: pick(random, ["i64", "i64", "bool"] as const),
  }));
  const main: Signature = { name: "main", parameters: [], returns: "i64" };
  return [...functions, main].map((signature) => printFunction(random, functions, signature)).join("\n");
}

function printFunction(random: Random, functions: readonly Signature[], signature: Signature): string {
  const { name, parameters, returns } = signature;
  const visible = parameters.map((type, index) => [`p${index}`, type] as const);
  const id = name === "main" ? '@id("p.tests.main") ' : "";
  const list = visible.map(([parameter, type]) => `${parameter}: ${type}`).join(", ");
  const scope = { random, functions, visible, depth: 2 };
  const after: Scope = { ...scope, visible: [...visible, ["result", returns]] };
  const requires = random(3) === 0 ? `requires ${expression(scope, "bool")} ` : "";
  const ensures = random(3) === 0 ? `ensures ${expression(after, "bool")} ` : "";
  const body = block({ ...scope, depth: 5 }, returns);
  return `${id}fn ${name}(${list}) -> ${returns} ${requires}${ensures}${body}`;
}

function block(scope: Scope, type: Type): string {
  const visible = [...scope.visible];
  let lets = "";
  for (let count = scope.random(3); count > 0; count--) {
    const bound = pick(scope.random, ["i64", "i64", "i64", "bool", "f64", "f32", "char"] as const);
    const value = expression({ ...scope, visible, depth: scope.depth - 1 }, bound);
    // Slots are shared by blocks that are not nested: names come from few, but never one that is visible.
    const name = ["a", "b", "c", "d", "e", "h", "i", "j", "k", "l", "m", "n", "o"].find(
      (free) => !visible.some(([taken]) => taken === free),
    );
    if (name === undefined) break;
    lets += `let ${name} = ${value}; `;
    visible.push([name, bound]);
  }
  return `{ ${lets}${expression({ ...scope, visible, depth: scope.depth - 1 }, type)} }`;
}

/** In parentheses where it is not a single token, so that it can stand anywhere. */
function expression(scope: Scope, type: Type): string {
  const { random } = scope;
  if (scope.depth <= 0) return leaf(scope, type);
  const deeper = { ...scope, depth: scope.depth - 1 };
  switch (random(9)) {
    case 0:
    case 1:
      return leaf(scope, type);
    case 2:
      return block(deeper, type);
    case 3:
      return `(if ${expression(deeper, "bool")} ${block(deeper, type)} else ${block(deeper, type)})`;
    case 4:
      return call(deeper, type);
    default:
      return operation(deeper, type);
  }
}

function operation(scope: Scope, type: Type): string {
  const { random } = scope;
  const binary = (operator: string, of: Type): string =>
    `(${expression(scope, of)} ${operator} ${expression(scope, of)})`;
  switch (type) {
    case "i64":
      return random(5) === 0 ? `(-${expression(scope, type)})` : binary(pick(random, ARITHMETIC), type);
    case "f64":
    case "f32":
      return random(5) === 0 ? `(-${expression(scope, type)})` : binary(ARITHMETIC[random(4)]!, type);
    case "bool":
      if (random(6) === 0) return `(!${expression(scope, type)})`;
      if (random(3) === 0) return binary(pick(random, ["&&", "||"]), type);
      if (random(6) === 0) return binary(pick(random, ["==", "!="]), type);
      return binary(pick(random, COMPARISONS), pick(random, ["i64", "i64", "f64", "f32", "char"] as const));
    case "char":
      return leaf(scope, type);
  }
}

function call(scope: Scope, type: Type): string {
  const fitting = scope.functions.filter(({ returns }) => returns === type);
  if (fitting.length === 0) return leaf(scope, type);
  const { name, parameters } = pick(scope.random, fitting);
  return `${name}(${parameters.map((of) => expression(scope, of)).join(", ")})`;
}

function leaf({ random, visible }: Scope, type: Type): string {
  const fitting = visible.filter(([, of]) => of === type);
  if (fitting.length > 0 && random(3) > 0) return pick(random, fitting)[0];
  switch (type) {
    case "i64":
      return pick(random, random(4) === 0 ? WIDE_INTEGERS : INTEGERS);
    case "bool":
      return pick(random, ["true", "false"]);
    case "f64":
      return pick(random, FLOATS);
    case "f32":
      return `${pick(random, FLOATS)}f32`;
    case "char":
      return pick(random, CHARS);
  }
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random(values.length)]!;
}
