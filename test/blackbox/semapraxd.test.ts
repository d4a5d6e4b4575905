import { afterAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  closeSync,
  constants,
  cpSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { VERSION } from "../../src/kernel/version.ts";
import { Conversation, inventory, LAUNCHER, run, runDaemon } from "../support/daemon-process.ts";
import {
  copyProject,
  FIXTURES,
  removeTemporaryFolders,
  temporaryFolder,
  writeFiles,
} from "../support/projects.ts";

afterAll(removeTemporaryFolders);

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const PONG = '{"jsonrpc":"2.0","id":1,"result":{"pong":true,"state":"configured"}}';
const OPEN = '{"jsonrpc":"2.0","id":2,"method":"workspace/open"}';
const SHUTDOWN = '{"jsonrpc":"2.0","id":9,"method":"shutdown"}';
const OK = '{"jsonrpc":"2.0","id":9,"result":{"ok":true}}';

const SESSION = readFileSync(join(FIXTURES, "sessions", "calculator-v2.jsonl"), "utf8")
  .trimEnd()
  .split("\n");
const REQUESTS = SESSION.filter((_, at) => at % 2 === 0);
const RESPONSES = SESSION.filter((_, at) => at % 2 === 1);
/** The words of errors are free (D60). */
const plain = (line: string) => line.replace(/"message":"(SPX-[A-Z0-9]+)?[^"]*"/, '"message":"$1"');

describe("a session", () => {
  test("answers the recorded requests in order and leaves every file as it was (D9, D10, D12)", async () => {
    const root = copyProject("calculator");
    const before = inventory(root);
    const { stdout, stderr, status } = await runDaemon(["--stdio"], root, `${REQUESTS.join("\n")}\n`);
    expect(stdout.trimEnd().split("\n").map(plain)).toEqual(RESPONSES.map(plain));
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(inventory(root)).toEqual(before);
  });

  test("answers each request before the next is sent; a request may come byte by byte", async () => {
    const talk = new Conversation(["--stdio"], copyProject("calculator"));
    expect(await talk.ask(PING)).toBe(PONG);
    for (const byte of new TextEncoder().encode(`${PING}\n`)) talk.write(new Uint8Array([byte]));
    expect(await talk.line()).toBe(PONG);
    expect(await talk.end()).toEqual({ stderr: "", status: 0 });
  });

  test("sees a drift, refuses from then on, and tells by its status (D13, D40)", async () => {
    const root = copyProject("calculator");
    const talk = new Conversation(["--stdio"], root);
    const open = JSON.parse((await talk.ask(OPEN)) ?? "").result;
    appendFileSync(join(root, "src", "app.spx"), "\n");
    const check = { jsonrpc: "2.0", id: 3, method: "check", params: { ...open, opened: undefined } };
    expect(await talk.ask(JSON.stringify(check))).toContain('"code":-32000,"message":"SPX-J102: ');
    expect(await talk.ask(OPEN)).toContain("SPX-J104: not possible while invalidated");
    expect(await talk.ask(SHUTDOWN)).toBe(OK);
    const { stderr, status } = await talk.end();
    expect(status).toBe(1);
    expect(stderr).toMatch(/^SPX-J102: [^\n]+\n$/);
    expect(stderr).not.toContain(root);
  });

  test("answers an oversized request before its end has come (D66)", async () => {
    const talk = new Conversation(["--stdio", "--max-request-bytes", "50"], copyProject("calculator"));
    talk.write("x".repeat(51));
    expect(await talk.line()).toContain('"id":null,"error":{"code":-32700,');
    talk.write("y".repeat(200_000));
    talk.write(`\n${PING}\n`);
    expect(await talk.line()).toBeNull();
    expect(await talk.end()).toEqual({ stderr: "", status: 0 });
  });

  test("ends after a response that does not fit (D30)", async () => {
    const input = `{"jsonrpc":"2.0","id":7,"method":"protocol"}\n${PING}\n`;
    expect(
      await runDaemon(["--stdio", "--max-response-bytes", "103"], copyProject("calculator"), input),
    ).toEqual({
      stdout:
        '{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"response exceeds configured byte limit"}}\n',
      stderr: "",
      status: 0,
    });
  });
});

describe("the command line", () => {
  test("misuse is one line, and no file is looked at (D5)", async () => {
    const { stdout, stderr, status } = await runDaemon(["--stdio", "--nope"], temporaryFolder(), PING);
    expect({ stdout, stderr, status }).toEqual({
      stdout: "",
      stderr: "semapraxd: unknown option --nope; see semapraxd --help\n",
      status: 1,
    });
  });

  test("a leading -- arrives (D79)", async () => {
    const { stdout, stderr, status } = await runDaemon(["--", "--stdio"], temporaryFolder(), PING);
    expect({ stdout, stderr, status }).toEqual({
      stdout: "",
      stderr: "semapraxd: unknown option --; see semapraxd --help\n",
      status: 1,
    });
  });

  test("help and version need no project (D6)", async () => {
    const folder = temporaryFolder();
    expect(await runDaemon(["--version"], folder)).toEqual({
      stdout: `semapraxd ${VERSION}\n`,
      stderr: "",
      status: 0,
    });
    const help = await runDaemon(["--help"], folder);
    expect(help.stdout).toStartWith("usage: semapraxd --stdio ");
    expect(help).toMatchObject({ stderr: "", status: 0 });
  });

  test("a project that does not load is one line with its codes (D8)", async () => {
    const { stdout, stderr, status } = await runDaemon(["--stdio"], temporaryFolder(), PING);
    expect({ stdout, status }).toEqual({ stdout: "", status: 1 });
    expect(stderr).toMatch(/^SPX-J102: [^\n]+\n$/);
  });

  test("and it says where in which source", async () => {
    const root = copyProject("calculator");
    writeFiles(root, [
      ["src/core.spx", 'module calculator.core;\n\n@id("é")\nfn f() -> i64\n{\n    x + y\n}\n'],
      ["src/app.spx", "module calculator.app;\n\nfn main() -> i64\n{\n    0\n}\n"],
      ["src/tests.spx", "module calculator.tests;\n\nfn main() -> i64\n{\n    0\n}\n"],
    ]);
    expect((await runDaemon(["--stdio"], root, PING)).stderr).toBe(
      "SPX-T202: src/core.spx:6:5: unknown value x; SPX-T202: src/core.spx:6:9: unknown value y\n",
    );
  });
});

describe("pipes", () => {
  /** A FIFO opened without waiting, in both directions: what is read from or written to it by a child gives EAGAIN. */
  async function nonblockingPipe(folder: string, name: string): Promise<number> {
    const path = join(folder, name);
    expect((await run(["mkfifo", path], folder)).status).toBe(0);
    return openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  }

  test("that are non-blocking and empty or full are waited for (D16, D19)", async () => {
    const root = copyProject("demo");
    const folder = temporaryFolder();
    const input = await nonblockingPipe(folder, "in");
    const output = await nonblockingPipe(folder, "out");
    const child = Bun.spawn([LAUNCHER, "--stdio"], {
      cwd: root,
      stdin: input,
      stdout: output,
      stderr: "pipe",
    });
    let received = "";
    const block = new Uint8Array(65_536);
    const receive = () => {
      try {
        received += new TextDecoder().decode(block.subarray(0, readSync(output, block)));
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
      }
    };
    const receiveLines = async (count: number) => {
      while (received.split("\n").length <= count) {
        receive();
        await Bun.sleep(2);
      }
    };
    writeSync(input, `${OPEN.slice(0, 20)}`);
    await Bun.sleep(20);
    writeSync(input, `${OPEN.slice(20)}\n`);
    await receiveLines(1);
    const { opened, ...revisions } = JSON.parse(received).result;
    expect(opened).toBe(true);
    // Together longer than a pipe holds: the daemon has to wait until somebody reads.
    const graph = JSON.stringify({ jsonrpc: "2.0", id: 3, method: "graph", params: revisions });
    const count = 40;
    writeSync(input, `${graph}\n`.repeat(count));
    writeSync(input, `${SHUTDOWN}\n`);
    await Bun.sleep(100);
    await receiveLines(count + 2);
    expect(await child.exited).toBe(0);
    const lines = received.trimEnd().split("\n");
    expect(received.length).toBeGreaterThan(2 * 65_536);
    expect(new Set(lines.slice(1, -1)).size).toBe(1);
    expect(JSON.parse(lines[1]!)).toHaveProperty("result.graph.schema");
    expect(lines.at(-1)).toBe(OK);
    expect(await new Response(child.stderr).text()).toBe("");
    closeSync(input);
    closeSync(output);
  });

  test("that nobody reads any more end the session with status 1 (D13, D15)", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "out");
    expect((await run(["mkfifo", path], folder)).status).toBe(0);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writer = openSync(path, constants.O_WRONLY);
    const child = Bun.spawn([LAUNCHER, "--stdio"], {
      cwd: copyProject("calculator"),
      stdin: new TextEncoder().encode(`${PING}\n`),
      stdout: writer,
      stderr: "pipe",
    });
    closeSync(reader);
    closeSync(writer);
    expect(await new Response(child.stderr).text()).toBe("semapraxd: cannot write output: EPIPE\n");
    expect(await child.exited).toBe(1);
  });

  test("a full device ends the session with status 1 (D13)", async () => {
    const child = Bun.spawn([LAUNCHER, "--stdio"], {
      cwd: copyProject("calculator"),
      stdin: new TextEncoder().encode(`${PING}\n`),
      stdout: Bun.file("/dev/full"),
      stderr: "pipe",
    });
    expect(await new Response(child.stderr).text()).toBe("semapraxd: cannot write output: ENOSPC\n");
    expect(await child.exited).toBe(1);
  });

  test("a folder in place of stdin cannot be read (D13)", async () => {
    const root = copyProject("calculator");
    const { stderr, status } = await run(["sh", "-c", `exec "$0" --stdio < .`, LAUNCHER], root);
    expect({ stderr, status }).toEqual({ stderr: "semapraxd: cannot read stdin: EISDIR\n", status: 1 });
  });

  test.each([
    ["stdin", "<&-"],
    ["stdout", ">&-"],
  ])("a closed %s ends the start with status 1 (D13)", async (_, closed) => {
    const root = copyProject("calculator");
    const command = ["sh", "-c", `exec "$0" --stdio ${closed}`, LAUNCHER];
    const ended = await run(command, root, `${PING}\n`);
    expect(ended).toEqual({ stdout: "", stderr: "semapraxd: stdin or stdout is closed\n", status: 1 });
  });

  test("a signal ends the daemon as signals do (D15)", async () => {
    const talk = new Conversation(["--stdio"], copyProject("calculator"));
    expect(await talk.ask(PING)).toBe(PONG);
    talk.child.kill("SIGTERM");
    await talk.child.exited;
    expect(talk.child.signalCode).toBe("SIGTERM");
  });
});

