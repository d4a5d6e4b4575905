// N51 to N58, N67, N69: an apply in which one system call fails, or after which nothing is called any more.
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import {
  copyProject,
  FIXTURES,
  readProject,
  removeTemporaryFolders,
  writeFiles,
} from "../support/projects.ts";
import type { Hooks, PublishCall } from "../support/publish-files.ts";
import { codeOf, codesOf, RenameSession } from "../support/rename-session.ts";

afterAll(removeTemporaryFolders);

const BASE = readFileSync(join(FIXTURES, "projects", "calculator", "src", "core.spx"), "utf8");
const SUM = BASE.replace("fn add(", "fn sum(");
const LOCK = ".core.spx.semaprax-patch.lock";
const STAGE = ".core.spx.semaprax-stage.0.tmp";

/** Only to end a test that hangs: these try many applies, and machines are busy. */
const PATIENCE_MS = 120_000;

/** What one call does, as `name path`, with the root left out. */
function shown({ name, path, anchored }: PublishCall, root: string): string {
  const place = path.startsWith(root) ? path.slice(root.length + 1) || "." : path === "/" ? "/" : "above";
  return `${name} ${place}${anchored ? " by handle" : ""}`;
}

/** Every call of one good apply. */
function recordedCalls(): string[] {
  const session = new RenameSession().prepared();
  const calls: string[] = [];
  session.files.watch({ before: (call) => calls.push(shown(call, session.root)) });
  expect(session.apply().result).toMatchObject({ applied: true });
  session.files.watch({});
  expect(session.session.close().ok).toBe(true);
  expect(session.files.descriptors.size).toBe(0);
  return calls;
}

const CALLS = recordedCalls();
const first = (call: string, from = 0) => {
  const at = CALLS.indexOf(call, from);
  if (at < 0) throw new Error(`no ${call}`);
  return at;
};

// The first call of each step. What is read between A9 and A10 is in memory.
const A6 = first("realpath src/core.spx");
const A7 = first(`createLock src/${LOCK} by handle`);
const A8 = first("openFile src/core.spx by handle");
const A10 = first("lstat /", A8);
const HAND_OVER = first("close /");
const A11 = first(`createStage src/${STAGE} by handle`);
const A15 = first(`fstat src/${STAGE}`);
const A16 = first("fstat src/core.spx", A15);
const A17 = first(`fstat src/${STAGE}`, A16);
const A18 = first("fstat src/core.spx", A17);
const A19 = first(`rename src/${STAGE} by handle`);
const A20 = first("sync src");
const A21 = A20 + 1;
const A22 = first("lstat /", A21);

describe("the calls of an apply", () => {
  test("from the source's path to the reload, in this order (A6 to A21)", () => {
    expect(CALLS.slice(A6, A10)).toEqual([
      "realpath src/core.spx",
      "lstat src/core.spx",
      "lstat src",
      "openDirectory src",
      "fstat src",
      "lstat src",
      "lstat src/. by handle",
      `createLock src/${LOCK} by handle`,
      "openFile src/core.spx by handle",
      "fstat src/core.spx",
      "read src/core.spx",
      "read src/core.spx",
    ]);
    expect(CALLS.slice(A10, HAND_OVER)).toEqual(CALLS.slice(0, A6));
    expect(CALLS.slice(HAND_OVER, A11).every((call) => call.startsWith("close "))).toBe(true);
    const stageCheck = [
      `fstat src/${STAGE}`,
      `read src/${STAGE}`,
      `read src/${STAGE}`,
      `lstat src/${STAGE} by handle`,
    ];
    const sourceCheck = [
      "fstat src/core.spx",
      "read src/core.spx",
      "read src/core.spx",
      "lstat src/core.spx by handle",
      "lstat src/core.spx",
    ];
    expect(CALLS.slice(A11, A22)).toEqual([
      `createStage src/${STAGE} by handle`,
      `write src/${STAGE}`,
      `setMode src/${STAGE}`,
      `sync src/${STAGE}`,
      ...stageCheck,
      ...sourceCheck,
      ...stageCheck,
      ...sourceCheck,
      `rename src/${STAGE} by handle`,
      "sync src",
      `fstat src/${LOCK}`,
      `lstat src/${LOCK} by handle`,
      `unlink src/${LOCK} by handle`,
      "close src",
      `close src/${LOCK}`,
      "close src/core.spx",
      `close src/${STAGE}`,
    ]);
  });

  test("nothing is created, written, renamed or removed anywhere else, and by handle only (N77)", () => {
    const writing = CALLS.filter((call) => /^(create|write|setMode|sync|rename|unlink)/.test(call));
    expect(writing).toEqual([
      `createLock src/${LOCK} by handle`,
      `createStage src/${STAGE} by handle`,
      `write src/${STAGE}`,
      `setMode src/${STAGE}`,
      `sync src/${STAGE}`,
      `rename src/${STAGE} by handle`,
      "sync src",
      `unlink src/${LOCK} by handle`,
    ]);
  });
});

