/** Stored turns of a thread, page by page (RC17, RC37). */

import { utf8Length } from "../../kernel/text.ts";
import type { Item, Turn } from "../message.ts";
import type { Link } from "./link.ts";
import { ITEMS_MAX, PAGES_MAX, TURNS_BYTES_MAX, TURNS_MAX, TURNS_PAGE } from "./limits.ts";
import { readItem } from "./schema/item.ts";
import type { CodexTurn } from "./schema/thread.ts";
import { type Failed, hasNoTurns } from "./translate/refusal.ts";
import { commandOfTurn, toTurn } from "./translate/thread.ts";
import { toItem } from "./translate/item.ts";

/**
 * Hands every stored turn to `take`, oldest first, until it returns false. `done` is called once, with null if all of
 * them were seen or `take` had enough.
 */
export function eachTurn(
  link: Link,
  threadId: string,
  take: (turn: CodexTurn) => boolean,
  done: (failed: Failed | null) => void,
): void {
  let pages = 0;
  const next = (cursor: string | null): void => {
    pages += 1;
    if (pages > PAGES_MAX) {
      done({ kind: "full" });
      return;
    }
    const params = {
      threadId,
      sortDirection: "asc",
      itemsView: "full",
      limit: TURNS_PAGE,
      ...(cursor !== null && { cursor }),
    } as const;
    link.call("thread/turns/list", params, (reply) => {
      if (!reply.ok) return done(hasNoTurns(reply.failed) ? null : reply.failed);
      const { data, nextCursor } = reply.result;
      const wantsMore = data.every(take);
      if (!wantsMore || typeof nextCursor !== "string") return done(null);
      next(nextCursor);
    });
  };
  next(null);
}

interface Kept {
  turn: Turn;
  bytes: number;
}

/** The newest turns of a thread that fit an answer. It holds no more than that, however long the thread is. */
export class TurnWindow {
  readonly #threadId: string;
  readonly #kept: Kept[] = [];
  #isTruncated = false;
  #bytes = 0;
  /** Turns before this one have lost their items already. */
  #bare = 0;

  constructor(threadId: string) {
    this.#threadId = threadId;
  }

  add(codexTurn: CodexTurn): void {
    const turn = withItems(toTurn(this.#threadId, codexTurn, commandOfTurn(codexTurn)), codexTurn.items);
    const bytes = sizeOf(turn);
    this.#kept.push({ turn, bytes });
    this.#bytes += bytes;
    if (this.#kept.length > TURNS_MAX) this.#drop();
    this.#shrink();
  }

  result(): { turns: Turn[]; turns_truncated?: true } {
    const turns = this.#kept.map(({ turn }) => turn);
    return this.#isTruncated ? { turns, turns_truncated: true } : { turns };
  }

  /** Leaves out items, those of the oldest turn first; where none are left, the oldest turns. */
  #shrink(): void {
    while (this.#bytes > TURNS_BYTES_MAX) {
      const kept = this.#kept[this.#bare];
      if (kept === undefined) {
        this.#drop();
        continue;
      }
      if ((kept.turn.items ?? []).length === 0) {
        // There is nothing to leave out.
        this.#bare += 1;
        continue;
      }
      const isNewest = this.#bare === this.#kept.length - 1;
      const room = isNewest ? TURNS_BYTES_MAX - (this.#bytes - kept.bytes) : 0;
      kept.turn = withoutOldItems(kept.turn, room);
      const bytes = sizeOf(kept.turn);
      this.#bytes += bytes - kept.bytes;
      kept.bytes = bytes;
      if (kept.turn.items?.length === 0) this.#bare += 1;
    }
  }

  #drop(): void {
    this.#bytes -= this.#kept.shift()?.bytes ?? 0;
    this.#bare = Math.max(0, this.#bare - 1);
    this.#isTruncated = true;
  }
}

/** The newest items of a turn; what cannot be read is left out and shows as a truncation. */
function withItems(turn: Turn, values: readonly unknown[]): Turn {
  const newest = values.slice(-ITEMS_MAX);
  const items = newest.flatMap((value): Item[] => {
    const item = readItem(value);
    return item === null ? [] : [toItem(item, "stored")];
  });
  return items.length < values.length ? { ...turn, items, items_truncated: true } : { ...turn, items };
}

/** Without its oldest items, so that what is left has at most `bytesMax` bytes; without any where none would do. */
function withoutOldItems(turn: Turn, bytesMax: number): Turn {
  const items = turn.items ?? [];
  let left = bytesMax - sizeOf({ ...turn, items: [], items_truncated: true });
  let first = items.length;
  while (first > 0) {
    left -= sizeOf(items[first - 1] ?? null) + 1;
    if (left < 0) break;
    first -= 1;
  }
  return { ...turn, items: items.slice(first), items_truncated: true };
}

function sizeOf(value: Turn | Item | null): number {
  return utf8Length(JSON.stringify(value));
}
