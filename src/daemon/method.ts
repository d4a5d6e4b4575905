/**
 * What a method is. Each stands in a file of its own under methods/ and says which parameters it knows and how it answers;
 * decoding, routing, rendering and limits are the session's.
 */
import { type Failure, failureText, type Outcome, success } from "../kernel/failure.ts";
import type { BoundParameters, Parameters } from "./parameters.ts";
import { codeOf, rendered, type Result, resultResponseLength, RpcCode, type WireId } from "./response.ts";
import type { Session } from "./session.ts";

/** What an answer says. */
export type Answer =
  /** RESULT, and whether the session ends after it. */
  | { readonly kind: "result"; readonly result: Result; readonly end?: End }
  | { readonly kind: "error"; readonly code: RpcCode; readonly message: string; readonly end?: End }
  /** A response that was found not to fit before it was worked for (A4). The session ends (D30). */
  | { readonly kind: "overflow" };

/** Why no further request is answered (D13). */
export type End =
  /** In order: the inputs are authenticated once more (D14). */
  | { readonly kind: "closed" }
  /** With status 1 and these diagnostics, whatever the inputs are (fourth row of D13). */
  | { readonly kind: "failed"; readonly failure: Failure };

export const CLOSED: End = { kind: "closed" };

export interface Method {
  readonly name: string;
  /** A method without parameters refuses any before it is asked (D34). */
  readonly takesParameters: boolean;
  /** `id` is for a method that must know beforehand whether its response will fit. */
  answer(session: Session, parameters: Parameters, id: WireId): Answer;
}

export function resultAnswer(result: Result): Answer {
  return { kind: "result", result };
}

/** The diagnostics of an expected failure, with the code of D52. */
export function failureAnswer(failure: Failure): Answer {
  return { kind: "error", code: codeOf(failure), message: failureText(failure) };
}

/** -32602 without an SPX code. */
export function parameterAnswer(words: string): Answer {
  return { kind: "error", code: RpcCode.InvalidParams, message: words };
}

/** J104 (D39). */
export function stateAnswer(session: Session): Answer {
  return {
    kind: "error",
    code: RpcCode.Refused,
    message: `SPX-J104: not possible while ${session.state}`,
  };
}

/** The two parameters that every method about the project requires (section 7, *revisions*). */
export const REVISION_NAMES = ["project_revision", "workspace_revision"] as const;
export type RevisionName = (typeof REVISION_NAMES)[number];

/** Step 2 of the pipeline (D44): null if the request names the retained revisions. Touches no file. */
export function refuseRevisions(session: Session, parameters: BoundParameters<RevisionName>): Answer | null {
  const project = parameters.plainText("project_revision");
  if (!project.ok) return parameterAnswer(project.words);
  const workspace = parameters.plainText("workspace_revision");
  if (!workspace.ok) return parameterAnswer(workspace.words);
  const { snapshot } = session;
  if (project.text !== snapshot.projectRevision)
    return parameterAnswer("project_revision is not the open one");
  if (workspace.text !== snapshot.workspaceRevision) {
    return parameterAnswer("workspace_revision is not the open one");
  }
  return null;
}

/** What a question may look at. */
type Retained = Pick<Session, "snapshot" | "contextScratch">;

/** A method that asks the snapshot a question: what step 4 of the pipeline computes. */
interface Question<Name extends string> {
  readonly name: string;
  /** The parameters besides the revisions. */
  readonly parameters: readonly Name[];
  /** Checks the parameters in the order of D49, then computes RESULT, rendered or measured. */
  compute(retained: Retained, parameters: BoundParameters<Name>): Outcome<Result>;
}

/**
 * The pipeline of section 9 around a question: state, revisions, authentication, the question, authentication again. What
 * was computed is dropped if the inputs are found changed (D47), so nothing is left to render after that.
 */
export function questionMethod<Name extends string>(question: Question<Name>): Method {
  const names: readonly (Name | RevisionName)[] = [...REVISION_NAMES, ...question.parameters];
  return {
    name: question.name,
    takesParameters: true,
    answer(session, parameters, id) {
      if (session.state !== "open") return stateAnswer(session);
      const bound = parameters.bind(names);
      const refusal = refuseRevisions(session, bound);
      if (refusal !== null) return refusal;
      const before = session.authenticate();
      if (!before.ok) return failureAnswer(before.failure);
      const computed = question.compute(session, bound);
      const outcome = computed.ok ? success(renderFitting(session, id, computed.value)) : computed;
      const after = session.authenticate();
      if (!after.ok) {
        const found = outcome.ok ? [] : outcome.failure;
        return { kind: "error", code: RpcCode.Refused, message: failureText([...found, ...after.failure]) };
      }
      return outcome.ok ? resultAnswer(outcome.value) : failureAnswer(outcome.failure);
    },
  };
}

/** The result with its bytes, unless its response does not fit: that one is not rendered at all (C25). */
function renderFitting({ options }: Session, id: WireId, result: Result): Result {
  return resultResponseLength(id, result) <= options.responseBytesMax ? rendered(...result.render()) : result;
}
