// N24 to N27, N31, N59 to N62, N70 to N72, N77: others who write while an apply runs.
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { inventory } from "../support/daemon-process.ts";
import { copyProject, FIXTURES, removeTemporaryFolders, temporaryFolder } from "../support/projects.ts";
import type { PublishCall } from "../support/publish-files.ts";
import { codeOf, codesOf, RenameSession } from "../support/rename-session.ts";

afterAll(removeTemporaryFolders);

const BASE = readFileSync(join(FIXTURES, "projects", "calculator", "src", "core.spx"), "utf8");
const SUM = BASE.replace("fn add(", "fn sum(");
const LOCK = ".core.spx.semaprax-patch.lock";
const stage = (number: number) => `.core.spx.semaprax-stage.${number}.tmp`;

/** Only to end a test that hangs: some try many applies, and machines are busy. */
const PATIENCE_MS = 120_000;

/** Moments of an apply: the first call that fits, from one of the same kind before it on. */
const MOMENTS = {
  "before A7": ({ name }: PublishCall) => name === "createLock",
  "before A8": ({ name, path, anchored }: PublishCall) =>
    name === "openFile" && anchored && path.endsWith("/core.spx"),
  "before A10": ({ name, path }: PublishCall) => name === "lstat" && path === "/",
  "before A11": ({ name }: PublishCall) => name === "createStage",
  "before A15": ({ name, path }: PublishCall) => name === "fstat" && path.endsWith(".tmp"),
  "before A16": ({ name, path }: PublishCall) => name === "fstat" && path.endsWith("/core.spx"),
  "before A19": ({ name }: PublishCall) => name === "rename",
  "before A20": ({ name, path }: PublishCall) => name === "sync" && path.endsWith("/src"),
  "before A21": ({ name, path }: PublishCall) => name === "fstat" && path.endsWith(".lock"),
} as const;
type Moment = keyof typeof MOMENTS | "before A17" | "before A18";

/** Where to begin looking for a moment: the calls of an authentication and of a first check look like later ones. */
const AFTER: Readonly<Partial<Record<Moment, Moment>>> = {
  "before A10": "before A8",
  "before A15": "before A11",
  "before A16": "before A15",
};

/** Interferes once, at a moment of the next apply. */
function interfere(session: RenameSession, moment: Moment, act: () => void): void {
  const path: Moment[] = [];
  if (moment === "before A17") path.push("before A15", "before A16", "before A15");
  else if (moment === "before A18") path.push("before A15", "before A16", "before A15", "before A16");
  else {
    const after = AFTER[moment];
    if (after !== undefined) path.push(after);
    path.push(moment);
  }
  session.files.watch({
    before: (call) => {
      const next = path[0];
      if (next === undefined || !MOMENTS[next as keyof typeof MOMENTS](call)) return;
      path.shift();
      if (path.length === 0) act();
    },
  });
}

const at = (session: RenameSession, ...names: string[]) => join(session.root, ...names);
const core = (session: RenameSession) => at(session, "src", "core.spx");
const left = (session: RenameSession) =>
  readdirSync(at(session, "src")).filter((name) => name.startsWith("."));

