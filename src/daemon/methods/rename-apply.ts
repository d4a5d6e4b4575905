import { type Failure, failureText } from "../../kernel/failure.ts";
import { applyRename, UNCERTAIN } from "../../project/rename-apply.ts";
import type { RenamePlan } from "../../project/rename-plan.ts";
import { renderReceipt } from "../../project/rename-preview.ts";
import {
  type Answer,
  failureAnswer,
  type Method,
  parameterAnswer,
  refuseRevisions,
  resultAnswer,
  REVISION_NAMES,
  stateAnswer,
} from "../method.ts";
import { RpcCode, rendered } from "../response.ts";
import type { Session } from "../session.ts";

/** Publishes exactly the prepared plan, or nothing (rename.md 4 to 6). */
export const renameApply: Method = {
  name: "rename/apply",
  takesParameters: true,
  answer(session, parameters, id) {
    const { plan } = session;
    if (plan === null) return stateAnswer(session);
    // A1 to A3 touch neither files nor plan (N22).
    const bound = parameters.bind([...REVISION_NAMES, "preview_digest"]);
    const refusal = refuseRevisions(session, bound);
    if (refusal !== null) return refusal;
    const digest = bound.text("preview_digest");
    if (!digest.ok) return failureAnswer(digest.failure);
    const known = bound.refuseUnknown();
    if (!known.ok) return failureAnswer(known.failure);
    if (digest.value !== plan.previewDigest) return parameterAnswer("preview_digest differs from the plan");
    // A4: nothing is begun whose success or uncertainty could not be told.
    const receipt = resultAnswer(rendered(renderReceipt(plan)));
    if (!session.fits(id, receipt) || !session.fits(id, failureAnswer([UNCERTAIN]))) {
      return { kind: "overflow" };
    }
    return apply(session, plan, receipt);
  },
};

/** A5 to A22. */
function apply(session: Session, plan: RenamePlan, receipt: Answer): Answer {
  const applied = applyRename(session.project, plan, session.files);
  switch (applied.kind) {
    case "drifted":
      session.state = "invalidated";
      return failureAnswer(applied.failure);
    case "refused":
      return failureAnswer(applied.failure);
    case "lost":
      return lastAnswer(session, applied.failure, applied.failure);
    case "published":
      session.adopt(applied.project);
      return receipt;
    case "kept":
      session.adopt(applied.project);
      return failureAnswer(applied.failure);
    case "uncertain":
      // The client gets the fixed words alone (A4); what else is known goes to stderr (N42).
      return lastAnswer(session, [UNCERTAIN], applied.failure);
  }
}

/** An error after which the session ends with status 1, and what stderr says then (N40, N50). The plan is gone (N29). */
function lastAnswer(session: Session, shown: Failure, failure: Failure): Answer {
  session.state = "invalidated";
  return {
    kind: "error",
    code: RpcCode.Refused,
    message: failureText(shown),
    end: { kind: "failed", failure },
  };
}
