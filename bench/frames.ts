// Input to frames to requests: frames out of what a read gave, the requests that agents send, and the worst that fits into
// one frame. The rivals are splitting of text, and JSON.parse of the decoded text, which checks neither duplicate keys nor
// depth nor lone surrogates, and the same with a check of duplicates in a Set.
import { FrameReader } from "../src/daemon/frame-reader.ts";
import { RequestDecoder } from "../src/daemon/request.ts";
import { utf8 } from "../src/kernel/bytes.ts";
import { JsonScanner } from "../src/kernel/json-scan.ts";
import type { Case, HotPath } from "./harness.ts";

const path: HotPath = {
  name: "frames",
  prepare: ({ short }) => [
    split(1000),
    request("ping", {}),
    request("context", { ...REVISIONS, target_kind: "declaration", target: "calculator.add" }),
    request("context", { ...REVISIONS, target_kind: "declaration", target: "t".repeat(65_000) }),
    ...hostileFrames(short ? 4096 : 1_048_576).map(scan),
  ],
};
export default path;

const REVISION = `sha256:${"0123456789abcdef".repeat(4)}`;
const REVISIONS = { project_revision: REVISION, workspace_revision: REVISION };

/** Frames that arrived together. */
function split(count: number): Case {
  const input = utf8(
    `${JSON.stringify({ jsonrpc: "2.0", id: 12, method: "check", params: {} })}\n`.repeat(count),
  );
  const ours = () => {
    let done = 0;
    const reader = new FrameReader((buffer, offset) => {
      const part = input.subarray(done, done + Math.min(65_536, buffer.length - offset));
      buffer.set(part, offset);
      done += part.length;
      return part.length;
    }, 65_536);
    let bytes = 0;
    for (let frame = reader.next(); frame.kind === "frame"; frame = reader.next())
      bytes += frame.bytes.length;
    return bytes;
  };
  const plain = () => {
    let [rest, bytes] = ["", 0];
    for (let at = 0; at < input.length; at += 65_536) {
      const lines = (rest + decoder.decode(input.subarray(at, at + 65_536))).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) bytes += line.length;
    }
    return bytes;
  };
  return {
    name: `${count} frames in ${input.length} bytes`,
    ours: { name: "FrameReader", run: ours, result: ours },
    rivals: [{ name: "decode and split", run: plain, result: plain }],
    work: { amount: count, unit: "requests" },
  };
}

/** A request as the daemon takes it, up to the values of its parameters. */
function request(method: string, params: object): Case {
  const frame = utf8(JSON.stringify({ jsonrpc: "2.0", id: 12, method, params }));
  const decoder = new RequestDecoder();
  const names = ["project_revision", "workspace_revision", "target_kind", "target", "depth"] as const;
  return {
    name: `${method} request of ${frame.length} bytes`,
    ours: {
      name: "decode and bind",
      run: () => {
        const decoded = decoder.decode(frame);
        return decoded.kind === "request" && decoded.parameters.bind(names).text("target");
      },
    },
    rivals: [{ name: "JSON.parse", run: () => parse(frame) }],
    work: { amount: frame.length, unit: "bytes" },
  };
}

function scan([name, frame]: readonly [string, Uint8Array]): Case {
  const scanner = new JsonScanner(2);
  return {
    name: `${frame.length} bytes of ${name}`,
    ours: { name: "scan", run: () => scanner.scan(frame) },
    rivals: [
      { name: "JSON.parse", run: () => parse(frame) },
      { name: "JSON.parse, keys in a Set", run: () => duplicates(parse(frame)) },
    ],
    work: { amount: frame.length, unit: "bytes" },
  };
}

/** Frames of nearly `length` bytes, each the worst for something. */
function hostileFrames(length: number): readonly (readonly [string, Uint8Array])[] {
  const scattered = (n: number) => ((n * 2_654_435_761) % 2 ** 32).toString(36);
  return [
    ["different keys", utf8(filled(length, "{", (n) => `"${scattered(n)}":0`, "}"))],
    ["keys with escapes", utf8(filled(length, "{", (n) => `"\\u0061${scattered(n)}":0`, "}"))],
    ["small objects", utf8(filled(length, "[", () => '{"a":0,"b":1}', "]"))],
    ["deep arrays", utf8(filled(length, "[", () => "[".repeat(126) + "]".repeat(126), "]"))],
    ["numbers near the largest", utf8(filled(length, "[", () => "1.7976931348623157e308", "]"))],
    ["escapes", utf8(`"${"\\u0061".repeat(Math.floor(length / 6) - 1)}"`)],
  ];
}

function filled(length: number, before: string, element: (n: number) => string, after: string): string {
  const elements: string[] = [];
  let total = before.length + after.length;
  for (let n = 0; total < length; n++) {
    elements.push(element(n));
    total += elements[n]!.length + 1;
  }
  elements.pop();
  return `${before}${elements.join()}${after}`;
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function parse(frame: Uint8Array): unknown {
  return JSON.parse(decoder.decode(frame));
}

/** What a check costs beside a parser that has dropped duplicates already: every key of every object into a Set. */
function duplicates(value: unknown): number {
  let count = 0;
  const rest = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (next === null || typeof next !== "object") continue;
    if (!Array.isArray(next)) count += new Set(Object.keys(next)).size;
    rest.push(...Object.values(next).filter((inner) => typeof inner === "object"));
  }
  return count;
}
