/** Has a conversation with a program again, as it stands in a recording, and writes down what comes of it (RC45). */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CodexMessage } from "../protocol/codex/support.ts";
import type { Line, Recording } from "../protocol/codex/transcripts.ts";
import { OPTED_OUT } from "../../src/protocol/codex/schema/known.ts";
import type { Answer } from "./model-server.ts";
import { Normalizer } from "./normalize.ts";
import { Stage, until } from "./stage.ts";

/** Nothing waits for these: whether and when they come depends on the machine. */
const UNSTEADY: ReadonlySet<string> = new Set(OPTED_OUT);
/** No program listens there. */
const CLOSED_PORT = 1;
const STOP_MS = 3_000;
const STILL_RUNNING = "did not exit 3s after stdin EOF; killed";

/** The recording, made again with the program; ends early, and says why, if the program says something else. */
export async function record(
  program: string,
  recording: Recording,
): Promise<{ lines: unknown[]; problem: string | null }> {
  const { header } = recording;
  const answers = header.model_script as Answer[];
  const isReachable = answers.length > 0;
  const stage = new Stage(program, {
    extraConfig: header.extra_config,
    ...(!isReachable && { port: CLOSED_PORT }),
  });
  stage.model.queue.push(...answers);
  const recorder = new Recorder(program, stage, isReachable ? stage.model.port : CLOSED_PORT);
  let problem: string | null = null;
  try {
    for (const line of recording.lines) await recorder.take(line);
  } catch (error) {
    problem = String(error);
  } finally {
    recorder.kill();
    await stage.close();
  }
  const last = {
    model_requests: stage.model.requests.map((request) => recorder.normalizer.normalize(request)),
  };
  return { lines: [header, ...recorder.lines, last], problem };
}

class Recorder {
  readonly lines: unknown[] = [];
  readonly normalizer: Normalizer;
  readonly #program: string;
  readonly #stage: Stage;
  #process: Conversation | null = null;
  #isKilled = false;

  constructor(program: string, stage: Stage, port: number) {
    this.#program = program;
    this.#stage = stage;
    this.normalizer = new Normalizer(stage.root, port);
  }

  async take(line: Line): Promise<void> {
    const conversation = this.#conversation(line.process);
    switch (line.dir) {
      case "s2c":
        return conversation.expect(line.msg);
      case "c2s":
        await conversation.caughtUp();
        this.#write(line.process, "c2s", line.msg);
        return conversation.send(`${JSON.stringify(this.normalizer.restore(line.msg))}\n`);
      case "raw-c2s":
        await conversation.caughtUp();
        this.#write(line.process, "raw-c2s", line.msg);
        return conversation.send(line.msg);
      case "note":
        return this.#note(line.process, line.msg, conversation);
      case "exit":
        return this.#exit(line.process, line.msg, conversation);
    }
  }

  kill(): void {
    this.#process?.child.kill("SIGKILL");
  }

  #conversation(number: number): Conversation {
    this.#process ??= new Conversation(this.#program, this.#stage, (message) =>
      this.#write(number, "s2c", this.normalizer.normalize(message)),
    );
    return this.#process;
  }

  #write(process: number, dir: string, msg: unknown): void {
    this.lines.push({ process, dir, msg });
  }

  /** Some notes tell what the one who recorded did or saw; these are done and seen again. */
  async #note(number: number, note: string, conversation: Conversation): Promise<void> {
    if (note === STILL_RUNNING) return;
    await conversation.caughtUp();
    if (note === "3 s without an answer") await Bun.sleep(3_000);
    if (note === "SIGKILL") this.#isKilled = true;
    const file = /^(\S+) exists: /.exec(note)?.[1];
    this.#write(
      number,
      "note",
      file === undefined ? note : `${file} exists: ${existsSync(join(this.#stage.work, file))}`,
    );
  }

  async #exit(number: number, exit: { signal: string | null }, conversation: Conversation): Promise<void> {
    await conversation.caughtUp();
    const isMeant = this.#isKilled || (exit.signal !== null && number === 0 && conversation.isWaiting);
    if (isMeant) conversation.child.kill("SIGKILL");
    else if (!(await conversation.stop())) this.#write(number, "note", STILL_RUNNING);
    await conversation.child.exited;
    await conversation.drained;
    this.#write(number, "exit", { code: conversation.child.exitCode, signal: conversation.child.signalCode });
    this.#process = null;
    this.#isKilled = false;
  }
}

/** One process and what it has said so far. */
class Conversation {
  readonly child: Bun.Subprocess<"pipe", "pipe", "ignore">;
  readonly drained: Promise<void>;
  /** How often each kind of message came, and how often it came in the recording by now. */
  readonly #seen = new Map<string, number>();
  readonly #expected = new Map<string, number>();
  readonly #asked = new Set<number | string>();

  constructor(program: string, stage: Stage, onMessage: (message: CodexMessage) => void) {
    this.child = Bun.spawn([program, "app-server"], {
      cwd: stage.work,
      env: { PATH: process.env["PATH"] ?? "", CODEX_HOME: stage.home, ...stage.env },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    this.drained = this.#read(onMessage);
  }

  /** Whether a request has no answer yet. */
  get isWaiting(): boolean {
    return [...this.#asked].some((id) => !this.#seen.has(`answer to ${id}`));
  }

  expect(message: CodexMessage): void {
    const kind = kindOf(message);
    if (!UNSTEADY.has(kind)) this.#expected.set(kind, (this.#expected.get(kind) ?? 0) + 1);
  }

  /** Waits until all that was said in the recording by now was said again. */
  async caughtUp(): Promise<void> {
    const missing = () =>
      [...this.#expected]
        .filter(([kind, count]) => (this.#seen.get(kind) ?? 0) < count)
        .map(([kind]) => kind);
    if (missing().length > 0) await until(missing().join(", "), () => missing().length === 0);
  }

  send(text: string): void {
    this.#note(text);
    this.child.stdin.write(text);
    void this.child.stdin.flush();
  }

  /** Ends the input. False if the process has to be killed. */
  async stop(): Promise<boolean> {
    await this.child.stdin.end();
    const hasEnded = await Promise.race([
      this.child.exited.then(() => true),
      Bun.sleep(STOP_MS).then(() => false),
    ]);
    if (!hasEnded) this.child.kill("SIGKILL");
    return hasEnded;
  }

  #note(text: string): void {
    try {
      const { id, method } = JSON.parse(text) as CodexMessage;
      if (method !== undefined && id !== undefined) this.#asked.add(id);
    } catch {
      // Broken on purpose.
    }
  }

  async #read(onMessage: (message: CodexMessage) => void): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of this.child.stdout) {
      const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(line) as CodexMessage;
        this.#seen.set(kindOf(message), (this.#seen.get(kindOf(message)) ?? 0) + 1);
        onMessage(message);
      }
    }
  }
}

function kindOf({ id, method }: CodexMessage): string {
  return method ?? `answer to ${id}`;
}
