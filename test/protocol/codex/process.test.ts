// The real process side: programs that play Codex, started as it would be (RC2, RC8, RC11, RC12).
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type CodexEvent,
  type CodexHost,
  type CodexHostOptions,
  createCodexHost,
} from "../../../src/protocol/codex/index.ts";
import { NativeConnection, OPTIONS, ManualTimers, THREAD } from "./support.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "codex-process-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let programs = 0;

/** A shell script in the place of `codex`; `app` is what it does as app-server. */
function program(app: string, version = "echo 'codex-cli 0.163.0'"): string {
  const path = join(folder, `codex-${programs++}`);
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = --version ]; then\n${version}\nexit\nfi\n${app}\n`);
  chmodSync(path, 0o755);
  return path;
}

const HELLO = `read -r line
echo '{"id":1,"result":{"userAgent":"agent_protocol_bridge/0.163.0 (x)"}}'
read -r line`;

interface Started {
  readonly host: CodexHost;
  readonly log: CodexEvent[];
}

async function start(
  app: string,
  options: Partial<CodexHostOptions> & { version?: string } = {},
): Promise<Started> {
  const { version, ...rest } = options;
  const log: CodexEvent[] = [];
  const given = {
    ...OPTIONS,
    bin: program(app, version),
    codexHome: folder,
    workingDirectory: folder,
    clock: Date.now,
    newId: () => crypto.randomUUID(),
    log: (event: CodexEvent) => log.push(event),
    ...rest,
  };
  return { host: await createCodexHost(given as CodexHostOptions), log };
}

/** Waits for what must come. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(2);
}

describe("the version", () => {
  test.each([
    ["another release", "echo 'codex-cli 0.163.1'", "wrong_version"],
    ["more than the version", "echo 'codex-cli 0.163.0'; echo more", "wrong_version"],
    ["no line end", "printf 'codex-cli 0.163.0'", "wrong_version"],
    ["a failure", "echo 'codex-cli 0.163.0'; exit 1", "not_started"],
    ["too much", "yes | head -c 100000", "not_started"],
  ])("RC2: %s: nothing else is started", async (_, version, reason) => {
    const mark = join(folder, `started-${programs}`);
    const { host, log } = await start(`touch ${mark}`, { version });
    expect(host.status().state).toBe("unusable");
    expect(log).toEqual([{ type: "unusable", reason } as CodexEvent]);
    expect(existsSync(mark)).toBe(false);
    await host.close();
  });

  test("RC2: a program that is not there, or is none", async () => {
    for (const bin of [join(folder, "nowhere"), folder]) {
      const { host, log } = await start("", { bin });
      expect(log).toEqual([{ type: "unusable", reason: "not_started" }]);
      await host.close();
    }
  });
});

describe("a pipe that something else holds open", () => {
  /** In a group of its own, so that no kill of the program reaches it. */
  const holder = () => `setsid sh -c 'echo $$ >> ${folder}/holders; exec sleep 60' &`;

  afterAll(() => {
    for (const pid of readFileSync(join(folder, "holders"), "utf8").trim().split("\n"))
      process.kill(Number(pid), "SIGKILL");
  });

  test("RC2: a version is known when its program has ended", async () => {
    const { host, log } = await start("exit 0", { version: `${holder()}\necho 'codex-cli 0.163.0'` });
    expect(log).toEqual([{ type: "unusable", reason: "no_handshake" }]);
    await host.close();
  }, 30_000);

  test("RC12: does not keep the program of the host alive", async () => {
    const bin = program(`${HELLO}\n${holder()}\nexit 0`);
    const index = join(import.meta.dir, "../../../src/protocol/codex/index.ts");
    const script = `import { createCodexHost } from ${JSON.stringify(index)};
const host = await createCodexHost({ bin: ${JSON.stringify(bin)}, codexHome: ${JSON.stringify(folder)},
  workingDirectory: ${JSON.stringify(folder)}, sandbox: "read-only", approvalPolicy: "never",
  newId: () => "g", clock: Date.now });
await host.close();
`;
    const path = join(folder, "owner.ts");
    writeFileSync(path, script);
    const owner = Bun.spawn([process.execPath, path], { stdio: ["ignore", "ignore", "ignore"] });
    // It would wait for the holder, which takes longer than this test may.
    expect(await owner.exited).toBe(0);
  }, 30_000);
});

describe("a session over pipes", () => {
  test("RC6: requests and answers, and an end by the end of input (RC12)", async () => {
    const app = `${HELLO}
