/** What is known of how often a key came: at least `count - error`, at most `count`. */
export interface Estimate {
  readonly key: string;
  readonly count: number;
  readonly error: number;
}

interface Entry {
  key: string;
  count: number;
  error: number;
  /** Where it is in the heap. */
  index: number;
}

/**
 * The most frequent keys of a stream in bounded memory: the Space-Saving algorithm (Metwally, Agrawal,
 * El Abbadi: "Efficient Computation of Frequent and Top-k Elements in Data Streams", ICDT 2005). A key
 * that is not kept takes the place and the count of the least frequent one. After n additions to k places
 * no count is off by more than n / k, and every key that came more often than n / k is kept.
 */
export class SpaceSaving {
  readonly #max: number;
  /** A heap: no entry has a higher count than its children at 2i+1 and 2i+2. */
  readonly #heap: Entry[] = [];
  readonly #entries = new Map<string, Entry>();
  #total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** All additions. */
  get total(): number {
    return this.#total;
  }

  /** What a key that is not kept may have come to at most. */
  get missedMax(): number {
    return this.#heap.length < this.#max ? 0 : (this.#heap[0]?.count ?? 0);
  }

  add(key: string): void {
    this.#total++;
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#raise(entry);
    else if (this.#heap.length < this.#max) this.#insert(key);
    else this.#replaceLeast(key);
  }

  estimates(): Estimate[] {
    return this.#heap.map(({ key, count, error }) => ({ key, count, error }));
  }

  #raise(entry: Entry): void {
    entry.count++;
    this.#sink(entry);
  }

  #insert(key: string): void {
    const entry: Entry = { key, count: 1, error: 0, index: this.#heap.length };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#rise(entry);
  }

  #replaceLeast(key: string): void {
    const least = this.#heap[0] as Entry;
    this.#entries.delete(least.key);
    least.error = least.count;
    least.key = key;
    this.#entries.set(key, least);
    this.#raise(least);
  }

  #rise(entry: Entry): void {
    while (entry.index > 0) {
      const parent = this.#heap[(entry.index - 1) >> 1] as Entry;
      if (parent.count <= entry.count) return;
      this.#swap(entry, parent);
    }
  }

  #sink(entry: Entry): void {
    for (;;) {
      const left = this.#heap[2 * entry.index + 1];
      if (left === undefined) return;
      const right = this.#heap[2 * entry.index + 2];
      const child = right !== undefined && right.count < left.count ? right : left;
      if (child.count >= entry.count) return;
      this.#swap(entry, child);
    }
  }

  #swap(a: Entry, b: Entry): void {
    this.#heap[a.index] = b;
    this.#heap[b.index] = a;
    [a.index, b.index] = [b.index, a.index];
  }
}
