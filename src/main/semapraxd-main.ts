/** The entry of `semapraxd`. To be started by the launcher beside it, never directly (D71). */
import { utf8 } from "../kernel/bytes.ts";
import { writeResponse, writeStderr } from "../daemon/frame-writer.ts";
import { systemPublishFiles } from "../project/publish-fs.ts";
import { enterCallersFolder } from "./caller-folder.ts";
import { runDaemon } from "./daemon.ts";

const argv = process.argv.slice(2);
const entry = enterCallersFolder("semapraxd");
// The status is set and the program left to end by itself: an exit could cut output short.
switch (entry.kind) {
  case "entered":
    process.exitCode = runDaemon(argv);
    break;
  case "lost":
    process.exitCode = runDaemon(argv, {
      ...systemPublishFiles,
      // A relative manifest path is J102 then; an absolute one needs no folder (P1).
      workingDirectory() {
        throw entry.error;
      },
    });
    break;
  case "no_launcher":
    writeResponse(writeStderr, [utf8(`semapraxd: ${entry.words}\n`)]);
    process.exitCode = 1;
}
