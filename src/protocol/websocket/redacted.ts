/** A base for what the owner holds: however it is printed, only its status shows (RW33). */

const INSPECT = Symbol.for("nodejs.util.inspect.custom");

export abstract class Redacted<S> {
  /** Counts and names only (RW34). */
  abstract status(): S;

  toJSON(): S {
    return this.status();
  }

  [INSPECT](): S {
    return this.status();
  }
}
