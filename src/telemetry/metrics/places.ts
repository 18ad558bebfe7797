/** So many namespaces or keys have numbers of their own in a metric. */
export const PLACES_MAX = 500;

/**
 * At most `max` names have their own `Item`, first come, first served; all others share that of `other`.
 * So what a stranger can invent adds no series.
 */
export class Places<Item> {
  readonly #make: () => Item;
  readonly #max: number;
  readonly #items = new Map<string, Item>();
  #other: Item | undefined;

  constructor(make: () => Item, max = PLACES_MAX) {
    this.#make = make;
    this.#max = max;
  }

  /** Whether it has a place, so that what `of` gives is its alone. */
  has(name: string): boolean {
    return this.#items.has(name);
  }

  of(name: string): Item {
    const known = this.#items.get(name);
    if (known !== undefined) return known;
    if (this.#items.size >= this.#max) {
      this.#other ??= this.#make();
      return this.#other;
    }
    const item = this.#make();
    this.#items.set(name, item);
    return item;
  }

  /** Frees the place of every name that is not to stay. */
  retain(isToStay: (name: string) => boolean): void {
    for (const name of this.#items.keys()) if (!isToStay(name)) this.#items.delete(name);
  }

  /** Undefined stands for the others. */
  *entries(): Iterable<[name: string | undefined, item: Item]> {
    yield* this.#items;
    if (this.#other !== undefined) yield [undefined, this.#other];
  }
}
