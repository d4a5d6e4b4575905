import { utf8 } from "../../kernel/bytes.ts";
import { success } from "../../kernel/failure.ts";
import { questionMethod } from "../method.ts";
import { rendered } from "../response.ts";

/** That the project was admitted and its inputs are what was loaded (D34). */
export const check = questionMethod({
  name: "check",
  parameters: [],
  compute(_retained, parameters) {
    const known = parameters.refuseUnknown();
    return known.ok ? success(rendered(utf8('{"ok":true}'))) : known;
  },
});
