/** The semantic patch of a rename: what a plan says is to be done, as text that can be read back (N9). */
import { utf8 } from "../kernel/bytes.ts";
import type { SourceRevision } from "../kernel/digest.ts";
import { type Outcome, refuse, success } from "../kernel/failure.ts";
import { parse } from "../lang/parser.ts";
import { renameFunction } from "../lang/patch.ts";
import type { Source } from "../lang/source.ts";
import type { SyntaxFile } from "../lang/syntax.ts";
import { sourceRevision } from "./revision.ts";

export const PATCH_SCHEMA = "semaprax.semantic-patch.v1";

export interface Patch {
  /** Of the source that the patch is for. */
  readonly base: SourceRevision;
  /** An explicit id in the alphabet of web exports: no blank in it. */
  readonly targetId: string;
  /** A symbol name. */
  readonly to: string;
}

const LINES = /^base (?<base>sha256:[0-9a-f]{64})\nrename (?<targetId>[^ \n]+) to (?<to>[^ \n]+)\n$/;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The two lines of N9, LF included. */
export function printPatch({ base, targetId, to }: Patch): Uint8Array {
  return utf8(`base ${base}\nrename ${targetId} to ${to}\n`);
}

/** The candidate source of a patch: the file with its target declared and called by the new name (N10). */
export function patchFile(file: SyntaxFile, { targetId, to }: Patch): Outcome<Uint8Array> {
  const target = file.functions.find(({ authoredId }) => authoredId === targetId);
  if (target === undefined) return refuse("SPX-J109", "patch has no target here");
  return success(renameFunction(file, target.name.text, to));
}

/**
 * The candidate source once more, from nothing but the patch text and the bytes of a source: read, parsed, and refused
 * with J109 where they do not belong together (A9).
 */
export function applyPatch(text: Uint8Array, source: Source): Outcome<Uint8Array> {
  const patch = readPatch(text);
  if (!patch.ok) return patch;
  if (patch.value.base !== sourceRevision(source.bytes)) {
    return refuse("SPX-J109", "patch is for another source");
  }
  const file = parse(source);
  return file.ok ? patchFile(file.value, patch.value) : file;
}

function readPatch(text: Uint8Array): Outcome<Patch> {
  const groups = LINES.exec(decoder.decode(text))?.groups;
  const [base, targetId, to] = [groups?.["base"], groups?.["targetId"], groups?.["to"]];
  if (base === undefined || targetId === undefined || to === undefined) {
    return refuse("SPX-J109", "patch is not of two lines");
  }
  return success({ base: base as SourceRevision, targetId, to });
}
