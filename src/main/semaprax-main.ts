/** The entry of `semaprax`. To be started by the launcher beside it, as the daemon is (L6). */
import { COMMANDS } from "../cli/commands.ts";
import { processIo } from "../cli/output.ts";
import { runSemaprax } from "../cli/run.ts";
import { VERSION } from "../kernel/version.ts";
import { enterCallersFolder } from "./caller-folder.ts";

enterCallersFolder();
// The status is set and the program left to end by itself: an exit could cut output short.
process.exitCode = runSemaprax(process.argv.slice(2), COMMANDS, VERSION, processIo(process.env));