interface Ending {
  /** The SPX codes of the answer; none for a receipt. */
  readonly codes: readonly string[];
  readonly state: string;
  /** The SPX codes on stderr, where the session ends with status 1. */
  readonly stderr: readonly string[] | null;
  readonly source: "base" | "sum";
  /** What lies in the source's folder besides the sources. */
  readonly left: readonly string[];
}

const RECEIPT: Ending = { codes: [], state: "open", stderr: null, source: "sum", left: [] };

function refused(code: string, state: string): Ending {
  return { codes: [code], state, stderr: null, source: "base", left: [] };
}

function uncertain(source: "base" | "sum", ...more: readonly string[]): Ending {
  return { codes: ["SPX-J110"], state: "invalidated", stderr: ["SPX-J110", ...more], source, left: [] };
}

/** What sections 5 and 6 say about a failure of call n. */
function expected(n: number): Ending {
  if (n < A6) return refused("SPX-J102", "invalidated");
  if (n < A7) return refused("SPX-I201", "prepared");
  if (n < A8) return refused("SPX-I205", "prepared");
  if (n < A10) return refused("SPX-I201", "prepared");
  if (n < HAND_OVER) return { ...refused("SPX-J102", "invalidated"), stderr: ["SPX-J102"] };
  if (n < A11) return RECEIPT;
  if (n < A16) return refused("SPX-I203", "open");
  if (n < A17) return refused("SPX-I207", "open");
  if (n < A18) return refused("SPX-I203", "open");
  if (n < A19) return refused("SPX-I207", "open");
  if (n < A20) return refused("SPX-I204", "open");
  if (n < A21) return uncertain("sum", "SPX-I204");
  // The lock cannot be removed: no outcome changes (N26).
  if (n < A21 + 3) return { ...RECEIPT, left: [LOCK] };
  if (n < A22) return RECEIPT;
  return uncertain("sum", "SPX-J102");
}

function leftIn(root: string): string[] {
  return readdirSync(join(root, "src")).filter((name) => name.startsWith("."));
}

function sourceOf(root: string): string {
  const text = readFileSync(join(root, "src", "core.spx"), "utf8");
  return text === BASE ? "base" : text === SUM ? "sum" : text;
}

function ending(session: RenameSession): Ending {
  const answer = session.apply();
  const { end, root } = session;
  return {
    codes: codesOf(answer.error?.message ?? ""),
    state: session.session.state,
    stderr: end?.kind === "failed" ? end.failure.map(({ code }) => code) : null,
    source: sourceOf(root) as "base" | "sum",
    left: leftIn(root),
  };
}

/** Prepares a session whose nth call from now on fails. */
function failing(session: RenameSession, n: number, code: string): Hooks {
  let index = 0;
  const hooks: Hooks = {
    before: () => {
      if (index++ === n) throw Object.assign(new Error(code), { code });
    },
  };
  session.files.watch(hooks);
  return hooks;
}

