// rename.md with real processes: kills, races, other users, and the order in which the system is asked.
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  cpSync,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";
import { Conversation, inventory, LAUNCHER, run, runDaemon } from "../support/daemon-process.ts";
import { copyProject, FIXTURES, removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";
import { codeOf, RenameSession } from "../support/rename-session.ts";

afterAll(removeTemporaryFolders);

/** Only to end a test that hangs; starting processes is slow on a busy machine. */
const PATIENCE_MS = 240_000;

const ARGUMENTS = ["--stdio", "--allow-project-rename"];
const BASE = readFileSync(join(FIXTURES, "projects", "calculator", "src", "core.spx"), "utf8");
const SUM = BASE.replace("fn add(", "fn sum(");
const LOCK = ".core.spx.semaprax-patch.lock";
const STAGE = ".core.spx.semaprax-stage.0.tmp";

const SESSION = readFileSync(join(FIXTURES, "sessions", "calculator-v3-rename.jsonl"), "utf8")
  .trimEnd()
  .split("\n");
const REQUESTS = SESSION.filter((_, at) => at % 2 === 0);
const RESPONSES = SESSION.filter((_, at) => at % 2 === 1);
/** Of the recorded session: opening, the preview that is accepted, its apply. */
const [OPEN, PREVIEW, APPLY] = [REQUESTS[1]!, REQUESTS[5]!, REQUESTS[8]!];
const RECEIPT = RESPONSES[8]!;
const UNTIL_APPLY = `${[OPEN, PREVIEW, APPLY].join("\n")}\n`;
/** The words of errors are free (D60). */
const plain = (line: string) => line.replace(/"message":"(SPX-[A-Z0-9]+)?[^"]*"/, '"message":"$1"');

const core = (root: string) => readFileSync(join(root, "src", "core.spx"), "utf8");
const left = (root: string) => readdirSync(join(root, "src")).filter((name) => name.startsWith("."));

/** Waits until so many lines have come through a descriptor that does not block. */
async function readLines(descriptor: number, count: number): Promise<void> {
  const buffer = new Uint8Array(65_536);
  for (let lines = 0; lines < count; ) {
    try {
      const length = readSync(descriptor, buffer);
      for (const byte of buffer.subarray(0, length)) if (byte === 0x0a) lines++;
      if (length > 0) continue;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) throw error;
    }
    await Bun.sleep(1);
  }
}

test(
  "the recorded session, from the first byte to the exit status",
  async () => {
    const root = copyProject("calculator");
    const names = inventory(root).map((line) => line.split(" ")[0]);
    const { stdout, stderr, status } = await runDaemon(ARGUMENTS, root, `${REQUESTS.join("\n")}\n`);
    expect(stdout.trimEnd().split("\n").map(plain)).toEqual(RESPONSES.map(plain));
    expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
    expect(core(root)).toBe(SUM);
    expect(inventory(root).map((line) => line.split(" ")[0])).toEqual(names);
  },
  PATIENCE_MS,
);

describe("SIGKILL directly after a step (N52, N67)", () => {
  const KILLING = join(import.meta.dir, "..", "support", "killing-daemon.ts");

  test.each<[string, string, "base" | "sum", readonly string[], string | null]>([
    ["A7", `createLock ${LOCK} 1`, "base", [LOCK], null],
    ["A8", "read core.spx 2", "base", [LOCK], null],
    ["A10", "close tests.spx 1", "base", [LOCK], null],
    ["A11", `createStage ${STAGE} 1`, "base", [LOCK, STAGE], ""],
    ["A12, in it", `write ${STAGE} 1 100`, "base", [LOCK, STAGE], SUM.slice(0, 100)],
    ["A12", `write ${STAGE} 1`, "base", [LOCK, STAGE], SUM],
    ["A13", `setMode ${STAGE} 1`, "base", [LOCK, STAGE], SUM],
    ["A14", `sync ${STAGE} 1`, "base", [LOCK, STAGE], SUM],
    ["A15", `lstat ${STAGE} 1`, "base", [LOCK, STAGE], SUM],
    // The authentication of A10 looks once, each check of the source twice.
    ["A16", "lstat core.spx 3", "base", [LOCK, STAGE], SUM],
    ["A17", `lstat ${STAGE} 2`, "base", [LOCK, STAGE], SUM],
    ["A18", "lstat core.spx 5", "base", [LOCK, STAGE], SUM],
    ["A19", `rename ${STAGE} 1`, "sum", [LOCK], null],
    ["A20", "sync src 1", "sum", [LOCK], null],
    ["A21", `close ${STAGE} 1`, "sum", [], null],
  ])(
    "%s (%s)",
    async (_, call, source, leftovers, stage) => {
      const root = copyProject("calculator");
      const { stdout, stderr, status } = await run(["bun", KILLING, call, ...ARGUMENTS], root, UNTIL_APPLY);
      // The client saw the preview and nothing more.
      expect(stdout).toBe(`${RESPONSES[1]}\n${RESPONSES[5]}\n`);
      expect({ stderr, killed: status }).toEqual({ stderr: "", killed: 128 + 9 });
      expect(core(root)).toBe(source === "base" ? BASE : SUM);
      expect(left(root)).toEqual([...leftovers]);
      if (stage !== null) expect(readFileSync(join(root, "src", STAGE), "utf8")).toBe(stage);

      // A later session loads; the lock holds up its apply until a person removes it (N54, N55).
      const names = source === "base" ? {} : { from: "sum", to: "add" };
      const session = new RenameSession({}, root).prepared(names);
      if (leftovers.includes(LOCK)) {
        expect(codeOf(session.apply())).toBe("SPX-I205");
        rmSync(join(root, "src", LOCK));
      }
      expect(session.apply().result).toMatchObject({ applied: true });
      expect(core(root)).toBe(source === "base" ? SUM : BASE);
      expect(left(root)).toEqual(leftovers.filter((name) => name === STAGE));
      session.session.close();
    },
    PATIENCE_MS,
  );
});

