/** Remedies for text that is no SPX (language.md 1 and 2.3). Each looks at the text around the span, nothing else. */
import type { Code, Span } from "../../kernel/failure.ts";
import type { Source } from "../../lang/source.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** How much text before a span is looked at, in bytes. */
const BEFORE_BYTES = 64;

export function syntaxRemedy(code: Code, source: Source, span: Span): string[] {
  const found = decoder.decode(
    source.bytes.subarray(span.start, Math.min(span.end, span.start + BEFORE_BYTES)),
  );
  const before = decoder
    .decode(source.bytes.subarray(Math.max(0, span.start - BEFORE_BYTES), span.start))
    .trimEnd();
  switch (code) {
    case "SPX-P001":
      return illegalCharacter(found);
    case "SPX-P002":
      return ["logical operators are && and ||; there are no bit operators"];
    case "SPX-P003":
      return /^\d+$/.test(found)
        ? ["the smallest i64 has no literal: write -9223372036854775807 - 1"]
        : ["a float is digits, a point, digits, an optional exponent, and f32 for single precision"];
    case "SPX-P005":
      return ['the escapes of a string are \\n \\r \\t \\" and \\\\'];
    case "SPX-P007":
      return ["the escapes of a character are \\n \\r \\t \\0 \\' \\\\ and \\u{HEX}"];
    case "SPX-P008":
      return ["strings occur in @id only"];
    case "SPX-P102":
    case "SPX-P103":
      return ['write @id("module.name")'];
    case "SPX-P104":
      return keywordExpected(found, before);
    case "SPX-P105":
      return trailingComma(found, before);
    case "SPX-P106":
      return formExpected(found, before);
    case "SPX-P201":
      return expressionExpected(found, before);
    case "SPX-P203":
      return ["the value has no let and stands last"];
    case "SPX-G170":
      return found === "use"
        ? ["use declarations follow the module line directly"]
        : ['the form is: use function @id("ID") from MODULE as NAME;'];
    default:
      return [];
  }
}

function illegalCharacter(found: string): string[] {
  if (found === "\ufeff") return ["save the file without a byte order mark"];
  if (/[“”„«»]/u.test(found)) return ['strings are written with "'];
  if (/[‘’]/u.test(found)) return ["characters are written with '"];
  if (found === "#") return ["a comment begins with //, and the sources of a project have none"];
  if (/[^~]/u.test(found) && "^~".includes(found)) return ["there are no bit operators"];
  if (/\p{L}|\p{N}/u.test(found)) return ["names are made of A-Z, a-z, 0-9 and _"];
  return /[\p{Cf}\p{Cc}]/u.test(found) ? ["remove the invisible character"] : [];
}

function keywordExpected(found: string, before: string): string[] {
  if (before === "") return ["a source begins with module NAME;"];
  if (found === "@" && before.endsWith(")")) return ["a function has at most one @id"];
  if (/^(fun|func|function|def|sub)$/.test(found)) return ["a function is declared with fn"];
  if (/^(let|const|var|struct|enum|impl|pub)$/.test(found)) return ["a module has functions only: fn"];
  return before.endsWith("}") && /^[^\w@]/.test(found) ? ["every if has an else"] : [];
}

function expressionExpected(found: string, before: string): string[] {
  if (found.startsWith('"')) return ["strings occur in @id only"];
  if (found === "/") return ["a comment begins with //, and the sources of a project have none"];
  if ((found === "<" || found === ">") && before.endsWith(found)) return ["there are no bit operators"];
  return trailingComma(found, before);
}

function trailingComma(found: string, before: string): string[] {
  return before.endsWith(",") && found === ")" ? ["remove the comma before )"] : [];
}

function formExpected(found: string, before: string): string[] {
  if (found === "if" && /\belse$/.test(before)) return ["else takes a block: else { if … }"];
  if (/\blet\s+mut$/.test(before)) return ["nothing is mutable: let NAME = VALUE;"];
  if (found === ":" && /\blet\s+\w+$/.test(before)) return ["a let has no type: let NAME = VALUE;"];
  if (found === "=") return ["there is no assignment: a let gives a value a new name"];
  if (/\breturn$/.test(before)) return ["there is no return: the last expression of a block is its value"];
  if (/\b(while|for|loop)$/.test(before)) return ["there are no loops: a function repeats by calling itself"];
  if (before.endsWith(";") && /^[\w({]/.test(found)) {
    return ["an expression is no statement: a block has lets and then its value"];
  }
  return [];
}
