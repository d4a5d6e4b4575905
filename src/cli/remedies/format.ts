/** The remedy for sources that are not canonical (G170, language.md 3). */
import { join } from "node:path";
import {
  type CanonicalForm,
  canonicalForm,
  describeDifference,
  type LineDifference,
  NO_FIXED_POINT,
} from "../canonical-form.ts";
import { DEFAULT_MANIFEST_PATH } from "../command.ts";
import { linesShown } from "../comments.ts";
import type { ProjectText } from "../project-text.ts";
import { shellWord } from "../visible-text.ts";

/** A source that is not canonical. */
interface Draft extends CanonicalForm {
  readonly path: string;
  readonly difference: LineDifference;
}

/** The command that makes the sources canonical, and what it would change first. */
export function formatRemedy(project: ProjectText): string[] {
  const { drafts, unreadable } = draftsOf(project);
  const [first] = drafts;
  if (first === undefined) return [];
  if (!first.isFixedPoint) return [`${first.path} has no canonical form: ${NO_FIXED_POINT}`];
  // The command for all of them changes nothing where one of them cannot be formatted.
  const all = !unreadable && drafts.length > 1 && drafts.every(({ isFixedPoint }) => isFixedPoint);
  const heading = all ? commandForAll(project, first, drafts) : commandForOne(project, first);
  return [[heading, ...describeDifference(first.difference)].join("\n")];
}

function draftsOf(project: ProjectText): { readonly drafts: readonly Draft[]; readonly unreadable: boolean } {
  const drafts: Draft[] = [];
  let unreadable = false;
  for (const path of project.manifest?.sources ?? []) {
    const source = project.source(path);
    const form = source === null ? null : canonicalForm(source);
    if (!form?.ok) {
      unreadable = true;
      continue;
    }
    const { difference } = form.value;
    if (difference !== null) drafts.push({ path, ...form.value, difference });
  }
  return { drafts, unreadable };
}

function commandForOne({ root }: ProjectText, { path, difference, comments }: Draft): string {
  const option = comments.length === 0 ? "" : "--drop-comments ";
  const lost = comments.length === 0 ? "" : ` and loses the comments in ${linesShown(comments)}`;
  return `semaprax fmt ${option}${shellWord(join(root, path))} changes line ${difference.line} first${lost}`;
}

function commandForAll({ manifestPath }: ProjectText, first: Draft, drafts: readonly Draft[]): string {
  const commented = drafts.filter(({ comments }) => comments.length > 0).map(({ path }) => path);
  const options = [
    ...(commented.length === 0 ? [] : [" --drop-comments"]),
    ...(manifestPath === DEFAULT_MANIFEST_PATH ? [] : [` --manifest-path ${shellWord(manifestPath)}`]),
  ].join("");
  const lost = commented.length === 0 ? "" : ` and loses the comments in ${commented.join(", ")}`;
  const place = `${first.path} in line ${first.difference.line} first`;
  return `semaprax fmt${options} changes ${drafts.length} sources, ${place}${lost}`;
}
