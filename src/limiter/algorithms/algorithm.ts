import type { Limit, WindowLimit } from '../limit.ts';

/** How long a time is given where there is none: "never" and "already so". */
export const NEVER = -1;
export const NOW = 0;

/**
 * The reference model of one algorithm. `lua/NAME.lua` has the same functions under the same names,
 * and a property test holds the two together.
 *
 * All times are store time in epoch milliseconds, all amounts integers up to 2^53-1. The callers
 * (plan.ts) have already dealt with a limit of 0 and with costs above the capacity.
 */
export interface AlgorithmModel<State, L extends Limit = WindowLimit> {
  /**
   * The state as it stands now: what has passed is dropped, and a state from the future (the clock
   * stepped back) or written under another rate is re-anchored to now. A re-anchored state is
   * written back even by a denied check; otherwise each check would re-anchor it anew, and nobody
   * would ever be let through.
   */
  stand(limit: L, stored: State | undefined, nowMs: number): Standing<State>;
  /** `used + cost <= limit`. */
  admits(limit: L, state: State, cost: number): boolean;
  /** Counts the cost, which was admitted and is at least 1, for a place's holder. The state given is used up. */
  consume(limit: L, state: State, cost: number, nowMs: number, holder?: string): State;
  /** How many checks of cost 1 would pass now. */
  remaining(limit: L, state: State): number;
  /** When the state is whole again; nowMs if it is, NEVER where it has no end. */
  wholeAtMs(limit: L, state: State, nowMs: number): number;
  /** The first moment at which this cost would be admitted, or NEVER; called for denied costs only. */
  retryAtMs(limit: L, state: State, cost: number, nowMs: number): number;
  /** Counts what was used beyond a reservation: whatever the limit, up to the largest number that is exact. */
  charge(limit: L, state: State, amount: number, nowMs: number): State;
  /** Counts what another counter of the same limit counted, whatever the limit; both states stand now. */
  add(limit: L, state: State, counted: State): State;
  /**
   * Takes back a part of what a reservation was counted as, as of a moment when it still counted: in
   * the same window only, and of a bucket only what has not drained since.
   */
  giveBack(limit: L, state: State, back: GivenBack): State;
  /** How long an admitted check should hold back, given the state before it, so that what passes is even. */
  delayMs?(limit: L, state: State): number;
}

interface GivenBack {
  readonly amount: number;
  /** What the reservation was counted as, and when. */
  readonly reserved: number;
  readonly madeMs: number;
  readonly asOfMs: number;
}

interface Standing<State> {
  readonly state: State;
  readonly isReanchored: boolean;
}