read -r request
echo '{"id":2,"result":{"thread":${JSON.stringify(THREAD)}}}'
cat > /dev/null
exit 7`;
    const { host, log } = await start(app);
    const connection = new NativeConnection({ host, timers: new ManualTimers() });
    const id = connection.ask("thread/start", {});
    await until(() => connection.code(id) !== undefined);
    expect(connection.result(id)).toMatchObject({ thread: { thread_id: THREAD.id } });
    await host.close();
    expect(log.at(-1)).toEqual({ type: "lost", reason: "closed", code: 7, signal: null });
    expect(host.status().state).toBe("lost");
  });

  test("RC11: the environment is what is named, the folder is the configured one, the error output is counted", async () => {
    process.env["CODEX_TEST_SECRET"] = "not for others";
    try {
      const out = join(folder, "environment");
      const { host } = await start(
        `${HELLO}\nenv > ${out}; pwd >> ${out}; echo done >> ${out}\nprintf 12345 >&2\ncat > /dev/null`,
        {
          env: { NAMED: "yes" },
        },
      );
      await until(() => existsSync(out) && readFileSync(out, "utf8").endsWith("done\n"));
      const lines = readFileSync(out, "utf8").trim().split("\n");
      // The shell adds some of its own.
      const names = lines.flatMap((line) => (line.includes("=") ? [line.split("=", 1)[0]] : []));
      const known = ["PATH", "HOME", "TMPDIR", "CODEX_HOME", "NAMED", "PWD", "OLDPWD", "SHLVL", "_"];
      expect(names.filter((name) => !known.includes(name ?? ""))).toEqual([]);
      expect(lines).toContain(`CODEX_HOME=${folder}`);
      expect(lines).toContain("NAMED=yes");
      expect(lines.at(-2)).toBe(folder);
      await until(() => host.status().errorOutputBytes === 5);
      await host.close();
    } finally {
      delete process.env["CODEX_TEST_SECRET"];
    }
  });

  test("RC12: who does not end by itself is killed, with what it started", async () => {
    const { host, log } = await start(
      `${HELLO}\nsleep 1000 &\necho $! > ${folder}/child\ntrap '' TERM HUP\nwhile :; do sleep 1000; done`,
    );
    await until(
      () => existsSync(`${folder}/child`) && readFileSync(`${folder}/child`, "utf8").endsWith("\n"),
    );
    const child = Number(readFileSync(`${folder}/child`, "utf8"));
    await host.close();
    expect(log.at(-1)).toEqual({ type: "lost", reason: "closed", code: null, signal: "SIGKILL" });
    await until(() => !isAlive(child));
  });

  test("RC38: an end by itself is told, after all that was said", async () => {
    const { host, log } = await start(
      `${HELLO}\necho '{"method":"thread/dreamed"}'\nprintf unfinished\nexit 3`,
    );
    await until(() => host.status().state === "lost");
    expect(log.slice(-2)).toEqual([
      { type: "unknown_notification", method: "thread/dreamed" },
      { type: "lost", reason: "exited", code: 3, signal: null },
    ]);
    await host.close();
  });

  test("RC8: a line over 16 MiB ends it; one of exactly 16 MiB does not", async () => {
    const long = (bytes: number) =>
      `printf '{"x":"'; head -c ${bytes - 8} /dev/zero | tr '\\0' a; printf '"}\\n'`;
    const fits = await start(`${HELLO}\n${long(16 * 1024 * 1024)}\necho '{"method":"m"}'\ncat > /dev/null`);
    await until(() => fits.log.some(({ type }) => type === "unknown_notification"));
    expect(fits.host.status()).toMatchObject({ state: "ready", unmatched: 1 });
    await fits.host.close();
    const over = await start(`${HELLO}\n${long(16 * 1024 * 1024 + 1)}\ncat > /dev/null`);
    await until(() => over.host.status().state === "lost");
    expect(over.log.at(-1)).toEqual({ type: "lost", reason: "unreadable", code: null, signal: "SIGKILL" });
  });

  test("RC8: garbage ends it", async () => {
    const { host, log } = await start(`${HELLO}\necho garbage\ncat > /dev/null`);
    await until(() => host.status().state === "lost");
    expect(log.at(-1)).toMatchObject({ type: "lost", reason: "unreadable" });
  });

  test("a process that does not read is written to up to a bound; nothing of what is beyond it is sent", async () => {
    const { host } = await start(`${HELLO}\necho $$ > ${folder}/deaf\nexec sleep 1000`);
    const world = { host, timers: new ManualTimers() };
    // Six characters each in a message.
    const instructions = "\u0001".repeat(65_536);
    const connection = new NativeConnection(world);
    const asked = Array.from({ length: 64 }, () => connection.ask("thread/start", { instructions }));
    const codes = () => asked.map((id) => connection.code(id));
    await until(() => codes().includes("overflow"));
    const taken = codes().indexOf("overflow");
    // Each counts for three times its text, since no text needs more bytes.
    expect(taken).toBeGreaterThanOrEqual(Math.floor((32 * 1024 * 1024) / (3 * 395_000)));
    expect(codes().slice(0, taken)).toEqual(Array(taken).fill(undefined));
    await until(() => existsSync(`${folder}/deaf`) && readFileSync(`${folder}/deaf`, "utf8").endsWith("\n"));
    process.kill(Number(readFileSync(`${folder}/deaf`, "utf8")), "SIGKILL");
    await until(() => host.status().state === "lost");
    await until(() => codes().every((code) => code !== undefined));
    expect(new Set(codes().slice(0, taken))).toEqual(new Set(["ambiguous_disconnect"]));
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A child that nobody waits for yet is no longer alive either.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

describe("options", () => {
  test.each([
    ["no path", { bin: "" }],
    ["a path with NUL", { codexHome: "a\0" }],
    ["no folder", { workingDirectory: 7 }],
    ["another sandbox", { sandbox: "none" }],
    ["full access by one decision", { sandbox: "danger-full-access" }],
    ["full access half meant", { sandbox: "danger-full-access", allowFullAccess: "yes" }],
    ["another policy", { approvalPolicy: "granular" }],
    ["an empty model", { model: "" }],
    ["no wait", { approvalTimeoutMs: 0 }],
    ["too long a wait", { approvalTimeoutMs: 3_600_001 }],
    ["a fraction", { approvalTimeoutMs: 1.5 }],
    ["no retry limit", { retryLimitMs: 0 }],
    ["a retry limit that no timer has", { retryLimitMs: 2 ** 31 }],
    ["no clock", { clock: undefined }],
    ["no ids", { newId: "id" }],
    ["ids that are none", { newId: () => "not an id" }],
    [
      "ids that cannot be made",
      {
        newId: () => {
          throw new Error("no entropy");
        },
      },
    ],
    ["ids that are too long", { newId: () => "x".repeat(65) }],
    ["a variable without name", { env: { "": "x" } }],
    ["a variable with =", { env: { "a=b": "x" } }],
    ["a variable that is no text", { env: { a: 1 } }],
    ["CODEX_HOME twice", { env: { CODEX_HOME: "/" } }],
  ])("RC13: %s is invalid_argument", async (_, wrong) => {
    const given = { ...OPTIONS, bin: program("exit"), ...wrong } as CodexHostOptions;
    await expect(createCodexHost(given)).rejects.toMatchObject({ code: "invalid_argument" });
  });

  test("RC13: the bounds themselves pass", async () => {
    const limits = { approvalTimeoutMs: 3_600_000, retryLimitMs: 2 ** 31 - 1, newId: () => "x".repeat(64) };
    const { host } = await start("exit 1", {
      ...limits,
      sandbox: "danger-full-access",
      allowFullAccess: true,
    });
    expect(host.status().state).toBe("unusable");
  });
});

describe("the sources", () => {
  test("only process.ts touches the operating system or the runtime", () => {
    const sources = join(import.meta.dir, "..", "..", "..", "src", "protocol", "codex");
    const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter((name) =>
      name.endsWith(".ts"),
    );
    const touching = files.filter((name) => {
      const text = readFileSync(join(sources, name), "utf8")
        .replace(/\/\*[\s\S]*?\*\//g, "")
        .replace(/\/\/.*$/gm, "")
        .replace(/from "\.[^"]*"/g, "");
      return /\b(Bun|process|Buffer|setTimeout|setInterval|fetch)\b\s*[.([]|["'](node:|bun)/.test(text);
    });
    expect(touching).toEqual(["process.ts"]);
  });
});
