/** Positions in streams (R75-R88, R125): what was received, handed out and processed of each. Values, not machines. */

import { fail, type ProtocolError, type Result } from "../error.ts";
import { type Digest, digestOf } from "../json/canonical.ts";
import { isPosition, type Limits } from "../limits.ts";
import type { NotificationMessage } from "../message.ts";
import { isPlainObject } from "../json/value.ts";
import { Id } from "../schema/scalar.ts";

/** `processed <= drained <= received`. */
export interface Stream {
  readonly processed: number;
  readonly drained: number;
  readonly received: number;
  /** Of the events `processed + 1` to `received`. */
  readonly digests: readonly Digest[];
}

export type Streams = ReadonlyMap<string, Stream>;

/** A place in a stream. */
export interface Place {
  readonly streamId: string;
  readonly cursor: number;
}

/** Null for an ephemeral notification (R74). */
export function placeOf({ stream_id, cursor }: NotificationMessage): Place | null {
  return stream_id === undefined || cursor === undefined ? null : { streamId: stream_id, cursor };
}

/** R83: checkpoints of the same authenticated host. */
export function restore(
  checkpoints: Readonly<Record<string, number>> = {},
  limits: Readonly<Limits>,
): Result<{ streams: Streams }> {
  // A Map, for one, has no members: it would silently restore nothing.
  if (!isPlainObject(checkpoints)) return fail("invalid_argument", "checkpoints must be a plain object");
  const entries = Object.entries(checkpoints);
  if (entries.length > limits.streams) return fail("overflow", "more checkpoints than streams may be kept");
  const streams = new Map<string, Stream>();
  for (const [streamId, cursor] of entries) {
    if (!isPlace(streamId, cursor))
      return fail("invalid_argument", "a checkpoint is no stream with a position");
    streams.set(streamId, standingAt(cursor));
  }
  return { ok: true, streams };
}

function standingAt(position: number): Stream {
  // No position is -0 (R14).
  const cursor = position + 0;
  return { processed: cursor, drained: cursor, received: cursor, digests: [] };
}

export function isPlace(streamId: unknown, cursor: unknown): boolean {
  return Id.safeParse(streamId).success && isPosition(cursor);
}

/** R75-R79: the streams with one more event, or null where it is an event that is known already. */
export function receiveEvent(
  streams: Streams,
  message: NotificationMessage,
  { streamId, cursor }: Place,
  limits: Readonly<Limits>,
): Result<{ streams: Streams | null }> {
  const stream = streams.get(streamId) ?? standingAt(0);
  if (cursor <= stream.processed) return { ok: true, streams: null };
  if (cursor > stream.received + 1) return fail("cursor_gap", "the event skips one that was never received");
  const digest = digestOf(message);
  if (cursor <= stream.received) {
    const isSame = stream.digests[cursor - stream.processed - 1] === digest;
    return isSame
      ? { ok: true, streams: null }
      : fail("conflict", "the event was received before with other content");
  }
  if (!streams.has(streamId) && streams.size >= limits.streams) return fail("overflow", "too many streams");
  if (stream.digests.length >= limits.hashes)
    return fail("overflow", "too many unprocessed events of one stream");
  return {
    ok: true,
    streams: put(streams, streamId, { ...stream, received: cursor, digests: [...stream.digests, digest] }),
  };
}

/** R103: as {@link receiveEvent} at a server, which keeps nothing between receipt and processing. */
export function processEvent(
  streams: Streams,
  { streamId, cursor }: Place,
  limits: Readonly<Limits>,
): Result<{ streams: Streams | null }> {
  const processed = streams.get(streamId)?.processed ?? 0;
  if (cursor <= processed) return { ok: true, streams: null };
  if (cursor > processed + 1) return fail("cursor_gap", "the event skips one that was never processed");
  if (!streams.has(streamId) && streams.size >= limits.streams) return fail("overflow", "too many streams");
  return { ok: true, streams: put(streams, streamId, standingAt(cursor)) };
}

/** R80: what was handed out, in the order of arrival. */
export function drainEvents(streams: Streams, places: readonly Place[]): Streams {
  if (places.length === 0) return streams;
  const next = new Map(streams);
  for (const { streamId, cursor } of places) {
    const stream = next.get(streamId);
    if (stream !== undefined) next.set(streamId, { ...stream, drained: cursor });
  }
  return next;
}

/** R81: moves the processed position, and only this does. */
export function acknowledge(streams: Streams, { streamId, cursor }: Place): Result<{ streams: Streams }> {
  const stream = streams.get(streamId);
  if (stream === undefined) return unknownStream();
  if (cursor <= stream.processed) return { ok: true, streams };
  if (cursor > stream.drained) return fail("cursor_gap", "only what was drained can be acknowledged");
  const digests = stream.digests.slice(cursor - stream.processed);
  return { ok: true, streams: put(streams, streamId, { ...stream, processed: cursor, digests }) };
}

/** R84: a position without history, from the head of a snapshot. */
export function adopt(
  streams: Streams,
  { streamId, cursor }: Place,
  limits: Readonly<Limits>,
): Result<{ streams: Streams }> {
  const stream = streams.get(streamId);
  if (stream === undefined && streams.size >= limits.streams) return fail("overflow", "too many streams");
  if (stream !== undefined && stream.digests.length > 0) return unprocessed();
  if (stream !== undefined && cursor < stream.processed) {
    return fail("cursor_gap", "a position does not move backwards");
  }
  return { ok: true, streams: put(streams, streamId, standingAt(cursor)) };
}

/** R125: the stream is then one never seen. */
export function forget(streams: Streams, streamId: string): Result<{ streams: Streams }> {
  const stream = streams.get(streamId);
  if (stream === undefined) return unknownStream();
  if (stream.digests.length > 0) return unprocessed();
  const next = new Map(streams);
  next.delete(streamId);
  return { ok: true, streams: next };
}

/** R86: 0 for a stream never seen. */
export function receivedOf(streams: Streams, streamId: string): number {
  return streams.get(streamId)?.received ?? 0;
}

/** R82: keys sorted. Defined as own members, since an id may be any name. */
export function checkpointsOf(streams: Streams): Record<string, number> {
  const entries = [...streams].map(([streamId, { processed }]) => [streamId, processed] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function put(streams: Streams, streamId: string, stream: Stream): Streams {
  return new Map(streams).set(streamId, stream);
}

function unknownStream(): { ok: false; error: ProtocolError } {
  return fail("foreign_stream", "no event of this stream was ever received");
}

function unprocessed(): { ok: false; error: ProtocolError } {
  return fail("conflict", "the stream has unprocessed events");
}
