/** How a function is shown to people. */
import type { FunctionSyntax, SyntaxFile, TypeSyntax } from "../lang/syntax.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** `add(left: i64, right: i64) -> i64` */
export function signature(file: SyntaxFile, declared: FunctionSyntax, name = declared.name.text): string {
  const parameters = declared.parameters.map(
    (parameter) => `${parameter.name.text}: ${typeText(file, parameter.type)}`,
  );
  return `${name}(${parameters.join(", ")}) -> ${typeText(file, declared.returnType)}`;
}

/** The source text of a byte range. */
export function textOf(file: SyntaxFile, start: number, end: number): string {
  return decoder.decode(file.source.bytes.subarray(start, end));
}

function typeText(file: SyntaxFile, type: TypeSyntax): string {
  return textOf(file, type.start, type.end);
}
