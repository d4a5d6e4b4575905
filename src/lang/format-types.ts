/** Types, patterns and sets in canonical form (language.md 3.1, 3.2). Nesting is bounded by the parser. */
import type { PatternFieldSyntax, PatternSyntax, TypeSyntax } from "./syntax.ts";
import type { TextSink } from "./text-sink.ts";

export function formatType(type: TypeSyntax, out: TextSink): void {
  out.text(type.name);
  formatTypeArguments(type.arguments, out);
}

/** `<T, U>`, or nothing. */
export function formatTypeArguments(types: readonly TypeSyntax[], out: TextSink): void {
  if (types.length === 0) return;
  out.text("<");
  types.forEach((type, index) => {
    if (index > 0) out.text(", ");
    formatType(type, out);
  });
  out.text(">");
}

export function formatPattern(pattern: PatternSyntax, out: TextSink): void {
  switch (pattern.kind) {
    case "wildcard":
      out.text("_");
      break;
    case "case":
      out.text(`${pattern.typeName}::${pattern.caseName} {`);
      formatPatternFields(pattern.fields, out);
      break;
    case "record":
      out.text(`${pattern.typeName} {`);
      formatPatternFields(pattern.fields, out);
      break;
  }
}

function formatPatternFields(fields: readonly PatternFieldSyntax[], out: TextSink): void {
  fields.forEach((field, index) => {
    out.text(index === 0 ? " " : ", ");
    out.text(field.name);
    const { binding } = field;
    switch (binding.kind) {
      case "name":
        if (binding.name !== field.name) out.text(`: ${binding.name}`);
        break;
      case "wildcard":
        out.text(": _");
        break;
      case "pattern":
        out.text(": ");
        formatPattern(binding.pattern, out);
        break;
    }
  });
  out.text(fields.length === 0 ? "}" : " }");
}
