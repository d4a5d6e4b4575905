import { describe, expect, test } from "bun:test";
import { LineSplitter } from "../../../src/protocol/codex/lines.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (line: Uint8Array) => new TextDecoder().decode(line);

function split(chunks: readonly string[], bytesMax = 100): { lines: string[]; states: string[] } {
  const splitter = new LineSplitter(bytesMax);
  const lines: string[] = [];
  const states = chunks.map((chunk) => splitter.push(bytes(chunk), (line) => lines.push(text(line)) < 100));
  return { lines, states };
}

describe("lines of a process", () => {
  test("RC6: cut at every place, they are the same", () => {
    const whole = '{"a":1}\n\n{"b":"é漢"}\nrest';
    const all = bytes(whole);
    for (let at = 0; at <= all.length; at++) {
      const splitter = new LineSplitter(100);
      const lines: string[] = [];
      for (const chunk of [all.subarray(0, at), all.subarray(at)]) {
        expect(splitter.push(chunk, (line) => lines.push(text(line)) > 0)).toBe("more");
      }
      expect(lines).toEqual(['{"a":1}', "", '{"b":"é漢"}']);
    }
  });

  test("RC8: a line of the bound passes, one byte more does not, in one piece or many", () => {
    expect(split(["12345678\n"], 8)).toEqual({ lines: ["12345678"], states: ["more"] });
    expect(split(["123456789\n"], 8)).toEqual({ lines: [], states: ["overlong"] });
    expect(split(["1234", "5678", "\n"], 8)).toEqual({
      lines: ["12345678"],
      states: ["more", "more", "more"],
    });
    expect(split(["1234", "5678", "9"], 8).states).toEqual(["more", "more", "overlong"]);
    expect(split(["12345678"], 8).states).toEqual(["more"]);
    expect(split(["ab\n123456789"], 8)).toEqual({ lines: ["ab"], states: ["overlong"] });
  });

  test("RC8: nothing is handed over after a line that stops", () => {
    const splitter = new LineSplitter(100);
    const seen: string[] = [];
    const take = (line: Uint8Array) => seen.push(text(line)) < 2;
    expect(splitter.push(bytes("a\nb\nc\n"), take)).toBe("stopped");
    expect(seen).toEqual(["a", "b"]);
  });
});
