/** A daemon session without a process: frames in, text out, over a copy of a fixture project. */
import { join } from "node:path";
import type { DaemonOptions } from "../../src/daemon/args.ts";
import type { End } from "../../src/daemon/method.ts";
import { type Reply, Session } from "../../src/daemon/session.ts";
import { concatenate, utf8 } from "../../src/kernel/bytes.ts";
import { type LoadedProject, loadProject } from "../../src/project/load.ts";
import { instrument } from "./file-system.ts";
import { copyProject } from "./projects.ts";

export interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

export interface TestSession {
  readonly session: Session;
  readonly root: string;
  readonly project: LoadedProject;
  /** How many system calls were made on the project's files since the last time of asking. */
  readonly systemCalls: () => number;
  /** From the nth authentication on (1 is the next) the inputs are found changed, until told otherwise with 0. */
  readonly driftFromNext: (n: number) => void;
  /** The response to one frame without its LF; "" if there is none. */
  readonly send: (frame: string) => string;
  /** The response to a request, `id` 1 unless given; `params` get the current revisions where they name none. */
  readonly ask: (request: Request) => string;
  /** How the last frame ended the session, if it did. */
  readonly lastEnd: () => End | null;
}

const decoder = new TextDecoder();

export function replyText(reply: Reply): string {
  return reply.response === null ? "" : decoder.decode(concatenate(reply.response));
}

export function startSession(options: Partial<DaemonOptions> = {}, name = "calculator"): TestSession {
  const root = copyProject(name);
  let calls = 0;
  let authentications = 0;
  let driftAt = 0;
  const files = instrument((call) => {
    calls++;
    // Every authentication begins with the root folder by path.
    if (call.name === "lstat" && call.path === "/") authentications++;
    if (driftAt > 0 && authentications >= driftAt) throw Object.assign(new Error("drift"), { code: "EIO" });
  });
  const loaded = loadProject(join(root, "semaprax.toml"), files);
  if (!loaded.ok) throw new Error(loaded.failure.map(({ code, message }) => `${code}: ${message}`).join());
  const session = new Session(
    {
      allowProjectRename: false,
      manifestPath: "semaprax.toml",
      requestBytesMax: 65_536,
      responseBytesMax: 1_048_576,
      ...options,
    },
    loaded.value,
  );
  let end: End | null = null;
  const send = (frame: string) => {
    const reply = session.handle(utf8(frame));
    end = reply.end;
    return replyText(reply);
  };
  return {
    session,
    root,
    project: loaded.value,
    systemCalls() {
      const made = calls;
      calls = 0;
      return made;
    },
    driftFromNext(n) {
      authentications = 0;
      driftAt = n;
    },
    send,
    ask({ id = 1, method, params }) {
      return send(
        JSON.stringify({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) }),
      );
    },
    lastEnd: () => end,
  };
}

/** The revisions that a session serves, as parameters. */
export function revisionsOf({ project: { snapshot } }: TestSession) {
  return {
    project_revision: snapshot.projectRevision as string,
    workspace_revision: snapshot.workspaceRevision as string,
  };
}
