import { utf8 } from "../../kernel/bytes.ts";
import { success } from "../../kernel/failure.ts";
import { questionMethod } from "../method.ts";
import { rendered } from "../response.ts";

const BEFORE = utf8('{"graph":');
const AFTER = utf8("}");

/** The complete project graph (graph.md): the artifact's bytes as they were rendered at load (D75). */
export const graph = questionMethod({
  name: "graph",
  parameters: [],
  compute({ snapshot }, parameters) {
    const known = parameters.refuseUnknown();
    return known.ok ? success(rendered(BEFORE, snapshot.graph.artifact, AFTER)) : known;
  },
});
