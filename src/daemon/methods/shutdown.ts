import { utf8 } from "../../kernel/bytes.ts";
import { CLOSED, type Method } from "../method.ts";
import { rendered } from "../response.ts";

/** The end of the session, in any state (D34, D37). */
export const shutdown: Method = {
  name: "shutdown",
  takesParameters: false,
  answer: () => ({ kind: "result", result: rendered(utf8('{"ok":true}')), end: CLOSED }),
};
