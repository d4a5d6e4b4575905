/** `semaprax fmt`: brings sources into canonical form (L10 to L12). */
import { isUtf8 } from "node:buffer";
import { dirname, join } from "node:path";
import type { Source } from "../lang/source.ts";
import { systemFiles } from "../project/file-system.ts";
import { SOURCE_BYTES_MAX } from "../project/limits.ts";
import { openInputs } from "../project/open.ts";
import { type CanonicalForm, canonicalForm, describeDifference, NO_FIXED_POINT } from "./canonical-form.ts";
import { defineCommand, DEFAULT_MANIFEST_PATH, Exit, PROJECT_OPTIONS, type Surroundings } from "./command.ts";
import { linesShown } from "./comments.ts";
import { type NamedFile, readNamedFile, replaceFile, replacementObstacle } from "./named-file.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";
import { printFailure } from "./report.ts";
import { syntaxRemedy } from "./remedies/syntax.ts";
import { visibleWords } from "./visible-text.ts";

const STDIN = "-";

const OPTIONS = {
  "--check": { takes: "nothing", about: "write nothing, list what is not canonical" },
  "--stdout": { takes: "nothing", about: "print the canonical text of one file, write nothing" },
  "--drop-comments": { takes: "nothing", about: "format files with comments too; the comments are lost" },
  ...PROJECT_OPTIONS,
} as const;

export const fmt = defineCommand({
  name: "fmt",
  summary: "bring sources into canonical form",
  about: [
    "Rewrites the files, or all sources of the project, in canonical form. Every file is parsed",
    "before the first is written. A file with comments is refused, since the canonical form has",
    "none. Links are refused: name the file itself. FILE - reads stdin and prints.",
  ],
  operands: { shown: "[FILE…]", min: 0, max: Number.POSITIVE_INFINITY },
  options: OPTIONS,
  run(options, operands, surroundings) {
    const check = options["--check"];
    const dropComments = options["--drop-comments"];
    const job: Job = { check, dropComments, surroundings };
    if (check && options["--stdout"]) return surroundings.misuse("--check and --stdout exclude each other");
    if (options["--manifest-path"] !== null && operands.length > 0) {
      return surroundings.misuse("--manifest-path and FILE exclude each other");
    }
    if (options["--stdout"] && operands.length !== 1)
      return surroundings.misuse("--stdout takes exactly one file");
    if (operands.includes(STDIN)) {
      return operands.length > 1 ? surroundings.misuse("- stands alone") : formatStdin(job);
    }
    const paths =
      operands.length > 0 ? operands : projectPaths(options["--manifest-path"] ?? DEFAULT_MANIFEST_PATH, job);
    if (paths === null) return Exit.Refused;
    const plan = planFiles(paths, job);
    if (options["--stdout"]) return plan.refused ? Exit.Refused : print(plan.drafts, job);
    if (check) return list(plan, job);
    return plan.refused ? Exit.Refused : write(plan.drafts, job);
  },
});

interface Job {
  readonly check: boolean;
  readonly dropComments: boolean;
  readonly surroundings: Surroundings;
}

/** A text that was read, and what it should be. `file` is null for stdin. */
interface Draft {
  readonly path: string;
  readonly file: NamedFile | null;
  readonly form: CanonicalForm;
}

interface Plan {
  readonly drafts: readonly Draft[];
  /** At least one file cannot be formatted; that was said on stderr. */
  readonly refused: boolean;
}

/** The sources of the project, which need not be canonical yet, as paths from the working directory. */
function projectPaths(manifestPath: string, { surroundings }: Job): string[] | null {
  const opened = openInputs(manifestPath, systemFiles);
  if (!opened.ok) {
    printFailure(opened.failure, manifestPath, surroundings);
    return null;
  }
  opened.value.held.close();
  return opened.value.manifest.sources.map((path) => join(dirname(manifestPath), path));
}

