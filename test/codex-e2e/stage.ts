/** A temporary world for the real program (RC39, RC41): folders, configuration, a model, and native connections. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CodexEvent,
  type CodexHost,
  type CodexHostOptions,
  createCodexHost,
} from "../../src/protocol/codex/index.ts";
import { createModelServer, type ModelServer } from "./model-server.ts";
import { NativeConnection } from "../protocol/codex/support.ts";

/** A generous bound for whatever is waited for (RC43). */
const WAIT_MS = 20_000;

export class Stage {
  readonly root = mkdtempSync(join(tmpdir(), "codex-e2e-"));
  readonly work = join(this.root, "work");
  readonly home = join(this.root, "codexhome");
  readonly model: ModelServer = createModelServer();
  readonly log: CodexEvent[] = [];
  readonly #program: string;
  readonly #hosts: CodexHost[] = [];

  constructor(program: string, { extraConfig = "", port }: { extraConfig?: string; port?: number } = {}) {
    this.#program = program;
    for (const name of ["home", "codexhome", "tmp", "work"]) mkdirSync(join(this.root, name));
    writeFileSync(join(this.home, "config.toml"), configuration(port ?? this.model.port, extraConfig));
  }

  /** What the program needs of its environment beside `PATH`. */
  get env(): Record<string, string> {
    return { HOME: join(this.root, "home"), TMPDIR: join(this.root, "tmp") };
  }

  async host(options: Partial<CodexHostOptions> = {}): Promise<CodexHost> {
    const given = {
      bin: this.#program,
      codexHome: this.home,
      workingDirectory: this.work,
      sandbox: "danger-full-access",
      allowFullAccess: true,
      approvalPolicy: "untrusted",
      env: this.env,
      newId: () => crypto.randomUUID(),
      clock: Date.now,
      log: (event: CodexEvent) => this.log.push(event),
      ...options,
    };
    const host = await createCodexHost(given as CodexHostOptions);
    this.#hosts.push(host);
    if (host.status().state !== "ready") throw new Error(`Codex is not ready: ${JSON.stringify(this.log)}`);
    return host;
  }

  connect(host: CodexHost, principal = "alice"): NativeConnection {
    return new NativeConnection(
      {
        host,
        timers: {
          get now() {
            return Date.now();
          },
        },
      },
      principal,
    );
  }

  async close(): Promise<void> {
    // One that has background work does not end with its input; then it is killed after 3 s.
    await Promise.all(this.#hosts.map((host) => host.close()));
    await this.model.close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function configuration(port: number, extra = ""): string {
  return `model = "fake-model"
model_provider = "fake"
${extra}
[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:${port}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
`;
}

/** Waits for what must come; says what it waited for if it does not. */
export async function until(what: string, isSo: () => boolean, waitMs = WAIT_MS): Promise<void> {
  const end = Date.now() + waitMs;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await Bun.sleep(5);
  }
}

/** Asks and waits for the answer. */
export async function answer(connection: NativeConnection, ...request: Parameters<NativeConnection["ask"]>) {
  const id = connection.ask(...request);
  await until(`the answer to ${request[0]}`, () => connection.code(id) !== undefined);
  return { id, code: connection.code(id), result: () => connection.result(id) };
}
