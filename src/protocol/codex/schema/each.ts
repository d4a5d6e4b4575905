/** Lists of Codex, which are as long as a line allows. */

import { z } from "zod";

/** A list of `item`s. The first that is none ends the reading: an issue for each of a million of them takes seconds. */
export function each<T extends z.ZodType>(item: T) {
  return z.array(z.unknown()).transform((values, context): z.output<T>[] => {
    const read: z.output<T>[] = [];
    for (const value of values) {
      const one = item.safeParse(value);
      if (!one.success) {
        context.addIssue({ code: "custom", message: "not as defined" });
        return z.NEVER;
      }
      read.push(one.data);
    }
    return read;
  });
}
