// rename.md as a client sees it: order of checks, states, limits, and the recorded session.
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FrameReader } from "../../src/daemon/frame-reader.ts";
import { serve } from "../../src/daemon/serve.ts";
import { concatenate, utf8 } from "../../src/kernel/bytes.ts";
import { inventory } from "../support/daemon-process.ts";
import {
  copyProject,
  FIXTURES,
  readProject,
  removeTemporaryFolders,
  writeFiles,
} from "../support/projects.ts";
import type { PublishCall } from "../support/publish-files.ts";
import { ADD_TO_SUM, codeOf, RenameSession } from "../support/rename-session.ts";

afterAll(removeTemporaryFolders);

const OVERFLOW =
  '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"response exceeds configured byte limit"}}\n';
const STALE = { project_revision: "sha256:other" };
const core = (session: RenameSession) => readFileSync(join(session.root, "src", "core.spx"), "utf8");
const BASE = readFileSync(join(FIXTURES, "projects", "calculator", "src", "core.spx"), "utf8");
const SUM = BASE.replace("fn add(", "fn sum(");

/** A change that every authentication sees. */
function drift(session: RenameSession): void {
  appendFileSync(join(session.root, "src", "app.spx"), "\n");
}

/** Makes the nth authentication from now on (1 is the next) and all later ones find a change. */
function driftAt(session: RenameSession, nth: number): void {
  let authentications = 0;
  session.files.watch({
    before: ({ name, path }) => {
      if (name === "lstat" && path === "/") authentications++;
      if (authentications >= nth) throw Object.assign(new Error("drift"), { code: "EIO" });
    },
  });
}

test("the recorded session, byte for byte but for the words of errors", () => {
  const lines = readFileSync(join(FIXTURES, "sessions", "calculator-v3-rename.jsonl"), "utf8")
    .trimEnd()
    .split("\n");
  const plain = (line: string) => line.replace(/"message":"(SPX-[A-Z0-9]+)?[^"]*"/, '"message":"$1"');
  const session = new RenameSession();
  for (let at = 0; at < lines.length; at += 2) {
    expect(plain(session.send(lines[at]!))).toBe(`${plain(lines[at + 1]!)}\n`);
  }
  expect(session.end).toEqual({ kind: "closed" });
  expect(session.session.close()).toEqual({ ok: true, value: undefined });
  expect(session.files.descriptors.size).toBe(0);
  expect(core(session)).toBe(SUM);
});

