/** `semaprax rename`: renames an exported function, by the plan and the transaction of the daemon (L19 to L22). */
import type { Failure } from "../kernel/failure.ts";
import { type LoadedProject, loadProject } from "../project/load.ts";
import { type PublishFiles, systemPublishFiles } from "../project/publish-fs.ts";
import { applyRename } from "../project/rename-apply.ts";
import { buildPlan, deriveCandidate, type RenamePlan, type RenameRequest } from "../project/rename-plan.ts";
import { renderReceipt } from "../project/rename-preview.ts";
import type { Snapshot } from "../project/snapshot.ts";
import {
  type Command,
  DEFAULT_MANIFEST_PATH,
  defineCommand,
  Exit,
  NO_OPERANDS,
  PROJECT_OPTIONS,
  type Surroundings,
} from "./command.ts";
import { renameRemedy } from "./remedies/rename.ts";
import { renderDiagnostic } from "./render-diagnostic.ts";
import { planShown, remainsShown } from "./rename-text.ts";
import { countShown, printFailure } from "./report.ts";

/** What --yes answers to the question. */
const AGREED = () => "yes";

export const rename = renameCommand(systemPublishFiles);

/** `files` is for tests. */
export function renameCommand(files: PublishFiles): Command {
  return defineCommand({
    name: "rename",
    summary: "rename an exported function",
    about: [
      "Renames the function with an id, in its file: the name after fn and its calls there. Its id, the",
      "files that import it and everything exported stay as they are. The whole project is checked with",
      "the new name first; then the file is replaced as a whole, or nothing is.",
    ],
    operands: NO_OPERANDS,
    options: {
      "--id": { takes: "text", placeholder: "ID", about: "the function, by its id in web_exports" },
      "--from": { takes: "text", placeholder: "NAME", about: "its name now" },
      "--to": { takes: "text", placeholder: "NAME", about: "its new name" },
      "--dry-run": { takes: "nothing", about: "show the plan, write nothing" },
      "--yes": { takes: "nothing", about: "do not ask" },
      "--json": { takes: "nothing", about: "print the preview and the receipt that the daemon answers" },
      ...PROJECT_OPTIONS,
    },
    run(options, _operands, surroundings) {
      const { "--id": targetId, "--from": from, "--to": to } = options;
      if (targetId === null) return surroundings.misuse("--id is missing");
      if (from === null) return surroundings.misuse("--from is missing");
      if (to === null) return surroundings.misuse("--to is missing");
      const dryRun = options["--dry-run"];
      const json = options["--json"];
      const confirm = options["--yes"] ? AGREED : surroundings.io.ask;
      if (confirm === null && !dryRun) {
        return surroundings.misuse("there is no terminal to ask on: give --yes or --dry-run");
      }
      const manifestPath = options["--manifest-path"] ?? DEFAULT_MANIFEST_PATH;
      const loaded = loadProject(manifestPath, files);
      if (!loaded.ok) {
        printFailure(loaded.failure, manifestPath, surroundings);
        return Exit.Refused;
      }
      const job: Job = { files, project: loaded.value, manifestPath, json, surroundings };
      try {
        const plan = makePlan(job, { targetId, from, to });
        if (plan === null) return Exit.Refused;
        if (!json) surroundings.io.out(planShown(loaded.value.snapshot, plan, surroundings.palette));
        if (confirm === null || dryRun) return withoutApply(job, plan, Exit.Good);
        const answer = confirm(`rename ${from} to ${to} in ${plan.baseSource.path}? [y/N] `);
        return /^y(es)?$/i.test(answer) ? apply(job, plan) : withoutApply(job, plan, Exit.Refused);
      } finally {
        loaded.value.held.close();
      }
    },
  });
}

interface Job {
  readonly files: PublishFiles;
  readonly project: LoadedProject;
  readonly manifestPath: string;
  readonly json: boolean;
  readonly surroundings: Surroundings;
}

/** Null, and words on stderr, where the rename is refused. */
function makePlan(job: Job, request: RenameRequest): RenamePlan | null {
  const { snapshot } = job.project;
  const candidate = deriveCandidate(snapshot, request);
  if (!candidate.ok) {
    complain(job, candidate.failure, snapshot, request);
    return null;
  }
  const plan = buildPlan(snapshot, candidate.value);
  if (!plan.ok) {
    // Its diagnostics are about the text that the file would have.
    const { path, bytes } = candidate.value.source;
    complain(job, plan.failure, snapshot, request, (other) => (other === path ? bytes : null));
    return null;
  }
  return plan.value;
}

function withoutApply({ json, surroundings: { io } }: Job, plan: RenamePlan, exit: Exit): Exit {
  if (json) io.out(document(plan, null));
  else io.err("nothing was written\n");
  return exit;
}

function apply(job: Job, plan: RenamePlan): Exit {
  const { files, project, manifestPath, json, surroundings } = job;
  const { io, palette } = surroundings;
  const applied = applyRename(project, plan, files);
  switch (applied.kind) {
    case "published": {
      applied.project.held.close();
      const { request, baseSource } = plan;
      if (json) io.out(document(plan, renderReceipt(plan)));
      else io.out(`${palette.good(`renamed ${request.from} to ${request.to} in ${baseSource.path}`)}\n`);
      return Exit.Good;
    }
    case "kept":
      applied.project.held.close();
      complain(job, applied.failure, project.snapshot, plan.request);
      return Exit.Refused;
    case "drifted":
    case "refused":
    case "lost":
      complain(job, applied.failure, project.snapshot, plan.request);
      return Exit.Refused;
    case "uncertain":
      // The reload speaks of what the files hold now, and of no request.
      printFailure(applied.failure, manifestPath, surroundings);
      io.err(remainsShown(plan, manifestPath));
      return Exit.Refused;
  }
}

/** L21: one object with both artifacts, each byte for byte as the daemon answers it. */
function document({ preview }: RenamePlan, receipt: Uint8Array | null): string {
  const decoder = new TextDecoder();
  const applied = receipt === null ? "null" : decoder.decode(receipt);
  return `{"preview":${decoder.decode(preview)},"receipt":${applied}}\n`;
}

/** Every diagnostic, then a count; excerpts from the candidate, then from the retained sources. */
function complain(
  { manifestPath, surroundings: { io, errorPalette } }: Job,
  failure: Failure,
  { program, manifest }: Snapshot,
  request: RenameRequest,
  candidateOf: (path: string) => Uint8Array | null = () => null,
): void {
  const sourceOf = (path: string) =>
    candidateOf(path) ?? program.files.find(({ source }) => source.path === path)?.source.bytes ?? null;
  for (const diagnostic of failure) {
    const help = renameRemedy(diagnostic, request, program, manifest, manifestPath);
    io.err(renderDiagnostic(diagnostic, sourceOf, help, errorPalette));
  }
  io.err(`${errorPalette.strong(countShown(failure))}\n`);
}
