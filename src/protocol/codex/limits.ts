/** Every bound of the Codex adapter, with the rule that sets it. Times are milliseconds, sizes are bytes of UTF-8. */

/** The only release that is spoken to (RC1). */
export const CODEX_VERSION = "0.163.0";
/** The name we introduce ourselves with; `userAgent` repeats it (RC2, RC6). */
export const CLIENT_NAME = "agent_protocol_bridge";

/** One line from Codex (RC8). */
export const LINE_BYTES_MAX = 16 * 1024 * 1024;
/** What `--version` may print before it is not worth reading on. */
export const VERSION_BYTES_MAX = 4096;
/** How long `--version` may take. */
export const VERSION_MS = 20_000;
/** How long Codex may take for an answer; a turn may need to load a model first (RC10). */
export const REQUEST_MS = 20_000;
export const TURN_START_MS = 60_000;
/** From the end of its input until the process is killed (RC12). */
export const STOP_MS = 3_000;
/** How long the pipes of a process that exited may stay open: something it started may hold them. */
export const DRAIN_MS = 1_000;
/** Requests that wait for Codex, of all connections together. */
export const REQUESTS_MAX = 256;
/** Bytes that wait to be read by Codex. */
export const INPUT_BYTES_MAX = 32 * 1024 * 1024;

/** Defaults of the two waits that a host may set; the first is bounded by the wait of a native request (RC13). */
export const APPROVAL_MS = 300_000;
export const RETRY_LIMIT_MS = 120_000;
/** The longest timer of the runtime, for the second. */
export const RETRY_LIMIT_MS_MAX = 2_147_483_647;
/** Approvals that wait for an answer; more are declined. A native server asks no more than this either. */
export const APPROVALS_MAX = 64;

/** An action of files as it is encoded; a larger one does not fit a message, and nobody approves half of it. */
export const ACTION_BYTES_MAX = 960 * 1024;

/** Threads that a host remembers; those that are not loaded give way first. */
export const THREADS_MAX = 128;
/** Encoded events that the log of one thread keeps, so 1 GiB for all of them. */
export const THREAD_LOG_BYTES = 8 * 1024 * 1024;
/** Turns of one thread whose state is remembered. */
export const TURNS_KNOWN_MAX = 128;
/** File changes of one turn that an approval may be about. */
export const FILE_CHANGES_MAX = 64;
/** Unknown method names that are logged once each. */
export const UNKNOWN_METHODS_MAX = 64;

/** Reading turns (RC17): of a page, of an answer, of a turn. */
export const TURNS_PAGE = 32;
export const TURNS_MAX = 128;
export const ITEMS_MAX = 128;
/** Pages of one thread, against a cursor that never ends: 131 072 turns. */
export const PAGES_MAX = 4096;
/** Encoded turns of one answer: 768 KiB, and 16 KiB of them for the thread and the envelope (RC17). */
export const TURNS_BYTES_MAX = 768 * 1024 - 16 * 1024;

/** Bounds of native fields, to which text of Codex is cut (RC30). */
export const TEXT_BYTES_MAX = 262_144;
/** A delta as it is encoded: a page of a log takes no larger event (RC27, R93). */
export const DELTA_BYTES_MAX = 960 * 1024;
export const COMMAND_BYTES_MAX = 65_536;
export const PATH_BYTES_MAX = 4096;
export const DIFF_BYTES_MAX = 131_072;
export const MESSAGE_BYTES_MAX = 4096;
export const LABEL_BYTES_MAX = 256;
export const CHANGES_MAX = 256;
export const PART_MAX = 65_535;
/** A generation is part of approval and stream ids, which have 128 characters at most. */
export const GENERATION_LENGTH_MAX = 64;
