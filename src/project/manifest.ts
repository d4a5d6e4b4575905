import { isUtf8 } from "node:buffer";
import parseToml from "@iarna/toml/parse-string.js";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { clip, compareUtf8 } from "../kernel/text.ts";
import {
  MANIFEST_BYTES_MAX,
  MODULE_BYTES_MAX,
  NAME_BYTES_MAX,
  PROJECT_SCHEMA,
  SOURCES_MAX,
  SOURCES_MIN,
  WEB_EXPORT_BYTES_MAX,
  WEB_EXPORTS_MAX,
  WEB_EXPORTS_MIN,
} from "./limits.ts";
import { isSourcePath } from "./source-path.ts";

/** An accepted `semaprax.toml`. */
export interface Manifest {
  readonly name: string;
  /** Module name of the entry program. */
  readonly entry: string;
  readonly testModule: string;
  /** Strictly ascending by bytes. */
  readonly webExports: readonly string[];
  /** Source paths, strictly ascending by bytes. */
  readonly sources: readonly string[];
}

/** The six members as they stand in the file (P15). */
interface Members {
  readonly schema: string;
  readonly name: string;
  readonly entry: string;
  readonly sources: readonly string[];
  readonly web_exports: readonly string[];
  readonly tests: readonly string[];
}

/** Reads a manifest by the rows of P17, in their order; the first that fails is the only finding. */
export function parseManifest(bytes: Uint8Array): Outcome<Manifest> {
  if (bytes.length > MANIFEST_BYTES_MAX) return refuse("SPX-J101", "manifest is too long");
  if (!isUtf8(bytes)) return refuse("SPX-J102", "manifest is not UTF-8");
  const members = readMembers(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  return members.ok ? checkMembers(members.value) : members;
}

const STRING = '"[^"\\\\]*"';
const STRINGS = '\\[(?:"[^"\\\\]+"(?:, "[^"\\\\]+")*)?\\]';

/** What each line looks like (P15, P16). No alternative shares a first character, so matching never goes back. */
const LINES: readonly RegExp[] = [
  new RegExp(`^schema = ${STRING}$`),
  new RegExp(`^name = ${STRING}$`),
  new RegExp(`^entry = ${STRING}$`),
  new RegExp(`^sources = ${STRINGS}$`),
  new RegExp(`^web_exports = ${STRINGS}$`),
  new RegExp(`^tests = ${STRINGS}$`),
];

/**
 * Rows 3 to 5 and 19: the text has the shape of six lines, the TOML reader accepts it, and what it read is printed as
 * the same text. The shape comes first, because the reader follows names in dotted keys and inline tables into what
 * its objects inherit (`constructor.x = 1` would write to `Object`): it gets plain strings and arrays of them only.
 */
function readMembers(text: string): Outcome<Members> {
  if (/[\r\0\ufeff]/.test(text)) return refuse("SPX-J100", "manifest has a CR, NUL or BOM");
  const lines = text.split("\n");
  if (lines.length !== LINES.length + 1 || lines.at(-1) !== "") {
    return refuse("SPX-J100", "manifest is not six lines");
  }
  const odd = LINES.findIndex((shape, index) => !shape.test(lines[index] ?? ""));
  if (odd >= 0) return refuse("SPX-J100", `manifest line ${odd + 1} not canonical`);

  const members = membersOf(readToml(text));
  if (members === null || printMembers(members) !== text) {
    return refuse("SPX-J100", "manifest is not canonical TOML");
  }
  return success(members);
}

/** The value of a TOML text, or null where the reader refuses it: a control character in a string. */
function readToml(text: string): unknown {
  try {
    return parseToml(text);
  } catch {
    return null;
  }
}

function membersOf(value: unknown): Members | null {
  if (typeof value !== "object" || value === null) return null;
  const { schema, name, entry, sources, web_exports, tests } = { ...value } as Partial<
    Record<keyof Members, unknown>
  >;
  if (typeof schema !== "string" || typeof name !== "string" || typeof entry !== "string") return null;
  if (!isStrings(sources) || !isStrings(web_exports) || !isStrings(tests)) return null;
  return { schema, name, entry, sources, web_exports, tests };
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}

/** The text of a manifest (P15). Its strings contain neither quotes nor backslashes. */
function printMembers(members: Members): string {
  return [
    `schema = "${members.schema}"`,
    `name = "${members.name}"`,
    `entry = "${members.entry}"`,
    `sources = ${printStrings(members.sources)}`,
    `web_exports = ${printStrings(members.web_exports)}`,
    `tests = ${printStrings(members.tests)}`,
    "",
  ].join("\n");
}

function printStrings(strings: readonly string[]): string {
  return `[${strings.map((text) => `"${text}"`).join(", ")}]`;
}

/** Rows 6 to 18. */
function checkMembers({
  schema,
  name,
  entry,
  sources,
  web_exports: webExports,
  tests,
}: Members): Outcome<Manifest> {
  if (schema !== PROJECT_SCHEMA) return refuse("SPX-J100", "manifest schema is unknown");
  if (!isProjectName(name)) return refuse("SPX-J100", "project name is not valid");
  if (!isModuleName(entry)) return refuse("SPX-J100", "entry is not a module name");

  if (sources.length < SOURCES_MIN) return refuse("SPX-J100", "too few sources");
  if (sources.length > SOURCES_MAX) return refuse("SPX-J101", "too many sources");
  const lateSource = sources.find(isNotAfterItsPredecessor);
  if (lateSource !== undefined) return refuse("SPX-J100", `source is not in order: ${clip(lateSource)}`);
  const badSource = sources.find((path) => !isSourcePath(path));
  if (badSource !== undefined) return refuse("SPX-J100", `not a source path: ${clip(badSource)}`);

  if (webExports.length < WEB_EXPORTS_MIN) return refuse("SPX-J100", "too few web exports");
  if (webExports.length > WEB_EXPORTS_MAX) return refuse("SPX-J101", "too many web exports");
  const lateExport = webExports.find(isNotAfterItsPredecessor);
  if (lateExport !== undefined) return refuse("SPX-J100", `web export is not in order: ${clip(lateExport)}`);
  const badExport = webExports.find((id) => !isWebExport(id));
  if (badExport !== undefined) return refuse("SPX-J100", `not a web export: ${clip(badExport)}`);

  const [testModule, ...others] = tests;
  if (testModule === undefined || others.length > 0 || !isModuleName(testModule)) {
    return refuse("SPX-J100", "tests is not one module name");
  }
  if (entry === testModule) return refuse("SPX-J100", "entry and test module are same");
  return success({ name, entry, testModule, webExports, sources });
}

// The alphabets below are ASCII, so a length in UTF-16 units is a length in bytes.

function isProjectName(text: string): boolean {
  return text.length <= NAME_BYTES_MAX && /^[a-z][a-z0-9-]*$/.test(text);
}

function isModuleName(text: string): boolean {
  return (
    text.length <= MODULE_BYTES_MAX && /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(text)
  );
}

function isWebExport(text: string): boolean {
  return text.length <= WEB_EXPORT_BYTES_MAX && /^[a-z0-9._-]+$/.test(text);
}

/** The order is strict, so that no element stands twice. */
function isNotAfterItsPredecessor(text: string, index: number, texts: readonly string[]): boolean {
  const before = texts[index - 1];
  return before !== undefined && compareUtf8(before, text) >= 0;
}
