/** Carrying out a plan: from the last proof of the base to one of three outcomes (rename.md 4 to 6). */
import { equalBytes } from "../kernel/bytes.ts";
import { type Diagnostic, type Failure, type Outcome, refuse, success } from "../kernel/failure.ts";
import type { HeldDirectory, HeldFile, HeldInputs } from "./held.ts";
import { MANIFEST_NAME } from "./limits.ts";
import { type LoadedProject, loadProject } from "./load.ts";
import { type Commit, Publication } from "./publish.ts";
import type { PublishFiles } from "./publish-fs.ts";
import { applyPatch } from "./rename-patch.ts";
import { factsOf, type RenamePlan, sameFacts } from "./rename-plan.ts";
import type { Snapshot } from "./snapshot.ts";

export type Applied =
  /** A5: the inputs were found changed before anything was done. */
  | { readonly kind: "drifted"; readonly failure: Failure }
  /** A6 to A9: nothing was done, the inputs are still held, and the plan can be used again. */
  | { readonly kind: "refused"; readonly failure: Failure }
  /** A10: nothing was done, but the inputs changed and are no longer held. */
  | { readonly kind: "lost"; readonly failure: Failure }
  /** N38: the project as the plan promised it. */
  | { readonly kind: "published"; readonly project: LoadedProject }
  /** N39: the project as it was, loaded again. */
  | { readonly kind: "kept"; readonly project: LoadedProject; readonly failure: Failure }
  /** N40: {@link UNCERTAIN}, then what the commit and the reload said (N42). */
  | { readonly kind: "uncertain"; readonly failure: Failure };

/** J110 (N41). Its words are fixed, so that its length is known before anything is written (A4). */
export const UNCERTAIN: Diagnostic = {
  code: "SPX-J110",
  severity: "error",
  path: null,
  span: null,
  message: "uncertain: inspect the project",
};

/**
 * A5 to A22. From A10 on the plan is consumed and the handles of `project` are closed, whatever happens (N29); before that
 * they stay as they are.
 */
export function applyRename(project: LoadedProject, plan: RenamePlan, files: PublishFiles): Applied {
  const { held, snapshot } = project;
  const authentic = held.authenticate();
  if (!authentic.ok) return { kind: "drifted", failure: authentic.failure };
  const { manifestPath, source, directory } = heldPlaces(held, plan);
  const publication = new Publication(files, source, directory);
  let commit: Commit;
  try {
    const ready = prove(publication, plan);
    if (!ready.ok) return { kind: "refused", failure: ready.failure };
    const still = held.authenticate();
    held.close();
    if (!still.ok) return { kind: "lost", failure: still.failure };
    commit = publication.commit(plan.candidateBytes);
  } finally {
    publication.close();
  }
  return settle(commit, loadProject(manifestPath, files), snapshot, plan);
}

/** A6 to A9: the lock is taken, and the plan follows once more from the bytes on disk. */
function prove(publication: Publication, plan: RenamePlan): Outcome<void> {
  const opened = publication.open();
  if (!opened.ok) return opened;
  const bytes = publication.readSource();
  if (!bytes.ok) return bytes;
  const candidate = applyPatch(plan.patch, { path: plan.baseSource.path, bytes: bytes.value });
  const agrees = candidate.ok && equalBytes(candidate.value, plan.candidateBytes);
  return agrees ? success(undefined) : refuse("SPX-J109", "plan does not follow again");
}

/** N38 to N40. The loaded project goes into the outcome, or is let go. */
function settle(commit: Commit, reload: Outcome<LoadedProject>, base: Snapshot, plan: RenamePlan): Applied {
  if (reload.ok) {
    const now = factsOf(reload.value.snapshot);
    if (commit.kind === "done" && sameFacts(now, plan.candidate)) {
      return { kind: "published", project: reload.value };
    }
    if (commit.kind === "failed" && sameFacts(now, factsOf(base))) {
      return { kind: "kept", project: reload.value, failure: commit.failure };
    }
    reload.value.held.close();
  }
  const commitFailure = commit.kind === "done" ? [] : commit.failure;
  const reloadFailure = reload.ok ? [] : reload.failure;
  return { kind: "uncertain", failure: [UNCERTAIN, ...commitFailure, ...reloadFailure] };
}

interface HeldPlaces {
  /** Absolute: the project that was started with, wherever a working directory has gone. */
  readonly manifestPath: string;
  readonly source: HeldFile;
  readonly directory: HeldDirectory;
}

function heldPlaces(held: HeldInputs, plan: RenamePlan): HeldPlaces {
  const manifest = held.file(MANIFEST_NAME);
  const source = held.file(plan.baseSource.path);
  const directory = source && held.directory(source.path.slice(0, source.path.lastIndexOf("/")) || "/");
  if (!manifest || !source || !directory) throw new Error("the plan is not of this project");
  return { manifestPath: manifest.path, source, directory };
}
