import { expect, test } from "bun:test";
import manifest from "../../package.json";
import { VERSION } from "../../src/kernel/version.ts";

test("the version built in is that of the package (D6)", () => {
  expect(VERSION).toBe(manifest.version);
});
