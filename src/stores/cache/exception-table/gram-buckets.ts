/** Three characters tell most texts apart; shorter literals have shorter grams. */
const GRAM_LENGTH_MAX = 3;

/**
 * Things by a few characters that stand somewhere in every text that they are for: one lookup for
 * each place of a text, instead of one search for each thing.
 */
export class GramBuckets<Item> {
  readonly #buckets = new Map<number, Set<Item>>();
  readonly #gramOf = new Map<Item, number>();
  /** How many items there are by each length of gram. */
  readonly #counts = Array.from({ length: GRAM_LENGTH_MAX + 1 }, () => 0);

  /** `literals` are texts that must all occur, at least one of them not empty. */
  add(literals: readonly string[], item: Item): void {
    const longest = literals.reduce((found, each) => (each.length > found.length ? each : found), '');
    const length = Math.min(longest.length, GRAM_LENGTH_MAX);
    const grams = literals.flatMap((each) => gramsOf(each, length));
    // The rarest one so far, so that what many have in common is no bucket of all of them.
    const gram = grams.reduce((rarest, each) => (this.#sizeOf(each) < this.#sizeOf(rarest) ? each : rarest));
    const bucket = this.#buckets.get(gram);
    if (bucket === undefined) this.#buckets.set(gram, new Set([item]));
    else bucket.add(item);
    this.#gramOf.set(item, gram);
    this.#count(gram, 1);
  }

  remove(item: Item): void {
    const gram = this.#gramOf.get(item);
    const bucket = gram === undefined ? undefined : this.#buckets.get(gram);
    if (gram === undefined || bucket === undefined) return;
    this.#gramOf.delete(item);
    bucket.delete(item);
    if (bucket.size === 0) this.#buckets.delete(gram);
    this.#count(gram, -1);
  }

  /** All whose gram the text has, and perhaps others. */
  candidates(text: string): ReadonlySet<ReadonlySet<Item>> {
    const found = new Set<ReadonlySet<Item>>();
    for (let length = 1; length <= GRAM_LENGTH_MAX; length++) {
      if (this.#counts[length] === 0) continue;
      for (let at = 0; at + length <= text.length; at++) {
        const bucket = this.#buckets.get(gramAt(text, at, length));
        if (bucket !== undefined) found.add(bucket);
      }
    }
    return found;
  }

  #sizeOf(gram: number): number {
    return this.#buckets.get(gram)?.size ?? 0;
  }

  #count(gram: number, by: number): void {
    const length = gram >> LENGTH_SHIFT;
    this.#counts[length] = (this.#counts[length] ?? 0) + by;
  }
}

const LENGTH_SHIFT = 24;

/** A small integer: the length, and of each character its low byte. Strangers may share one. */
function gramAt(text: string, at: number, length: number): number {
  let gram = length;
  for (let index = 0; index < GRAM_LENGTH_MAX; index++) {
    gram = (gram << 8) | (index < length ? text.charCodeAt(at + index) & 0xff : 0);
  }
  return gram;
}

function gramsOf(text: string, length: number): number[] {
  const grams: number[] = [];
  for (let at = 0; at + length <= text.length; at++) grams.push(gramAt(text, at, length));
  return grams;
}
