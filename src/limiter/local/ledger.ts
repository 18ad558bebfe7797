import { NEVER } from '../algorithms/algorithm.ts';
import type { BucketState } from '../algorithms/bucket.ts';
import type { ConcurrencyState, Leases } from '../algorithms/concurrency.ts';
import { type LimitState, modelOf } from '../algorithms/models.ts';
import type { CounterCheck, CounterOutcome, LimitSet } from '../counters.ts';
import type { Limit } from '../limit.ts';

/**
 * What a node has admitted of one identifier by itself, beside what the store counted. Kept by the models,
 * so that what has ended or drained since counts no more. A node keeps two: of what the store has surely not
 * counted, which is owed to it, and of what it may have counted or not.
 */
export class Ledger {
  /** By limit name. A bucket's begins at the level that it has in `#levels`. */
  readonly #counted = new Map<string, LimitState>();
  readonly #levels: ReadonlyMap<string, LimitState>;
  #endMs = 0;

  /** `levels` as in Seed. */
  constructor(levels: ReadonlyMap<string, LimitState>) {
    this.#levels = levels;
  }

  get isEmpty(): boolean {
    return this.#counted.size === 0;
  }

  /** From then on nothing of it counts; Infinity: never so. */
  get endMs(): number {
    return this.#endMs;
  }

  /** Counts a check as its outcome says; `owed` as in Share, as below. */
  note(owed: LimitSet, check: Pick<CounterCheck, 'cost' | 'holder'>, outcome: CounterOutcome): void {
    owed.limits.forEach((limit, index) => {
      const isPlace = limit.algorithm === 'concurrency';
      const isTrial = limit.mode === 'shadow' && !isPlace;
      const isCounted = isTrial ? outcome.limits[index]?.admits === true : outcome.admitted;
      if (isCounted && (isPlace ? check.holder !== undefined : check.cost > 0))
        this.#charge(limit, check, outcome.nowMs);
    });
  }

  /** A ledger with nothing in it, which begins where this one began. */
  beside(): Ledger {
    return new Ledger(this.#levels);
  }

  /** The same, from another standing of the store. `limits` as in note(). */
  onto(levels: ReadonlyMap<string, LimitState>, limits: LimitSet, nowMs: number): Ledger {
    const moved = new Ledger(levels);
    moved.add(limits, this.owed(limits, nowMs), nowMs);
    return moved;
  }

  /** Takes over what another ledger owed. */
  add({ limits }: LimitSet, owed: ReadonlyMap<string, LimitState>, nowMs: number): void {
    for (const limit of limits) {
      const counted = owed.get(limit.name);
      if (counted?.algorithm !== limit.algorithm || counted.identity !== limit.identity) continue;
      const model = modelOf(limit.algorithm);
      const { state } = model.stand(limit, counted, nowMs);
      this.#set(limit, model.add(limit, this.#before(limit, nowMs), state), nowMs);
    }
  }

  /** What is in it now, beyond what the store counted, by limit name. */
  owed({ limits }: LimitSet, nowMs: number): ReadonlyMap<string, LimitState> {
    const owed = new Map<string, LimitState>();
    for (const limit of limits) {
      if (!this.#counted.has(limit.name)) continue;
      const counted = this.#standing(this.#counted, limit, nowMs);
      const rest = 'level' in counted ? this.#withoutCommon(limit, counted, nowMs) : counted;
      if (isWorthSomething(rest)) owed.set(limit.name, rest);
    }
    return owed;
  }

  /** Whether this node gave the place. */
  holds(holder: string): boolean {
    return this.#places()?.[1].leases.has(holder) === true;
  }

  renew(holder: string, expiresMs: number): void {
    this.#changePlaces((leases) => new Map(leases).set(holder, expiresMs));
    this.#endMs = Math.max(this.#endMs, expiresMs);
  }

  release(holder: string): void {
    this.#changePlaces((leases) => new Map([...leases].filter(([other]) => other !== holder)));
  }

  /** What was owed has been merged, or nobody knows whether it was. */
  forget(): void {
    this.#counted.clear();
  }

  /** Forgets all but the places. */
  reset(): void {
    const places = this.#places();
    this.#counted.clear();
    if (places !== undefined) this.#counted.set(...places);
  }

  #charge(limit: Limit, { cost, holder }: Pick<CounterCheck, 'cost' | 'holder'>, nowMs: number): void {
    const model = modelOf(limit.algorithm);
    const before = this.#before(limit, nowMs);
    const state =
      limit.algorithm === 'concurrency'
        ? model.consume(limit, before, 1, nowMs, holder)
        : model.charge(limit, before, cost, nowMs);
    this.#set(limit, state, nowMs);
  }

  #before(limit: Limit, nowMs: number): LimitState {
    return this.#standing(this.#counted.has(limit.name) ? this.#counted : this.#levels, limit, nowMs);
  }

  #set(limit: Limit, state: LimitState, nowMs: number): void {
    this.#counted.set(limit.name, state);
    const endMs = modelOf(limit.algorithm).wholeAtMs(limit, state, nowMs);
    this.#endMs = endMs === NEVER ? Number.POSITIVE_INFINITY : Math.max(this.#endMs, endMs);
  }

  #standing(states: ReadonlyMap<string, LimitState>, limit: Limit, nowMs: number): LimitState {
    const { name, algorithm, identity } = limit;
    const known = states.get(name);
    const isAlike = known?.algorithm === algorithm && known.identity === identity;
    return modelOf(algorithm).stand(limit, isAlike ? known : undefined, nowMs).state;
  }

  /**
   * Of a bucket: what its level is above that of the part of the store's level that was there before. On the
   * way to the store it doesn't drain: the store's own level does, and both are one bucket.
   */
  #withoutCommon(limit: Limit, counted: BucketState, nowMs: number): BucketState {
    const common = this.#standing(this.#levels, limit, nowMs);
    const level = Math.max(0, counted.level - ('level' in common ? common.level : 0));
    return { ...counted, level, rate: 0 };
  }

  #places(): [name: string, state: ConcurrencyState] | undefined {
    for (const [name, state] of this.#counted) if (state.algorithm === 'concurrency') return [name, state];
    return undefined;
  }

  #changePlaces(change: (leases: Leases) => Leases): void {
    const places = this.#places();
    if (places === undefined) return;
    const [name, state] = places;
    this.#counted.set(name, { ...state, leases: change(state.leases) });
  }
}

function isWorthSomething(state: LimitState): boolean {
  if ('level' in state) return state.level > 0;
  if ('leases' in state) return state.leases.size > 0;
  return state.used > 0 || ('usedBefore' in state && state.usedBefore > 0);
}
