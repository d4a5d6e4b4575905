import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { domainDigest } from "../../src/kernel/digest.ts";
import { parseManifest } from "../../src/project/manifest.ts";
import {
  PRELUDE_CONTRACT,
  printSourceFacts,
  projectRevision,
  sourceFacts,
  workspaceManifest,
  workspaceRevision,
} from "../../src/project/revision.ts";
import { renderSnapshotResult } from "../../src/project/snapshot.ts";
import { knownAnswers, readProject } from "../support/projects.ts";

const plainSha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Every name of content that follows from a project's bytes. */
function subjectOf(files: ReadonlyMap<string, Uint8Array>) {
  const manifestBytes = files.get("semaprax.toml") ?? new Uint8Array();
  const parsed = parseManifest(manifestBytes);
  if (!parsed.ok) throw new Error(parsed.failure[0].message);
  const manifest = parsed.value;
  const sources = manifest.sources.map((path) =>
    sourceFacts({ path, bytes: files.get(path) ?? new Uint8Array() }),
  );
  const workspace = workspaceRevision(sources);
  const project = projectRevision(manifestBytes, workspace);
  return { manifest, manifestBytes, sources, workspaceRevision: workspace, projectRevision: project };
}

describe("P30, P36: the recipe", () => {
  test("domain x and the parts a, bc", () => {
    expect(String(domainDigest("x", "a", "bc"))).toBe(
      "sha256:07e995b2f26fb617add84e0ff438febcbe887401a06873e02c4f405ad804a998",
    );
  });

  test("domain x and no part", () => {
    expect(String(domainDigest("x"))).toBe(
      "sha256:14f825b2bbc32dd8d196367fa8776873069c12a8954d8da7513aa7704ddd09eb",
    );
  });

  test("the border between two parts counts", () => {
    expect(domainDigest("x", "ab", "c")).not.toBe(domainDigest("x", "a", "bc"));
  });
});

test("P33 the prelude contract is 262 bytes in seven lines", () => {
  expect(PRELUDE_CONTRACT.length).toBe(262);
  expect(PRELUDE_CONTRACT.match(/\n/g)?.length).toBe(7);
  expect(plainSha256(PRELUDE_CONTRACT)).toBe(
    "d37bad7e3911669bbf2c66b25c8b31d5c2e36eb181cc54fdc86c3a49a8fb9c5e",
  );
});

describe("P36 the calculator", () => {
  const subject = subjectOf(readProject("calculator"));

  test("revisions and the workspace manifest", () => {
    const line = workspaceManifest(subject.sources);
    expect(subject.manifestBytes.length).toBe(262);
    expect(line.length).toBe(846);
    expect(line.endsWith("]}\n")).toBe(true);
    expect(plainSha256(line)).toBe("5f3e63d39724136d2905329926156d11a8e80c5e351cf52e78046123bf53994b");
    expect(String(subject.workspaceRevision)).toBe(
      "sha256:2db57b64a2a20d1030bb3400fea14e2ce35a374e0f88d57090fc7ebf6c98477c",
    );
    expect(String(subject.projectRevision)).toBe(
      "sha256:4e5523a07642469f20ba26ae7317c14ba4a378923d2b1dab6a20c4dd038c1e0f",
    );
  });

  test("P42 source facts", () => {
    expect(subject.sources.map(printSourceFacts)[0]).toBe(
      '{"path":"src/app.spx","source_graph_schema":"semaprax.graph.v10","source_revision":"sha256:41c061702d2beaabfd1efdb3ca284fbebbabdd96d9c426c93ae16f851b447475","source_digest":"sha256:528fa2812d536d76c2158abda6dfce59a3daa464db9af68c27b49d0479e0dc6d","bytes":232}',
    );
  });

  test("P52 the RESULT of workspace/snapshot is that of the recorded session", () => {
    const session = readFileSync(
      join(import.meta.dir, "..", "..", "fixtures", "sessions", "calculator-v2.jsonl"),
      "utf8",
    );
    const result = new TextDecoder().decode(renderSnapshotResult(subject));
    expect(session).toContain(`"result":${result}}\n`);
    expect(result).toStartWith('{"schema":"semaprax.project-snapshot.v1",');
  });
});

describe("P37 known answers", () => {
  test.each(knownAnswers())("$name", (answer) => {
    const files = new Map(
      Object.entries(answer.files).map(([path, text]) => [path, new TextEncoder().encode(text)]),
    );
    const subject = subjectOf(files);
    const line = workspaceManifest(subject.sources);
    expect({
      sources: Object.fromEntries(
        subject.sources.map((facts) => [
          facts.path,
          { source_revision: facts.sourceRevision, source_digest: facts.sourceDigest },
        ]),
      ),
      workspace_manifest_bytes: line.length,
      workspace_manifest_sha256: plainSha256(line),
      workspace_revision: subject.workspaceRevision,
      project_revision: subject.projectRevision,
    }).toMatchObject({
      sources: answer.sources,
      workspace_manifest_bytes: answer.workspace_manifest_bytes,
      workspace_manifest_sha256: answer.workspace_manifest_sha256,
      workspace_revision: answer.workspace_revision,
      project_revision: answer.project_revision,
    });
  });

  test("there are five", () => {
    expect(knownAnswers().map((answer) => answer.name)).toEqual(["K1", "K2", "K3", "K4", "K5"]);
  });
});
