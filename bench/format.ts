// The formatter, from a file's syntax to its canonical text, and the check that a source has that form already. The rivals
// print a tree of objects by recursion and template strings.
import { isCanonical } from "../src/lang/canonical.ts";
import { formatFile } from "../src/lang/format.ts";
import { parse } from "../src/lang/parser.ts";
import { BinaryOperator, NodeKind, type SyntaxFile, type Tree } from "../src/lang/syntax.ts";
import { must } from "../test/support/graph-project.ts";
import { SCALES } from "../test/support/scale-project.ts";
import type { Case, HotPath } from "./harness.ts";
import { scaleInputs } from "./scale-inputs.ts";

const path: HotPath = {
  name: "format",
  prepare({ short }) {
    const { sources } = scaleInputs(short ? SCALES.large : SCALES.full);
    const file = must(parse(sources.at(-2)!));
    const { bytes } = file.source;
    const work = { amount: bytes.length, unit: "bytes" } as const;
    const tree = plainFile(file);
    const text = new TextDecoder().decode(bytes);
    return [
      {
        name: `print ${bytes.length} bytes`,
        ours: {
          name: "formatFile",
          run: () => formatFile(file),
          result: () => new TextDecoder().decode(formatFile(file)),
        },
        rivals: [
          { name: "objects, recursion, concatenation", run: () => print(tree), result: () => print(tree) },
        ],
        work,
      },
      {
        name: `compare ${bytes.length} bytes with their canonical form`,
        ours: { name: "isCanonical", run: () => isCanonical(file), result: () => isCanonical(file) },
        rivals: [
          {
            name: "print and compare strings",
            run: () => print(tree) === text,
            result: () => print(tree) === text,
          },
        ],
        work,
      },
    ] satisfies Case[];
  },
};
export default path;

type Plain =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Plain; readonly right: Plain }
  | { readonly kind: "call"; readonly name: string; readonly values: readonly Plain[] }
  | { readonly kind: "if"; readonly parts: readonly [Plain, Plain, Plain] }
  | {
      readonly kind: "block";
      readonly lets: readonly { name: string; value: Plain }[];
      readonly tail: Plain;
    };

interface PlainFile {
  readonly head: string;
  readonly functions: readonly { readonly head: string; readonly body: Plain }[];
}

/** The file as objects. The scale projects use a few kinds of expressions only, and need no parentheses. */
function plainFile({ module, uses, functions, tree }: SyntaxFile): PlainFile {
  const imported = uses.map(
    ({ id, module, alias }) => `use function @id("${id}") from ${module} as ${alias.text};\n`,
  );
  return {
    head: `module ${module};\n${imported.join("")}`,
    functions: functions.map(({ authoredId, name, body }) => ({
      head: `\n@id("${authoredId}")\nfn ${name.text}(n: i64) -> i64\n`,
      body: plain(tree, body),
    })),
  };
}

function plain(tree: Tree, node: number): Plain {
  const kind: NodeKind = tree.nodeKind[node]!;
  const data = tree.nodeData[node]!;
  const children = [...tree.child.subarray(tree.childStart[node]!, tree.childStart[node + 1]!)].map((child) =>
    plain(tree, child),
  );
  switch (kind) {
    case NodeKind.Integer:
      return { kind: "text", text: String(tree.integers[data]) };
    case NodeKind.Variable:
      return { kind: "text", text: tree.names[data]! };
    case NodeKind.Binary: {
      const operator: BinaryOperator = data;
      const text = operator === BinaryOperator.Add ? "+" : operator === BinaryOperator.Subtract ? "-" : ">";
      return { kind: "binary", operator: text, left: children[0]!, right: children[1]! };
    }
    case NodeKind.Call:
      return { kind: "call", name: tree.names[data]!, values: children };
    case NodeKind.If:
      return { kind: "if", parts: [children[0]!, children[1]!, children[2]!] };
    case NodeKind.Block: {
      const lets = children
        .slice(0, -1)
        .map((value, at) => ({ name: tree.names[tree.letName[data + at]!]!, value }));
      return { kind: "block", lets, tail: children.at(-1)! };
    }
    default:
      throw new Error("the scale projects have no such expression");
  }
}

function print({ head, functions }: PlainFile): string {
  return head + functions.map((declared) => `${declared.head}${printBody(declared.body)}`).join("");
}

function printBody(body: Plain): string {
  if (body.kind !== "block") throw new Error("a body is a block");
  const lets = body.lets.map(({ name, value }) => `    let ${name} = ${printPlain(value)};\n`).join("");
  return `{\n${lets}    ${printPlain(body.tail)}\n}\n`;
}

function printPlain(tree: Plain): string {
  switch (tree.kind) {
    case "text":
      return tree.text;
    case "binary":
      return `${printPlain(tree.left)} ${tree.operator} ${printPlain(tree.right)}`;
    case "call":
      return `${tree.name}(${tree.values.map(printPlain).join(", ")})`;
    case "if":
      return `if ${printPlain(tree.parts[0])} ${printPlain(tree.parts[1])} else ${printPlain(tree.parts[2])}`;
    case "block":
      return `{ ${tree.lets.map(({ name, value }) => `let ${name} = ${printPlain(value)}; `).join("")}${printPlain(tree.tail)} }`;
  }
}
