/** Names of content (project.md section 6, language.md 9). They depend on declared bytes and on nothing else (P38). */
import {
  type Digest,
  domainDigest,
  type ProjectRevision,
  type SourceRevision,
  type WorkspaceRevision,
} from "../kernel/digest.ts";
import type { Source } from "../lang/source.ts";

/** The graph schema of every source of an admitted project (P34). */
export const SOURCE_GRAPH_SCHEMA = "semaprax.graph.v10";

const PRELUDE_SCHEMA = "semaprax.prelude.v1";
/** What the compiler-owned declarations promise, 262 bytes (P33). */
export const PRELUDE_CONTRACT = `${PRELUDE_SCHEMA}
variant core.option Option<T>
0 core.option.none None
1 core.option.some Some core.option.some.value:value:T
variant core.result Result<T,E>
0 core.result.ok Ok core.result.ok.value:value:T
1 core.result.err Err core.result.err.error:error:E
`;

/** What several results say about one source (P42). */
export interface SourceFacts {
  /** Exactly as declared. */
  readonly path: string;
  readonly sourceGraphSchema: typeof SOURCE_GRAPH_SCHEMA;
  readonly sourceRevision: SourceRevision;
  readonly sourceDigest: Digest;
  /** Length of the source. */
  readonly bytes: number;
}

export function sourceFacts(source: Source): SourceFacts {
  return {
    path: source.path,
    sourceGraphSchema: SOURCE_GRAPH_SCHEMA,
    sourceRevision: sourceRevision(source.bytes),
    sourceDigest: domainDigest("semaprax.semantic-review.source-digest.v1", source.bytes),
    bytes: source.bytes.length,
  };
}

export function sourceRevision(bytes: Uint8Array): SourceRevision {
  return domainDigest(
    "semaprax.graph-revision.v2",
    bytes,
    PRELUDE_SCHEMA,
    PRELUDE_CONTRACT,
  ) as SourceRevision;
}

/** One JSON object (P42). Nothing in it needs escaping: a path is lower-case ASCII without quotes (P18). */
export function printSourceFacts(facts: SourceFacts): string {
  return `{"path":"${facts.path}","source_graph_schema":"${facts.sourceGraphSchema}","source_revision":"${facts.sourceRevision}","source_digest":"${facts.sourceDigest}","bytes":${facts.bytes}}`;
}

/** The line that {@link workspaceRevision} covers, LF included (P35). Files in path order; ASCII throughout. */
export function workspaceManifest(files: readonly SourceFacts[]): string {
  return `{"schema":"semaprax.workspace-semantic-manifest.v1","files":[${files.map(printSourceFacts).join(",")}]}\n`;
}

export function workspaceRevision(files: readonly SourceFacts[]): WorkspaceRevision {
  return domainDigest(
    "semaprax.workspace-semantic-revision.v1",
    workspaceManifest(files),
  ) as WorkspaceRevision;
}

export function projectRevision(manifestBytes: Uint8Array, workspace: WorkspaceRevision): ProjectRevision {
  return domainDigest("semaprax.project-revision.v1", manifestBytes, workspace) as ProjectRevision;
}