describe("one failing call (N69)", () => {
  test.each([
    ["EIO", "A5 to A22", 0, CALLS.length],
    ["ENOSPC", "A6 to A21", A6, A22],
    ["EACCES", "A6 to A21", A6, A22],
  ] as const)(
    "%s at every call of %s",
    (code, _, from, to) => {
      const root = copyProject("calculator");
      for (let n = from; n < to; n++) {
        const session = new RenameSession({}, root).prepared();
        failing(session, n, code);
        expect({ n, call: CALLS[n], ...ending(session) }).toEqual({ n, call: CALLS[n]!, ...expected(n) });
        session.files.watch({});
        if (code === "EIO" && session.session.state === "prepared" && session.end === null) {
          // The plan was kept, and is as good as before.
          expect(session.apply().result).toMatchObject({ applied: true });
        }
        if (session.end === null) session.session.close();
        // A failed or lost session holds nothing either (N50).
        expect({ n, open: session.files.descriptors.size }).toEqual({ n, open: 0 });
        for (const name of leftIn(root)) rmSync(join(root, "src", name));
        writeFiles(root, readProject("calculator"));
      }
    },
    PATIENCE_MS,
  );

  test("a failure while cleaning up after a failure changes nothing more (N26, N31)", () => {
    for (const broken of ["fstat", "lstat", "unlink"] as const) {
      const session = new RenameSession().prepared();
      let failed = false;
      session.files.watch({
        before: ({ name }) => {
          if (name === "setMode") failed = true;
          if (name === "setMode" || (failed && name === broken && leftIn(session.root).length === 2)) {
            throw Object.assign(new Error("EIO"), { code: "EIO" });
          }
        },
      });
      const { codes, state, source } = ending(session);
      expect({ codes, source }).toEqual({
        codes: broken === "unlink" ? ["SPX-I203"] : ["SPX-J110"],
        source: "base",
      });
      if (broken === "unlink") expect(state).toBe("open");
      expect(leftIn(session.root)).toEqual([LOCK, STAGE]);
    }
  });

  test("writes that take a byte at a time are continued, one that takes none is I203 (A12)", () => {
    const slow = new RenameSession().prepared();
    slow.files.watch({ writeBytes: () => 1 });
    expect(ending(slow)).toEqual(RECEIPT);
    const stuck = new RenameSession().prepared();
    let writes = 0;
    stuck.files.watch({ writeBytes: () => (writes++ < 3 ? 5 : 0) });
    expect(ending(stuck)).toEqual(refused("SPX-I203", "open"));
  });

  test("an error that is no system's is a bug: it is thrown, and lock and stage are still removed", () => {
    const session = new RenameSession().prepared();
    session.files.watch({
      before: ({ name }) => {
        if (name === "rename") throw new TypeError("bug");
      },
    });
    expect(() => session.apply()).toThrow("bug");
    expect({ left: leftIn(session.root), source: sourceOf(session.root) }).toEqual({
      left: [],
      source: "base",
    });
  });
});

describe("a process that dies (N51 to N57)", () => {
  class Killed extends Error {}

  /** Runs an apply up to before call n, after which nothing has any effect; `part` of the write is still made. */
  function killed(n: number, part?: number): string {
    const session = new RenameSession().prepared();
    let index = 0;
    session.files.watch({
      before: () => {
        if (index++ >= n) throw new Killed();
      },
      ...(part === undefined ? {} : { writeBytes: () => part }),
    });
    expect(() => session.apply()).toThrow(Killed);
    for (const descriptor of session.files.descriptors) closeSync(descriptor);
    return session.root;
  }

  /** What lies there after a kill before call n, by the table of N52. */
  function remains(n: number): Pick<Ending, "source" | "left"> {
    if (n <= A7) return { source: "base", left: [] };
    if (n <= A11) return { source: "base", left: [LOCK] };
    if (n <= A19) return { source: "base", left: [LOCK, STAGE] };
    if (n <= first(`unlink src/${LOCK} by handle`)) return { source: "sum", left: [LOCK] };
    return { source: "sum", left: [] };
  }

  /** A later session: it loads, cannot apply as long as the lock is there (N55), and can once a person removed it. */
  function checkNextSession(root: string, { source, left }: Pick<Ending, "source" | "left">): void {
    const names = source === "base" ? {} : { from: "sum", to: "add" };
    const session = new RenameSession({}, root).prepared(names);
    if (left.includes(LOCK)) {
      expect(codeOf(session.apply())).toBe("SPX-I205");
      expect(session.session.state).toBe("prepared");
      expect(leftIn(root)).toEqual([...left]);
      rmSync(join(root, "src", LOCK));
    }
    expect(session.apply().result).toMatchObject({ applied: true });
    expect(sourceOf(root)).toBe(source === "base" ? "sum" : "base");
    // A stage that was left is neither used nor removed (N56).
    expect(leftIn(root)).toEqual(left.filter((name) => name === STAGE));
    expect(session.session.close().ok).toBe(true);
  }

  test(
    "before every call of A6 to A22: the source is whole, the leftovers are the table's",
    () => {
      for (let n = A6; n <= A22; n++) {
        const root = killed(n);
        expect({ n, source: sourceOf(root), left: leftIn(root) }).toEqual({ n, ...remains(n) } as never);
        checkNextSession(root, remains(n));
      }
    },
    PATIENCE_MS,
  );

  test("in the middle of A12: a part of the candidate stays in the stage", () => {
    for (const part of [1, 100, SUM.length - 1]) {
      const root = killed(A11 + 2, part);
      expect(readFileSync(join(root, "src", STAGE), "utf8")).toBe(SUM.slice(0, part));
      checkNextSession(root, { source: "base", left: [LOCK, STAGE] });
      expect(existsSync(join(root, "src", STAGE))).toBe(true);
    }
  });
});