describe("rename/preview", () => {
  /** Each row of N2 by its code and a part of its words, with parameters that fail it. */
  const rows: readonly [string, Readonly<Record<string, unknown>>, number, string][] = [
    ["1", STALE, -32602, "project_revision is not the open one"],
    ["1: missing", { workspace_revision: undefined }, -32602, "workspace_revision is missing"],
    ["1 before 2", { ...STALE, target_id: "" }, -32602, "project_revision is not the open one"],
    ["2", { target_id: "" }, -32602, "SPX-J105: target_id is empty"],
    ["2", { target_id: undefined }, -32602, "SPX-J105: target_id is missing"],
    ["2", { from: 1 }, -32602, "SPX-J105: from must be text"],
    ["2", { to: null }, -32602, "SPX-J105: to must be text"],
    ["2", { to: "a\u0085" }, -32602, "SPX-J105: controls in to"],
    ["2 in order", { target_id: "", from: "", to: "" }, -32602, "SPX-J105: target_id is empty"],
    ["2 in order", { from: "", to: "" }, -32602, "SPX-J105: from is empty"],
    ["2 before 3", { to: "", path: "src/core.spx" }, -32602, "SPX-J105: to is empty"],
    ["3", { path: "src/core.spx" }, -32602, "SPX-J105: unknown parameter path"],
    ["3 before 5", { path: "x", to: "n".repeat(129) }, -32602, "SPX-J105: unknown parameter path"],
    ["5", { to: "n".repeat(129) }, -32000, "SPX-J109: to has over 128 bytes"],
    ["6", { to: "add" }, -32000, "SPX-J109: from and to are the same"],
    ["7", { target_id: "calculator.nope" }, -32000, "SPX-J109: target_id is no function here"],
    ["9", { target_id: "calculator.app.main", from: "main" }, -32000, "SPX-J109: target is not exported"],
    ["10", { from: "plus" }, -32000, "SPX-J109: from is not the current name"],
    ["11", { to: "1st" }, -32000, "SPX-G103: to cannot be a symbol"],
    ["13", { to: "divide" }, -32000, "SPX-S101: "],
  ];

  test.each(rows)("row %s: %j", (_, params, code, words) => {
    const session = new RenameSession().opened();
    const before = inventory(session.root);
    const { error } = session.preview(params);
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) });
    expect(session.session.state).toBe("open");
    expect(session.session.plan).toBeNull();
    expect(session.end).toBeNull();
    expect(inventory(session.root)).toEqual(before);
    // Rows 1 to 3 answer the same after a drift and touch no file (N3); from row 4 on it is J102.
    let calls = 0;
    session.files.watch({ before: () => calls++ });
    drift(session);
    const changed = session.preview(params);
    if (code === -32602) {
      expect(changed.error).toEqual(error);
      expect(calls).toBe(0);
      expect(session.session.state).toBe("open");
    } else {
      expect(changed.error?.code).toBe(-32000);
      expect(codeOf(changed)).toBe("SPX-J102");
      expect(session.session.state).toBe("invalidated");
    }
  });

  test("row 13 before row 14: a refused plan is not proved against the disk again", () => {
    const session = new RenameSession().opened();
    driftAt(session, 2);
    expect(codeOf(session.preview({ to: "divide" }))).toBe("SPX-S101");
    expect(session.session.state).toBe("open");
  });

  test("row 14, also where the response would not fit", () => {
    for (const responseBytesMax of [4096, 200]) {
      const session = new RenameSession({ responseBytesMax }).opened();
      driftAt(session, 2);
      expect(codeOf(session.preview())).toBe("SPX-J102");
      expect(session.session.state).toBe("invalidated");
      expect(session.end).toBeNull();
    }
  });

  test("row 15: a response of exactly the limit prepares, one byte less ends the session (N4, N74)", () => {
    const fits = new RenameSession({ responseBytesMax: 1872 }).opened();
    const params = { ...fits.revisions, ...ADD_TO_SUM };
    expect(Buffer.byteLength(fits.line("rename/preview", params))).toBe(1872);
    expect(fits.session.state).toBe("prepared");
    const overflows = new RenameSession({ responseBytesMax: 1871 }).opened();
    const before = inventory(overflows.root);
    expect(overflows.line("rename/preview", params)).toBe(OVERFLOW);
    expect(overflows.session.plan).toBeNull();
    expect(overflows.end).toEqual({ kind: "closed" });
    expect(overflows.session.close().ok).toBe(true);
    expect(inventory(overflows.root)).toEqual(before);
  });

  test("needs the state open (N1, section 7)", () => {
    const configured = new RenameSession();
    expect(configured.preview().error?.message).toBe("SPX-J104: not possible while configured");
    const prepared = new RenameSession().prepared();
    expect(prepared.preview({ ...STALE, to: 1 }).error?.message).toBe(
      "SPX-J104: not possible while prepared",
    );
    expect(prepared.session.state).toBe("prepared");
  });
});

