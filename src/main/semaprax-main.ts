/** The entry of `semaprax`. To be started by the launcher beside it, as the daemon is (L6). */
import { COMMANDS } from "../cli/commands.ts";
import { processIo, systemCode } from "../cli/output.ts";
import { runSemaprax } from "../cli/run.ts";
import { VERSION } from "../kernel/version.ts";
import { enterCallersFolder } from "./caller-folder.ts";

const lost = enterCallersFolder();
const io = processIo(process.env);
if (lost === null) {
  // The status is set and the program left to end by itself: an exit could cut output short.
  process.exitCode = runSemaprax(process.argv.slice(2), COMMANDS, VERSION, io);
} else {
  io.err(`semaprax: cannot be in the working directory: ${systemCode(lost)}\n`);
  process.exitCode = 1;
}
