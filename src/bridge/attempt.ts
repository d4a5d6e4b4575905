/** One session of a job, from `workspace/open` to `shutdown` (R120), and what it came to (R121). */
import type { StopReason } from "./alarm.ts";
import { isOk, type Revisions, readOpened, readTested, type TestReport } from "./answers.ts";
import type { Conversation, Reply } from "./conversation.ts";
import type { Order } from "./payload.ts";

/** What a daemon was doing. While it builds, it has not answered yet. */
export type Phase = "build" | "open" | "check" | "test";

/** How far a session had come. The revisions are null before a successful `workspace/open`. */
export interface Place {
  readonly phase: Phase;
  readonly revisions: Revisions | null;
}

/** Only a session that was opened can find the project good: a passed verdict always has revisions (R122). */
export type Finding =
  | { readonly kind: "checked"; readonly phase: "check"; readonly revisions: Revisions }
  | {
      readonly kind: "tested";
      readonly phase: "test";
      readonly revisions: Revisions;
      readonly report: TestReport;
    }
  | (Place &
      (
        | {
            readonly kind: "refused";
            readonly words: string;
            /** An input that changes while it is read would have brought about the same refusal. */
            readonly mayPass: boolean;
          }
        /** The project is not at the revision that the event expects. */
        | { readonly kind: "unexpected" }
        | { readonly kind: "invalidated" }
        | { readonly kind: "unavailable"; readonly words: string }
      ));

/** What keeps a request from its result. */
type Miss = Exclude<Reply, { kind: "result" }>;

const DRIFT = "SPX-J102";
/** The one code of JSON-RPC with which the daemon refuses a project (D52). */
const REFUSED = -32_000;
/** Codes about the session, a parameter, a rename or a run: never about whether a project is valid. */
const NOT_OF_A_PROJECT = /^SPX-(?:J104|J105|J109|J110|G17[678]|[FI]\d{3})$/;
/** A load failure is one such line and nothing else (D8). */
const LOAD_FAILURE = /^SPX-[A-Z]\d{3}: [^\n]+\n$/;

/** Why there is no verdict where a job had to stop. */
export const STOPPED: Readonly<Record<StopReason, string>> = {
  timeout: "the daemon took too long",
  closed: "the bridge was closed",
  clock: "the bridge's clock failed",
};

/** Runs one fresh session to its end. Whoever opened it ends it, however this comes out. */
export async function attempt(conversation: Conversation, order: Order): Promise<Finding> {
  const finding = await examine(conversation, order);
  switch (finding.kind) {
    case "checked":
    case "tested":
    case "unexpected":
      return await takeLeave(conversation, finding);
    case "refused":
      return finding.phase === "build" ? finding : await takeLeave(conversation, finding);
    case "invalidated":
    case "unavailable":
      return finding;
  }
}

async function examine(conversation: Conversation, order: Order): Promise<Finding> {
  const opened = await conversation.ask("workspace/open");
  if (opened.kind === "ended") return await explainEnd(conversation);
  const isAnswer = opened.kind !== "stopped" && opened.kind !== "broken";
  const atOpen: Place = { phase: isAnswer ? "open" : "build", revisions: null };
  if (opened.kind !== "result") return judge(opened, atOpen);
  const revisions = readOpened(opened.bytes);
  if (revisions === null) return judge({ kind: "mismatch" }, atOpen);
  if (!isExpected(order, revisions)) return { phase: "open", revisions, kind: "unexpected" };

  const params = { project_revision: revisions.project, workspace_revision: revisions.workspace };
  const atCheck: Place = { phase: "check", revisions };
  const checked = await conversation.ask("check", params);
  if (checked.kind !== "result") return judge(checked, atCheck);
  if (!isOk(checked.bytes)) return judge({ kind: "mismatch" }, atCheck);
  if (order.scope === "check") return { kind: "checked", phase: "check", revisions };

  const { maxSteps, maxBytes } = order.limits;
  const atTest: Place = { phase: "test", revisions };
  const tested = await conversation.ask("test", { ...params, max_steps: maxSteps, max_bytes: maxBytes });
  if (tested.kind !== "result") return judge(tested, atTest);
  const report = readTested(tested.bytes, revisions, order.limits);
  if (report === null) return judge({ kind: "mismatch" }, atTest);
  return { kind: "tested", phase: "test", revisions, report };
}

function isExpected(
  { expectedProject, expectedWorkspace }: Order,
  { project, workspace }: Revisions,
): boolean {
  return (
    (expectedProject === null || expectedProject === project) &&
    (expectedWorkspace === null || expectedWorkspace === workspace)
  );
}

/** A daemon that ended before its first answer: it refused the project while loading it (D8), or it failed. */
async function explainEnd(conversation: Conversation): Promise<Finding> {
  const place: Place = { phase: "build", revisions: null };
  const ending = await conversation.end();
  if (ending.kind !== "end") return judge(ending, place);
  const { status, words } = ending.end;
  if (status !== 1 || !LOAD_FAILURE.test(words) || !isOfProject(codesIn(words)))
    return judge({ kind: "ended" }, place);
  return { ...place, kind: "refused", words: words.trimEnd(), mayPass: codesIn(words).includes(DRIFT) };
}

/**
 * Ends a session in order. The daemon looks at its inputs a last time and says in its status whether they are still what
 * it had loaded (D14): a finding about inputs that are gone by then is none.
 */
async function takeLeave(conversation: Conversation, finding: Finding): Promise<Finding> {
  const { phase, revisions } = finding;
  const place: Place = { phase, revisions };
  const reply = await conversation.ask("shutdown");
  // Shutdown is never refused, so an error is no answer to it either.
  if (reply.kind === "error") return judge({ kind: "mismatch" }, place);
  if (reply.kind !== "result") return judge(reply, place);
  if (!isOk(reply.bytes)) return judge({ kind: "mismatch" }, place);
  const ending = await conversation.end();
  if (ending.kind !== "end") return judge(ending, place);
  const { status, words } = ending.end;
  if (status === 0 && words === "") return finding;
  if (status === 1 && codesIn(words).includes(DRIFT)) return { ...place, kind: "invalidated" };
  return judge({ kind: "ended" }, place);
}

function judge(miss: Miss, place: Place): Finding {
  switch (miss.kind) {
    case "error":
      return judgeError(miss, place);
    case "mismatch":
      return unavailable(place, "the daemon's answer is not one to the request");
    case "ended":
      return unavailable(place, "the daemon ended unexpectedly");
    case "broken":
      return unavailable(place, "the session with the daemon failed");
    case "stopped":
      return unavailable(place, STOPPED[miss.reason]);
  }
}

function judgeError({ code, message }: Extract<Reply, { kind: "error" }>, place: Place): Finding {
  const codes = codesIn(message);
  if (code === REFUSED && codes.includes(DRIFT)) return { ...place, kind: "invalidated" };
  if (code === REFUSED && isOfProject(codes) && place.phase !== "test") {
    return { ...place, kind: "refused", words: message, mayPass: false };
  }
  return unavailable(place, `the daemon refused the request: ${message}`);
}

/** Whether a refusal with these codes says something about the project. */
function isOfProject(codes: readonly string[]): boolean {
  return codes.length > 0 && !codes.some((name) => NOT_OF_A_PROJECT.test(name));
}

function unavailable(place: Place, words: string): Finding {
  return { ...place, kind: "unavailable", words };
}

/** The codes of diagnostics that were joined by `; ` (D29). */
function codesIn(message: string): string[] {
  return [...message.matchAll(/(?:^|; )(SPX-[A-Z]\d{3}): /g)].map(([, code = ""]) => code);
}
