// A rename preview: patch, candidate source, complete build of the candidate, artifact. The rival replaces the word in the
// text and builds; it knows neither whether the word is the function nor what it changed.
import { utf8 } from "../src/kernel/bytes.ts";
import { buildSnapshot } from "../src/project/load.ts";
import { planRename } from "../src/project/rename-plan.ts";
import { must } from "../test/support/graph-project.ts";
import { SCALES } from "../test/support/scale-project.ts";
import type { Case, HotPath } from "./harness.ts";
import { type ParsedScale, scaleInputs } from "./scale-inputs.ts";

const path: HotPath = {
  name: "rename",
  prepare: ({ short }) =>
    Object.entries(SCALES)
      .slice(0, short ? 2 : 4)
      .map(([name, scale]) => preview(name, scaleInputs(scale))),
};
export default path;

const FILE = "src/a.spx";
const decoder = new TextDecoder();

function preview(name: string, { manifest, manifestBytes, sources, bytes }: ParsedScale): Case {
  const snapshot = must(buildSnapshot(manifest, manifestBytes, sources));
  const plan = () => must(planRename(snapshot, { targetId: "p.a.f0", from: "f0", to: "renamed" }));
  const replace = () => {
    const changed = sources.map((source) => {
      if (source.path !== FILE) return source;
      return { path: FILE, bytes: utf8(decoder.decode(source.bytes).replaceAll(/\bf0\b(?=\()/g, "renamed")) };
    });
    return must(buildSnapshot(manifest, manifestBytes, changed));
  };
  return {
    name: `preview, ${name}: ${bytes} bytes`,
    ours: { name: "planRename", run: plan, result: () => plan().candidate.projectRevision },
    rivals: [{ name: "replaceAll, build", run: replace, result: () => replace().projectRevision }],
    work: { amount: bytes, unit: "bytes" },
  };
}
