/**
 * The session: a state machine from frames to responses, apart from input and output. It never reads a request from
 * anywhere or writes a response to anywhere; the only system calls are those of authenticating the inputs it holds, and
 * those of an apply.
 */
import { ContextScratch } from "../graph/context-scratch.ts";
import { totalLength } from "../kernel/bytes.ts";
import type { Outcome } from "../kernel/failure.ts";
import { clip } from "../kernel/text.ts";
import type { LoadedProject } from "../project/load.ts";
import { type PublishFiles, systemPublishFiles } from "../project/publish-fs.ts";
import type { RenamePlan } from "../project/rename-plan.ts";
import type { Snapshot } from "../project/snapshot.ts";
import type { DaemonOptions } from "./args.ts";
import { type Answer, CLOSED, type End, type Method } from "./method.ts";
import { type Decoded, RequestDecoder } from "./request.ts";
import {
  errorResponse,
  NULL_ID,
  overflowResponse,
  type Result,
  resultResponse,
  resultResponseLength,
  RpcCode,
  type Slices,
  type WireId,
} from "./response.ts";
import { routes } from "./routes.ts";

/** As on the wire (D38). What else a session can be shows only in that it has ended. */
export type State = "configured" | "open" | "prepared" | "invalidated";

/** What is to be done about a frame: write the response if there is one, then end if there is an end. */
export interface Reply {
  readonly response: Slices | null;
  readonly end: End | null;
}

const SILENT: Reply = { response: null, end: null };

export class Session {
  readonly options: DaemonOptions;
  /** What an apply works on. */
  readonly files: PublishFiles;
  state: State = "configured";
  readonly #methods: ReadonlyMap<string, Method>;
  readonly #decoder = new RequestDecoder();
  #project: LoadedProject;
  #plan: RenamePlan | null = null;
  #scratch: ContextScratch | null = null;

  /** `files` is for tests. */
  constructor(options: DaemonOptions, project: LoadedProject, files: PublishFiles = systemPublishFiles) {
    this.options = options;
    this.files = files;
    this.#methods = routes(options.allowProjectRename);
    this.#project = project;
  }

  get project(): LoadedProject {
    return this.#project;
  }

  get snapshot(): Snapshot {
    return this.#project.snapshot;
  }

  /** The one plan there can be, in state `prepared` and in no other. */
  get plan(): RenamePlan | null {
    return this.state === "prepared" ? this.#plan : null;
  }

  /** The working arrays of context queries over the snapshot, made for the first of them. */
  get contextScratch(): ContextScratch {
    this.#scratch ??= new ContextScratch(this.snapshot.graph);
    return this.#scratch;
  }

  /** The names of what is routed, in byte order (D35). */
  get methodNames(): readonly string[] {
    return [...this.#methods.keys()].sort();
  }

  /** Proves the held inputs unchanged (section 10); a difference invalidates the session for good (D40). */
  authenticate(): Outcome<void> {
    const outcome = this.#project.held.authenticate();
    if (!outcome.ok) this.state = "invalidated";
    return outcome;
  }

  /** From `open` to `prepared` (N4). */
  prepare(plan: RenamePlan): void {
    this.#plan = plan;
    this.state = "prepared";
  }

  /** From `prepared` to `open` with what an apply loaded; the plan is consumed (N38, N39). */
  adopt(project: LoadedProject): void {
    this.#project = project;
    this.#plan = null;
    this.#scratch = null;
    this.state = "open";
  }

  /** Whether an answer to the request `id` fits the response limit, for a method that must know beforehand. */
  fits(id: WireId, answer: Answer): boolean {
    return render(id, answer, this.options.responseBytesMax) !== null;
  }

  /** Handles one frame, its LF left out. */
  handle(frame: Uint8Array): Reply {
    const decoded = this.#decoder.decode(frame);
    switch (decoded.kind) {
      case "refused":
        return this.#reply(decoded.id, { kind: "error", code: decoded.code, message: decoded.words });
      case "notification":
        return decoded.method === "shutdown" && decoded.isBare ? { response: null, end: CLOSED } : SILENT;
      case "request":
        return this.#reply(decoded.id, this.#answer(decoded));
    }
  }

  /** What an oversized frame is answered with (D18). */
  handleOversized(): Reply {
    const message = "request is longer than the limit";
    return this.#reply(NULL_ID, { kind: "error", code: RpcCode.Parse, message, end: CLOSED });
  }

  /** Authenticates once more at the end (D14) and lets go of the inputs. */
  close(): Outcome<void> {
    const outcome = this.#project.held.authenticate();
    this.#project.held.close();
    return outcome;
  }

  #answer({ method: name, parameters, id }: Extract<Decoded, { kind: "request" }>): Answer {
    const method = this.#methods.get(name);
    if (method === undefined) {
      return { kind: "error", code: RpcCode.UnknownMethod, message: `unknown method ${clip(name)}` };
    }
    if (!method.takesParameters && !parameters.isEmpty) {
      return { kind: "error", code: RpcCode.InvalidParams, message: "this method takes no parameters" };
    }
    return method.answer(this, parameters, id);
  }

  /** Renders an answer, or what takes its place if it does not fit; which of the two is known before (D30, D31). */
  #reply(id: WireId, answer: Answer): Reply {
    const { responseBytesMax } = this.options;
    const response = render(id, answer, responseBytesMax);
    const end = answer.kind === "overflow" ? null : (answer.end ?? null);
    if (response !== null) return { response, end };
    return { response: overflowResponse(id, responseBytesMax), end: end ?? CLOSED };
  }
}

/** The response, or null if it does not fit. */
function render(id: WireId, answer: Answer, bytesMax: number): Slices | null {
  switch (answer.kind) {
    case "result":
      return resultWithin(id, answer.result, bytesMax);
    case "error":
      return errorWithin(id, answer.code, answer.message, bytesMax);
    case "overflow":
      return null;
  }
}

function resultWithin(id: WireId, result: Result, bytesMax: number): Slices | null {
  return resultResponseLength(id, result) <= bytesMax ? resultResponse(id, result) : null;
}

function errorWithin(id: WireId, code: RpcCode, message: string, bytesMax: number): Slices | null {
  const response = errorResponse(id, code, message);
  return totalLength(response) <= bytesMax ? response : null;
}