describe("rename/apply", () => {
  const refusals: readonly [string, Readonly<Record<string, unknown>>, number, string][] = [
    ["A1", STALE, -32602, "project_revision is not the open one"],
    ["A1 before A2", { ...STALE, preview_digest: 1 }, -32602, "project_revision is not the open one"],
    ["A2", { preview_digest: undefined }, -32602, "SPX-J105: preview_digest is missing"],
    ["A2", { preview_digest: ["x"] }, -32602, "SPX-J105: preview_digest must be text"],
    ["A2", { preview_digest: "" }, -32602, "SPX-J105: preview_digest is empty"],
    ["A2 in order", { preview_digest: "", path: "x" }, -32602, "SPX-J105: preview_digest is empty"],
    ["A2", { path: "x" }, -32602, "SPX-J105: unknown parameter path"],
    ["A2 before A3", { path: "x", preview_digest: "y" }, -32602, "SPX-J105: unknown parameter path"],
    ["A3", { preview_digest: "sha256:other" }, -32602, "preview_digest differs from the plan"],
  ];

  test.each(refusals)(
    "%s: %j touches neither files nor plan, also after a drift (N22)",
    (_, params, code, words) => {
      const session = new RenameSession().prepared();
      const before = inventory(session.root);
      let calls = 0;
      session.files.watch({ before: () => calls++ });
      for (const change of [() => {}, () => drift(session)]) {
        change();
        expect(session.apply(params).error).toEqual({ code, message: words });
        expect(session.session.state).toBe("prepared");
      }
      expect(calls).toBe(0);
      writeFiles(session.root, readProject("calculator"));
      expect(inventory(session.root)).toEqual(before);
      expect(session.apply().result).toMatchObject({ applied: true });
    },
  );

  test("A4: where the receipt does not fit, the session ends and nothing was written (N46)", () => {
    // A receipt can be longer than the preview only with a longer id.
    const receipt = new RenameSession().prepared();
    const params = { ...receipt.revisions, preview_digest: receipt.session.plan?.previewDigest };
    const id = "i".repeat(128);
    const length = Buffer.byteLength(receipt.line("rename/apply", params, id));
    for (const [responseBytesMax, fits] of [
      [length, true],
      [length - 1, false],
    ] as const) {
      const session = new RenameSession({ responseBytesMax }).opened();
      const before = inventory(session.root);
      const plan = new RenameSession().prepared().session.plan;
      if (plan === null) throw new Error("no plan");
      session.session.prepare(plan);
      const line = session.line("rename/apply", params, id);
      expect(line.includes('"applied":true')).toBe(fits);
      expect(session.end).toEqual(fits ? null : { kind: "closed" });
      if (fits) continue;
      expect(line).toBe(OVERFLOW.replace('"id":1', `"id":"${id}"`));
      expect(inventory(session.root)).toEqual(before);
    }
  });

  test("A4 comes before A5: a drift is not seen", () => {
    const session = new RenameSession({ responseBytesMax: 200 }).opened();
    const plan = new RenameSession().prepared().session.plan;
    if (plan === null) throw new Error("no plan");
    session.session.prepare(plan);
    let calls = 0;
    session.files.watch({ before: () => calls++ });
    expect(session.apply().error?.code).toBe(-32001);
    expect(calls).toBe(0);
  });

  test("A5: a drift invalidates for good", () => {
    const session = new RenameSession().prepared();
    drift(session);
    const before = inventory(session.root);
    expect(codeOf(session.apply())).toBe("SPX-J102");
    expect(session.session.state).toBe("invalidated");
    expect(session.end).toBeNull();
    expect(inventory(session.root)).toEqual(before);
    writeFiles(session.root, readProject("calculator"));
    expect(session.apply().error?.message).toBe("SPX-J104: not possible while invalidated");
  });

  test("needs a plan (N20, N34): J104 before everything else", () => {
    const session = new RenameSession();
    for (const state of ["configured", "open", "invalidated"] as const) {
      session.session.state = state;
      expect(session.ask("rename/apply", { nope: 1 }).error).toEqual({
        code: -32000,
        message: `SPX-J104: not possible while ${state}`,
      });
    }
  });

  test("the new snapshot is served, and the base's revisions are stale (N38, N43)", () => {
    const session = new RenameSession().prepared();
    const stale = session.revisions;
    const inode = inventory(session.root).find((line) => line.startsWith("src/core.spx"));
    expect(session.apply().result).toMatchObject({ applied: true });
    expect(session.session.state).toBe("open");
    expect(session.ask("check", stale).error?.code).toBe(-32602);
    for (const method of ["check", "graph", "test", "workspace/snapshot", "workspace/open"]) {
      const params = method === "workspace/open" ? {} : session.revisions;
      expect(session.ask(method, params).error).toBeUndefined();
    }
    const context = { ...session.revisions, target_kind: "declaration", target: "calculator.add" };
    expect(session.ask("context", context).error).toBeUndefined();
    expect(inventory(session.root).map((line) => line.split(" ")[0])).toEqual(
      inventory(copyProject("calculator")).map((line) => line.split(" ")[0]),
    );
    expect(inventory(session.root).find((line) => line.startsWith("src/core.spx"))).not.toBe(inode);
  });

  test("a second apply is J104; a preview knows the new name; renaming back gives the base (N73, N75)", () => {
    const session = new RenameSession().prepared();
    const { revisions } = session;
    const digest = session.session.plan?.previewDigest;
    session.apply();
    expect(core(session)).toBe(SUM);
    expect(session.apply({ preview_digest: digest }).error?.message).toBe(
      "SPX-J104: not possible while open",
    );
    expect(session.preview().error?.message).toBe("SPX-J109: from is not the current name");
    expect(session.preview({ from: "sum", to: "add" }).error).toBeUndefined();
    expect(session.apply().result).toMatchObject({ applied: true });
    expect(core(session)).toBe(BASE);
    expect(session.revisions).toEqual(revisions);
    expect(session.session.close().ok).toBe(true);
  });
});

