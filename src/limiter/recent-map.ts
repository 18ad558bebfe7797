/**
 * A map of bounded size that keeps what was used last: in two halves, of which the older is dropped
 * as a whole when the younger is full. What is used moves to the younger half, so that at least the
 * last `max / 2` are there, at the price of a plain map.
 */
export class RecentMap<Value> {
  readonly #halfMax: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  constructor(max: number) {
    this.#halfMax = Math.max(1, Math.floor(max / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.set(key, old);
    }
    return old;
  }

  /** For a key that is not in the map, or was just got from it. */
  set(key: string, value: Value): void {
    if (this.#young.size >= this.#halfMax) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
