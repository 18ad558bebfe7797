import type { Entry } from './entry.ts';

/** The identifiers' entries, and which of them have changed since somebody asked. */
export class EntryTable {
  readonly #entries = new Map<string, Entry>();
  #changed: Set<string> | undefined;

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
    this.#entries.set(key, entry);
    this.#changed?.add(key);
  }

  /** Takes out what was reset. */
  delete(key: string): void {
    this.#entries.delete(key);
    this.#changed?.add(key);
  }

  /** Takes out what has ended by itself: nobody need be told, as it ends everywhere. */
  drop(key: string): void {
    this.#entries.delete(key);
    this.#changed?.delete(key);
  }

  /** The oldest first; what is set during the iteration is met, too. */
  entries(): MapIterator<[string, Entry]> {
    return this.#entries.entries();
  }

  clear(): void {
    this.#entries.clear();
    this.#changed?.clear();
  }

  /**
   * From now on the keys that are set or deleted gather in the set that is given: each once, so that there
   * are never many more of them than entries.
   */
  watch(changed: Set<string>): void {
    this.#changed = changed;
  }
}
