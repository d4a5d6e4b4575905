import { utf8 } from "../../kernel/bytes.ts";
import { failureAnswer, type Method, resultAnswer, stateAnswer } from "../method.ts";
import { rendered } from "../response.ts";

/** From `configured` to `open`, or the same answer again (D42). */
export const workspaceOpen: Method = {
  name: "workspace/open",
  takesParameters: false,
  answer(session) {
    if (session.state !== "configured" && session.state !== "open") return stateAnswer(session);
    const authentic = session.authenticate();
    if (!authentic.ok) return failureAnswer(authentic.failure);
    session.state = "open";
    const { projectRevision, workspaceRevision } = session.snapshot;
    return resultAnswer(
      rendered(
        utf8(
          `{"opened":true,"project_revision":"${projectRevision}","workspace_revision":"${workspaceRevision}"}`,
        ),
      ),
    );
  },
};
