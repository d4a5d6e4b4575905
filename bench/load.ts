// Loading: everything from the bytes of manifest and sources to the snapshot that requests are answered from (phases 3 to
// 11, graph and compiled tests included). No plain program does all of it; the rival only cuts the sources into tokens
// by a regular expression and hashes them, which is where one would begin.
import { sha256Hex } from "../src/kernel/digest.ts";
import { buildSnapshot } from "../src/project/load.ts";
import { must } from "../test/support/graph-project.ts";
import { SCALES } from "../test/support/scale-project.ts";
import type { Case, HotPath } from "./harness.ts";
import { type ParsedScale, scaleInputs } from "./scale-inputs.ts";

const path: HotPath = {
  name: "load",
  prepare: ({ short }) =>
    Object.entries(SCALES)
      .slice(0, short ? 2 : 4)
      .map(([name, scale]) => load(name, scaleInputs(scale))),
};
export default path;

const TOKEN = /[A-Za-z_]\w*|\d+|"[^"]*"|[-=]>|[=!<>]=|&&|\|\||[^\s\w]/g;
const decoder = new TextDecoder();

function load(name: string, { manifest, manifestBytes, sources, bytes }: ParsedScale): Case {
  const { graph } = must(buildSnapshot(manifest, manifestBytes, sources));
  return {
    name: `${name}: ${sources.length} sources, ${bytes} bytes, ${graph.declarationCount} declarations, ${graph.edgeCount} edges`,
    ours: { name: "buildSnapshot", run: () => buildSnapshot(manifest, manifestBytes, sources) },
    rivals: [
      {
        name: "tokens by a regular expression, SHA-256",
        run: () =>
          sources.map((source) => [decoder.decode(source.bytes).match(TOKEN), sha256Hex(source.bytes)]),
      },
    ],
    work: { amount: bytes, unit: "bytes" },
  };
}
