// Frames and words of a daemon, however the pipe cuts them.
import { describe, expect, test } from "bun:test";
import { FrameStream, readStart } from "../../src/bridge/output.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function chunksOf(texts: readonly string[]) {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const text of texts) controller.enqueue(encoder.encode(text));
      controller.close();
    },
  }).getReader();
}

/** Everything that a stream gives, up to its end or to a frame that is too long. */
async function framesOf(texts: readonly string[], bytesMax = 100): Promise<(string | null)[]> {
  const stream = new FrameStream(chunksOf(texts), bytesMax);
  const frames: (string | null)[] = [];
  for (;;) {
    const frame = await stream.next();
    frames.push(frame instanceof Uint8Array ? decoder.decode(frame) : frame);
    if (!(frame instanceof Uint8Array)) return frames;
  }
}

describe("frames", () => {
  const cases: [chunks: string[], frames: (string | null)[]][] = [
    [[], [null]],
    [["a\n"], ["a", null]],
    [
      ["a", "b", "c\n", "d\n"],
      ["abc", "d", null],
    ],
    [["a\nb\nc\n"], ["a", "b", "c", null]],
    [
      ["a\nb", "c\nd"],
      ["a", "bc", "d", null],
    ],
    [["\n\n"], ["", "", null]],
    [
      ["a", "\n"],
      ["a", null],
    ],
    [["no end"], ["no end", null]],
  ];
  test.each(cases)("%j", async (chunks, frames) => {
    expect(await framesOf(chunks)).toEqual(frames);
  });

  test("cut anywhere are the same", async () => {
    const text = "one\ntwo\n\nthree\n";
    for (let at = 0; at <= text.length; at++) {
      expect(await framesOf([text.slice(0, at), text.slice(at)])).toEqual(["one", "two", "", "three", null]);
    }
  });

  test("are bounded, LF included", async () => {
    expect(await framesOf(["1234\n"], 5)).toEqual(["1234", null]);
    expect(await framesOf(["12345\n"], 5)).toEqual(["too long"]);
    expect(await framesOf(["1234", "\n"], 5)).toEqual(["1234", null]);
    expect(await framesOf(["12345", "\n"], 5)).toEqual(["too long"]);
    expect(await framesOf(["1\n", "123456"], 5)).toEqual(["1", "too long"]);
    expect(await framesOf(["1\n123456"], 5)).toEqual(["1", "too long"]);
  });
});

describe("words", () => {
  test.each<[string[], string]>([
    [[], ""],
    [["ab", "cd"], "abcd"],
    [["abcd", "e"], "abcd"],
    [["ab", "cdef", "g"], "abcd"],
  ])("of %j the first four bytes are %j", async (chunks, words) => {
    expect(await readStart(chunksOf(chunks), 4)).toBe(words);
  });
});
