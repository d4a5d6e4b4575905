/** The entry of `semapraxd`. To be started by the launcher beside it, never directly (D71). */
import { systemPublishFiles } from "../project/publish-fs.ts";
import { enterCallersFolder } from "./caller-folder.ts";
import { runDaemon } from "./daemon.ts";

const lost = enterCallersFolder();
const files =
  lost === null
    ? systemPublishFiles
    : {
        ...systemPublishFiles,
        // A relative manifest path is J102 then; an absolute one needs no folder (P1).
        workingDirectory() {
          throw lost;
        },
      };
// The status is set and the program left to end by itself: an exit could cut output short.
process.exitCode = runDaemon(process.argv.slice(2), files);
