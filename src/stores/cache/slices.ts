/** Small enough that a slice of the cheapest steps takes well under a millisecond. */
const STEPS = 500;

/** Breaks long work into slices, between which everything else that waits runs. */
export class Slices {
  #left = STEPS;

  /** Says that a step was done; true if it is time to `pause`. */
  step(count = 1): boolean {
    this.#left -= count;
    return this.#left <= 0;
  }

  pause(): Promise<void> {
    this.#left = STEPS;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
