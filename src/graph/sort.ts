/** The two sorts of the build. Both are linear in what they have to look at (G20) and neither calls a comparator. */

/** Ranges this short are sorted by insertion: at most 8 comparisons a string, so still linear in its bytes. */
const INSERTION_MAX = 8;
/** Stands for the byte after the last one: a prefix sorts before what it is a prefix of. */
const END = -1;

/**
 * Sorts the numbers in `order` by the strings that they stand for: string n is `bytes[start[n]]` …
 * `bytes[start[n + 1] - 1]`. Multikey quicksort: a byte that a range has in common is looked at once per string,
 * however long the common prefixes are.
 */
export function sortByBytes(order: Uint32Array, bytes: Uint8Array, start: Uint32Array): void {
  const byteAt = (string: number, depth: number): number => {
    const at = start[string]! + depth;
    return at < start[string + 1]! ? bytes[at]! : END;
  };
  // Ranges still to be sorted, as (low, high, depth); they are disjoint, so there are never more than strings.
  const pending: number[] = [0, order.length, 0];
  while (pending.length > 0) {
    let depth = pending.pop()!;
    let high = pending.pop()!;
    let low = pending.pop()!;
    // Goes on with the strings that agree in one more byte, until few are left.
    while (high - low > INSERTION_MAX) {
      const pivot = median(
        byteAt(order[low]!, depth),
        byteAt(order[(low + high) >>> 1]!, depth),
        byteAt(order[high - 1]!, depth),
      );
      let less = low;
      let greater = high;
      for (let at = low; at < greater; ) {
        const string = order[at]!;
        const byte = byteAt(string, depth);
        if (byte < pivot) {
          order[at++] = order[less]!;
          order[less++] = string;
        } else if (byte > pivot) {
          order[at] = order[--greater]!;
          order[greater] = string;
        } else at++;
      }
      if (low < less) pending.push(low, less, depth);
      if (greater < high) pending.push(greater, high, depth);
      low = less;
      // Strings that all end here are equal.
      high = pivot === END ? less : greater;
      depth++;
    }
    insertionSort(order, bytes, start, low, high, depth);
  }
}

function insertionSort(
  order: Uint32Array,
  bytes: Uint8Array,
  start: Uint32Array,
  low: number,
  high: number,
  depth: number,
): void {
  for (let next = low + 1; next < high; next++) {
    const string = order[next]!;
    let at = next;
    while (at > low && compareFrom(bytes, start, order[at - 1]!, string, depth) > 0) {
      order[at] = order[at - 1]!;
      at--;
    }
    order[at] = string;
  }
}

/** Negative, zero or positive, like the order of two strings that agree in their first `depth` bytes. */
function compareFrom(bytes: Uint8Array, start: Uint32Array, a: number, b: number, depth: number): number {
  const aEnd = start[a + 1]!;
  const bEnd = start[b + 1]!;
  let aAt = start[a]! + depth;
  let bAt = start[b]! + depth;
  while (aAt < aEnd && bAt < bEnd) {
    const difference = bytes[aAt++]! - bytes[bAt++]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aAt - (bEnd - bAt);
}

function median(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}

/**
 * Sorts the numbers in `order` by `key[n]`, every key below `keyCount`, keeping the order of equal keys. `scratch` has
 * the length of `order`. Sorting by several keys is one call per key, the least significant first.
 */
export function sortByKey(
  order: Uint32Array,
  scratch: Uint32Array,
  key: Uint32Array,
  keyCount: number,
): void {
  const next = new Uint32Array(keyCount + 1);
  for (const item of order) next[key[item]! + 1]!++;
  for (let value = 0; value < keyCount; value++) next[value + 1]! += next[value]!;
  for (const item of order) scratch[next[key[item]!]!++] = item;
  order.set(scratch);
}
