/** One connection's place, from the check that there is room for it until its end. */
export class Place {
  isUpgraded = false;
  readonly #endHandshake: () => void;
  readonly #free: () => void;
  #isReady = false;
  #isLeft = false;

  constructor(endHandshake: () => void, free: () => void) {
    this.#endHandshake = endHandshake;
    this.#free = free;
  }

  ready(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#endHandshake();
  }

  leave(): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    this.ready();
    this.#free();
  }
}