describe("states (section 7)", () => {
  test("prepared refuses everything that looks at the project, and answers the rest", () => {
    const session = new RenameSession().prepared();
    let calls = 0;
    session.files.watch({ before: () => calls++ });
    for (const method of ["workspace/open", "workspace/snapshot", "check", "graph", "context", "test"]) {
      const params = method === "workspace/open" ? {} : { nope: 1 };
      expect(session.ask(method, params).error?.message).toBe("SPX-J104: not possible while prepared");
    }
    expect(session.ask("ping").result).toEqual({ pong: true, state: "prepared" });
    expect(session.ask("protocol").result).toMatchObject({ state: "prepared" });
    const { project_revision, workspace_revision } = session.revisions;
    expect(session.ask("workspace/status").result).toEqual({
      state: "prepared",
      last_successful_project_revision: project_revision,
      last_successful_workspace_revision: workspace_revision,
    });
    expect(calls).toBe(0);
    expect(session.session.plan).not.toBeNull();
  });

  test("prepared ends well, with the plan forgotten and nothing written (N49)", () => {
    const session = new RenameSession().prepared();
    const before = inventory(session.root);
    expect(session.ask("shutdown").result).toEqual({ ok: true });
    expect(session.session.close()).toEqual({ ok: true, value: undefined });
    expect(inventory(session.root)).toEqual(before);
  });

  test("notifications do nothing (N48)", () => {
    const session = new RenameSession().opened();
    const notify = (method: string, params: Readonly<Record<string, unknown>>) =>
      session.send(JSON.stringify({ jsonrpc: "2.0", method, params }));
    expect(notify("rename/preview", { ...session.revisions, ...ADD_TO_SUM })).toBe("");
    expect(session.session.state).toBe("open");
    session.prepared();
    const preview_digest = session.session.plan?.previewDigest;
    expect(notify("rename/apply", { ...session.revisions, preview_digest })).toBe("");
    expect(session.session.state).toBe("prepared");
    expect(core(session)).toBe(BASE);
  });

  test("on v2 both are unknown, whatever the state and parameters (N76)", () => {
    const session = new RenameSession({ allowProjectRename: false });
    for (const state of ["configured", "open", "invalidated"] as const) {
      session.session.state = state;
      for (const params of [{}, { nope: 1 }, { ...session.revisions, ...ADD_TO_SUM }]) {
        for (const method of ["rename/preview", "rename/apply"]) {
          expect(session.ask(method, params).error).toEqual({
            code: -32601,
            message: `unknown method ${method}`,
          });
        }
      }
    }
    expect(session.ask("protocol").result).toMatchObject({ protocol: "semaprax.agent-transport.v2" });
  });
});

