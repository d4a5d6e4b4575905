/**
 * The host's bounded log of one stream (section 8). In memory, and no promise of anything durable (R95). A value: its
 * events lie in chunks that a log shares with its successors, so that appending copies one chunk and not the log.
 */

import { checkedNotification } from "./connection/notify.ts";
import { fail, type Result } from "./error.ts";
import { deepFreeze } from "./json/value.ts";
import { isPosition, PAGE_BYTES_MAX, PAGE_EVENTS_MAX, REPLAY_BYTES, REPLAY_CAPACITY } from "./limits.ts";
import type { SequencedNotification, UnsequencedNotification } from "./message.ts";
import { Id } from "./schema/scalar.ts";

/** Events of one chunk: the most that appending copies. */
const CHUNK_EVENTS = 64;

/** An event as it was sent, deeply frozen, and the bytes of its encoding, so that no page is ever measured again. */
interface Entry {
  readonly message: SequencedNotification;
  readonly bytes: number;
}

interface Log {
  readonly streamId: string;
  readonly capacity: number;
  readonly maxBytes: number;
  /** Chunks of {@link CHUNK_EVENTS}, and the one that is being filled. */
  readonly chunks: readonly (readonly Entry[])[];
  readonly tail: readonly Entry[];
  /** Cursor of the first event in `chunks`, which may have left the log already. */
  readonly base: number;
  /** Cursor of the oldest event of the log; one more than `head` where there is none. */
  readonly first: number;
  readonly head: number;
  /** Of the events `first` to `head`. */
  readonly bytes: number;
}

export interface ReplayOptions {
  /** An Id that no other log ever had, of this host or another (R94). */
  streamId: string;
  /** Events that are kept: 1 to 65 536, 1024 unless given. */
  capacity?: number;
  /** Encoded bytes that are kept: 2^20 to 2^30, 16 MiB unless given. */
  maxBytes?: number;
}

/** One page, ready as result of `stream/resume` (R90). */
export interface ReplayPage {
  stream_id: string;
  cursor: number;
  events: SequencedNotification[];
}

export class Replay {
  readonly #log: Log;

  private constructor(log: Log) {
    this.#log = log;
  }

  /** `invalid_argument` for an option that is not as it must be (R89). */
  static create(options: ReplayOptions): Result<{ replay: Replay }> {
    if (typeof options !== "object" || options === null)
      return fail("invalid_argument", "options must be an object");
    const { streamId, capacity = REPLAY_CAPACITY.default, maxBytes = REPLAY_BYTES.default } = options;
    if (!Id.safeParse(streamId).success) return fail("invalid_argument", "a log needs a stream id");
    if (!isWithin(capacity, REPLAY_CAPACITY) || !isWithin(maxBytes, REPLAY_BYTES)) {
      return fail("invalid_argument", "capacity or maxBytes is out of range");
    }
    const empty = { chunks: [], tail: [], base: 1, first: 1, head: 0, bytes: 0 };
    return { ok: true, replay: new Replay({ streamId, capacity, maxBytes, ...empty }) };
  }

  get streamId(): string {
    return this.#log.streamId;
  }

  /** Cursor of the newest event, 0 before the first. */
  get head(): number {
    return this.#log.head;
  }

  /** Cursor of the oldest event that is kept; `head + 1` in an empty log. */
  get first(): number {
    return this.#log.first;
  }

  /**
   * Numbers a notification; the returned message is to be sent, and stays as it is. `conflict` for one that has a
   * number, `overflow` for one that fits no page (R93), `invalid_argument` for anything else.
   */
  append(notification: UnsequencedNotification): Result<{ message: SequencedNotification; replay: Replay }> {
    const log = this.#log;
    const checked = checkedNotification(notification, Number.MAX_SAFE_INTEGER);
    if (!checked.ok) {
      const { code, message } = checked.error;
      return fail(code === "overflow" ? code : "invalid_argument", message);
    }
    if (checked.message.cursor !== undefined)
      return fail("conflict", "the notification is already sequenced");
    const cursor = log.head + 1;
    const bytes = checked.bytes + numberingBytes(log.streamId, cursor);
    // R93 bounds the nesting too (29 levels), but no defined notification nests deeper than 7.
    if (bytes > PAGE_BYTES_MAX) return fail("overflow", "the event is too large for a page");
    const message = deepFreeze({ ...checked.message, stream_id: log.streamId, cursor });
    return { ok: true, message, replay: new Replay(retain(extend(log, { message, bytes }))) };
  }

  /** The events after `cursor`, at most a page of them (R90-R92). */
  since(cursor: number): Result<{ result: ReplayPage }> {
    const log = this.#log;
    if (!isPosition(cursor)) return fail("invalid_argument", "a cursor is a whole number from 0");
    if (cursor < log.first - 1 || cursor > log.head)
      return fail("replay_gap", "the cursor is outside retention");
    const events: SequencedNotification[] = [];
    let bytes = 0;
    for (let next = cursor + 1; next <= log.head && events.length < PAGE_EVENTS_MAX; next++) {
      const entry = entryAt(log, next);
      bytes += entry.bytes;
      if (bytes > PAGE_BYTES_MAX) break;
      events.push(entry.message);
    }
    return { ok: true, result: { stream_id: log.streamId, cursor: cursor + events.length, events } };
  }
}

function isWithin(value: unknown, { min, max }: { readonly min: number; readonly max: number }): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
}

/** What the two members add to an encoded notification; an Id is ASCII. */
function numberingBytes(streamId: string, cursor: number): number {
  return `,"stream_id":${JSON.stringify(streamId)},"cursor":${cursor}`.length;
}

function extend(log: Log, entry: Entry): Log {
  const tail = [...log.tail, entry];
  const isFull = tail.length === CHUNK_EVENTS;
  return {
    ...log,
    chunks: isFull ? [...log.chunks, tail] : log.chunks,
    tail: isFull ? [] : tail,
    head: log.head + 1,
    bytes: log.bytes + entry.bytes,
  };
}

/** Lets the oldest events go, as far as the bounds demand; the newest always stays (R92). */
function retain(log: Log): Log {
  let { first, bytes } = log;
  while (first < log.head && (log.head - first >= log.capacity || bytes > log.maxBytes)) {
    bytes -= entryAt(log, first).bytes;
    first++;
  }
  const gone = Math.floor((first - log.base) / CHUNK_EVENTS);
  const chunks = gone === 0 ? log.chunks : log.chunks.slice(gone);
  return { ...log, first, bytes, chunks, base: log.base + gone * CHUNK_EVENTS };
}

function entryAt(log: Log, cursor: number): Entry {
  const offset = cursor - log.base;
  const chunk = log.chunks[Math.floor(offset / CHUNK_EVENTS)] ?? log.tail;
  const entry = chunk[offset % CHUNK_EVENTS];
  if (entry === undefined) throw new RangeError("a cursor of the log has no event");
  return entry;
}
