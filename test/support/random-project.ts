/**
 * Random projects that the package admits, as a model and as source text. The model knows what the text means, so it can
 * serve as a second opinion.
 */
import { utf8 } from "../../src/kernel/bytes.ts";
import { formatFile } from "../../src/lang/format.ts";
import { parse } from "../../src/lang/parser.ts";
import type { Source } from "../../src/lang/source.ts";

/** A whole number from 0 to `bound` - 1; see `numbers` in fuzz.ts. */
export type Random = (bound: number) => number;

export type ValueType = "i64" | "bool";

export type Expression =
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "unary"; readonly operator: "-" | "!"; readonly operand: Expression }
  | {
      readonly kind: "binary";
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: "call";
      readonly callee: string;
      /** Index of the `use` whose alias is called, or null for a function of the same module. */
      readonly use: number | null;
      readonly arguments: readonly Expression[];
    }
  | BlockExpression
  | {
      readonly kind: "if";
      readonly condition: Expression;
      readonly whenTrue: BlockExpression;
      readonly whenFalse: BlockExpression;
    };

export interface BlockExpression {
  readonly kind: "block";
  readonly lets: readonly { readonly name: string; readonly value: Expression }[];
  readonly tail: Expression;
}

export interface ModelFunction {
  /** Null for an automatic id. */
  readonly authoredId: string | null;
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: ValueType }[];
  readonly returns: ValueType;
  readonly requires: readonly Expression[];
  readonly ensures: readonly Expression[];
  readonly body: BlockExpression;
}

export interface ModelUse {
  /** The function used: a module of the project and a function of it. */
  readonly module: number;
  readonly function: number;
  readonly alias: string;
}

export interface ModelModule {
  readonly path: string;
  readonly name: string;
  readonly uses: readonly ModelUse[];
  readonly functions: readonly ModelFunction[];
}

export interface ModelProject {
  readonly name: string;
  /** A module imports only modules before it; the last two are the test module and the entry module. */
  readonly modules: readonly ModelModule[];
}

export function entryModule({ modules }: ModelProject): ModelModule {
  return modules[modules.length - 1]!;
}

export function testModule({ modules }: ModelProject): ModelModule {
  return modules[modules.length - 2]!;
}

/** The id of a function, authored or not (language.md 7.1). */
export function modelId(module: ModelModule, { authoredId, name }: ModelFunction): string {
  return authoredId ?? `auto:${module.name}.${name}`;
}

/** A project of 2 to `modulesMax` modules. */
export function randomProject(random: Random, modulesMax = 6): ModelProject {
  const count = 2 + random(modulesMax - 1);
  const modules: ModelModule[] = [];
  for (let index = 0; index < count; index++) {
    const role = index === count - 1 ? "entry" : index === count - 2 ? "test" : "library";
    modules.push(randomModule(random, modules, index, role));
  }
  return { name: "random", modules };
}

/** Canonical sources in the order of their paths. */
export function canonicalSources(model: ModelProject): Source[] {
  return printProject(model).map(({ path, text }) => {
    const parsed = parse({ path, bytes: utf8(text) });
    if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
    return { path, bytes: formatFile(parsed.value) };
  });
}

