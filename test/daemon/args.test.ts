import { describe, expect, test } from "bun:test";
import { type DaemonOptions, HELP, parseArguments } from "../../src/daemon/args.ts";

const DEFAULTS: DaemonOptions = {
  allowProjectRename: false,
  manifestPath: "semaprax.toml",
  requestBytesMax: 65_536,
  responseBytesMax: 1_048_576,
};

describe("accepted (D1, D2)", () => {
  test.each<[string[], Partial<DaemonOptions>]>([
    [["--stdio"], {}],
    [["--stdio", "--allow-project-rename"], { allowProjectRename: true }],
    [["--allow-project-rename", "--stdio"], { allowProjectRename: true }],
    [["--manifest-path", "a/semaprax.toml", "--stdio"], { manifestPath: "a/semaprax.toml" }],
    [["--stdio", "--manifest-path", "--stdio"], { manifestPath: "--stdio" }],
    [["--stdio", "--manifest-path", "-"], { manifestPath: "-" }],
    [["--stdio", "--manifest-path", "--"], { manifestPath: "--" }],
    [["--stdio", "--max-request-bytes", "1"], { requestBytesMax: 1 }],
    [["--stdio", "--max-request-bytes", "1048576"], { requestBytesMax: 1_048_576 }],
    [["--max-response-bytes", "103", "--stdio"], { responseBytesMax: 103 }],
    [["--max-response-bytes", "16777216", "--stdio"], { responseBytesMax: 16_777_216 }],
  ])("%j", (argv, options) => {
    expect(parseArguments(argv)).toEqual({ kind: "serve", options: { ...DEFAULTS, ...options } });
  });

  test("help and version stand alone (D6)", () => {
    expect(parseArguments(["--help"])).toEqual({ kind: "help" });
    expect(parseArguments(["--version"])).toEqual({ kind: "version" });
    for (const option of ["--stdio", "--manifest-path", "--max-response-bytes"])
      expect(HELP).toContain(option);
  });
});

describe("refused (D3, D4)", () => {
  test.each([
    [[], "--stdio is missing"],
    [["--help", "--stdio"], "unknown option --help; see semapraxd --help"],
    [["--stdio", "--version"], "unknown option --version; see semapraxd --help"],
    [["--help", "--help"], "unknown option --help; see semapraxd --help"],
    [["--"], "unknown option --; see semapraxd --help"],
    [["--", "--stdio"], "unknown option --; see semapraxd --help"],
    [["-h"], "unknown option -h; see semapraxd --help"],
    [[""], "unknown option ; see semapraxd --help"],
    [["stdio"], "unknown option stdio; see semapraxd --help"],
    [["--stdio=1"], "unknown option --stdio=1; see semapraxd --help"],
    [["--manifest-path=a", "--stdio"], "unknown option --manifest-path=a; see semapraxd --help"],
    [["--__proto__"], "unknown option --__proto__; see semapraxd --help"],
    [["constructor"], "unknown option constructor; see semapraxd --help"],
    [["a\nb\x1b[0m"], "unknown option a?b?[0m; see semapraxd --help"],
    [["--stdio", "--stdio"], "--stdio is given twice"],
    [["--allow-project-rename", "--allow-project-rename"], "--allow-project-rename is given twice"],
    [["--manifest-path", "a", "--manifest-path", "b"], "--manifest-path is given twice"],
    [["--max-request-bytes", "1", "--max-request-bytes"], "--max-request-bytes is given twice"],
    [["--stdio", "--manifest-path"], "--manifest-path needs a value"],
    [["--max-request-bytes"], "--max-request-bytes needs a value"],
    [["--max-response-bytes"], "--max-response-bytes needs a value"],
    [["--manifest-path", "", "--stdio"], "--manifest-path is empty"],
    // From left to right, then what is missing, then the bounds.
    [["--max-request-bytes", "x", "--nope"], "--max-request-bytes is not a plain decimal number: x"],
    [["--nope", "--max-request-bytes", "x"], "unknown option --nope; see semapraxd --help"],
    [["--max-request-bytes", "0", "--max-response-bytes", "0"], "--stdio is missing"],
    [
      ["--max-response-bytes", "0", "--max-request-bytes", "0", "--stdio"],
      "--max-request-bytes is not within 1 and 1048576",
    ],
    [["--stdio", "--max-request-bytes", "1048577"], "--max-request-bytes is not within 1 and 1048576"],
    [["--stdio", "--max-response-bytes", "102"], "--max-response-bytes is not within 103 and 16777216"],
    [["--stdio", "--max-response-bytes", "16777217"], "--max-response-bytes is not within 103 and 16777216"],
    [
      ["--stdio", "--max-request-bytes", "18446744073709551615"],
      "--max-request-bytes is not within 1 and 1048576",
    ],
  ])("%j", (argv, words) => {
    expect(parseArguments(argv)).toEqual({ kind: "misuse", words: `semapraxd: ${words}` });
  });

  test.each([
    "",
    "01",
    "00",
    "+5",
    "-1",
    "0x10",
    "1e3",
    "1.0",
    " 1",
    "1 ",
    "1\n",
    "1_000",
    "١",
    "18446744073709551616",
    "99999999999999999999",
    "100000000000000000000",
  ])("%j is no canonical decimal", (text) => {
    expect(parseArguments(["--stdio", "--max-request-bytes", text])).toMatchObject({
      kind: "misuse",
      words: expect.stringContaining("--max-request-bytes is not a plain decimal number"),
    });
  });
});
