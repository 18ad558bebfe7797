/** Values that end by themselves, by key. It clears itself as it is swept, a few steps at a time. */
export class SweptMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #hasEnded: (value: Value, nowMs: number) => boolean;
  #sweep: Iterator<[string, Value]> | undefined;

  constructor(hasEnded: (value: Value, nowMs: number) => boolean) {
    this.#hasEnded = hasEnded;
  }

  get size(): number {
    return this.#values.size;
  }

  /** Also of one that has ended and was not swept yet. */
  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: Value): void {
    this.#values.set(key, value);
  }

  delete(key: string): void {
    this.#values.delete(key);
    // It would keep the values of a larger table alive until it is asked again.
    if (this.#values.size === 0) this.#sweep = undefined;
  }

  /** The oldest first. */
  values(): Iterable<Value> {
    return this.#values.values();
  }

  /** Looks at so many values, from where it stopped last, for ended ones. */
  sweep(steps: number, nowMs: number): void {
    for (let step = 0; step < steps && this.#values.size > 0; step++) {
      this.#sweep ??= this.#values.entries();
      const next = this.#sweep.next();
      if (next.done) this.#sweep = undefined;
      else if (this.#hasEnded(next.value[1], nowMs)) this.delete(next.value[0]);
    }
  }
}