describe("others at work (N59)", () => {
  test(
    "two daemons apply at the same time: one commits, the other is refused",
    async () => {
      for (let round = 0; round < 3; round++) {
        const root = copyProject("calculator");
        const talks = [new Conversation(ARGUMENTS, root), new Conversation(ARGUMENTS, root)];
        for (const talk of talks) {
          await talk.ask(OPEN);
          expect(await talk.ask(PREVIEW)).toBe(RESPONSES[5]!);
        }
        for (const talk of talks) talk.write(`${APPLY}\n`);
        const lines = await Promise.all(talks.map((talk) => talk.line()));
        const refused = lines.filter((line) => line !== RECEIPT);
        expect(refused.length).toBe(1);
        expect(refused[0]).toMatch(
          /^\{"jsonrpc":"2.0","id":9,"error":\{"code":-32000,"message":"SPX-(I201|I205|J102): /,
        );
        expect(core(root)).toBe(SUM);
        expect(left(root)).toEqual([]);
        const ends = await Promise.all(talks.map((talk) => talk.end()));
        // The other one's inputs are not what it loaded any more (D14).
        expect(ends.map(({ status }) => status).sort()).toEqual([0, 1]);
      }
    },
    PATIENCE_MS,
  );

  /** In A5, A7, A11 and A14. */
  const MOMENTS = ["fstat", "createLock", "createStage", "sync"];

  test.each(["src", "src/core.spx"])(
    "100 applies while %s is swapped for a link as fast as can be: nothing outside changes (N77)",
    async (swapped) => {
      const root = copyProject("calculator");
      const outside = temporaryFolder();
      cpSync(join(root, "src"), join(outside, "src"), { recursive: true });
      const before = inventory(outside);
      const path = join(root, swapped);
      const script = join(import.meta.dir, "..", "support", "swapper.ts");
      const command = ["bun", script, path, join(outside, swapped)];
      const swapper = Bun.spawn(command, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
      const rounds = swapper.stdout.getReader();
      for (let round = 0; round < 100; round++) {
        const text = core(root);
        const session = new RenameSession({}, root).prepared(
          text === BASE ? { from: "add", to: "sum" } : { from: "sum", to: "add" },
        );
        const begin = () => {
          session.files.watch({});
          swapper.stdin.write(".");
          swapper.stdin.flush();
          // Until it has begun, or even ended: a machine may be that busy.
          for (let look = 0; look < 10_000 && !existsSync(`${path}-moved`); look++);
        };
        const moment = MOMENTS[round % MOMENTS.length];
        session.files.watch({ before: ({ name }) => (name === moment ? begin() : undefined) });
        const { error } = session.apply();
        expect((await rounds.read()).done).toBe(false);
        if (error) expect(codeOf({ error })).toMatch(/^SPX-(J102|I201|I203|I204|I205|I207|J110)$/);
        expect(inventory(outside)).toEqual(before);
        expect([BASE, SUM]).toContain(core(root));
        expect(left(root)).toEqual([]);
        if (session.end === null) session.session.close();
      }
      await swapper.stdin.end();
      expect(await swapper.exited).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    "a client that goes away before the receipt: status 1, and the source has the new bytes (N47)",
    async () => {
      const root = copyProject("calculator");
      const fifo = join(temporaryFolder(), "out");
      expect((await run(["mkfifo", fifo], root)).status).toBe(0);
      const ours = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
      const theirs = openSync(fifo, constants.O_WRONLY);
      const child = Bun.spawn([LAUNCHER, ...ARGUMENTS], {
        cwd: root,
        stdin: "pipe",
        stdout: theirs,
        stderr: "pipe",
      });
      closeSync(theirs);
      child.stdin.write(`${OPEN}\n${PREVIEW}\n`);
      child.stdin.flush();
      await readLines(ours, 2);
      closeSync(ours);
      child.stdin.write(`${APPLY}\n`);
      await child.stdin.end();
      expect(await child.exited).toBe(1);
      expect(await new Response(child.stderr).text()).toBe("semapraxd: cannot write output: EPIPE\n");
      expect(core(root)).toBe(SUM);
      expect(left(root)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

/** Whether the system lets this process do something that some machines forbid. */
async function works(...command: string[]): Promise<boolean> {
  return Bun.which(command[0]!) !== null && (await run(command, "/")).status === 0;
}

describe("another user (setpriv)", async () => {
  const AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
  const can = await works(...AS_NOBODY, LAUNCHER, "--version");

  test.skipIf(!can)(
    "a folder that may not be written to is I205, and everything stays (A7)",
    async () => {
      const root = copyProject("calculator");
      chmodSync(root, 0o755);
      const before = inventory(root);
      const input = `${UNTIL_APPLY}{"jsonrpc":"2.0","id":10,"method":"ping"}\n`;
      const { stdout, stderr, status } = await run([...AS_NOBODY, LAUNCHER, ...ARGUMENTS], root, input);
      expect(stdout.trimEnd().split("\n").slice(2)).toEqual([
        '{"jsonrpc":"2.0","id":9,"error":{"code":-32000,"message":"SPX-I205: cannot lock src/core.spx (EACCES)"}}',
        '{"jsonrpc":"2.0","id":10,"result":{"pong":true,"state":"prepared"}}',
      ]);
      expect({ stderr, status }).toEqual({ stderr: "", status: 0 });
      expect(inventory(root)).toEqual(before);
    },
    PATIENCE_MS,
  );

  test.skipIf(!can)(
    "a read-only source in a folder of its own is replaced: the new file is its, the mode the old one's (N33)",
    async () => {
      const root = copyProject("calculator");
      chmodSync(root, 0o755);
      chownSync(join(root, "src"), 65_534, 65_534);
      chmodSync(join(root, "src", "core.spx"), 0o444);
      const { stdout } = await run([...AS_NOBODY, LAUNCHER, ...ARGUMENTS], root, UNTIL_APPLY);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe(RECEIPT);
      const { uid, mode } = lstatSync(join(root, "src", "core.spx"));
      expect({ uid, mode: mode & 0o7777 }).toEqual({ uid: 65_534, mode: 0o444 });
    },
    PATIENCE_MS,
  );
});

describe("the system's own record (strace)", async () => {
  const can = await works("strace", "-o", "/dev/null", "true");

  test.skipIf(!can)(
    "lock, stage, its bytes, its mode, its sync, the renaming, the folder's sync, the lock's removal: in this order",
    async () => {
      const root = copyProject("calculator");
      const log = join(temporaryFolder(), "log");
      const calls = "openat,write,pwrite64,fchmod,fsync,rename,renameat,renameat2,unlink,unlinkat";
      const traced = [
        "strace",
        "-f",
        "-qq",
        "-s",
        "16",
        "-o",
        log,
        "-e",
        `trace=${calls}`,
        LAUNCHER,
        ...ARGUMENTS,
      ];
      const { stdout } = await run(traced, root, UNTIL_APPLY);
      expect(stdout.trimEnd().split("\n").at(-1)).toBe(RECEIPT);
      const lines = readFileSync(log, "utf8").split("\n");
      const from = lines.findIndex((line) => line.includes(`${LOCK}"`));
      const to = lines.findLastIndex((line) => line.includes(`${LOCK}"`));
      const descriptors = new Map<string, string>();
      const shown = lines.slice(from, to + 1).map((line) => {
        const opened = /openat\(AT_FDCWD, "[^"]*\/([^/"]+)", (\S+?)(?:, (\d+))?\) += (\d+)$/.exec(line);
        if (opened !== null) {
          const [, name = "", flags = "", mode = "", descriptor = ""] = opened;
          descriptors.set(descriptor, name);
          const creates = flags
            .split("|")
            .filter((flag) => /^O_(WRONLY|RDWR|CREAT|EXCL|NOFOLLOW)$/.test(flag));
          return ["open", name, ...creates.sort(), mode].join(" ").trim();
        }
        const [, call = "", rest = ""] = /(\w+)\((.*)\) += /.exec(line) ?? [];
        const descriptor = /^\d+/.exec(rest)?.[0];
        if (descriptor !== undefined) return `${call} ${descriptors.get(descriptor) ?? "the folder"}`;
        return [call, ...[...rest.matchAll(/"[^"]*?\/([^/"]+)"/g)].map(([, name]) => name)].join(" ");
      });
      expect(shown).toEqual([
        `open ${LOCK} O_CREAT O_EXCL O_NOFOLLOW O_WRONLY 0600`,
        "open core.spx O_NOFOLLOW",
        `open ${STAGE} O_CREAT O_EXCL O_NOFOLLOW O_RDWR 0600`,
        `pwrite64 ${STAGE}`,
        `fchmod ${STAGE}`,
        `fsync ${STAGE}`,
        `rename ${STAGE} core.spx`,
        "fsync the folder",
        `unlink ${LOCK}`,
      ]);
    },
    PATIENCE_MS,
  );
});