/** The sources in the order of their paths, with superfluous parentheses. */
export function printProject({ modules }: ModelProject): { path: string; text: string }[] {
  return modules
    .map((module) => ({ path: module.path, text: printModule(module, modules) }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** The manifest, which exports the entry module's `main`. */
export function printManifest(project: ModelProject): string {
  const paths = printProject(project).map(({ path }) => `"${path}"`);
  return (
    `schema = "semaprax.project.v1"\nname = "${project.name}"\nentry = "${entryModule(project).name}"\n` +
    `sources = [${paths.join(", ")}]\nweb_exports = ["main.entry"]\ntests = ["${testModule(project).name}"]\n`
  );
}

type Role = "entry" | "test" | "library";

function randomModule(
  random: Random,
  before: readonly ModelModule[],
  index: number,
  role: Role,
): ModelModule {
  // Paths sort differently from the order in which modules may import each other.
  const folder = ["", "a/", "src/", "z/y/"][random(4)]!;
  const path = `${folder}${"kbtwgcmxdq"[index % 10]}${index}.spx`;
  const name = `p.m${index}`;
  const uses = randomUses(random, before);
  const signatures = Array.from({ length: (role === "library" ? 1 : 0) + random(4) }, (_, at) =>
    randomSignature(random, index, at, role),
  );
  if (role !== "library") signatures.push(mainSignature(role));
  const scope = { random, signatures, uses, before };
  return { path, name, uses, functions: signatures.map((signature) => randomFunction(scope, signature)) };
}

function randomUses(random: Random, before: readonly ModelModule[]): ModelUse[] {
  const uses: ModelUse[] = [];
  for (const [module, { functions }] of before.entries()) {
    for (const [at, { authoredId, name }] of functions.entries()) {
      if (name === "main" || authoredId === null || functions.some((other) => other.name === "main"))
        continue;
      if (random(3) > 0) uses.push({ module, function: at, alias: `u${random(3)}_${uses.length}` });
    }
  }
  return uses;
}

type Signature = Omit<ModelFunction, "requires" | "ensures" | "body">;

const ODD_IDS = [
  '"',
  "\\",
  "\n",
  "\u0001\b\f",
  "\u007f\u0085\u009f",
  "é",
  "\ue000",
  "\uffff",
  "😀",
  " ",
  "/",
  "\u2028",
];

function randomSignature(random: Random, module: number, at: number, role: Role): Signature {
  const types: readonly ValueType[] = ["i64", "i64", "bool"];
  const parameters = Array.from({ length: random(4) }, (_, index) => ({
    name: `p${index}`,
    type: types[random(3)]!,
  }));
  const plain = `f.${module}.${at}`;
  const odd = random(3) === 0 ? `${ODD_IDS[random(ODD_IDS.length)]!}${plain}` : plain;
  // An id may be the name of a module; an automatic one is admitted in the test module only.
  const authored = at === 0 && random(4) === 0 ? `p.m${module}` : odd;
  const authoredId = role === "test" && random(2) === 0 ? null : authored;
  return { authoredId, name: `f${at}`, parameters, returns: types[random(3)]! };
}

function mainSignature(role: "entry" | "test"): Signature {
  return { authoredId: `main.${role}`, name: "main", parameters: [], returns: "i64" };
}

interface Scope {
  readonly random: Random;
  readonly signatures: readonly Signature[];
  readonly uses: readonly ModelUse[];
  readonly before: readonly ModelModule[];
}

interface Variable {
  readonly name: string;
  readonly type: ValueType;
}

function randomFunction(scope: Scope, signature: Signature): ModelFunction {
  const { random } = scope;
  const names = { count: 0 };
  const clauses = (visible: readonly Variable[]): Expression[] =>
    Array.from({ length: random(4) === 0 ? 1 + random(2) : 0 }, () =>
      randomExpression(scope, names, visible, "bool", 2),
    );
  const { parameters, returns } = signature;
  return {
    ...signature,
    requires: clauses(parameters),
    ensures: clauses([...parameters, { name: "result", type: returns }]),
    body: randomBlock(scope, names, parameters, returns, 4),
  };
}

function randomBlock(
  scope: Scope,
  names: { count: number },
  outer: readonly Variable[],
  type: ValueType,
  depth: number,
): BlockExpression {
  const visible = [...outer];
  const lets = Array.from({ length: depth > 0 ? scope.random(3) : 0 }, () => {
    const bound: ValueType = scope.random(3) === 0 ? "bool" : "i64";
    const value = randomExpression(scope, names, visible, bound, depth - 1);
    const name = `v${names.count++}`;
    visible.push({ name, type: bound });
    return { name, value };
  });
  return { kind: "block", lets, tail: randomExpression(scope, names, visible, type, depth - 1) };
}

function randomExpression(
  scope: Scope,
  names: { count: number },
  visible: readonly Variable[],
  type: ValueType,
  depth: number,
): Expression {
  const { random } = scope;
  if (depth <= 0) return randomLeaf(random, visible, type);
  const inner = (of: ValueType): Expression => randomExpression(scope, names, visible, of, depth - 1);
  const block = (): BlockExpression => randomBlock(scope, names, visible, type, depth - 1);
  switch (random(8)) {
    case 0:
      return randomLeaf(random, visible, type);
    case 1:
      return { kind: "unary", operator: type === "i64" ? "-" : "!", operand: inner(type) };
    case 2:
      return block();
    case 3:
      return { kind: "if", condition: inner("bool"), whenTrue: block(), whenFalse: block() };
    case 4:
    case 5:
      return randomBinary(random, type, inner);
    default:
      return randomCall(scope, type, inner) ?? randomLeaf(random, visible, type);
  }
}

function randomLeaf(random: Random, visible: readonly Variable[], type: ValueType): Expression {
  const fitting = visible.filter((variable) => variable.type === type);
  if (fitting.length > 0 && random(2) === 0) {
    return { kind: "variable", name: fitting[random(fitting.length)]!.name };
  }
  return { kind: "literal", text: type === "i64" ? `${random(20)}` : random(2) === 0 ? "true" : "false" };
}

function randomBinary(random: Random, type: ValueType, inner: (of: ValueType) => Expression): Expression {
  const arithmetic = ["+", "-", "*", "/", "%"];
  const comparison = ["==", "!=", "<", "<=", ">", ">="];
  if (type === "i64") {
    return { kind: "binary", operator: arithmetic[random(5)]!, left: inner("i64"), right: inner("i64") };
  }
  return random(2) === 0
    ? { kind: "binary", operator: comparison[random(6)]!, left: inner("i64"), right: inner("i64") }
    : { kind: "binary", operator: ["&&", "||"][random(2)]!, left: inner("bool"), right: inner("bool") };
}

function randomCall(scope: Scope, type: ValueType, inner: (of: ValueType) => Expression): Expression | null {
  const local = scope.signatures.map((signature) => ({ callee: signature.name, use: null, signature }));
  const imported = scope.uses.map((use, index) => ({
    callee: use.alias,
    use: index,
    signature: scope.before[use.module]!.functions[use.function]!,
  }));
  const fitting = [...local, ...imported, ...imported].filter(({ signature }) => signature.returns === type);
  if (fitting.length === 0) return null;
  const { callee, use, signature } = fitting[scope.random(fitting.length)]!;
  return { kind: "call", callee, use, arguments: signature.parameters.map(({ type: of }) => inner(of)) };
}

function printModule(module: ModelModule, modules: readonly ModelModule[]): string {
  const uses = module.uses.map(({ module: from, function: at, alias }) => {
    const provider = modules[from]!;
    const id = printString(modelId(provider, provider.functions[at]!));
    return `use function @id(${id}) from ${provider.name} as ${alias};\n`;
  });
  return [`module ${module.name};\n`, ...uses, ...module.functions.map(printFunction)].join("");
}

function printFunction(declared: ModelFunction): string {
  const parameters = declared.parameters.map(({ name, type }) => `${name}: ${type}`).join(", ");
  const id = declared.authoredId === null ? "" : `@id(${printString(declared.authoredId)})\n`;
  const clauses = [
    ...declared.requires.map((clause) => `    requires ${printExpression(clause)}\n`),
    ...declared.ensures.map((clause) => `    ensures ${printExpression(clause)}\n`),
  ].join("");
  const body = printExpression(declared.body);
  return `\n${id}fn ${declared.name}(${parameters}) -> ${declared.returns}\n${clauses}${body}\n`;
}

function printString(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

export function printExpression(expression: Expression): string {
  switch (expression.kind) {
    case "literal":
      return expression.text;
    case "variable":
      return expression.name;
    case "unary":
      return `${expression.operator}(${printExpression(expression.operand)})`;
    case "binary":
      return `(${printExpression(expression.left)} ${expression.operator} ${printExpression(expression.right)})`;
    case "call":
      return `${expression.callee}(${expression.arguments.map(printExpression).join(", ")})`;
    case "block": {
      const lets = expression.lets.map(({ name, value }) => `let ${name} = ${printExpression(value)}; `);
      return `{ ${lets.join("")}${printExpression(expression.tail)} }`;
    }
    case "if": {
      const { condition, whenTrue, whenFalse } = expression;
      return `if ${printExpression(condition)} ${printExpression(whenTrue)} else ${printExpression(whenFalse)}`;
    }
  }
}
