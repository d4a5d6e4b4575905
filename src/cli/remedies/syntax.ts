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
      return [`logical operators are && and ||; there are no bit operators`];
    case "SPX-P003":
      return /^\d+$/.test(found)
        ? ["the largest integer is 9223372036854775807; the smallest is written -9223372036854775807 - 1"]
        : ["a float is digits, a point, digits, an optional exponent, and f32 for single precision"];
    case "SPX-P004":
      return ["the string that begins here is not closed"];
    case "SPX-P005":
      return ['the escapes of a string are \\n \\r \\t \\" and \\\\'];
    case "SPX-P006":
      return ["the character that begins here is not closed"];
    case "SPX-P007":
      return ["the escapes of a character are \\n \\r \\t \\0 \\' \\\\ and \\u{HEX}"];
    case "SPX-P008":
      return ["exactly one character stands between single quotes; strings occur in @id only"];
    case "SPX-P101":
      return ["a module has at least one function"];
    case "SPX-P102":
      return ['the only attribute is @id("…")'];
    case "SPX-P103":
      return ['an id is a string, as in @id("module.name")'];
    case "SPX-P104":
      return keywordExpected(found, before);
    case "SPX-P105":
      return trailingComma(found, before);
    case "SPX-P106":
      return formExpected(found, before);
    case "SPX-P201":
      return found === '"' || found.startsWith('"')
        ? ["strings occur in @id only"]
        : trailingComma(found, before);
    case "SPX-P202":
      return ["only a function can be called, by its name"];
    case "SPX-P203":
      return ["a block ends with its value, without a semicolon"];
    case "SPX-G170":
      return before === "" || found !== "use"
        ? ['the form is: use function @id("ID") from MODULE as NAME;']
        : ["use declarations follow the module line directly"];
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
  if (found === "@") return ["a function has at most one @id"];
  if (/^(let|const|var|struct|enum|impl|pub|def|func)$/.test(found))
    return ["a module has functions only: fn"];
  return before.endsWith("}") && found !== "" ? ["every if has an else"] : [];
}

function trailingComma(found: string, before: string): string[] {
  return before.endsWith(",") && found === ")" ? ["remove the comma before )"] : [];
}

function formExpected(found: string, before: string): string[] {
  if (found === "if" && /\belse$/.test(before)) return ["else takes a block: else { if … }"];
  if (/\blet\s+mut$/.test(before)) return ["nothing is mutable: let NAME = VALUE;"];
  if (found === ":" && /\blet\s+\w+$/.test(before)) return ["a let has no type: let NAME = VALUE;"];
  if (found === "=") return ["there is no assignment; a let gives a value a new name"];
  if (/\b(return|while|for|loop)$/.test(before)) {
    return ["there is no return and no loop: the last expression of a block is its value, recursion repeats"];
  }
  return [];
}
