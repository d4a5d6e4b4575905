/** The commands, in the order in which the help lists them. Dispatch and help follow from this table alone. */
import { check } from "./check.ts";
import type { Command } from "./command.ts";
import { context } from "./context.ts";
import { fmt } from "./fmt.ts";
import { graph } from "./graph.ts";
import { verify } from "./verify.ts";

// `rename` (L19 to L22) belongs between context and verify, once src/project has its plan and its transaction.
export const COMMANDS: readonly Command[] = [check, fmt, graph, context, verify];
