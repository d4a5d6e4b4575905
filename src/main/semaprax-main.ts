/** The entry of `semaprax`. To be started by the launcher beside it, as the daemon is (L6). */
import { COMMANDS } from "../cli/commands.ts";
import { processIo, systemCode } from "../cli/output.ts";
import { runSemaprax } from "../cli/run.ts";
import { VERSION } from "../kernel/version.ts";
import { enterCallersFolder } from "./caller-folder.ts";
import { compilingReluctantly } from "./jit-policy.ts";

const entry = enterCallersFolder("semaprax");
const io = processIo(process.env);
if (entry.kind === "entered") {
  // The status is set and the program left to end by itself: an exit could cut output short.
  process.exitCode = compilingReluctantly(() => runSemaprax(process.argv.slice(2), COMMANDS, VERSION, io));
} else {
  const words =
    entry.kind === "lost" ? `cannot be in the working directory: ${systemCode(entry.error)}` : entry.words;
  io.err(`semaprax: ${words}\n`);
  process.exitCode = 1;
}