/** Another file with this text in place of one. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

interface Outcome {
  readonly codes: readonly string[];
  readonly state: string;
  readonly stderr: readonly string[] | null;
  readonly left: readonly string[];
}

function outcome(session: RenameSession): Outcome {
  const answer = session.apply();
  return {
    codes: codesOf(answer.error?.message ?? ""),
    state: session.session.state,
    stderr: session.end?.kind === "failed" ? session.end.failure.map(({ code }) => code) : null,
    left: left(session),
  };
}

const kept = (code: string): Outcome => ({ codes: [code], state: "open", stderr: null, left: [] });
const plan = (code: string): Outcome => ({ codes: [code], state: "prepared", stderr: null, left: [] });
const unsure = (...stderr: string[]): Outcome => ({
  codes: ["SPX-J110"],
  state: "invalidated",
  stderr: ["SPX-J110", ...stderr],
  left: [],
});
const lost: Outcome = { codes: ["SPX-J102"], state: "invalidated", stderr: ["SPX-J102"], left: [] };

describe("the source is changed (N70)", () => {
  const OTHER = BASE.replace("left + right", "right + left");

  test.each<[Moment, string, (session: RenameSession) => void, Outcome, string]>([
    ["before A7", "replaced by its own bytes", (s) => replace(core(s), BASE), plan("SPX-I201"), BASE],
    ["before A8", "replaced by its own bytes", (s) => replace(core(s), BASE), plan("SPX-I201"), BASE],
    ["before A8", "rewritten in place", (s) => writeFileSync(core(s), OTHER), plan("SPX-G133"), OTHER],
    ["before A8", "appended to", (s) => writeFileSync(core(s), `${BASE}\n`), plan("SPX-G133"), `${BASE}\n`],
    ["before A8", "emptied", (s) => writeFileSync(core(s), ""), plan("SPX-G133"), ""],
    ["before A8", "made read-only", (s) => chmodSync(core(s), 0o444), plan("SPX-I201"), BASE],
    ["before A8", "given a second name", (s) => linkSync(core(s), at(s, "other")), plan("SPX-I201"), BASE],
    ["before A10", "replaced by its own bytes", (s) => replace(core(s), BASE), lost, BASE],
    ["before A10", "rewritten in place", (s) => writeFileSync(core(s), OTHER), lost, OTHER],
    ["before A16", "replaced by its own bytes", (s) => replace(core(s), BASE), kept("SPX-I207"), BASE],
    ["before A16", "replaced by other bytes", (s) => replace(core(s), OTHER), unsure("SPX-I207"), OTHER],
    ["before A16", "rewritten in place", (s) => writeFileSync(core(s), OTHER), unsure("SPX-I207"), OTHER],
    ["before A16", "given another mode", (s) => chmodSync(core(s), 0o600), kept("SPX-I207"), BASE],
    ["before A18", "replaced by its own bytes", (s) => replace(core(s), BASE), kept("SPX-I207"), BASE],
    ["before A18", "replaced by other bytes", (s) => replace(core(s), OTHER), unsure("SPX-I207"), OTHER],
    ["before A18", "rewritten in place", (s) => writeFileSync(core(s), OTHER), unsure("SPX-I207"), OTHER],
    ["before A20", "replaced by other bytes (N61)", (s) => replace(core(s), OTHER), unsure(), OTHER],
    // What changes between A18 and A19 is lost; nothing can close that window (N60).
    [
      "before A19",
      "rewritten in place",
      (s) => writeFileSync(core(s), OTHER),
      { ...kept(""), codes: [] },
      SUM,
    ],
  ])("%s: %s", (moment, _, act, expected, text) => {
    const session = new RenameSession().prepared();
    interfere(session, moment, () => act(session));
    expect(outcome(session)).toEqual(expected);
    expect(readFileSync(core(session), "utf8")).toBe(text);
  });

  test("replaced by a link before A8, A16 and A18: what it leads to is never written", () => {
    for (const moment of ["before A8", "before A16", "before A18"] as const) {
      const session = new RenameSession().prepared();
      const outside = join(temporaryFolder(), "core.spx");
      writeFileSync(outside, BASE);
      interfere(session, moment, () => {
        rmSync(core(session));
        symlinkSync(outside, core(session));
      });
      const { codes, left: leftovers } = outcome(session);
      expect({ codes, leftovers }).toEqual({
        codes: [moment === "before A8" ? "SPX-I201" : "SPX-J110"],
        leftovers: [],
      });
      expect(readFileSync(outside, "utf8")).toBe(BASE);
      expect(lstatSync(core(session)).isSymbolicLink()).toBe(true);
    }
  });

  test("another source changed while the commit ran: the reload tells (N45)", () => {
    const session = new RenameSession().prepared();
    const app = at(session, "src", "app.spx");
    interfere(session, "before A19", () =>
      writeFileSync(app, readFileSync(app, "utf8").replace("add(40,", "add(41,")),
    );
    expect(outcome(session)).toEqual(unsure());
    expect(readFileSync(core(session), "utf8")).toBe(SUM);
    const broken = new RenameSession().prepared();
    interfere(broken, "before A19", () => writeFileSync(at(broken, "src", "app.spx"), "nonsense"));
    expect(outcome(broken)).toMatchObject({ codes: ["SPX-J110"], stderr: ["SPX-J110", "SPX-P104"] });
  });

  test("the words of J110 are fixed, and no handle stays open (N41, N42)", () => {
    const session = new RenameSession().prepared();
    interfere(session, "before A20", () => replace(core(session), BASE));
    expect(session.apply().error).toEqual({
      code: -32000,
      message: "SPX-J110: uncertain: inspect the project",
    });
    expect(session.files.descriptors.size).toBe(0);
  });
});

describe("the stage is changed (N70)", () => {
  const stagePath = (session: RenameSession) => at(session, "src", stage(0));

  test.each(["before A15", "before A17"] as const)("%s", (moment) => {
    const acts: readonly [(path: string, session: RenameSession) => void, readonly string[]][] = [
      // Somebody else's file of that name is not removed (N31).
      [(path) => replace(path, SUM), [stage(0)]],
      [(path) => rmSync(path), []],
      [(path) => renameSync(path, `${path}.away`), [`${stage(0)}.away`]],
      [(path) => writeFileSync(path, BASE), []],
      [(path) => writeFileSync(path, `${SUM}\n`), []],
      [(path) => chmodSync(path, 0o666), []],
      [(path, session) => linkSync(path, at(session, "second")), []],
    ];
    for (const [act, leftovers] of acts) {
      const session = new RenameSession().prepared();
      interfere(session, moment, () => act(stagePath(session), session));
      expect(outcome(session)).toEqual({ ...kept("SPX-I203"), left: leftovers });
      expect(readFileSync(core(session), "utf8")).toBe(BASE);
      expect(session.preview().error).toBeUndefined();
    }
  });
});

describe("lock and stages that are there already", () => {
  test.each<[string, (path: string) => void]>([
    ["a file", (path) => writeFileSync(path, "mine")],
    ["a folder", (path) => mkdirSync(path)],
    ["a link to nothing", (path) => symlinkSync("nowhere", path)],
    ["a link to the source", (path) => symlinkSync("core.spx", path)],
  ])(
    "%s in the lock's place is I205, is left alone, and holds up nothing else (N24, N25, N55)",
    (_, make) => {
      const session = new RenameSession().prepared();
      make(at(session, "src", LOCK));
      const before = inventory(session.root);
      expect(outcome(session)).toEqual({ ...plan("SPX-I205"), left: [LOCK] });
      expect(inventory(session.root)).toEqual(before);
      rmSync(at(session, "src", LOCK), { recursive: true });
      expect(session.apply().result).toMatchObject({ applied: true });
    },
  );

  test("a lock that became somebody else's meanwhile is not removed (N25)", () => {
    const session = new RenameSession().prepared();
    interfere(session, "before A21", () => replace(at(session, "src", LOCK), "theirs"));
    expect(outcome(session)).toEqual({ codes: [], state: "open", stderr: null, left: [LOCK] });
    expect(readFileSync(at(session, "src", LOCK), "utf8")).toBe("theirs");
  });

  test("the lock is empty, and only its owner's (N24)", () => {
    const session = new RenameSession().prepared();
    let seen = "";
    interfere(session, "before A11", () => {
      const { mode, size } = statSync(at(session, "src", LOCK));
      seen = `${(mode & 0o7777).toString(8)} ${size}`;
    });
    session.apply();
    expect(seen).toBe("600 0");
  });

  test("stages in the way are skipped and kept (N56); with all 32 taken it is I203, with 31 it works", () => {
    for (const taken of [1, 31, 32]) {
      const session = new RenameSession().prepared();
      for (let number = 0; number < taken; number++)
        writeFileSync(at(session, "src", stage(number)), "theirs");
      const answer = outcome(session);
      expect(answer.codes).toEqual(taken === 32 ? ["SPX-I203"] : []);
      expect(answer.state).toBe("open");
      expect(answer.left.length).toBe(taken);
      for (let number = 0; number < taken; number++) {
        expect(readFileSync(at(session, "src", stage(number)), "utf8")).toBe("theirs");
      }
      expect(readFileSync(core(session), "utf8")).toBe(taken === 32 ? BASE : SUM);
      // The plan is gone either way (N29, N39).
      expect(codeOf(session.apply())).toBe("SPX-J104");
    }
  });
});

describe("modes (N72)", () => {
  test.each(["640", "755", "600", "444", "4711"])("%s survives, in a new inode", (octal) => {
    const mode = Number.parseInt(octal, 8);
    const root = copyProject("calculator");
    chmodSync(join(root, "src", "core.spx"), mode);
    const session = new RenameSession({}, root).prepared();
    const { ino } = lstatSync(core(session));
    let stageMode = 0;
    session.files.watch({
      before: ({ name, path }) => {
        if (name === "setMode") stageMode = lstatSync(path).mode & 0o7777;
      },
    });
    expect(session.apply().result).toMatchObject({ applied: true });
    // Until it gets the source's mode, nobody but its owner can open it.
    expect(stageMode).toBe(0o600);
    expect(lstatSync(core(session)).mode & 0o7777).toBe(mode);
    expect(lstatSync(core(session)).ino).not.toBe(ino);
    expect(readFileSync(core(session), "utf8")).toBe(SUM);
  });

  test("whatever the umask is", () => {
    const session = new RenameSession().prepared();
    const { mode } = lstatSync(core(session));
    const umask = process.umask(0o777);
    try {
      expect(session.apply().result).toMatchObject({ applied: true });
    } finally {
      process.umask(umask);
    }
    expect(lstatSync(core(session)).mode).toBe(mode);
  });
});

describe("folders and links swapped under an apply (N77)", () => {
  /** A world outside of the project that must never change: a copy of its sources and a lone file. */
  function outsideWorld(): string {
    const folder = temporaryFolder();
    cpSync(join(FIXTURES, "projects", "calculator", "src"), join(folder, "src"), { recursive: true });
    return folder;
  }

  const SWAPS: readonly [string, (session: RenameSession, outside: string) => void][] = [
    [
      "the folder by a link to a copy outside",
      (session, outside) => {
        renameSync(at(session, "src"), at(session, "moved"));
        symlinkSync(join(outside, "src"), at(session, "src"));
      },
    ],
    [
      "the folder by a copy of it",
      (session, outside) => {
        renameSync(at(session, "src"), at(session, "moved"));
        cpSync(join(outside, "src"), at(session, "src"), { recursive: true });
      },
    ],
    [
      "the folder by one that the source was moved to",
      (session) => {
        renameSync(at(session, "src"), at(session, "moved"));
        mkdirSync(at(session, "src"));
        renameSync(at(session, "moved", "core.spx"), core(session));
      },
    ],
    [
      "the source by a link outside",
      (session, outside) => {
        rmSync(core(session));
        symlinkSync(join(outside, "src", "core.spx"), core(session));
      },
    ],
    [
      "the root by a link to a copy outside",
      (session, outside) => {
        cpSync(session.root, join(outside, "root"), { recursive: true });
        renameSync(session.root, `${session.root}-moved`);
        symlinkSync(join(outside, "root"), session.root);
      },
    ],
  ];

  /** Calls from A6 to A21 in a good apply, counted from A5's first. */
  const FIRST_CALL = 24;
  const LAST_CALL = 98;

  test.each(SWAPS)(
    "%s, before every third call: nothing outside changes, and no text is a third one",
    (_, swap) => {
      for (let n = FIRST_CALL; n <= LAST_CALL; n += 3) {
        const session = new RenameSession().prepared();
        const outside = outsideWorld();
        let calls = 0;
        let before: string[] = [];
        session.files.watch({
          before: () => {
            if (calls++ !== n) return;
            swap(session, outside);
            before = inventory(outside);
          },
        });
        const { error } = session.apply();
        session.files.watch({});
        expect(calls).toBeGreaterThan(n);
        expect({ n, after: inventory(outside) }).toEqual({ n, after: before });
        expect(["SPX-I201", "SPX-J102", "SPX-I205", "SPX-I207", "SPX-I204", "SPX-J110", ""]).toContain(
          error ? codeOf({ error }) : "",
        );
        for (const folder of [session.root, `${session.root}-moved`]) {
          for (const place of ["src", "moved"]) {
            const file = join(folder, place, "core.spx");
            const stats = lstatSync(file, { throwIfNoEntry: false });
            if (stats?.isFile()) expect([BASE, SUM]).toContain(readFileSync(file, "utf8"));
          }
        }
        rmSync(`${session.root}-moved`, { recursive: true, force: true });
      }
    },
    PATIENCE_MS,
  );

  test("a swapped folder is I201 before the lock, and the lock is removed from the folder it was made in", () => {
    const early = new RenameSession().prepared();
    early.files.watch({
      before: ({ name, path }) => {
        if (name === "openDirectory" && path === at(early, "src")) {
          early.files.watch({});
          renameSync(at(early, "src"), at(early, "moved"));
          cpSync(at(early, "moved"), at(early, "src"), { recursive: true });
        }
      },
    });
    expect(outcome(early)).toEqual(plan("SPX-I201"));
    const late = new RenameSession().prepared();
    interfere(late, "before A8", () => {
      renameSync(at(late, "src"), at(late, "moved"));
      cpSync(at(late, "moved"), at(late, "src"), { recursive: true });
    });
    // The copy of the folder has a copy of the lock, which is not this apply's.
    expect(outcome(late)).toEqual({ ...lost, left: [LOCK] });
    expect(readdirSync(at(late, "moved")).sort()).toEqual(["app.spx", "core.spx", "tests.spx"]);
  });
});

describe("two sessions on one project (N59)", () => {
  test("one commits; the other gets I205 meanwhile and J102 afterwards", () => {
    const one = new RenameSession().prepared();
    const other = new RenameSession({}, one.root).prepared({ to: "total" });
    let meanwhile: Outcome | null = null;
    interfere(one, "before A11", () => {
      meanwhile = outcome(other);
    });
    expect(one.apply().result).toMatchObject({ applied: true });
    expect(meanwhile as Outcome | null).toEqual({ ...plan("SPX-I205"), left: [LOCK] });
    expect(codeOf(other.apply())).toBe("SPX-J102");
    expect(other.session.state).toBe("invalidated");
    expect(readFileSync(core(one), "utf8")).toBe(SUM);
  });

  test("on different files they do not meet", () => {
    const one = new RenameSession().prepared();
    copyFileSync(core(one), at(one, "unrelated.spx"));
    writeFileSync(at(one, "src", ".app.spx.semaprax-patch.lock"), "");
    expect(one.apply().result).toMatchObject({ applied: true });
  });
});
