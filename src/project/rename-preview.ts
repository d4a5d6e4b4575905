/** What a rename is answered with: the preview artifact (N16 to N19) and the receipt of an apply (section 6). */
import { utf8 } from "../kernel/bytes.ts";
import { type Digest, domainDigest } from "../kernel/digest.ts";
import { PREVIEW_BYTES_MAX, PROJECT_SCHEMA, SYMBOL_BYTES_MAX, TARGET_ID_BYTES_MAX } from "./limits.ts";
import { PATCH_SCHEMA } from "./rename-patch.ts";
import type { RenamePlan } from "./rename-plan.ts";
import { printSourceFacts } from "./revision.ts";

const PREVIEW_SCHEMA = "semaprax.project-rename-preview.v1";
const GRAPH_SCHEMA = "semaprax.project-semantic-graph.v1";
const PREVIEW_DOMAIN = "semaprax.project-rename-preview.payload.v1";
const PATCH_DOMAIN = "semaprax.project-rename-preview.patch.v1";

/** N17. */
const NONCLAIMS =
  '["read_only_plan_no_commit_authority","no_request_selected_path_or_source_bytes",' +
  '"no_multi_file_or_import_alias_rename","no_build_target_or_test_execution",' +
  '"no_provenance_approval_or_exactly_once_effect"]';

/** What a preview says: a plan before it has one. */
type PreviewFacts = Omit<RenamePlan, "candidateBytes" | "preview" | "previewDigest">;

export interface Preview {
  readonly artifact: Uint8Array;
  readonly digest: Digest;
}

/**
 * The artifact and its digest, which covers it without the digest member (N18). Nothing in it needs escaping: ids that
 * are exported, symbols, paths and digests are ASCII without quotes and backslashes.
 */
export function renderPreview(facts: PreviewFacts): Preview {
  const { request, patch, baseSource, candidateSource, base, candidate } = facts;
  const { targetId: stable_id, from, to } = request;
  const target = JSON.stringify({ stable_id, from, to, path: baseSource.path });
  const open =
    `{"schema":"${PREVIEW_SCHEMA}","project_schema":"${PROJECT_SCHEMA}",` +
    `"base_project_revision":"${base.projectRevision}",` +
    `"candidate_project_revision":"${candidate.projectRevision}",` +
    `"base_workspace_revision":"${base.workspaceRevision}",` +
    `"candidate_workspace_revision":"${candidate.workspaceRevision}",` +
    `"target":${target},` +
    `"patch":{"schema":"${PATCH_SCHEMA}","digest":"${domainDigest(PATCH_DOMAIN, patch)}","bytes":${patch.length}},` +
    `"base_source":${printSourceFacts(baseSource)},"candidate_source":${printSourceFacts(candidateSource)},` +
    `"candidate_project_graph":{"schema":"${GRAPH_SCHEMA}","digest":"${candidate.graphDigest}"},` +
    `"limits":{"max_preview_bytes":${PREVIEW_BYTES_MAX},"max_target_id_bytes":${TARGET_ID_BYTES_MAX},"max_name_bytes":${SYMBOL_BYTES_MAX}},` +
    `"nonclaims":${NONCLAIMS}`;
  const digest = domainDigest(PREVIEW_DOMAIN, `${open}}`);
  return { artifact: utf8(`${open},"preview_digest":"${digest}"}`), digest };
}

/** RESULT of an apply that succeeded; known before anything is written (N46). */
export function renderReceipt({ previewDigest, base, candidate, candidateSource }: RenamePlan): Uint8Array {
  return utf8(
    `{"applied":true,"preview_digest":"${previewDigest}",` +
      `"base_project_revision":"${base.projectRevision}",` +
      `"candidate_project_revision":"${candidate.projectRevision}",` +
      `"base_workspace_revision":"${base.workspaceRevision}",` +
      `"candidate_workspace_revision":"${candidate.workspaceRevision}",` +
      `"candidate_source_revision":"${candidateSource.sourceRevision}",` +
      `"candidate_project_graph_digest":"${candidate.graphDigest}"}`,
  );
}