describe("the launcher", () => {
  test("is found through links, a relative path, the search path and blanks", async () => {
    const root = copyProject("calculator");
    const folder = temporaryFolder();
    const program = join(folder, "a b");
    cpSync(join(LAUNCHER, "..", ".."), join(program, "src"), { recursive: true });
    const inner = join(program, "src", "main");
    const script = [
      `ln -s "${join(import.meta.dir, "..", "..", "node_modules")}" "${program}/node_modules"`,
      `ln -s "a b/src/main/semapraxd" "${folder}/first" && ln -s first "${folder}/second"`,
      `cd "${folder}"`,
      `p() { printf '%s\\n' '${PING}'; }`,
      `m=${root}/semaprax.toml`,
      `p | ./second --stdio --manifest-path "$m"`,
      `p | "a b/src/main/semapraxd" --stdio --manifest-path "$m"`,
      `cd "${inner}"; CDPATH=/:/tmp; export CDPATH`,
      `p | sh semapraxd --stdio --manifest-path "$m"`,
      `p | ../main/semapraxd --stdio --manifest-path "$m"`,
      `cd "${root}"; PATH="$PATH:${inner}"`,
      "p | semapraxd --stdio",
      `cd src; p | semapraxd --stdio --manifest-path "$m"`,
    ].join("\n");
    expect(await run(["sh", "-c", script], root)).toEqual({
      stdout: `${PONG}\n`.repeat(6),
      stderr: "",
      status: 0,
    });
  });

  test("ends with one line where the caller's folder is gone or its path too long (P1, P43)", async () => {
    const root = copyProject("calculator");
    const folder = temporaryFolder();
    const name = "d".repeat(250);
    const gone = `mkdir "${folder}/gone" && cd -P "${folder}/gone" && rmdir "${folder}/gone"`;
    const deep = `cd "${folder}" && for n in ${"x ".repeat(17)}; do mkdir ${name} && cd -P ${name}; done`;
    for (const [enter, code] of [
      [gone, "ENOENT"],
      [deep, "ERANGE"],
    ]) {
      const start = (args: string) =>
        run(["bash", "-c", `${enter}; exec "$0" ${args}`, LAUNCHER], root, PING);
      const relative = await start("--stdio");
      expect(relative).toMatchObject({ stdout: "", status: 1 });
      // The shell may add a line of its own that it cannot tell where it is.
      expect(relative.stderr.replace(/^sh: .*\n/, "")).toBe(
        `SPX-J102: cannot read semaprax.toml (${code})\n`,
      );
      await run(["rm", "-rf", join(folder, name)], root);
      const absolute = await start(`--stdio --manifest-path "${root}/semaprax.toml"`);
      expect(absolute).toMatchObject({ stdout: `${PONG}\n`, status: 0 });
      await run(["rm", "-rf", join(folder, name)], root);
    }
  });

  test("is named by a start without it, where nothing or no folder is left for the program (D71)", async () => {
    const root = copyProject("calculator");
    for (const [program, args] of [
      ["semapraxd", "--stdio"],
      ["semaprax", "check"],
    ] as const) {
      const main = join(LAUNCHER, "..", `${program}-main.ts`);
      for (const third of ["3<&-", "3</dev/null"]) {
        const ended = await run(
          ["sh", "-c", `exec "$0" "$1" ${args} ${third}`, process.execPath, main],
          root,
          PING,
        );
        const stderr = `${program}: this file is started by its launcher: start src/main/${program} instead\n`;
        expect(ended).toEqual({ stdout: "", stderr, status: 1 });
      }
    }
  });

  test("is what the package's script starts", async () => {
    const args = ["run", "--silent", "semapraxd", "--stdio", "--manifest-path"];
    const manifest = join(copyProject("calculator"), "semaprax.toml");
    const packageRoot = join(import.meta.dir, "..", "..");
    const ended = await run([process.execPath, ...args, manifest], packageRoot, `${PING}\n`);
    expect(ended).toEqual({ stdout: `${PONG}\n`, stderr: "", status: 0 });
  });
});
