import type { ChangedKeys } from './changed-keys.ts';
import type { Entry } from './entry.ts';

/** The identifiers' entries. */
export class EntryTable {
  readonly #entries = new Map<string, Entry>();
  #changed: ChangedKeys | undefined;

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  set(key: string, entry: Entry): void {
    if (this.#changed !== undefined) {
      const before = this.#entries.get(key);
      this.#changed.add(key, before !== undefined && before.expiresMonotonicMs > entry.expiresMonotonicMs);
    }
    this.#entries.set(key, entry);
  }

  /** Takes out what was reset. */
  delete(key: string): void {
    this.#entries.delete(key);
    this.#changed?.add(key, true);
  }

  /** Takes out what has ended by itself. */
  drop(key: string): void {
    this.#entries.delete(key);
    this.#changed?.end(key);
  }

  /** The oldest first; what is set during the iteration is met, too. */
  entries(): MapIterator<[string, Entry]> {
    return this.#entries.entries();
  }

  /** From now on the keys that change gather in what is given. */
  watch(changed: ChangedKeys): void {
    this.#changed = changed;
  }
}
