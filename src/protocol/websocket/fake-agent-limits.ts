/** Bounds of the fake agent, so that a test which floods it ends. */

/** Events of the inbox, threads, turns of a thread, receipts of commands. */
export const EVENTS_MAX = 1024;
export const THREADS_MAX = 64;
export const TURNS_MAX = 1024;
export const RECEIPTS_MAX = 4096;
/** Items of a turn that are kept, and turns of an answer (R48). */
export const ITEMS_MAX = 128;
export const TURNS_SHOWN_MAX = 128;
/** Encoded turns of one answer, in bytes: what is left of a message beside its envelope. */
export const TURNS_BYTES_MAX = 1_000_000;
/** Text of an item, in bytes: escaped at worst to six times that, it still fits a replay page (R93). */
export const TEXT_BYTES_MAX = 131_072;
