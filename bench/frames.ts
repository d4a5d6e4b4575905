// A frame to a request: the requests that agents send, and the worst that fits into one frame. The rivals are JSON.parse
// of the decoded text, which checks neither duplicate keys nor depth nor lone surrogates, and the same with a check of
// duplicates in a Set.
import { RequestDecoder } from "../src/daemon/request.ts";
import { utf8 } from "../src/kernel/bytes.ts";
import { JsonScanner } from "../src/kernel/json-scan.ts";
import type { Case, HotPath } from "./harness.ts";

const path: HotPath = {
  name: "frames",
  prepare: ({ short }) => [request(), ...hostileFrames(short ? 4096 : 1_048_576).map(scan)],
};
export default path;

function request(): Case {
  const revision = `sha256:${"0123456789abcdef".repeat(4)}`;
  const params = {
    project_revision: revision,
    workspace_revision: revision,
    target_kind: "declaration",
    target: "calculator.add",
  };
  const frame = utf8(JSON.stringify({ jsonrpc: "2.0", id: 12, method: "context", params }));
  const decoder = new RequestDecoder();
  const names = ["project_revision", "workspace_revision", "target_kind", "target", "depth"] as const;
  return {
    name: `request of ${frame.length} bytes`,
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
