/** The commands, in the order in which the help lists them. Dispatch and help follow from this table alone. */
import { check } from "./check.ts";
import type { Command } from "./command.ts";
import { context } from "./context.ts";
import { fmt } from "./fmt.ts";
import { graph } from "./graph.ts";
import { rename } from "./rename.ts";
import { runEntry } from "./run-entry.ts";
import { test } from "./test.ts";
import { verify } from "./verify.ts";

export const COMMANDS: readonly Command[] = [check, fmt, graph, context, test, runEntry, verify, rename];
