import fc from "fast-check";

/** The seed of every property, unless the environment variable SEED says otherwise. */
const SEED = Number(process.env["SEED"] ?? 20_240_607);

/** Checks a property with a known seed, which a failure prints. */
export function fuzz<T>(property: fc.IPropertyWithHooks<T>, numRuns = 300): void {
  fc.assert(property, { seed: SEED, numRuns });
}

/** As {@link fuzz}, for a property that takes its time. */
export async function fuzzAsync<T>(property: fc.IAsyncPropertyWithHooks<T>, numRuns = 100): Promise<void> {
  await fc.assert(property, { seed: SEED, numRuns });
}

/** Numbers from 0 to `bound` - 1, the same ones in each run: for cases that are made by hand. */
export function numbers(seed = SEED): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
