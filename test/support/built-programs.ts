/** The daemon in each form that it is shipped in, built into temporary folders. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { bundle, compile } from "../../src/main/build.ts";
import { LAUNCHER } from "./daemon-process.ts";
import { temporaryFolder } from "./projects.ts";

export interface BuiltPrograms {
  /** The launcher of a package that has a bundle and no sources. */
  readonly bundled: string;
  readonly executable: string;
}

export async function buildDaemon(): Promise<BuiltPrograms> {
  const folder = temporaryFolder();
  const bundled = join(folder, "src", "main", "semapraxd");
  mkdirSync(join(folder, "src", "main"), { recursive: true });
  cpSync(LAUNCHER, bundled);
  await bundle("semapraxd", join(folder, "dist"));
  return { bundled, executable: await compile("semapraxd", folder) };
}
