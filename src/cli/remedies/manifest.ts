/** Remedies for the text of the manifest (J100, J101). */
import { compareUtf8 } from "../../kernel/text.ts";
import { PROJECT_SCHEMA, SOURCES_MAX, WEB_EXPORTS_MAX } from "../../project/limits.ts";
import { isSourcePath } from "../../project/source-path.ts";
import type { ProjectText } from "../project-text.ts";
import { clipLine } from "../visible-text.ts";
import { spellingRemedy } from "./manifest-path.ts";

const KEYS = ["schema", "name", "entry", "sources", "web_exports", "tests"] as const;
type Key = (typeof KEYS)[number];

/** P17 row 8. */
const MODULE = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;

/** J100. */
export function manifestRemedy(project: ProjectText): string[] {
  const spelling = spellingRemedy(project.manifestPath);
  if (spelling !== null) return spelling;
  if (project.manifestBytes === null) return [];
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(project.manifestBytes);
  const comment = commentLine(text);
  if (comment !== null) return [`remove the comment in line ${comment}: a manifest has none`];
  const values = looseValues(text);
  const missing = KEYS.filter((key) => !values.has(key));
  if (missing.length > 0) {
    return [`the six lines of a manifest are ${KEYS.join(", ")}; missing: ${missing.join(", ")}`];
  }
  return differingLine(text, canonicalLines(values)) ?? valueRemedy(values);
}

/** The 1-based line of the first comment, or null; a `#` within a string is none. */
function commentLine(text: string): number | null {
  const at = text.split("\n").findIndex((line) => line.replace(/"[^"]*"|'[^']*'/g, "").includes("#"));
  return at < 0 ? null : at + 1;
}

/** What each key is set to in a text that may be laid out in any way; every value is a list of its strings. */
function looseValues(text: string): ReadonlyMap<Key, readonly string[]> {
  const found = new Map<Key, readonly string[]>();
  for (const key of KEYS) {
    const match = new RegExp(`^[ \\t\\ufeff]*${key}[ \\t]*=[ \\t]*(\\[[^\\]]*\\]?|.*)`, "m").exec(text);
    if (match === null) continue;
    const strings = [...(match[1] ?? "").matchAll(/"([^"\\\n]*)"|'([^'\n]*)'/g)];
    found.set(
      key,
      strings.map(([, double, single]) => double ?? single ?? ""),
    );
  }
  return found;
}

/** The lines that those values would have in a canonical manifest (P15), lists sorted and without repetitions. */
function canonicalLines(values: ReadonlyMap<Key, readonly string[]>): string[] {
  return KEYS.map((key) => {
    const strings = values.get(key) ?? [];
    if (key === "schema" || key === "name" || key === "entry") return `${key} = "${strings[0] ?? ""}"`;
    const sorted = [...new Set(strings)].sort(compareUtf8);
    return `${key} = [${sorted.map((text) => `"${text}"`).join(", ")}]`;
  });
}

function differingLine(text: string, canonical: readonly string[]): string[] | null {
  if (text === `${canonical.join("\n")}\n`) return null;
  if (text.includes("\r")) return ["end the lines with LF alone, without CR"];
  const lines = text.split("\n");
  const at = canonical.findIndex((line, index) => lines[index] !== line);
  if (at < 0)
    return lines.length > KEYS.length + 1 ? ["nothing follows the six lines"] : ["end the last line with LF"];
  return [`line ${at + 1} should be: ${clipLine(canonical[at]!)}`];
}

/** The layout is right, so a value is not. */
function valueRemedy(values: ReadonlyMap<Key, readonly string[]>): string[] {
  const strings = (key: Key) => values.get(key) ?? [];
  if (strings("schema")[0] !== PROJECT_SCHEMA) return [`line 1 should be: schema = "${PROJECT_SCHEMA}"`];
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(strings("name")[0] ?? "")) {
    return ["a name is made of a-z, 0-9 and -, begins with a letter and has at most 64 characters"];
  }
  if (![...strings("entry"), ...strings("tests")].every((module) => MODULE.test(module))) {
    return ["module names are letters, digits and _ in parts joined by dots; no part begins with a digit"];
  }
  const path = strings("sources").find((source) => !isSourcePath(source));
  if (path !== undefined) {
    return [
      `${path}: paths are relative, made of a-z, 0-9, ., _ and -, without . and .. parts, and end in .spx`,
    ];
  }
  if (strings("sources").length < 2) return ["a project has at least two sources: the entry and the tests"];
  if (strings("web_exports").some((id) => !/^[a-z0-9._-]{1,128}$/.test(id))) {
    return ["ids of exports are made of a-z, 0-9, ., _ and - and have at most 128 characters"];
  }
  if (strings("web_exports").length < 1) return ["a project exports at least one function, by its id"];
  if (strings("tests").length !== 1) return ["tests names exactly one module"];
  if (strings("entry")[0] === strings("tests")[0]) return ["entry and tests are two modules"];
  return [];
}

/** J101: what there is too much of, where the manifest shows it. */
export function limitRemedy(project: ProjectText): string[] {
  if (project.manifestBytes === null) return [];
  const values = looseValues(new TextDecoder().decode(project.manifestBytes));
  const sources = values.get("sources")?.length ?? 0;
  if (sources > SOURCES_MAX) return [`a project has at most ${SOURCES_MAX} sources; this one has ${sources}`];
  const exports = values.get("web_exports")?.length ?? 0;
  if (exports > WEB_EXPORTS_MAX)
    return [`a project exports at most ${WEB_EXPORTS_MAX} ids; this one has ${exports}`];
  return [];
}
