/**
 * An immutable first-in-first-out queue in two parts: an array that is read from the front, and a list of what came
 * later, newest first. Adding and taking copy nothing; the list is turned over once for each of its members.
 */
export interface Queue<T> {
  readonly front: readonly T[];
  /** How many of `front` were taken. */
  readonly taken: number;
  readonly back: Link<T> | null;
  readonly size: number;
}

interface Link<T> {
  readonly value: T;
  readonly older: Link<T> | null;
}

export function emptyQueue<T>(): Queue<T> {
  return { front: [], taken: 0, back: null, size: 0 };
}

export function push<T>(queue: Queue<T>, value: T): Queue<T> {
  return { ...queue, back: { value, older: queue.back }, size: queue.size + 1 };
}

/** Takes up to `max` of the oldest values. */
export function take<T>(queue: Queue<T>, max: number): { values: T[]; rest: Queue<T> } {
  const values = queue.front.slice(queue.taken, queue.taken + max);
  const taken = queue.taken + values.length;
  const size = queue.size - values.length;
  if (values.length === max || size === 0) {
    return { values, rest: size === 0 ? emptyQueue() : { ...queue, taken, size } };
  }
  const front = turnOver(queue.back, size);
  const more = front.slice(0, max - values.length);
  values.push(...more);
  return { values, rest: { front, taken: more.length, back: null, size: size - more.length } };
}

function turnOver<T>(newest: Link<T> | null, size: number): T[] {
  const values = new Array<T>(size);
  let at = size;
  for (let link = newest; link !== null; link = link.older) values[--at] = link.value;
  return values;
}
