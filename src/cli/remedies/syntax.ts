/** Remedies for text that is no SPX (language.md 1 and 2.3). Each looks at the text around the span, nothing else. */
import type { Diagnostic, Span } from "../../kernel/failure.ts";
import type { Source } from "../../lang/source.ts";
import { KNOWN_TYPES } from "./types.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
/** How much text before a span is looked at, in bytes. */
const BEFORE_BYTES = 64;
const NO_RETURN = "there is no return: the last expression of a block is its value";
const USE_FORM = 'use function @id("ID") from MODULE as NAME;';

export function syntaxRemedy({ code, message }: Diagnostic, source: Source, span: Span): string[] {
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
      return formExpected(found, before) ?? tokenExpected(message, found, before);
    case "SPX-P201":
      return expressionExpected(found, before);
    case "SPX-P202":
      return noCall(/\.\s*(\w+)$/.exec(before)?.[1]);
    case "SPX-P203":
      return ["the value has no let and stands last"];
    case "SPX-G170":
      return found === "use"
        ? ["use declarations follow the module line directly"]
        : [`the form is: ${USE_FORM}`];
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
  if (/^(import|from|include|require|using|open)$/.test(found)) {
    return [`functions of other modules are named directly after the module line: ${USE_FORM}`];
  }
  if (/^(let|const|var|struct|enum|impl|pub)$/.test(found)) return ["a module has functions only: fn"];
  return before.endsWith("}") && /^[^\w@]/.test(found) ? ["every if has an else"] : [];
}

function expressionExpected(found: string, before: string): string[] {
  if (found.startsWith('"')) return ["strings occur in @id only"];
  if (found === "/") return ["a comment begins with //, and the sources of a project have none"];
  if ((found === "<" || found === ">") && before.endsWith(found)) return ["there are no bit operators"];
  return trailingComma(found, before);
}

/** What stands before the parenthesis is a name after a point, or no name. */
function noCall(field: string | undefined): string[] {
  if (field === undefined) return ["functions are no values: a call is NAME(ARGUMENTS)"];
  return [`there are no methods, and no module stands before a name: write ${field}(ARGUMENTS)`];
}

function trailingComma(found: string, before: string): string[] {
  return before.endsWith(",") && found === ")" ? ["remove the comma before )"] : [];
}

/** What is written in a way that other languages have; null for anything else. */
function formExpected(found: string, before: string): string[] | null {
  if (found === "if" && /\belse$/.test(before)) return ["else takes a block: else { if … }"];
  if (/\blet\s+mut$/.test(before)) return ["nothing is mutable: let NAME = VALUE;"];
  if (found === ":" && /\blet\s+\w+$/.test(before)) return ["a let has no type: let NAME = VALUE;"];
  if (found === "=") return ["there is no assignment: a let gives a value a new name"];
  if (/\breturn$/.test(before)) return [NO_RETURN];
  if (/\b(while|for|loop)$/.test(before)) return ["there are no loops: a function repeats by calling itself"];
  if (before.endsWith(";") && /^[\w({]/.test(found)) {
    return ["an expression is no statement: a block has lets and then its value"];
  }
  return null;
}

/** What is left out, by what the words of the refusal say was expected. */
function tokenExpected(message: string, found: string, before: string): string[] {
  switch (/^expected "([^"]*)"/.exec(message)?.[1]) {
    case ":":
      return typeMissing(found, /\w*$/.exec(before)?.[0] ?? "");
    case "->":
      return ["write the type of the result after ): -> i64 or -> bool"];
    case ";":
      return [semicolonMissing(before), ...(found === "return" ? [NO_RETURN] : [])];
    default:
      return [];
  }
}

function typeMissing(found: string, name: string): string[] {
  if (name === "") return [];
  if (found === "," || found === ")") return [`write the type of ${name}: ${name}: i64 or ${name}: bool`];
  if (!/^\w+$/.test(found)) return [];
  const isTypeLast = KNOWN_TYPES.includes(found);
  return [`a type follows its name and a colon: ${isTypeLast ? `${name}: ${found}` : `${found}: ${name}`}`];
}

function semicolonMissing(before: string): string {
  const lineStart = before.lastIndexOf("\n") + 1;
  // Without a line's start the text before was cut somewhere.
  return lineStart === 0 ? "a ; is missing before it" : `write ; after ${before.slice(lineStart).trim()}`;
}
