import { success } from "../../kernel/failure.ts";
import { questionMethod } from "../method.ts";
import { rendered } from "../response.ts";

/** The retained facts of manifest and sources (P48 to P52), rendered at load. */
export const workspaceSnapshot = questionMethod({
  name: "workspace/snapshot",
  parameters: [],
  compute({ snapshot }, parameters) {
    const known = parameters.refuseUnknown();
    return known.ok ? success(rendered(snapshot.snapshotResult)) : known;
  },
});
