/** A session with `--allow-project-rename` on a copy of a project, on a file system that a test can interfere with. */
import { join } from "node:path";
import type { DaemonOptions } from "../../src/daemon/args.ts";
import type { End } from "../../src/daemon/method.ts";
import { Session } from "../../src/daemon/session.ts";
import { utf8 } from "../../src/kernel/bytes.ts";
import { loadProject } from "../../src/project/load.ts";
import { copyProject } from "./projects.ts";
import { type InstrumentedPublish, instrumentPublish } from "./publish-files.ts";
import { replyText } from "./session.ts";

/** The rename of the worked example. */
export const ADD_TO_SUM = { target_id: "calculator.add", from: "add", to: "sum" } as const;

export interface Response {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

export class RenameSession {
  readonly root: string;
  readonly files: InstrumentedPublish;
  readonly session: Session;
  /** How the last request ended the session, if it did. */
  end: End | null = null;

  /** `root` is used as it is; without one a fresh copy of the calculator is. */
  constructor(options: Partial<DaemonOptions> = {}, root = copyProject("calculator")) {
    this.root = root;
    this.files = instrumentPublish();
    const loaded = loadProject(join(root, "semaprax.toml"), this.files);
    if (!loaded.ok) throw new Error(loaded.failure.map(({ code, message }) => `${code}: ${message}`).join());
    this.session = new Session(
      {
        allowProjectRename: true,
        manifestPath: "semaprax.toml",
        requestBytesMax: 65_536,
        responseBytesMax: 1_048_576,
        ...options,
      },
      loaded.value,
      this.files,
    );
  }

  /** The current revisions, as parameters. */
  get revisions(): Readonly<Record<string, unknown>> {
    const { projectRevision, workspaceRevision } = this.session.snapshot;
    return { project_revision: projectRevision, workspace_revision: workspaceRevision };
  }

  /** The response to one frame, with its LF. */
  send(frame: string): string {
    const reply = this.session.handle(utf8(frame));
    this.end = reply.end;
    return replyText(reply);
  }

  /** The response line to a request with exactly these parameters. */
  line(method: string, params?: Readonly<Record<string, unknown>>, id: number | string = 1): string {
    return this.send(JSON.stringify({ jsonrpc: "2.0", id, method, ...(params && { params }) }));
  }

  ask(method: string, params?: Readonly<Record<string, unknown>>, id: number | string = 1): Response {
    return JSON.parse(this.line(method, params, id));
  }

  preview(params: Readonly<Record<string, unknown>> = {}): Response {
    return this.ask("rename/preview", { ...this.revisions, ...ADD_TO_SUM, ...params });
  }

  /** An apply of the retained plan. */
  apply(params: Readonly<Record<string, unknown>> = {}, id: number | string = 1): Response {
    const digest = this.session.plan?.previewDigest ?? "sha256:none";
    return this.ask("rename/apply", { ...this.revisions, preview_digest: digest, ...params }, id);
  }

  opened(): this {
    this.session.state = "open";
    return this;
  }

  /** Opened, with the plan of {@link ADD_TO_SUM} prepared. */
  prepared(params: Readonly<Record<string, unknown>> = {}): this {
    const answer = this.opened().preview(params);
    if (answer.error !== undefined) throw new Error(answer.error.message);
    return this;
  }
}

/** `CODE` of a message, or "" where it has none. */
export function codeOf(response: Response): string {
  return /^(SPX-[A-Z]\d+): /.exec(response.error?.message ?? "")?.[1] ?? "";
}

/** All codes of a message, in order. */
export function codesOf(message: string): string[] {
  return message.match(/SPX-[A-Z]\d+/g) ?? [];
}