describe("an apply after which nobody is answered", () => {
  const J110 = '{"code":-32000,"message":"SPX-J110: uncertain: inspect the project"}';
  const eio = () => {
    throw Object.assign(new Error("EIO"), { code: "EIO" });
  };

  /** Serves an apply and a ping in one read; `interfere` sees each call of the apply before it is made. */
  function served(interfere: (call: PublishCall, root: string) => void, writes = true) {
    const session = new RenameSession().prepared();
    session.files.watch({ before: (call) => interfere(call, session.root) });
    const params = { ...session.revisions, preview_digest: session.session.plan?.previewDigest };
    const input = [
      { jsonrpc: "2.0", id: 1, method: "rename/apply", params },
      { jsonrpc: "2.0", id: 2, method: "ping" },
    ];
    const bytes = utf8(`${input.map((request) => JSON.stringify(request)).join("\n")}\n`);
    let reads = 0;
    let output = "";
    const read = (buffer: Uint8Array) => {
      if (reads++ > 0) return 0;
      buffer.set(bytes);
      return bytes.length;
    };
    const ending = serve(session.session, new FrameReader(read, 65_536), (slices) => {
      if (!writes) throw Object.assign(new Error("EPIPE"), { code: "EPIPE" });
      const response = concatenate(slices);
      output += new TextDecoder().decode(response);
      return response.length;
    });
    expect(session.files.descriptors.size).toBe(0);
    return { output, ending, text: core(session) };
  }

  const unsynced = ({ name, path }: PublishCall) => {
    if (name === "sync" && path.endsWith("/src")) eio();
  };

  test.each<[string, (call: PublishCall, root: string) => void, string, string, string]>([
    [
      "A20 failed",
      unsynced,
      J110,
      "SPX-J110: uncertain: inspect the project; SPX-I204: cannot sync src/core.spx (EIO)",
      SUM,
    ],
    [
      "the reload failed: stderr says in which source",
      ({ name }, root) => {
        if (name === "rename") writeFileSync(join(root, "src", "app.spx"), "\nother");
      },
      J110,
      'SPX-J110: uncertain: inspect the project; SPX-P104: src/app.spx:2:1: expected "module", not "other"',
      SUM,
    ],
    [
      "the reload saw another program",
      ({ name }, root) => {
        const app = join(root, "src", "app.spx");
        if (name === "rename") writeFileSync(app, readFileSync(app, "utf8").replace("(40,", "(41,"));
      },
      J110,
      "SPX-J110: uncertain: inspect the project",
      SUM,
    ],
    [
      "A10 (N50)",
      ({ name }, root) => {
        if (name === "createLock") appendFileSync(join(root, "src", "app.spx"), "\n");
      },
      '{"code":-32000,"message":"SPX-J102: src/app.spx has other bytes"}',
      "SPX-J102: src/app.spx has other bytes",
      BASE,
    ],
  ])("%s: the response, status 1 and stderr (N42, N50, N71)", (_, interfere, error, words, text) => {
    expect(served(interfere)).toEqual({
      output: `{"jsonrpc":"2.0","id":1,"error":${error}}\n`,
      ending: { status: 1, words },
      text,
    });
  });

  test("stderr tells also where the client is gone (N42, N47)", () => {
    expect(served(unsynced, false)).toEqual({
      output: "",
      ending: {
        status: 1,
        words: "SPX-J110: uncertain: inspect the project; SPX-I204: cannot sync src/core.spx (EIO)",
      },
      text: SUM,
    });
  });
});
