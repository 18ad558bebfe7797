import { type Estimate, SpaceSaving } from './space-saving.ts';

export interface TopIdentifiersOptions {
  readonly clock: { nowMs(): number; monotonicMs(): number };
  /** How many identifiers a sketch holds. */
  readonly placesMax?: number;
  readonly namespacesMax?: number;
  readonly periodMs?: number;
}

/** The busiest and the most denied identifiers of a namespace, the most frequent first. */
export interface TopOfNamespace {
  /** Epoch milliseconds: what came before is not counted. */
  readonly sinceMs: number;
  /** Checks and denials that were counted in all. */
  readonly checks: number;
  readonly denials: number;
  readonly busiest: readonly Estimate[];
  readonly mostDenied: readonly Estimate[];
}

const PLACES_MAX = 64;
const NAMESPACES_MAX = 256;
const PERIOD_MS = 600_000;
/** A namespace without checks for so long gives its sketches to one that has some. */
const IDLE_MS = 60_000;
/** Where all are busy, looking for an idle one at every check would cost more than it finds. */
const SEARCH_INTERVAL_MS = 1000;

interface Period {
  readonly startedMs: number;
  readonly startedMonotonicMs: number;
  readonly checks: SpaceSaving;
  readonly denials: SpaceSaving;
}

interface Watched {
  current: Period;
  previous: Period | undefined;
  usedMonotonicMs: number;
}

/**
 * Watches which identifiers come most and are denied most, in the present period and the one before,
 * in bounded memory: at most 256 namespaces, four sketches each, of 64 identifiers. Identifiers are
 * personal data: they are held in memory only, and no longer than three periods while checks come.
 */
export class TopIdentifiers {
  readonly #clock: TopIdentifiersOptions['clock'];
  readonly #placesMax: number;
  readonly #namespacesMax: number;
  readonly #periodMs: number;
  readonly #watched = new Map<string, Watched>();
  #searchedMonotonicMs = Number.NEGATIVE_INFINITY;
  #forgotMonotonicMs: number;

  constructor(options: TopIdentifiersOptions) {
    this.#clock = options.clock;
    this.#placesMax = options.placesMax ?? PLACES_MAX;
    this.#namespacesMax = options.namespacesMax ?? NAMESPACES_MAX;
    this.#periodMs = options.periodMs ?? PERIOD_MS;
    this.#forgotMonotonicMs = options.clock.monotonicMs();
  }

  /**
   * The identifier is kept: it must not be a view of something larger, as `slice` makes them of a header.
   * `monotonicMs` is the clock's, as whoever counts checks has just read it.
   */
  note(
    namespaceId: string,
    identifier: string,
    isDenied: boolean,
    monotonicMs = this.#clock.monotonicMs(),
  ): void {
    this.#forgetOldSeldom(monotonicMs);
    const watched = this.#watched.get(namespaceId) ?? this.#begin(namespaceId, monotonicMs);
    if (watched === undefined) return;
    watched.usedMonotonicMs = monotonicMs;
    this.#turnPeriods(watched, monotonicMs);
    const { checks, denials } = watched.current;
    checks.add(identifier);
    if (isDenied) denials.add(identifier);
  }

  /** Undefined if nothing of this namespace was noted lately, or too many others were. */
  top(namespaceId: string, limit: number): TopOfNamespace | undefined {
    const watched = this.#watched.get(namespaceId);
    if (watched === undefined) return undefined;
    this.#turnPeriods(watched, this.#clock.monotonicMs());
    const { current, previous } = watched;
    const periods = previous === undefined ? [current] : [previous, current];
    const checks = periods.map((period) => period.checks);
    const denials = periods.map((period) => period.denials);
    return {
      sinceMs: periods[0]?.startedMs ?? current.startedMs,
      checks: totalOf(checks),
      denials: totalOf(denials),
      busiest: merged(checks).slice(0, limit),
      mostDenied: merged(denials).slice(0, limit),
    };
  }

  /** Once a period, so that identifiers of namespaces without checks are not held on to. */
  #forgetOldSeldom(monotonicMs: number): void {
    if (monotonicMs - this.#forgotMonotonicMs < this.#periodMs) return;
    this.#forgotMonotonicMs = monotonicMs;
    for (const [id, { usedMonotonicMs }] of this.#watched) {
      if (monotonicMs - usedMonotonicMs >= 2 * this.#periodMs) this.#watched.delete(id);
    }
  }

  #begin(namespaceId: string, monotonicMs: number): Watched | undefined {
    if (this.#watched.size >= this.#namespacesMax && !this.#dropIdle(monotonicMs)) return undefined;
    const watched = {
      current: this.#newPeriod(monotonicMs),
      previous: undefined,
      usedMonotonicMs: monotonicMs,
    };
    this.#watched.set(namespaceId, watched);
    return watched;
  }

  /** The least recently used gives way, if it has been idle. */
  #dropIdle(monotonicMs: number): boolean {
    if (monotonicMs - this.#searchedMonotonicMs < SEARCH_INTERVAL_MS) return false;
    this.#searchedMonotonicMs = monotonicMs;
    let idlest: string | undefined;
    let idleSinceMs = monotonicMs - IDLE_MS;
    for (const [id, { usedMonotonicMs }] of this.#watched) {
      if (usedMonotonicMs > idleSinceMs) continue;
      idlest = id;
      idleSinceMs = usedMonotonicMs;
    }
    return idlest !== undefined && this.#watched.delete(idlest);
  }

  #turnPeriods(watched: Watched, monotonicMs: number): void {
    const ageMs = monotonicMs - watched.current.startedMonotonicMs;
    if (ageMs < this.#periodMs) return;
    watched.previous = ageMs < 2 * this.#periodMs ? watched.current : undefined;
    watched.current = this.#newPeriod(monotonicMs);
  }

  #newPeriod(monotonicMs: number): Period {
    return {
      startedMs: this.#clock.nowMs(),
      startedMonotonicMs: monotonicMs,
      checks: new SpaceSaving(this.#placesMax),
      denials: new SpaceSaving(this.#placesMax),
    };
  }
}

function totalOf(sketches: readonly SpaceSaving[]): number {
  return sketches.reduce((sum, { total }) => sum + total, 0);
}

/**
 * Sketches of consecutive stretches as one (Agarwal and others: "Mergeable Summaries", PODS 2012): what a
 * sketch has not kept may have come as often as its least frequent. The errors add up.
 */
function merged(sketches: readonly SpaceSaving[]): Estimate[] {
  const known = sketches.map((sketch) => new Map(sketch.estimates().map((one) => [one.key, one])));
  const keys = new Set(known.flatMap((estimates) => [...estimates.keys()]));
  const sums = [...keys].map((key) => {
    let count = 0;
    let error = 0;
    sketches.forEach((sketch, index) => {
      const one = known[index]?.get(key);
      count += one?.count ?? sketch.missedMax;
      error += one?.error ?? sketch.missedMax;
    });
    return { key, count, error };
  });
  // What surely came goes before what may have.
  return sums.sort((a, b) => b.count - b.error - (a.count - a.error) || b.count - a.count);
}
