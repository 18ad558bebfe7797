/** Things by the text with which others begin (or end): one lookup for each length that there is. */
export class AffixBuckets<Item> {
  readonly #cut: (text: string, length: number) => string;
  readonly #byLength = new Map<number, Map<string, Set<Item>>>();

  /** `cut` takes so many characters from the beginning, or from the end. */
  constructor(cut: (text: string, length: number) => string) {
    this.#cut = cut;
  }

  add(affix: string, item: Item): void {
    let bucketOf = this.#byLength.get(affix.length);
    if (bucketOf === undefined) {
      bucketOf = new Map();
      this.#byLength.set(affix.length, bucketOf);
    }
    const bucket = bucketOf.get(affix);
    if (bucket === undefined) bucketOf.set(affix, new Set([item]));
    else bucket.add(item);
  }

  remove(affix: string, item: Item): void {
    const bucketOf = this.#byLength.get(affix.length);
    const bucket = bucketOf?.get(affix);
    if (bucketOf === undefined || bucket === undefined || !bucket.delete(item)) return;
    if (bucket.size === 0) bucketOf.delete(affix);
    if (bucketOf.size === 0) this.#byLength.delete(affix.length);
  }

  /** Those whose affix the text has. */
  candidates(text: string): ReadonlySet<Item>[] {
    const found: ReadonlySet<Item>[] = [];
    for (const [length, bucketOf] of this.#byLength) {
      const bucket = length > text.length ? undefined : bucketOf.get(this.#cut(text, length));
      if (bucket !== undefined) found.push(bucket);
    }
    return found;
  }
}
