// The scale projects as what a load begins with.
import type { Source } from "../src/lang/source.ts";
import { type Manifest, parseManifest } from "../src/project/manifest.ts";
import { must } from "../test/support/graph-project.ts";
import { type Scale, scaleProject } from "../test/support/scale-project.ts";

export interface ParsedScale {
  readonly manifest: Manifest;
  readonly manifestBytes: Uint8Array;
  readonly sources: readonly Source[];
  /** Of all sources. */
  readonly bytes: number;
}

export function scaleInputs(scale: Scale): ParsedScale {
  const files = scaleProject(scale);
  const manifestBytes = files.get("semaprax.toml")!;
  const manifest = must(parseManifest(manifestBytes));
  const sources = manifest.sources.map((path) => ({ path, bytes: files.get(path)! }));
  const bytes = sources.reduce((sum, source) => sum + source.bytes.length, 0);
  return { manifest, manifestBytes, sources, bytes };
}
