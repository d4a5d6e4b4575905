/** The entry of the compiled `semaprax`, which needs no launcher and starts where the caller is (L6). */
import { COMMANDS } from "../cli/commands.ts";
import { processIo } from "../cli/output.ts";
import { runSemaprax } from "../cli/run.ts";
import { VERSION } from "../kernel/version.ts";
import { compilingReluctantly } from "./jit-policy.ts";

// The status is set and the program left to end by itself: an exit could cut output short.
process.exitCode = compilingReluctantly(() =>
  runSemaprax(process.argv.slice(2), COMMANDS, VERSION, processIo(process.env)),
);
