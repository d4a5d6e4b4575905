/**
 * The daemon on a file system that ends the process, by SIGKILL, directly after one call of an apply. Arguments: the call
 * as `NAME END NTH [BYTES]`, then the daemon's own. It is the call `NAME` on a path that ends in `END`, the nth from the
 * creation of the lock on; BYTES is how many bytes a write takes.
 */
import { runDaemon } from "../../src/main/daemon.ts";
import { instrumentPublish } from "./publish-files.ts";

const [call = "", ...argv] = process.argv.slice(2);
const [name, end = "", nth, bytes] = call.split(" ");
const files = instrumentPublish();
let locked = false;
let seen = 0;
files.watch({
  after: (made) => {
    if (made.name === "createLock") locked = true;
    if (locked && made.name === name && made.path.endsWith(end) && ++seen === Number(nth)) {
      process.kill(process.pid, "SIGKILL");
    }
  },
  ...(bytes === undefined ? {} : { writeBytes: () => Number(bytes) }),
});
process.exitCode = runDaemon(argv, files);
