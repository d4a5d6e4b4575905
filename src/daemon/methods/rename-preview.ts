import { utf8 } from "../../kernel/bytes.ts";
import { type Outcome, success } from "../../kernel/failure.ts";
import { planRename, type RenameRequest } from "../../project/rename-plan.ts";
import {
  failureAnswer,
  type Method,
  refuseRevisions,
  resultAnswer,
  REVISION_NAMES,
  stateAnswer,
} from "../method.ts";
import type { BoundParameters } from "../parameters.ts";
import { rendered } from "../response.ts";

const BEFORE = utf8('{"preview":');
const AFTER = utf8("}");

const NAMES = ["target_id", "from", "to"] as const;

/** Plans a rename without writing anything, in the order of N2; on success the session is `prepared` (N4). */
export const renamePreview: Method = {
  name: "rename/preview",
  takesParameters: true,
  answer(session, parameters, id) {
    if (session.state !== "open") return stateAnswer(session);
    const bound = parameters.bind([...REVISION_NAMES, ...NAMES]);
    const refusal = refuseRevisions(session, bound);
    if (refusal !== null) return refusal;
    const request = readRequest(bound);
    if (!request.ok) return failureAnswer(request.failure);
    const before = session.authenticate();
    if (!before.ok) return failureAnswer(before.failure);
    const plan = planRename(session.snapshot, request.value);
    // The first failure is the answer: what was refused is not proved against the disk once more.
    if (!plan.ok) return failureAnswer(plan.failure);
    const after = session.authenticate();
    if (!after.ok) return failureAnswer(after.failure);
    const answer = resultAnswer(rendered(BEFORE, plan.value.preview, AFTER));
    if (session.fits(id, answer)) session.prepare(plan.value);
    return answer;
  },
};

/** Rows 2 and 3 of N2. */
function readRequest(parameters: BoundParameters<(typeof NAMES)[number]>): Outcome<RenameRequest> {
  const targetId = parameters.text("target_id");
  if (!targetId.ok) return targetId;
  const from = parameters.text("from");
  if (!from.ok) return from;
  const to = parameters.text("to");
  if (!to.ok) return to;
  const known = parameters.refuseUnknown();
  if (!known.ok) return known;
  return success({ targetId: targetId.value, from: from.value, to: to.value });
}
