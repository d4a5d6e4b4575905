/** The command line (D1 to D6): arguments to options, without a look at anything else. */
import { clip } from "../kernel/text.ts";
import {
  REQUEST_BYTES_DEFAULT,
  REQUEST_BYTES_MAX,
  REQUEST_BYTES_MIN,
  RESPONSE_BYTES_DEFAULT,
  RESPONSE_BYTES_MAX,
  RESPONSE_BYTES_MIN,
} from "./limits.ts";

export interface DaemonOptions {
  /** Transport v3 in place of v2. */
  readonly allowProjectRename: boolean;
  /** Exactly as given. */
  readonly manifestPath: string;
  readonly requestBytesMax: number;
  readonly responseBytesMax: number;
}

export type Invocation =
  | { readonly kind: "serve"; readonly options: DaemonOptions }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** A usage error (D5); the words are one line. */
  | { readonly kind: "misuse"; readonly words: string };

const DEFAULT_MANIFEST_PATH = "semaprax.toml";
const U64_MAX = 2n ** 64n - 1n;

export const HELP = `usage: semapraxd --stdio [options]

Serves one SPX project over stdin and stdout: one JSON-RPC 2.0 request a line, one response a line.

options:
  --stdio                  required: use stdin and stdout
  --allow-project-rename   transport v3: the client may rename an exported function
  --manifest-path PATH     the project, without . or .. components (default ${DEFAULT_MANIFEST_PATH})
  --max-request-bytes N    longest request line, ${REQUEST_BYTES_MIN} to ${REQUEST_BYTES_MAX} (default ${REQUEST_BYTES_DEFAULT})
  --max-response-bytes N   longest response line, ${RESPONSE_BYTES_MIN} to ${RESPONSE_BYTES_MAX} (default ${RESPONSE_BYTES_DEFAULT})
  --help                   alone: print this text
  --version                alone: print the version
`;

/** Examines the arguments from left to right; the first offence decides (D4). */
export function parseArguments(argv: readonly string[]): Invocation {
  if (argv.length === 1 && argv[0] === "--help") return { kind: "help" };
  if (argv.length === 1 && argv[0] === "--version") return { kind: "version" };
  const seen = new Set<string>();
  let manifestPath = DEFAULT_MANIFEST_PATH;
  let requestBytes: bigint | null = null;
  let responseBytes: bigint | null = null;
  for (let at = 0; at < argv.length; at++) {
    const option = argv[at]!;
    if (!isOption(option)) return misuse(`unknown option ${clip(option)}; see semapraxd --help`);
    if (seen.has(option)) return misuse(`${option} is given twice`);
    seen.add(option);
    if (option === "--stdio" || option === "--allow-project-rename") continue;
    at++;
    const value = argv[at];
    if (value === undefined) return misuse(`${option} needs a value`);
    if (option === "--manifest-path") {
      if (value === "") return misuse(`${option} is empty`);
      manifestPath = value;
      continue;
    }
    const bytes = parseDecimal(value);
    if (bytes === null) return misuse(`${option} is not a plain decimal number: ${clip(value)}`);
    if (option === "--max-request-bytes") requestBytes = bytes;
    else responseBytes = bytes;
  }
  if (!seen.has("--stdio")) return misuse("--stdio is missing");
  const requestBytesMax = requestBytes ?? BigInt(REQUEST_BYTES_DEFAULT);
  if (requestBytesMax < REQUEST_BYTES_MIN || requestBytesMax > REQUEST_BYTES_MAX) {
    return misuse(`--max-request-bytes is not within ${REQUEST_BYTES_MIN} and ${REQUEST_BYTES_MAX}`);
  }
  const responseBytesMax = responseBytes ?? BigInt(RESPONSE_BYTES_DEFAULT);
  if (responseBytesMax < RESPONSE_BYTES_MIN || responseBytesMax > RESPONSE_BYTES_MAX) {
    return misuse(`--max-response-bytes is not within ${RESPONSE_BYTES_MIN} and ${RESPONSE_BYTES_MAX}`);
  }
  return {
    kind: "serve",
    options: {
      allowProjectRename: seen.has("--allow-project-rename"),
      manifestPath,
      requestBytesMax: Number(requestBytesMax),
      responseBytesMax: Number(responseBytesMax),
    },
  };
}

type Option =
  | "--stdio"
  | "--allow-project-rename"
  | "--manifest-path"
  | "--max-request-bytes"
  | "--max-response-bytes";

function isOption(text: string): text is Option {
  switch (text) {
    case "--stdio":
    case "--allow-project-rename":
    case "--manifest-path":
    case "--max-request-bytes":
    case "--max-response-bytes":
      return true;
    default:
      return false;
  }
}

function misuse(words: string): Invocation {
  return { kind: "misuse", words: `semapraxd: ${words}` };
}

/** A canonical decimal of at most 64 bits (D3), or null. */
function parseDecimal(text: string): bigint | null {
  // Twenty digits are the longest number of 64 bits.
  if (!/^(?:0|[1-9][0-9]{0,19})$/.test(text)) return null;
  const value = BigInt(text);
  return value <= U64_MAX ? value : null;
}
