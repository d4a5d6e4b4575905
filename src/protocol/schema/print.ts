/** Prints the schema document; `bun run schema:write` puts it into its file (R111). Nothing imports this module. */

import { schemaText } from "./document.ts";

console.log(schemaText().trimEnd());
