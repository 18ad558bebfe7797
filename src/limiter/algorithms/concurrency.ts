import type { ConcurrencyLimit } from '../limit.ts';
import type { AlgorithmModel } from './algorithm.ts';

/**
 * Who holds a place, and until when (epoch milliseconds). A holder is `RANDOM:TTL`: a lease keeps
 * the time to live under which it was acquired.
 */
export type Leases = ReadonlyMap<string, number>;

export interface ConcurrencyState {
  readonly algorithm: 'concurrency';
  readonly identity: number;
  readonly leases: Leases;
}

/** What is asked for here is one place, whatever the check's cost: the callers pass 1. */
export const concurrency: AlgorithmModel<ConcurrencyState, ConcurrencyLimit> = {
  stand({ identity, ttlMs }, stored, nowMs) {
    let isReanchored = false;
    const leases = new Map<string, number>();
    for (const [holder, expiresMs] of stored?.leases ?? []) {
      const latestMs = nowMs + Math.max(ttlMs, ttlOf(holder));
      isReanchored ||= expiresMs > latestMs;
      if (expiresMs > nowMs) leases.set(holder, Math.min(expiresMs, latestMs));
    }
    return { state: { algorithm: 'concurrency', identity, leases }, isReanchored };
  },

  admits: ({ limit }, { leases }, places) => leases.size + places <= limit,

  consume(_limit, state, _places, nowMs, holder) {
    if (holder === undefined) throw new TypeError('a place needs a holder');
    return { ...state, leases: new Map(state.leases).set(holder, nowMs + ttlOf(holder)) };
  },

  /** Places are held by leases, never reserved. */
  charge: (_limit, state) => state,

  add: (_limit, state, { leases }) => ({ ...state, leases: new Map([...state.leases, ...leases]) }),

  giveBack: (_limit, state) => state,

  remaining: ({ limit }, { leases }) => Math.max(0, limit - leases.size),

  wholeAtMs: (_limit, { leases }, nowMs) => Math.max(nowMs, ...leases.values()),

  /** When so many have run out that the places are free; a release may come sooner. */
  retryAtMs({ limit }, { leases }, places) {
    const expiries = [...leases.values()].sort((a, b) => a - b);
    return expiries[leases.size - (limit - places) - 1] as number;
  },
};

/** The time to live of a holder's lease, in milliseconds. */
export function ttlOf(holder: string): number {
  return Number(holder.slice(holder.lastIndexOf(':') + 1));
}
