import { describe, expect, test } from "bun:test";
import { type WriteSlices, writeResponse } from "../../src/daemon/frame-writer.ts";
import { concatenate, utf8 } from "../../src/kernel/bytes.ts";

const RESPONSE = ["{", "abc", "", "defgh", "}\n"].map(utf8);
const WHOLE = "{abcdefgh}\n";

/** Stdout that takes at most `bytesMax` bytes a call, and throws each of `errors` before the call of its number. */
function stdout(bytesMax: number, errors: Readonly<Record<number, string>> = {}) {
  let written = "";
  let calls = 0;
  const write: WriteSlices = (slices) => {
    const code = errors[calls++];
    if (code !== undefined) throw Object.assign(new Error(code), { code });
    const taken = concatenate(slices).subarray(0, bytesMax);
    written += new TextDecoder().decode(taken);
    return taken.length;
  };
  return { write, written: () => written, calls: () => calls };
}

describe("D19", () => {
  test("a response is one call where the system takes it whole", () => {
    const out = stdout(100);
    expect(writeResponse(out.write, RESPONSE)).toBeNull();
    expect(out.written()).toBe(WHOLE);
    expect(out.calls()).toBe(1);
  });

  test("short writes of every length are continued", () => {
    for (let bytesMax = 1; bytesMax <= WHOLE.length; bytesMax++) {
      const out = stdout(bytesMax);
      expect(writeResponse(out.write, RESPONSE)).toBeNull();
      expect(out.written()).toBe(WHOLE);
      expect(out.calls()).toBe(Math.ceil(WHOLE.length / bytesMax));
    }
  });

  test("EAGAIN and EINTR are waited out, at every place", () => {
    for (let call = 0; call < 4; call++) {
      const out = stdout(4, { [call]: call % 2 === 0 ? "EAGAIN" : "EINTR" });
      expect(writeResponse(out.write, RESPONSE)).toBeNull();
      expect(out.written()).toBe(WHOLE);
    }
  });

  test.each(["EPIPE", "EIO", "ENOSPC", "EBADF"])("%s is an end with words (D13)", (code) => {
    const out = stdout(4, { 1: code });
    expect(writeResponse(out.write, RESPONSE)).toBe(`semapraxd: cannot write output: ${code}`);
    expect(out.written()).toBe(WHOLE.slice(0, 4));
  });

  test("what is no error of the system is a bug", () => {
    const write = () => {
      throw new TypeError("bug");
    };
    expect(() => writeResponse(write, RESPONSE)).toThrow("bug");
  });

  test("nothing is written for nothing", () => {
    const out = stdout(4);
    expect(writeResponse(out.write, [])).toBeNull();
    expect(out.calls()).toBe(0);
  });
});
