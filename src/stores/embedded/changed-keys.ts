/** A key that changed; true if what is on disk of it could outlive what is held now. */
export type TakenKeys = Map<string, boolean>;

/** The keys whose entries are to be written: each once, so that they are never many more than entries. */
export class ChangedKeys {
  readonly #keys = new Set<string>();
  /** Those of them that now end sooner than they did, or were reset. */
  readonly #shortened = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  add(key: string, isShortened: boolean): void {
    this.#keys.add(key);
    if (isShortened) this.#shortened.add(key);
  }

  /** It has ended, which need be written only if it would have lasted longer by what is on disk. */
  end(key: string): void {
    if (!this.#shortened.has(key)) this.#keys.delete(key);
  }

  /** Takes `first` of them and then those that have waited longest. */
  take(first: Iterable<string>, max: number): TakenKeys {
    const taken: TakenKeys = new Map();
    const take = (key: string) => {
      if (this.#keys.delete(key)) taken.set(key, this.#shortened.delete(key));
    };
    for (const key of first) take(key);
    for (const key of this.#keys) {
      if (taken.size >= max) break;
      take(key);
    }
    return taken;
  }

  putBack(taken: TakenKeys): void {
    for (const [key, isShortened] of taken) this.add(key, isShortened);
  }
}
