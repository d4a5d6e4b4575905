// Whole sessions over real pipes: from start to end, round trips, and memory. The rivals are an empty script, a script that
// echoes, and servers made with the packages that one would take.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { utf8 } from "../src/kernel/bytes.ts";
import { bundle, compile } from "../src/main/build.ts";
import { copyProject, writeFiles } from "../test/support/projects.ts";
import { SCALES, scaleProject } from "../test/support/scale-project.ts";
import { Channel } from "./channel.ts";
import type { Case, HotPath, MemoryCase, Options } from "./harness.ts";
import { isInstalled, temporaryFolder } from "./temporary.ts";

const path: HotPath = {
  name: "session",
  async *prepare(options, leftOut) {
    const forms = await buildForms(options.short ? leftOut : null);
    yield* starts(forms, options);
    yield* roundTrips(forms.bundled ?? forms.sources, options, leftOut);
    yield* memory(forms.bundled ?? forms.sources, options, leftOut);
  },
};
export default path;

const SOURCES = join(import.meta.dir, "..", "src", "main", "semapraxd");
/** The runtime without the working directory's files, as the launcher starts it. */
const BUN = [
  process.execPath,
  "--no-env-file",
  "--no-install",
  "--config=/dev/null",
  "--tsconfig-override=/dev/null",
];
const PING = utf8('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
const OPEN = utf8('{"jsonrpc":"2.0","id":1,"method":"workspace/open"}\n');

interface Forms {
  readonly sources: string;
  readonly bundled: string | null;
  readonly executable: string | null;
}

/** Building takes seconds: in short mode `leftOut` is told that it was spared. */
async function buildForms(leftOut: ((what: string) => void) | null): Promise<Forms> {
  if (leftOut !== null) {
    leftOut("the bundle and the executable");
    return { sources: SOURCES, bundled: null, executable: null };
  }
  const folder = temporaryFolder();
  writeFiles(folder, [["src/main/semapraxd", await Bun.file(SOURCES).bytes()]]);
  const bundled = join(folder, "src", "main", "semapraxd");
  Bun.spawnSync(["chmod", "+x", bundled]);
  await bundle("semapraxd", join(folder, "dist"));
  return { sources: SOURCES, bundled, executable: await compile("semapraxd", folder) };
}

/** From the start of the process over the answer to `workspace/open` to its end. */
function* starts({ sources, bundled, executable }: Forms, { short }: Options): Generator<Case> {
  const folder = temporaryFolder();
  const [empty, files] = [join(folder, "empty.js"), join(folder, "files.js")];
  writeFileSync(empty, "");
  writeFileSync(files, 'import { readSync } from "node:fs";\nglobalThis.kept = readSync;\n');
  const start = (command: readonly string[], cwd: string, answer: string) => () => {
    const { stdout } = Bun.spawnSync([...command], { cwd, stdin: OPEN, stderr: "inherit" });
    if (!stdout.includes(answer)) throw new Error(`${command[0]} did not start`);
  };
  const projects = short ? (["small"] as const) : (["small", "large", "full"] as const);
  for (const project of projects) {
    const root = join(folder, project);
    writeFiles(root, scaleProject(SCALES[project]));
    for (const [form, program] of Object.entries({ sources, bundled, executable })) {
      if (program === null) continue;
      yield {
        name: `start, open and end, ${project} project, ${form}`,
        ours: { name: `semapraxd, ${form}`, run: start([program, "--stdio"], root, '"opened":true') },
        rivals: [
          { name: "an empty script", run: start([...BUN, empty], root, "") },
          { name: "a script that imports node:fs", run: start([...BUN, files], root, "") },
        ],
      };
    }
  }
}

/** A question to a daemon and its answer, beside a script that has the answer ready. */
async function* roundTrips(
  program: string,
  { short }: Options,
  leftOut: (what: string) => void,
): AsyncGenerator<Case> {
  const small = copyProject("calculator");
  const large = temporaryFolder();
  writeFiles(large, scaleProject(short ? SCALES.large : SCALES.full));
  const echo = new Channel([...BUN, join(import.meta.dir, "echo.ts")], small);
  const cat = new Channel(["cat"], small);
  const rivals = pingRivals(small, leftOut);
  const daemons = [small, large].map((root) => {
    const daemon = new Channel([program, "--stdio", "--max-response-bytes", "16777216"], root);
    return { daemon, revisions: openProject(daemon) };
  });
  yield {
    name: "ping",
    ours: { name: "semapraxd", run: () => daemons[0]!.daemon.ask(PING) },
    rivals: [
      { name: "echo in Bun", run: () => echo.ask(PING) },
      { name: "cat", run: () => cat.ask(PING) },
      ...rivals.map(({ name, channel, request, answerBytes }) => ({
        name,
        run: () => channel.ask(request, answerBytes),
      })),
    ],
    work: { amount: 1, unit: "requests" },
  };
  for (const [index, size] of ["3 sources", "16 sources"].entries()) {
    const { daemon, revisions } = daemons[index]!;
    const target = index === 0 ? "calculator.add" : "p.a.f0";
    for (const [method, parameters] of [
      ["check", {}],
      ["test", {}],
      ["context", { target_kind: "declaration", target, max_nodes: 16 }],
      ["graph", {}],
    ] as const) {
      const params = { ...revisions, ...parameters };
      const request = utf8(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })}\n`);
      const answer = daemon.ask(request).slice();
      if (JSON.parse(new TextDecoder().decode(answer)).error) throw new Error(`${method} is refused`);
      const file = join(temporaryFolder(), "answer");
      writeFileSync(file, answer);
      const parrot = new Channel([...BUN, join(import.meta.dir, "parrot.ts"), file], small);
      yield {
        name: `${method}, ${size}, ${answer.length} bytes`,
        ours: {
          name: "semapraxd",
          run: () => daemon.ask(request),
          result: () => daemon.ask(request).slice(),
        },
        rivals: [
          {
            name: "the same bytes from memory, in Bun",
            run: () => parrot.ask(request),
            result: () => parrot.ask(request).slice(),
          },
        ],
        work: { amount: answer.length, unit: "bytes" },
      };
      await parrot.end();
    }
  }
  for (const channel of [
    echo,
    cat,
    ...rivals.map((rival) => rival.channel),
    ...daemons.map((d) => d.daemon),
  ]) {
    await channel.end();
  }
}

function openProject(daemon: Channel): object {
  const { opened: _opened, ...revisions } = JSON.parse(new TextDecoder().decode(daemon.ask(OPEN))).result;
  return revisions;
}

interface PingRival {
  readonly name: string;
  readonly channel: Channel;
  readonly request: Uint8Array;
  /** Where an answer does not end with an LF, how long it is. */
  readonly answerBytes: number | null;
}

/** Servers that need a package of this folder's own package.json. */
function pingRivals(cwd: string, leftOut: (what: string) => void): PingRival[] {
  const script = (name: string) => [...BUN, join(import.meta.dir, "rivals", name)];
  const rivals: PingRival[] = [];
  if (isInstalled("vscode-jsonrpc", leftOut)) {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const answer = '{"jsonrpc":"2.0","id":1,"result":{"pong":true,"state":"configured"}}';
    rivals.push({
      name: "vscode-jsonrpc",
      channel: new Channel(script("jsonrpc.mjs"), cwd),
      request: utf8(`Content-Length: ${body.length}\r\n\r\n${body}`),
      answerBytes: `Content-Length: ${answer.length}\r\n\r\n`.length + answer.length,
    });
  }
  if (isInstalled("@modelcontextprotocol/sdk", leftOut)) {
    rivals.push({
      name: "Model Context Protocol SDK",
      channel: new Channel(script("mcp.mjs"), cwd),
      request: PING,
      answerBytes: null,
    });
  }
  return rivals;
}

const REQUESTS = 100_000;

/** Resident memory after the start and after many requests. SEMAPRAX_BENCH_REQUESTS asks for another number of them. */
async function* memory(
  program: string,
  { short }: Options,
  leftOut: (what: string) => void,
): AsyncGenerator<MemoryCase> {
  const root = copyProject("calculator");
  const daemon = new Channel([program, "--stdio"], root);
  const echo = new Channel([...BUN, join(import.meta.dir, "echo.ts")], root);
  const params = openProject(daemon);
  echo.ask(PING);
  const question = (method: string, more: object = {}) =>
    utf8(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, ...more } })}\n`);
  const questions = [
    PING,
    question("check"),
    question("graph"),
    question("context", { target_kind: "declaration", target: "calculator.add" }),
    question("test"),
    utf8("{\n"),
  ];
  const [atStart, echoAtStart] = [daemon.memoryBytes(), echo.memoryBytes()];
  const requests = short ? 60 : Number(process.env["SEMAPRAX_BENCH_REQUESTS"] ?? REQUESTS);
  for (let at = 0; at < requests; at++) {
    const request = questions[at % questions.length]!;
    daemon.ask(request);
    echo.ask(request);
  }
  const [atEnd, echoAtEnd] = [daemon.memoryBytes(), echo.memoryBytes()];
  await daemon.end();
  await echo.end();
  if (atStart === null || echoAtStart === null || atEnd === null || echoAtEnd === null) {
    leftOut("memory, which this system does not tell");
    return;
  }
  const amounts = (name: string, ours: number, rival: number): MemoryCase => ({
    name,
    bytes: { ours: { name: "semapraxd", bytes: ours }, rivals: [{ name: "echo in Bun", bytes: rival }] },
  });
  yield amounts("resident memory after the start", atStart, echoAtStart);
  yield amounts(`resident memory after ${requests} requests`, atEnd, echoAtEnd);
}
