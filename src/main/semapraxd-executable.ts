/** The entry of the compiled `semapraxd`, which needs no launcher and starts where the caller is (D78). */
import { runDaemon } from "./daemon.ts";

// The status is set and the program left to end by itself: an exit could cut output short.
process.exitCode = runDaemon(process.argv.slice(2));
