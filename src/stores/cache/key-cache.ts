import { LRUCache } from 'lru-cache';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Clock } from '../../limiter/clock.ts';
import { type ApiKey, isUsable, type KeyDirectory } from '../../tenancy/api-key.ts';
import { type KnownKey, KnownKeys } from './known-keys.ts';
import { LookupGate } from './lookup-gate.ts';
import type { Timers } from './timers.ts';

export interface KeyCacheOptions {
  /** Where keys are looked up; revoked and expired ones included. */
  readonly directory: KeyDirectory;
  readonly clock: Clock;
  readonly timers: Timers;
  /** How long a key is served without asking. */
  readonly keyCacheMs: number;
  /** How long an unknown key stays unknown without asking. */
  readonly unknownKeyCacheMs: number;
  /** How long a request waits for a lookup. */
  readonly keyLookupTimeoutMs: number;
  /** From 0 to below 1; spreads the expiry of entries made together. */
  readonly random?: () => number;
}

/** Counts since the start, and sizes as of now. */
export interface KeyCacheStats {
  /** Keys that are known. */
  readonly size: number;
  /** Keys that are remembered as unknown. */
  readonly unknown: number;
  /** Answered from memory: from what is fresh, or because the store is away. */
  readonly hits: number;
  readonly misses: number;
  /** Of the hits, those that were past their time. */
  readonly staleHits: number;
  /** Known keys that gave way to others. */
  readonly evictions: number;
  /** Misses that found no answer in time. */
  readonly failures: number;
  readonly lookups: number;
  readonly lookupsUnderWay: number;
  readonly lookupsWaiting: number;
}

const KEYS_MAX = 100_000;
/** A cache of its own: a flood of invented keys drives out no real one. */
const UNKNOWN_KEYS_MAX = 10_000;
/** An entry lives 90 to 100 % of its time. */
const JITTER_SHARE = 0.1;
/** After a failed lookup a known key is served so long before the store is asked for it again. */
const RETRY_MS = 1000;
/** Fewer than the connections to PostgreSQL: changes and polls must not stand behind a flood of keys. */
const LOOKUPS_MAX = 8;
const WAITING_MAX = 10_000;

/** Living keys by their hash, in front of the database. */
export class KeyCache implements KeyDirectory {
  readonly #options: KeyCacheOptions;
  readonly #known = new KnownKeys(KEYS_MAX);
  readonly #unknownUntilMs = new LRUCache<string, number>({ max: UNKNOWN_KEYS_MAX });
  readonly #lookups = new Map<string, Promise<ApiKey | undefined>>();
  readonly #gate: LookupGate;
  readonly #counts = { hits: 0, misses: 0, staleHits: 0, failures: 0, lookups: 0 };
  /** Rises with each invalidation: a lookup that began before one keeps nothing. */
  #generation = 0;
  /** Whether the last lookup failed: then nobody waits for a key that is known. */
  #isAway = false;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
    this.#gate = new LookupGate({
      insideMax: LOOKUPS_MAX,
      waitingMax: WAITING_MAX,
      timers: options.timers,
    });
  }

  stats(): KeyCacheStats {
    return {
      size: this.#known.size,
      unknown: this.#unknownUntilMs.size,
      evictions: this.#known.evictions,
      ...this.#counts,
      lookupsUnderWay: this.#gate.inside,
      lookupsWaiting: this.#gate.waiting,
    };
  }

  /** Rejects with `store_unavailable` if the key isn't known and can't be looked up in time. */
  async find(sha256: string): Promise<ApiKey | undefined> {
    const nowMs = this.#options.clock.monotonicMs();
    const entry = this.#known.get(sha256);
    const isFresh = nowMs < (entry?.freshUntilMs ?? this.#unknownUntilMs.get(sha256) ?? -Infinity);
    if (isFresh) {
      this.#counts.hits += 1;
      return this.#usable(entry?.key);
    }
    if (entry !== undefined && this.#isAway) {
      if (this.#gate.isOpen) this.#lookUpOnce(sha256, true).catch(() => undefined);
      return this.#serveStale(entry);
    }
    this.#counts.misses += 1;
    try {
      return this.#usable(await this.#withDeadline(this.#lookUpOnce(sha256, entry !== undefined)));
    } catch (error) {
      this.#isAway = true;
      this.#counts.failures += 1;
      // Looked up once more: it may have been invalidated meanwhile.
      const known = this.#known.get(sha256);
      if (known === undefined) throw error;
      return this.#serveStale(known);
    }
  }

  /** Forgets the keys of changed projects, and which keys are unknown: one of them may just have been made. */
  invalidate(hasChanged: (projectId: string) => boolean): void {
    this.#disownLookups();
    this.#known.deleteOf(hasChanged);
  }

  /** Every key is looked up again before it is served; one that can't be is served as known so far. */
  recheckAll(): void {
    this.#disownLookups();
    this.#known.expireAll();
  }

  /** Those under way may bring what is no longer true: nothing of them is kept, and nobody joins them. */
  #disownLookups(): void {
    this.#generation += 1;
    this.#lookups.clear();
    this.#unknownUntilMs.clear();
  }

  #serveStale(entry: KnownKey): ApiKey | undefined {
    entry.freshUntilMs = this.#options.clock.monotonicMs() + RETRY_MS;
    this.#counts.hits += 1;
    this.#counts.staleHits += 1;
    return this.#usable(entry.key);
  }

  /** One at a time for each key, also while the store hangs: who waits gives up, the lookup goes on. */
  #lookUpOnce(sha256: string, isKnown: boolean): Promise<ApiKey | undefined> {
    const underWay = this.#lookups.get(sha256);
    if (underWay !== undefined) return underWay;
    const lookup = this.#lookUp(sha256, isKnown).finally(() => {
      if (this.#lookups.get(sha256) === lookup) this.#lookups.delete(sha256);
    });
    this.#lookups.set(sha256, lookup);
    return lookup;
  }

  async #lookUp(sha256: string, isKnown: boolean): Promise<ApiKey | undefined> {
    const leave = await this.#gate.enter(this.#options.keyLookupTimeoutMs, isKnown);
    const generation = this.#generation;
    this.#counts.lookups += 1;
    try {
      const key = await this.#options.directory.find(sha256);
      this.#isAway = false;
      if (generation === this.#generation) this.#keep(sha256, key);
      return key;
    } finally {
      leave();
    }
  }

  #keep(sha256: string, key: ApiKey | undefined): void {
    const { clock, keyCacheMs, unknownKeyCacheMs, random = Math.random } = this.#options;
    const share = 1 - JITTER_SHARE * random();
    const nowMs = clock.monotonicMs();
    if (key === undefined) {
      this.#known.delete(sha256);
      this.#unknownUntilMs.set(sha256, nowMs + unknownKeyCacheMs * share);
    } else {
      this.#unknownUntilMs.delete(sha256);
      this.#known.set(sha256, { key, freshUntilMs: nowMs + keyCacheMs * share });
    }
  }

  #withDeadline<T>(lookup: Promise<T>): Promise<T> {
    const { timers, keyLookupTimeoutMs } = this.#options;
    return new Promise((resolve, reject) => {
      const cancel = timers.after(keyLookupTimeoutMs, () => {
        const cause = new Error(`the key lookup took longer than ${keyLookupTimeoutMs} ms`);
        reject(new BrumeError('store_unavailable', { cause }));
      });
      lookup.then(resolve, reject).finally(cancel);
    });
  }

  #usable(key: ApiKey | undefined): ApiKey | undefined {
    return key !== undefined && isUsable(key, this.#options.clock.nowMs()) ? key : undefined;
  }
}
