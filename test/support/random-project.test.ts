import { expect, test } from "bun:test";
import fc from "fast-check";
import { utf8 } from "../../src/kernel/bytes.ts";
import { buildSnapshot } from "../../src/project/load.ts";
import { parseManifest } from "../../src/project/manifest.ts";
import { fuzz, numbers } from "./fuzz.ts";
import { must } from "./graph-project.ts";
import { canonicalSources, printManifest, randomProject } from "./random-project.ts";

test("random projects are admitted through every phase", () => {
  const seeds = fc.integer({ min: 0, max: 0x7fffffff });
  fuzz(
    fc.property(seeds, (seed) => {
      const model = randomProject(numbers(seed * 2));
      const manifest = utf8(printManifest(model));
      const snapshot = must(buildSnapshot(must(parseManifest(manifest)), manifest, canonicalSources(model)));
      expect(snapshot.sources.length).toBe(model.modules.length);
    }),
    60,
  );
});
