/** A refusal by the definitions, in words that hold only the names of defined fields and nothing of the input. */

import type { z } from "zod";

export function describe(error: z.ZodError, whole: string): string {
  const issue = error.issues[0];
  // Definitions are closed, so each step of a path is a defined field or an index.
  const path = (issue?.path ?? []).map(String).join(".");
  const place = path === "" ? whole : path;
  return issue?.code === "unrecognized_keys"
    ? `${place} has a field that is not defined`
    : `${place} is missing or not as defined`;
}
