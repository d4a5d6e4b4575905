/** From the command line to an exit status (D5 to D8, D13). */
import { utf8 } from "../kernel/bytes.ts";
import { placedFailureText } from "../kernel/failure.ts";
import { VERSION } from "../kernel/version.ts";
import { type DaemonOptions, HELP, parseArguments } from "../daemon/args.ts";
import { FrameReader, readStdin } from "../daemon/frame-reader.ts";
import { writeResponse, writeStderr, writeStdout } from "../daemon/frame-writer.ts";
import { type Ending, serve } from "../daemon/serve.ts";
import { Session } from "../daemon/session.ts";
import { loadProject } from "../project/load.ts";
import { compilingReluctantly } from "./jit-policy.ts";
import { type PublishFiles, systemPublishFiles } from "../project/publish-fs.ts";

/** Runs one session to its end and returns the exit status. `files` is for tests. */
export function runDaemon(argv: readonly string[], files: PublishFiles = systemPublishFiles): 0 | 1 {
  const ending = run(argv, files);
  // Where stderr takes nothing there is nobody left to tell.
  if (ending.status === 1) writeResponse(writeStderr, [utf8(`${ending.words}\n`)]);
  return ending.status;
}

function run(argv: readonly string[], files: PublishFiles): Ending {
  const invocation = parseArguments(argv);
  switch (invocation.kind) {
    case "misuse":
      return { status: 1, words: invocation.words };
    case "help":
      return print(HELP);
    case "version":
      return print(`semapraxd ${VERSION}\n`);
    case "serve":
      return serveProject(invocation.options, files);
  }
}

function print(text: string): Ending {
  const words = writeResponse(writeStdout, [utf8(text)]);
  return words === null ? { status: 0 } : { status: 1, words };
}

/** Loads the project completely before the first byte of stdin is read (D7). */
function serveProject(options: DaemonOptions, files: PublishFiles): Ending {
  const project = compilingReluctantly(() => loadProject(options.manifestPath, files));
  // Whoever reads this has nothing else that could say which source is meant.
  if (!project.ok) return { status: 1, words: placedFailureText(project.failure) };
  const session = new Session(options, project.value, files);
  return serve(session, new FrameReader(readStdin, options.requestBytesMax), writeStdout);
}
