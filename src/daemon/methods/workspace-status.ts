import { utf8 } from "../../kernel/bytes.ts";
import { type Method, resultAnswer } from "../method.ts";
import { rendered } from "../response.ts";

/** The state, and the revisions of the last load unless none has been opened yet (D36, D37). */
export const workspaceStatus: Method = {
  name: "workspace/status",
  takesParameters: false,
  answer({ state, snapshot }) {
    const shown = (revision: string) => (state === "configured" ? "null" : `"${revision}"`);
    return resultAnswer(
      rendered(
        utf8(
          `{"state":"${state}","last_successful_project_revision":${shown(snapshot.projectRevision)},` +
            `"last_successful_workspace_revision":${shown(snapshot.workspaceRevision)}}`,
        ),
      ),
    );
  },
};
