// A frame to the slices of its response, without input and output: what the session adds to a round trip. The rivals parse
// the request, build the response out of objects and measure it as text.
import { join } from "node:path";
import { rendered, resultResponseLength, textId } from "../src/daemon/response.ts";
import { Session } from "../src/daemon/session.ts";
import { concatenate, utf8 } from "../src/kernel/bytes.ts";
import { loadProject } from "../src/project/load.ts";
import type { Snapshot } from "../src/project/snapshot.ts";
import { must } from "../test/support/graph-project.ts";
import { readProject, writeFiles } from "../test/support/projects.ts";
import { SCALES } from "../test/support/scale-project.ts";
import { buildSnapshot } from "../src/project/load.ts";
import type { Case, HotPath } from "./harness.ts";
import { scaleInputs } from "./scale-inputs.ts";
import { temporaryFolder } from "./temporary.ts";

const path: HotPath = {
  name: "requests",
  prepare({ short }) {
    const root = temporaryFolder();
    writeFiles(root, readProject("calculator"));
    const options = {
      allowProjectRename: false,
      manifestPath: join(root, "semaprax.toml"),
      requestBytesMax: 65_536,
      responseBytesMax: 1_048_576,
    };
    const session = new Session(options, must(loadProject(options.manifestPath)));
    const { manifest, manifestBytes, sources } = scaleInputs(short ? SCALES.large : SCALES.full);
    return [
      answer(session, "ping", { pong: true, state: "configured" }),
      answer(session, "workspace/status", {
        state: "configured",
        last_successful_project_revision: null,
        last_successful_workspace_revision: null,
      }),
      fit(must(buildSnapshot(manifest, manifestBytes, sources))),
    ];
  },
};
export default path;

const decoder = new TextDecoder("utf-8", { fatal: true });

/** A method that looks at no file. */
function answer(session: Session, method: string, result: object): Case {
  const frame = utf8(`{"jsonrpc":"2.0","id":12,"method":"${method}"}`);
  const plain = () => {
    const request: unknown = JSON.parse(decoder.decode(frame));
    if (typeof request !== "object" || request === null || !("id" in request)) throw new Error("no request");
    const text = `${JSON.stringify({ jsonrpc: "2.0", id: request.id, result })}\n`;
    if (Buffer.byteLength(text) > 1_048_576) throw new Error("too long");
    return text;
  };
  return {
    name: `${method}, ${frame.length} bytes`,
    ours: {
      name: "Session.handle",
      run: () => session.handle(frame),
      result: () => decoder.decode(concatenate(session.handle(frame).response ?? [])),
    },
    rivals: [{ name: "JSON.parse, JSON.stringify", run: plain, result: plain }],
    work: { amount: 1, unit: "requests" },
  };
}

/** The check of a byte budget: whether a result of megabytes fits, before anything is assembled. */
function fit({ graph }: Snapshot): Case {
  const id = textId("a");
  const [before, after] = [utf8('{"graph":'), utf8("}")];
  const object: unknown = JSON.parse(decoder.decode(graph.artifact));
  const ours = () => resultResponseLength(id, rendered(before, graph.artifact, after));
  const plain = () =>
    Buffer.byteLength(`${JSON.stringify({ jsonrpc: "2.0", id: "a", result: { graph: object } })}\n`);
  return {
    name: `whether a graph of ${graph.artifact.length} bytes fits`,
    ours: { name: "sum of lengths", run: ours, result: ours },
    rivals: [{ name: "JSON.stringify, byteLength", run: plain, result: plain }],
    work: { amount: graph.artifact.length, unit: "bytes" },
  };
}
