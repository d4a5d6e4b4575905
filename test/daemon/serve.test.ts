import { afterAll, describe, expect, test } from "bun:test";
import { FrameReader, type ReadBytes } from "../../src/daemon/frame-reader.ts";
import type { WriteSlices } from "../../src/daemon/frame-writer.ts";
import { type Ending, serve } from "../../src/daemon/serve.ts";
import { concatenate, utf8 } from "../../src/kernel/bytes.ts";
import { removeTemporaryFolders } from "../support/projects.ts";
import { startSession } from "../support/session.ts";

afterAll(removeTemporaryFolders);

const LIMIT = 200;
const request = (method: string, id = 1) => `{"jsonrpc":"2.0","id":${id},"method":"${method}"}\n`;
const SHUTDOWN_NOTIFICATION = '{"jsonrpc":"2.0","method":"shutdown"}\n';
const PONG = (id: number) => `{"jsonrpc":"2.0","id":${id},"result":{"pong":true,"state":"configured"}}\n`;

interface Scene {
  readonly input: readonly string[];
  /** What the call of a number fails with, in place of reading or writing. */
  readonly failRead?: Readonly<Record<number, string>>;
  readonly failWrite?: Readonly<Record<number, string>>;
  /** From when on the inputs are changed: the nth authentication. */
  readonly drift?: number;
  readonly responseBytesMax?: number;
}

/** Serves a session from and to memory. */
function play({ input, failRead = {}, failWrite = {}, drift = 0, responseBytesMax = 4096 }: Scene) {
  const started = startSession({ requestBytesMax: LIMIT, responseBytesMax });
  started.driftFromNext(drift);
  const log: string[] = [];
  const chunks = input.map(utf8);
  let reads = 0;
  const read: ReadBytes = (buffer, offset) => {
    const code = failRead[reads++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    const chunk = chunks.shift();
    if (chunk === undefined) return 0;
    const taken = chunk.subarray(0, buffer.length - offset);
    if (taken.length < chunk.length) chunks.unshift(chunk.subarray(taken.length));
    buffer.set(taken, offset);
    return taken.length;
  };
  let writes = 0;
  const write: WriteSlices = (slices) => {
    const code = failWrite[writes++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    const bytes = concatenate(slices);
    log.push(new TextDecoder().decode(bytes));
    return bytes.length;
  };
  const ending = serve(started.session, new FrameReader(read, LIMIT), write);
  return { output: log.join(""), ending, unread: chunks.length };
}

const GOOD: Ending = { status: 0 };

describe("the ends of a session (D13, D14)", () => {
  const oversized =
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"request is longer than the limit"}}\n';
  const overflow =
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"response exceeds configured byte limit"}}\n';

  test.each<[string, Scene, string]>([
    ["EOF at once", { input: [] }, ""],
    ["EOF", { input: [request("ping")] }, PONG(1)],
    ["EOF in a request", { input: [request("ping").trimEnd()] }, PONG(1)],
    [
      "shutdown",
      { input: [request("shutdown"), request("ping")] },
      '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}\n',
    ],
    ["shutdown as a notification", { input: [SHUTDOWN_NOTIFICATION, request("ping")] }, ""],
    ["an oversized frame", { input: ["x".repeat(201), "y\n", request("ping")] }, oversized],
    ["an oversized frame without end", { input: ["x".repeat(9999)] }, oversized],
    ["overflow", { input: [request("protocol"), request("ping")], responseBytesMax: 200 }, overflow],
  ])("%s", (_, scene, output) => {
    expect(play(scene)).toMatchObject({ output, ending: GOOD });
    // The same with changed inputs: the last response is written, the status tells.
    const changed = play({ ...scene, drift: 1 });
    expect(changed.output).toBe(output);
    expect(changed.ending).toMatchObject({ status: 1, words: expect.stringMatching(/^SPX-J102: [^\n]+$/) });
  });

  test("nothing behind the end is looked at", () => {
    expect(play({ input: [request("shutdown"), request("ping")] }).unread).toBe(1);
    expect(play({ input: [SHUTDOWN_NOTIFICATION, request("ping")] }).unread).toBe(1);
  });

  test("frames of one read are answered in order", () => {
    const input = [request("ping", 1) + request("ping", 2) + request("ping", 3)];
    expect(play({ input }).output).toBe(PONG(1) + PONG(2) + PONG(3));
  });

  test("an invalidated session whose inputs are back ends well", () => {
    // The first authentication is that of workspace/open. It fails; the next, at the end, is told not to.
    const started = startSession();
    started.driftFromNext(1);
    started.ask({ method: "workspace/open" });
    started.driftFromNext(0);
    expect(serve(started.session, new FrameReader(() => 0, LIMIT), () => 0)).toEqual(GOOD);
  });
});

describe("reading or writing fails", () => {
  test.each<[string, Scene, string]>([
    ["stdin", { input: [request("ping")], failRead: { 1: "EIO" } }, "semapraxd: cannot read stdin: EIO"],
    [
      "stdin while an oversized frame is dropped",
      { input: ["x".repeat(201)], failRead: { 1: "EISDIR" } },
      "semapraxd: cannot read stdin: EISDIR",
    ],
    [
      "stdout",
      { input: [request("ping")], failWrite: { 0: "EPIPE" } },
      "semapraxd: cannot write output: EPIPE",
    ],
    [
      "stdout, for the response to shutdown",
      { input: [request("shutdown")], failWrite: { 0: "EPIPE" } },
      "semapraxd: cannot write output: EPIPE",
    ],
    [
      "stdout, for an oversized frame",
      { input: ["x".repeat(201), "\n"], failWrite: { 0: "ENOSPC" } },
      "semapraxd: cannot write output: ENOSPC",
    ],
  ])("%s", (_, scene, words) => {
    expect(play(scene).ending).toEqual({ status: 1, words });
    const changed = play({ ...scene, drift: 1 }).ending;
    expect(changed).toMatchObject({ status: 1, words: expect.stringContaining(`${words}; SPX-J102: `) });
  });

  test("a pipe that is full or empty for a while is waited for (D16, D19)", () => {
    const scene: Scene = { input: [request("ping")], failRead: { 0: "EAGAIN" }, failWrite: { 0: "EAGAIN" } };
    expect(play(scene)).toMatchObject({ output: PONG(1), ending: GOOD });
  });
});
