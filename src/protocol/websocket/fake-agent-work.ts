/** What the fake agent has to do, one step at a time, each activity in its turn. */

/** Done for good, done with more to come, or not possible before something else happens. */
export type Progress = "finished" | "more" | "waiting";
export type Activity = () => Progress;

export class Work {
  #activities: Activity[] = [];

  get size(): number {
    return this.#activities.length;
  }

  add(activity: Activity): void {
    this.#activities.push(activity);
  }

  /** Does up to `steps` steps, and says how many there were. */
  advance(steps: number): number {
    let done = 0;
    while (done < steps) {
      const round = this.#activities;
      this.#activities = [];
      const before = done;
      for (const [at, activity] of round.entries()) {
        if (done === steps) {
          this.#activities.unshift(...round.slice(at));
          return done;
        }
        const progress = activity();
        if (progress !== "waiting") done++;
        if (progress !== "finished") this.#activities.push(activity);
      }
      if (done === before) return done;
    }
    return done;
  }
}
