import { setTimeout as delay } from 'node:timers/promises';
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JWTHeaderParameters } from 'jose';
import { BrumeError } from '../errors/catalogue.ts';
import { fetchJson } from './fetch-json.ts';
import { locateKeys, type ProviderLocation } from './provider-location.ts';

type KeySet = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<KeySet>>;

/** Whatever tokens name, and however the provider fares, it is asked no more often than this. */
export const ASK_AT_MOST_EVERY_MS = 30_000;
/** A key that the provider took back is good for as long at most, while the provider answers. */
export const KEYS_MAX_AGE_MS = 600_000;
/** From this age on they are asked for anew, while the known ones serve. */
const RENEWED_AT_AGE_MS = KEYS_MAX_AGE_MS / 2;
/** For each of the two documents: where the keys are, and the keys. */
const TIMEOUT_MS = 1500;
/** Past the highest age, one call waits so long for new keys before the known ones serve it too. */
const PATIENCE_MS = 200;
/** Calls that wait at once for a key that isn't known; beyond them nobody waits. */
const WAITING_MAX = 64;
/** More keys than any provider has. */
const KEYS_MAX = 64;
const KEY_TYPES: readonly unknown[] = ['RSA', 'EC', 'OKP'];

export interface ProviderKeysParts {
  readonly clock: { monotonicMs(): number };
  /** Told each time when the provider could not be asked. */
  readonly onFault: (error: unknown) => void;
}

/**
 * The public keys of an OIDC provider (JWKS, RFC 7517), in memory. They are asked for when they are
 * needed and old, or when a token names one that isn't there: once at a time, seldom. A token whose key
 * is known doesn't wait for that, or hardly; so a provider that is away, or hangs, is not noticed by who has one.
 */
export class ProviderKeys {
  readonly #location: ProviderLocation;
  readonly #parts: ProviderKeysParts;
  #known: KeySet | undefined;
  #knownSinceMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  #waitingCount = 0;

  constructor(location: ProviderLocation, parts: ProviderKeysParts) {
    this.#location = location;
    this.#parts = parts;
  }

  /**
   * The key for a token; an error of jose if there is none. Rejects with BrumeError
   * `provider_unavailable` if no key at all is known, or too many wait for one that isn't.
   */
  async find(header: JWTHeaderParameters, token: FlattenedJWSInput): Promise<Key> {
    await this.#renew();
    try {
      return await this.#keys()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The provider may have a new key; a name out of thin air finds none the second time either.
      await this.#waitFor(this.#ask());
      return await this.#keys()(header, token);
    }
  }

  async #renew(): Promise<void> {
    if (this.#known === undefined) return this.#waitFor(this.#ask());
    const ageMs = this.#parts.clock.monotonicMs() - this.#knownSinceMs;
    if (ageMs <= RENEWED_AT_AGE_MS) return;
    const isBegun = this.#asking === undefined;
    const asking = this.#ask();
    if (asking === undefined || !isBegun || ageMs <= KEYS_MAX_AGE_MS) return;
    // A key that was taken back while nobody called should not serve even once.
    await Promise.race([asking, delay(PATIENCE_MS, undefined, { ref: false })]);
  }

  #keys(): KeySet {
    if (this.#known === undefined) throw new BrumeError('provider_unavailable');
    return this.#known;
  }

  /** Undefined: the provider was asked a moment ago. Never rejects. */
  #ask(): Promise<void> | undefined {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#asking === undefined && nowMs - this.#askedAtMs < ASK_AT_MOST_EVERY_MS) return undefined;
    this.#asking ??= this.#fetch(nowMs).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #waitFor(asking: Promise<void> | undefined): Promise<void> {
    if (asking === undefined) return;
    if (this.#waitingCount >= WAITING_MAX) throw new BrumeError('provider_unavailable');
    this.#waitingCount += 1;
    await asking;
    this.#waitingCount -= 1;
  }

  async #fetch(nowMs: number): Promise<void> {
    this.#askedAtMs = nowMs;
    try {
      const url = await locateKeys(this.#location, TIMEOUT_MS);
      this.#known = createLocalJWKSet({ keys: publicKeys(await fetchJson(url, TIMEOUT_MS)) });
      this.#knownSinceMs = nowMs;
    } catch (error) {
      this.#parts.onFault(error);
    }
  }
}

/** Those that may be keys for signatures; what is shared or private has no business here. */
function publicKeys(document: unknown): { kty: string }[] {
  const { keys }: { keys?: unknown } = Object(document);
  if (!Array.isArray(keys)) throw new Error('the JWKS document has no list of keys');
  const usable = keys.filter(
    (key) => typeof key === 'object' && key !== null && KEY_TYPES.includes(key.kty) && !('d' in key),
  );
  if (usable.length === 0) throw new Error('the JWKS document has no public key');
  return usable.slice(0, KEYS_MAX);
}
