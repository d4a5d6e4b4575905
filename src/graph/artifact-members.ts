/** The members that both artifacts, graph and context, have in common (G1, C18). */
import { quoteBytes } from "../kernel/json-write.ts";
import type { Sink } from "./sink.ts";
import type { GraphFacts } from "./storage.ts";

/** From the opening brace to `workspace_revision`. */
export function writeProjectMembers(sink: Sink, schema: string, facts: GraphFacts): void {
  sink.ascii(`{"schema":"${schema}","project_schema":"semaprax.project.v1","project":`);
  sink.bytes(quoteBytes(facts.project));
  sink.ascii(',"project_revision":"');
  sink.ascii(facts.projectRevision);
  sink.ascii('","workspace_revision":"');
  sink.ascii(facts.workspaceRevision);
  sink.ascii('"');
}

/** `entry_module` and `test_module`. */
export function writeRootMembers(sink: Sink, facts: GraphFacts): void {
  sink.ascii(',"entry_module":');
  sink.bytes(quoteBytes(facts.entryModule));
  sink.ascii(',"test_module":');
  sink.bytes(quoteBytes(facts.testModule));
}
