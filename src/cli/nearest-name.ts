/** Finds what somebody who misspelt a name probably meant (L9). */

/** Names longer than this, in UTF-16 units, are never compared: the table below is quadratic in them. */
const NAME_LENGTH_MAX = 64;
/** At most this many candidates are compared. */
const CANDIDATES_MAX = 4096;
/** Names that differ in case only are nearer than any others. */
const CASE_DISTANCE = 0.5;

/**
 * The candidate with the smallest edit distance to `name`, or null where none is near. Parts before a dot or slash that
 * both begin with do not count; of the rest at most a third may differ, so a rest of one or two letters only by case.
 * Of equally near candidates the first wins.
 */
export function nearestName(name: string, candidates: Iterable<string>): string | null {
  if (name.length > NAME_LENGTH_MAX) return null;
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  let compared = 0;
  for (const candidate of candidates) {
    if (candidate === name || candidate.length > NAME_LENGTH_MAX) continue;
    if (++compared > CANDIDATES_MAX) break;
    const shared = sharedParts(name, candidate);
    const distance = distanceWithin(name.slice(shared), candidate.slice(shared));
    if (distance !== null && distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Null for names that are not near each other. */
function distanceWithin(name: string, candidate: string): number | null {
  const allowed = Math.max(CASE_DISTANCE, Math.floor(Math.max(name.length, candidate.length) / 3));
  if (Math.abs(name.length - candidate.length) > allowed) return null;
  const distance =
    candidate.toLowerCase() === name.toLowerCase() ? CASE_DISTANCE : editDistance(name, candidate);
  return distance <= allowed ? distance : null;
}

/** The length of the parts, each ended by a dot or slash, with which both names begin. */
function sharedParts(name: string, candidate: string): number {
  let shared = 0;
  for (let at = 0; at < name.length && name[at] === candidate[at]; at++) {
    if (name[at] === "." || name[at] === "/") shared = at + 1;
  }
  return shared;
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
export function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let distance = Math.min(
        previous[column]! + 1,
        current[column - 1]! + 1,
        previous[column - 1]! + (same ? 0 : 1),
      );
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) distance = Math.min(distance, beforePrevious[column - 2]! + 1);
      current.push(distance);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length]!;
}
