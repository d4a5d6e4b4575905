// The real daemon over real pipes: frames that arrive in pieces, requests with one wrong byte, inputs that change.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Conversation, inventory } from "../support/daemon-process.ts";
import { copyProject, FIXTURES, removeTemporaryFolders } from "../support/projects.ts";

const TIMEOUT_MS = 120_000;
const OPEN = '{"jsonrpc":"2.0","id":2,"method":"workspace/open"}';

const SESSION = readFileSync(join(FIXTURES, "sessions", "calculator-v2.jsonl"), "utf8")
  .trimEnd()
  .split("\n");
const REQUESTS = SESSION.filter((line, at) => at % 2 === 0 && !line.includes('"shutdown"'));
const CHECK = REQUESTS.find((line) => line.includes('"check"') && line.includes("sha256:")) ?? "";
const CONTEXT = REQUESTS.find((line) => line.includes('"context"') && line.includes("sha256:")) ?? "";

afterAll(removeTemporaryFolders);

describe("one session", () => {
  let root = "";
  let before: string[] = [];
  let talk: Conversation;

  beforeAll(async () => {
    root = copyProject("calculator");
    before = inventory(root);
    talk = new Conversation(["--stdio"], root);
    expect(await talk.ask(OPEN)).toContain('"opened":true');
  }, TIMEOUT_MS);

  test.each([
    ["ping", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
    ["check", CHECK],
    ["context", CONTEXT],
  ])(
    "answers %s alike wherever its frame is split (D16)",
    async (_, request) => {
      const whole = await talk.ask(request);
      expect(whole).toContain('"result":');
      const bytes = new TextEncoder().encode(`${request}\n`);
      for (let at = 1; at < bytes.length; at++) {
        talk.write(bytes.subarray(0, at));
        // Lets the first piece be read on its own.
        await Bun.sleep(0);
        talk.write(bytes.subarray(at));
        expect(await talk.line()).toBe(whole);
      }
    },
    TIMEOUT_MS,
  );

  test(
    "answers a request with one wrong byte with one line or, where it became a notification, with none (D9, D20, D32)",
    async () => {
      const valid = new TextEncoder().encode(CHECK);
      const wrong = ["\0", '"', "{", "}", "\\", ",", "9", "\r", " ", "z"]
        .map((text) => text.charCodeAt(0))
        .concat(0xff, 0x80);
      let silent = 0;
      for (let at = 0; at < valid.length; at++) {
        for (const byte of wrong.filter((value) => value !== valid[at])) {
          const frame = Uint8Array.from(valid);
          frame[at] = byte;
          talk.write(frame);
          talk.write('\n{"jsonrpc":"2.0","id":"sentinel","method":"ping"}\n');
          const first = JSON.parse((await talk.line()) ?? "");
          if (first.id === "sentinel") {
            silent++;
            continue;
          }
          expect(Object.keys(first)).toEqual(["jsonrpc", "id", "result" in first ? "result" : "error"]);
          const second = await talk.line();
          expect(second).toBe('{"jsonrpc":"2.0","id":"sentinel","result":{"pong":true,"state":"open"}}');
        }
      }
      // No single byte of these takes the id away without making its key unknown.
      expect(silent).toBe(0);
    },
    TIMEOUT_MS,
  );

  test(
    "wrote nothing and ends well",
    async () => {
      expect(await talk.end()).toEqual({ stderr: "", status: 0 });
      expect(inventory(root)).toEqual(before);
    },
    TIMEOUT_MS,
  );
});

interface Change {
  readonly name: string;
  readonly apply: (root: string) => void;
}

const core = (root: string) => join(root, "src", "core.spx");
const manifest = (root: string) => join(root, "semaprax.toml");

const SEEN: readonly Change[] = [
  { name: "one more byte", apply: (root) => appendFileSync(core(root), "\n") },
  { name: "one byte less", apply: (root) => truncateSync(core(root), readFileSync(core(root)).length - 1) },
  {
    name: "another byte in the manifest",
    apply: (root) =>
      writeFileSync(manifest(root), readFileSync(manifest(root), "utf8").replace("calculator", "calculatoR")),
  },
  { name: "another mode of a file", apply: (root) => chmodSync(core(root), 0o600) },
  { name: "another mode of a folder", apply: (root) => chmodSync(join(root, "src"), 0o700) },
  { name: "a second hard link", apply: (root) => linkSync(core(root), join(root, "src", "other")) },
  {
    name: "the same bytes in a new inode",
    apply: (root) => {
      copyFileSync(core(root), `${core(root)}.new`);
      renameSync(`${core(root)}.new`, core(root));
    },
  },
  {
    name: "a link in place of the file",
    apply: (root) => {
      renameSync(core(root), join(root, "moved"));
      symlinkSync("../moved", core(root));
    },
  },
  { name: "a file removed", apply: (root) => rmSync(core(root)) },
  { name: "a folder moved", apply: (root) => renameSync(join(root, "src"), join(root, "moved")) },
];

const UNSEEN: readonly Change[] = [
  { name: "a touch", apply: (root) => utimesSync(core(root), new Date(0), new Date(0)) },
  {
    name: "the same bytes written again",
    apply: (root) => writeFileSync(core(root), readFileSync(core(root))),
  },
  {
    name: "a new file beside the sources",
    apply: (root) => writeFileSync(join(root, "src", "new.spx"), "x"),
  },
  {
    name: "the file moved away and back",
    apply: (root) => {
      renameSync(core(root), join(root, "moved"));
      renameSync(join(root, "moved"), core(root));
    },
  },
];

/** Opens, lets `change` happen, and asks: the answer to `check`, then the exit status. */
async function checkAfter(change: Change): Promise<{ answer: string; status: number }> {
  const root = copyProject("calculator");
  const talk = new Conversation(["--stdio"], root);
  expect(await talk.ask(OPEN)).toContain('"opened":true');
  change.apply(root);
  const answer = (await talk.ask(CHECK)) ?? "";
  const { status } = await talk.end();
  return { answer, status };
}

describe("a change of the inputs while the session runs (D57)", () => {
  test.each([...SEEN])(
    "$name is J102 and status 1",
    async (change) => {
      const { answer, status } = await checkAfter(change);
      expect(answer).toMatch(/"error":\{"code":-32000,"message":"SPX-J102: /);
      expect(status).toBe(1);
    },
    TIMEOUT_MS,
  );

  test.each([...UNSEEN])(
    "$name is no drift",
    async (change) => {
      const { answer, status } = await checkAfter(change);
      expect(answer).toContain('"result":{"ok":true}');
      expect(status).toBe(0);
    },
    TIMEOUT_MS,
  );
});
