import type { Limit } from './limit.ts';

/**
 * The port to whatever holds the counts: Redis (lua/), or the embedded table (the reference
 * models). Both give the same outcome for the same history.
 */
export interface Counters {
  /**
   * Judges one check against all its limits and commits it to all of them or to none, atomically.
   * Rejects with a CountersError when the store gave no answer in time, is full, or held state that
   * could not be read; such a check may have been counted once and is never counted again.
   * Rejects with BrumeError request_id_reused if its request id was admitted with another cost, and
   * reservations_full; with OutdatedConfiguration if a change was announced that it doesn't go by.
   */
  check(check: CounterCheck): Promise<CounterOutcome>;
  /** Commits all of the checks or none of them, in one step; at most 100. Rejects as check() does. */
  checkAtomically(checks: readonly CounterCheck[]): Promise<readonly CounterOutcome[]>;
  /** Forgets what was used under this key, and its request ids, but no lease. Rejects with a CountersError. */
  reset(key: string): Promise<void>;
  /**
   * Ends a reservation with its real cost, 0 if it is dropped; undefined if there is none, or none any
   * more. Doing so again repeats the first answer. Rejects with a CountersError.
   */
  settle(settling: Settling): Promise<Settlement | undefined>;
  /** Holds a place for another time to live; undefined if it had run out. Rejects with a CountersError. */
  renewLease(key: string, holder: string): Promise<HeldLease | undefined>;
  /** Gives a place back; giving it back twice is no error. Rejects with a CountersError. */
  releaseLease(key: string, holder: string): Promise<void>;
  /** The leases that are held under this key, the next to run out first. Rejects with a CountersError. */
  listLeases(key: string): Promise<readonly HeldLease[]>;
  /**
   * From now on, until every node has read the change by itself, a check of this key by an older revision
   * is rejected as outdated, also on other nodes. Rejects with a CountersError.
   */
  announce(key: string, revision: number): Promise<void>;
  /** The store's time, epoch milliseconds; this node's estimate of it, or its own while there is none. */
  nowMs(): number;
  /** A check would be counted now, by some part of the store at least. Never throws. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}

/** How long an admitted check is remembered under its request id, and how many of an identifier. */
export const REQUEST_ID_KEPT_MS = 60_000;
export const REQUEST_IDS_MAX = 1000;

/** Limits that are checked and committed together. One frozen object per version of a rule. */
export interface LimitSet {
  readonly limits: readonly Limit[];
}

export interface CounterCheck {
  /** Name of the state: 22 to 64 characters of [A-Za-z0-9_-], a keyed hash; see identifier-key.ts. */
  readonly key: string;
  readonly set: LimitSet;
  /** Integer, 0 to 2^53-1. */
  readonly cost: number;
  /** A peek gives the verdict that the check would have, and consumes nothing. */
  readonly peek: boolean;
  /**
   * A hashed request id, formed like `key`: within a minute the same check with the same id gets the
   * answer that admitted it and consumes nothing.
   */
  readonly requestKey?: string;
  /** For whom a place of a concurrency limit is acquired: `RANDOM:TTL`, see sealed-id.ts. */
  readonly holder?: string;
  /** The cost is reserved under this token, `RANDOM:TTL`, and settled later; see reservations.ts. */
  readonly reservation?: string;
  /** Decides before all limits, of which `set` has none then, and consumes nothing. */
  readonly ruling?: 'blocked' | 'exempt';
  /** Of the configuration that it goes by; absent: whatever has changed. */
  readonly revision?: number;
  /** The node judges it by itself where the store gives no answer; absent: it is rejected then. */
  readonly fallback?: 'local';
}

export interface Settling {
  readonly key: string;
  /** The rule as it is now. */
  readonly set: LimitSet;
  readonly token: string;
  /** Integer, 0 to 2^53-1. */
  readonly cost: number;
}

/** How a reservation ended. */
export interface Settlement {
  readonly reserved: number;
  /** What was really used; 0 if it was dropped. */
  readonly actual: number;
  /** It had run out: what it was counted as had been given back, and the real cost is charged anew. */
  readonly isLate: boolean;
}

/** A place that is held. */
export interface HeldLease {
  readonly holder: string;
  readonly expiresMs: number;
}

export interface CounterOutcome {
  readonly admitted: boolean;
  /** It would be admitted, but another check of its atomic batch is denied. */
  readonly isHeldBack: boolean;
  /** It was admitted before, under its request id; this is that answer. */
  readonly isRepeated: boolean;
  /** The holder or the reservation, if one was asked for and given. */
  readonly token: string | undefined;
  /** Store time of the decision, epoch milliseconds. */
  readonly nowMs: number;
  /** One for each limit, in the set's order. */
  readonly limits: readonly LimitOutcome[];
  /** What the store failed with, where this node judged by itself, by its share of the limits. */
  readonly fault?: CountersError;
}

/** What one limit says, after the commit if there was one. */
export interface LimitOutcome {
  /** This limit alone would admit the check. */
  readonly admits: boolean;
  /** How many checks of cost 1 would pass now; never negative. */
  readonly remaining: number;
  /** Epoch milliseconds at which the limit is whole again if nobody else comes; -1: never (limit 0). */
  readonly resetMs: number;
  /** Epoch milliseconds at which the same check would pass this limit; 0 if it does now, -1 if never. */
  readonly retryAtMs: number;
  /** Epoch milliseconds at which `remaining` next grows; 0 if it is whole, -1 if never. */
  readonly growsAtMs: number;
  /** leaky_bucket, where it admits: how long to hold back so that what passes is evenly spaced; else 0. */
  readonly delayMs: number;
}

/** A check went by a configuration that has changed for its identifier; nothing was done. */
export class OutdatedConfiguration extends Error {
  override readonly name = 'OutdatedConfiguration';
  constructor() {
    super('the configuration has changed since the revision that this check goes by');
  }
}

export type CountersFault =
  /** No answer within the deadline: the check may or may not have been counted. */
  | 'timeout'
  /** The store refused or is not connected: the check was not counted. */
  | 'unavailable'
  /** No room for a new identifier; nothing living was evicted. */
  | 'full'
  /** The state under this key was not ours or damaged; it has been removed. */
  | 'corrupt';

export class CountersError extends Error {
  override readonly name = 'CountersError';
  readonly fault: CountersFault;
  constructor(fault: CountersFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