/** Reads and parses every file; nothing is written (L10). A file that is named twice counts once. */
function planFiles(paths: readonly string[], job: Job): Plan {
  const drafts: Draft[] = [];
  const seen = new Set<string>();
  let refused = false;
  for (const path of paths) {
    const read = readNamedFile(path, SOURCE_BYTES_MAX);
    if (!read.ok) {
      complain(job, path, read.words);
      refused = true;
      continue;
    }
    const identity = `${read.value.stats.dev}:${read.value.stats.ino}`;
    if (seen.has(identity)) continue;
    seen.add(identity);
    const draft = draftOf({ path, bytes: read.value.bytes }, read.value, job);
    if (draft === null) refused = true;
    else drafts.push(draft);
  }
  return { drafts, refused };
}

/** Null, and words on stderr, where the text has no canonical form or would lose something. */
function draftOf(source: Source, file: NamedFile | null, job: Job): Draft | null {
  const { path, bytes } = source;
  if (!isUtf8(bytes)) return complain(job, path, "is not UTF-8");
  const outcome = canonicalForm(source);
  if (!outcome.ok) {
    const { io, errorPalette } = job.surroundings;
    for (const diagnostic of outcome.failure) {
      const { span } = diagnostic;
      const help = span === null ? [] : syntaxRemedy(diagnostic, source, span);
      io.err(renderDiagnostic(diagnostic, () => bytes, help, errorPalette));
    }
    return null;
  }
  const form = outcome.value;
  if (!job.check && !job.dropComments && form.comments.length > 0) {
    const words = `has comments in ${linesShown(form.comments)}, which would be lost; --drop-comments agrees to that`;
    return complain(job, path, words);
  }
  return { path, file, form };
}

function complain({ surroundings }: Job, path: string, words: string): null {
  surroundings.io.err(`semaprax fmt: ${visibleWords(path)} ${words}\n`);
  return null;
}

/** L11, `--check`: the paths and first differing lines are the result, so they go to stdout. */
function list({ drafts, refused }: Plan, { surroundings }: Job): Exit {
  let different = false;
  for (const { path, form } of drafts) {
    if (form.difference === null) continue;
    different = true;
    const comments = form.comments.length === 0 ? "" : ` (comments in ${linesShown(form.comments)})`;
    const heading = `${visibleWords(path)}:${form.difference.line}: not canonical${comments}`;
    const lines = describeDifference(form.difference).map((line) => `  ${visibleWords(line)}`);
    surroundings.io.out(`${[heading, ...lines].join("\n")}\n`);
  }
  return different || refused ? Exit.Refused : Exit.Good;
}

function formatStdin(job: Job): Exit {
  const input = job.surroundings.io.input(SOURCE_BYTES_MAX);
  if (!input.ok) {
    complain(job, "stdin", input.words);
    return Exit.Refused;
  }
  const draft = draftOf({ path: "stdin", bytes: input.bytes }, null, job);
  if (draft === null) return Exit.Refused;
  return job.check ? list({ drafts: [draft], refused: false }, job) : print([draft], job);
}

/** L11, `--stdout` and stdin. */
function print(drafts: readonly Draft[], job: Job): Exit {
  for (const { path, form } of drafts) {
    if (!form.isFixedPoint) complain(job, path, `has no canonical form: ${NO_FIXED_POINT}`);
    job.surroundings.io.out(form.bytes);
  }
  return Exit.Good;
}

/** L12. Whatever can be known to stand in the way is known before the first file is written. */
function write(drafts: readonly Draft[], job: Job): Exit {
  const changes: { readonly file: NamedFile; readonly bytes: Uint8Array }[] = [];
  let refused = false;
  for (const { path, file, form } of drafts) {
    if (form.difference === null || file === null) continue;
    const obstacle = form.isFixedPoint
      ? replacementObstacle(file)
      : `has no canonical form: ${NO_FIXED_POINT}`;
    if (obstacle === null) {
      changes.push({ file, bytes: form.bytes });
    } else {
      complain(job, path, obstacle);
      refused = true;
    }
  }
  if (refused) return Exit.Refused;
  for (const { file, bytes } of changes) {
    const replaced = replaceFile(file, bytes);
    if (replaced.ok) {
      job.surroundings.io.out(`formatted ${visibleWords(file.path)}\n`);
    } else {
      complain(job, file.path, replaced.words);
      refused = true;
    }
  }
  return refused ? Exit.Refused : Exit.Good;
}
