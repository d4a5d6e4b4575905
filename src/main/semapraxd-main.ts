/** The entry of `semapraxd`. To be started by the launcher beside it, never directly (D71). */
import { enterCallersFolder } from "./caller-folder.ts";
import { runDaemon } from "./daemon.ts";

enterCallersFolder();
// The status is set and the program left to end by itself: an exit could cut output short.
process.exitCode = runDaemon(process.argv.slice(2));
