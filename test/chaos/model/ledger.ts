/** What one call may have consumed of an identifier. Times are epoch milliseconds. */
export interface Use {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** Surely consumed; negative where something was given back. */
  readonly least: number;
  readonly most: number;
  /** What may have been consumed was perhaps only held for a moment. */
  readonly isBrief?: boolean;
}

/** Whatever an atomic batch holds while it is judged has run out by then. */
const BRIEF_MS = 8000;

/** A moment between two times at which the store may have lost what it was told since the first, or everything. */
export interface Loss {
  readonly fromMs: number;
  /** From then on nothing is lost any more. */
  readonly toMs: number;
  readonly everything: boolean;
}

/** A count that is kept elsewhere, too, from where the store gets it back. Milliseconds. */
export interface Checkpoints {
  /** By then what was used is written there. */
  readonly writtenWithinMs: number;
  /** So long after a loss it is given back, by raising the count. */
  readonly restoredWithinMs: number;
}

/** What the store said was used, with no call on the identifier under way. */
interface Mark {
  readonly atMs: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What an identifier can have used of a limit whose window outlasts the run, as seen from outside: at least
 * and at most. Whatever the store forgot in a loss is taken off the least, never off the most.
 */
export class Ledger {
  readonly limit: number;
  readonly #losses: readonly Loss[];
  readonly #checkpoints: Checkpoints | undefined;
  readonly #uses: Use[] = [];
  readonly #marks: Mark[] = [];

  /** `losses`: in order, and shared: it grows. */
  constructor(limit: number, losses: readonly Loss[], checkpoints?: Checkpoints) {
    this.limit = limit;
    this.#checkpoints = checkpoints;
    this.#losses = losses;
  }

  add(use: Use): void {
    this.#uses.push(use);
  }

  mark(atMs: number, remaining: number): void {
    const used = this.limit - remaining;
    // Nothing is left: how far beyond the limit it stands is not told.
    const most = remaining > 0 ? used : Math.max(used, this.most(atMs));
    const brief = this.#uses.filter((use) => use.isBrief === true && use.sentMs > atMs - BRIEF_MS);
    const least = brief.reduce((rest, use) => rest - use.most, used);
    this.#marks.push({ atMs, least: Math.max(0, least), most });
  }

  /** Surely used at that time. */
  least(atMs: number): number {
    const mark = this.#marks.findLast((each) => each.atMs <= atMs);
    const loss = this.#losses.findLast(({ fromMs }) => fromMs <= atMs);
    if (loss !== undefined && (mark === undefined || mark.atMs < loss.toMs)) {
      // Two that overlap are one; which came first nobody knows.
      const isEverything = this.#losses.some(
        ({ fromMs, toMs, everything }) => everything && fromMs <= loss.toMs && toMs >= loss.fromMs,
      );
      const kept = isEverything ? 0 : this.least(loss.fromMs - 1);
      const least = kept + this.#givenBack(loss, atMs) + this.#sum(loss.toMs, atMs);
      return Math.max(0, least, isEverything ? this.#restored(loss, atMs) : 0);
    }
    return Math.max(0, (mark?.least ?? 0) + this.#sum(mark?.atMs ?? 0, atMs));
  }

  /** Possibly used at that time; whatever is lost in a loss may have been passed on in time. */
  most(atMs: number): number {
    const mark = this.#marks.findLast((each) => each.atMs <= atMs);
    const from = mark?.atMs ?? 0;
    let most = mark?.most ?? 0;
    for (const use of this.#uses) if (use.receivedMs > from && use.sentMs <= atMs) most += use.most;
    return most;
  }

  /** Of all uses, whatever was marked or lost: what a store may be given back in the end. */
  mostEver(): number {
    return this.#uses.reduce((most, use) => most + Math.max(0, use.most), 0);
  }

  /** What was used after the loss and before the count was raised may be part of what it was raised to. */
  #restored({ fromMs, toMs }: Loss, atMs: number): number {
    if (this.#checkpoints === undefined) return 0;
    const { writtenWithinMs, restoredWithinMs } = this.#checkpoints;
    const restoredMs = toMs + restoredWithinMs;
    return atMs < restoredMs ? 0 : this.least(fromMs - writtenWithinMs) + this.#sum(restoredMs, atMs);
  }

  /** What was given back during a loss may be, of what was used before it and kept; negative. */
  #givenBack({ fromMs, toMs }: Loss, atMs: number): number {
    let sum = 0;
    for (const { sentMs, receivedMs, least } of this.#uses)
      if (least < 0 && receivedMs >= fromMs && sentMs < toMs && sentMs <= atMs) sum += least;
    return sum;
  }

  /** All that was admitted with an answer of the store, whatever it forgot. */
  admitted(): number {
    return this.#uses.reduce((sum, { least }) => sum + least, 0);
  }

  #sum(fromMs: number, toMs: number): number {
    let sum = 0;
    for (const { sentMs, receivedMs, least } of this.#uses)
      if (sentMs >= fromMs && receivedMs <= toMs) sum += least;
    return sum;
  }
}
