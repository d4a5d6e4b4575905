import { describe, expect, test } from "bun:test";
import { FrameReader, type ReadBytes } from "../../src/daemon/frame-reader.ts";
import { utf8 } from "../../src/kernel/bytes.ts";
import { numbers } from "../support/fuzz.ts";

const decoder = new TextDecoder();

/** A system's error, as `fs` throws it. */
function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** Stdin that gives one chunk a call (as much of it as there is room for), throws an error where it holds one, then ends. */
function stdin(...chunks: readonly (string | Uint8Array | Error)[]): ReadBytes {
  const rest = chunks.map((chunk) => (typeof chunk === "string" ? utf8(chunk) : chunk));
  return (buffer, offset) => {
    const chunk = rest.shift();
    if (chunk === undefined) return 0;
    if (chunk instanceof Error) throw chunk;
    const taken = chunk.subarray(0, buffer.length - offset);
    if (taken.length === 0) throw new Error("no room to read into");
    buffer.set(taken, offset);
    if (taken.length < chunk.length) rest.unshift(chunk.subarray(taken.length));
    return taken.length;
  };
}

/** Every frame up to the first that is none, as text. */
function framesOf(reader: FrameReader): string[] {
  const found: string[] = [];
  for (;;) {
    const frame = reader.next();
    if (frame.kind === "frame") {
      found.push(decoder.decode(frame.bytes));
    } else {
      found.push(frame.kind === "failed" ? `failed: ${frame.words}` : `(${frame.kind})`);
      return found;
    }
  }
}

describe("D16 to D18", () => {
  test.each<[string, number, string[], string[]]>([
    ["nothing", 8, [], ["(end)"]],
    ["one frame", 8, ["abc\n"], ["abc", "(end)"]],
    ["a rest at the end is a frame", 8, ["abc\nde"], ["abc", "de", "(end)"]],
    ["an empty frame is skipped", 8, ["\n\n\na\n\n"], ["a", "(end)"]],
    ["blanks are not empty", 8, [" \n\t\n"], [" ", "\t", "(end)"]],
    ["a CR belongs to the frame", 8, ["a\r\n"], ["a\r", "(end)"]],
    ["several in one read", 8, ["a\nbc\ndef\n"], ["a", "bc", "def", "(end)"]],
    ["one in several reads", 8, ["a", "b", "c", "\n"], ["abc", "(end)"]],
    ["exactly the limit", 4, ["abcd\n"], ["abcd", "(end)"]],
    ["exactly the limit without LF", 4, ["abcd"], ["abcd", "(end)"]],
    ["one above the limit", 4, ["abcde\n"], ["(oversized)"]],
    ["one above the limit without LF", 4, ["abcde"], ["(oversized)"]],
    ["after another frame", 4, ["ab\nabcd\nabcde"], ["ab", "abcd", "(oversized)"]],
    ["the limit of one byte", 1, ["a\nb\n\ncd\n"], ["a", "b", "(oversized)"]],
    ["blanks above the limit", 4, ["     \n"], ["(oversized)"]],
    ["bytes count, not characters", 4, ["éé\n", "ééa\n"], ["éé", "(oversized)"]],
  ])("%s", (_, limit, chunks, expected) => {
    expect(framesOf(new FrameReader(stdin(...chunks), limit))).toEqual(expected);
  });

  test("every way of splitting the input in two or three reads gives the same frames", () => {
    const text = "ab\n\ncdefg\nh\n12345678\nxyz";
    const expected = ["ab", "cdefg", "h", "12345678", "xyz", "(end)"];
    for (let first = 0; first <= text.length; first++) {
      for (let second = first; second <= text.length; second++) {
        const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        const reader = new FrameReader(stdin(...chunks.filter((chunk) => chunk !== "")), 8);
        expect(framesOf(reader)).toEqual(expected);
      }
    }
  });

  test("frames of random lengths in reads of random lengths", () => {
    const random = numbers();
    const frames = Array.from({ length: 2000 }, (_, n) => String(n).padEnd(4 + random(29), "."));
    const text = `${frames.join("\n")}\n`;
    const chunks: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = at + 1 + random(100);
      chunks.push(text.slice(at, end));
      at = end;
    }
    expect(framesOf(new FrameReader(stdin(...chunks), 32))).toEqual([...frames, "(end)"]);
  });

  test("an oversized frame is known as soon as one byte too many is there, and then dropped (D66)", () => {
    const read = stdin("abcde", "fgh", "ij\nklm", "nop\n");
    const reader = new FrameReader(read, 4);
    expect(reader.next()).toEqual({ kind: "oversized" });
    expect(reader.drain()).toBeNull();
    // The read that held the LF was dropped whole; nothing after it is looked at.
    expect(read(new Uint8Array(8), 0)).toBe(4);
  });

  test("the rest of an oversized frame may be long, and may end without LF", () => {
    const reader = new FrameReader(stdin("x".repeat(1_000_000)), 4);
    expect(reader.next()).toEqual({ kind: "oversized" });
    expect(reader.drain()).toBeNull();
  });
});

describe("errors of the system", () => {
  test("EAGAIN and EINTR are waited out (D16)", () => {
    const reader = new FrameReader(
      stdin(systemError("EAGAIN"), "a", systemError("EINTR"), systemError("EAGAIN"), "b\n"),
      8,
    );
    expect(framesOf(reader)).toEqual(["ab", "(end)"]);
  });

  test("others are an end with words, also while dropping", () => {
    const failed = "semapraxd: cannot read stdin: EIO";
    expect(framesOf(new FrameReader(stdin("a\nb", systemError("EIO")), 8))).toEqual([
      "a",
      `failed: ${failed}`,
    ]);
    const reader = new FrameReader(stdin("abcdefghi", "j", systemError("EAGAIN"), systemError("EIO")), 8);
    expect(reader.next()).toEqual({ kind: "oversized" });
    expect(reader.drain()).toBe(failed);
  });

  test("what is no error of the system is a bug", () => {
    expect(() => new FrameReader(stdin(new TypeError("bug")), 8).next()).toThrow("bug");
  });
});
