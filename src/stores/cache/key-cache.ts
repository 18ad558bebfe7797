import { LRUCache } from 'lru-cache';
import { BrumeError } from '../../errors/catalogue.ts';
import type { Clock } from '../../limiter/clock.ts';
import { type ApiKey, isUsable, type KeyDirectory } from '../../tenancy/api-key.ts';
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

interface Entry {
  readonly key: ApiKey;
  /** On the monotonic clock. */
  freshUntilMs: number;
}

const KEYS_MAX = 100_000;
/** A cache of its own: a flood of invented keys drives out no real one. */
const UNKNOWN_KEYS_MAX = 10_000;
/** An entry lives 90 to 100 % of its time. */
const JITTER_SHARE = 0.1;
/** After a failed lookup a known key is served so long before the store is asked for it again. */
const RETRY_MS = 1000;

/** Living keys by their hash, in front of the database. */
export class KeyCache implements KeyDirectory {
  readonly #options: KeyCacheOptions;
  readonly #known = new LRUCache<string, Entry>({ max: KEYS_MAX });
  readonly #unknownUntilMs = new LRUCache<string, number>({ max: UNKNOWN_KEYS_MAX });
  readonly #lookups = new Map<string, Promise<ApiKey | undefined>>();
  /** Rises with each invalidation: a lookup that began before one keeps nothing. */
  #generation = 0;

  constructor(options: KeyCacheOptions) {
    this.#options = options;
  }

  /** Rejects with `store_unavailable` if the key isn't known and can't be looked up in time. */
  async find(sha256: string): Promise<ApiKey | undefined> {
    const nowMs = this.#options.clock.monotonicMs();
    const entry = this.#known.get(sha256);
    if (entry !== undefined && nowMs < entry.freshUntilMs) return this.#usable(entry.key);
    const unknownUntilMs = this.#unknownUntilMs.get(sha256);
    if (unknownUntilMs !== undefined && nowMs < unknownUntilMs) return undefined;
    try {
      return this.#usable(await this.#withDeadline(this.#lookUpOnce(sha256)));
    } catch (error) {
      if (entry === undefined) throw error;
      entry.freshUntilMs = this.#options.clock.monotonicMs() + RETRY_MS;
      return this.#usable(entry.key);
    }
  }

  /** Forgets the keys of changed projects, and which keys are unknown: one of them may just have been made. */
  invalidate(hasChanged: (projectId: string) => boolean): void {
    this.#generation += 1;
    this.#lookups.clear();
    this.#unknownUntilMs.clear();
    for (const [sha256, { key }] of this.#known.entries()) {
      if (hasChanged(key.projectId)) this.#known.delete(sha256);
    }
  }

  /** One at a time for each key, also while the store hangs: who waits gives up, the lookup goes on. */
  #lookUpOnce(sha256: string): Promise<ApiKey | undefined> {
    const underWay = this.#lookups.get(sha256);
    if (underWay !== undefined) return underWay;
    const lookup = this.#lookUp(sha256).finally(() => {
      if (this.#lookups.get(sha256) === lookup) this.#lookups.delete(sha256);
    });
    this.#lookups.set(sha256, lookup);
    return lookup;
  }

  async #lookUp(sha256: string): Promise<ApiKey | undefined> {
    const generation = this.#generation;
    const key = await this.#options.directory.find(sha256);
    if (generation === this.#generation) this.#keep(sha256, key);
    return key;
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
