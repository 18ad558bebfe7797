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
const TIMEOUT_MS = 3000;
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
 * needed and old, or when a token names one that isn't there: once at a time, seldom. While the provider
 * is away the known ones go on.
 */
export class ProviderKeys {
  readonly #location: ProviderLocation;
  readonly #parts: ProviderKeysParts;
  #known: KeySet | undefined;
  #knownSinceMs = Number.NEGATIVE_INFINITY;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;

  constructor(location: ProviderLocation, parts: ProviderKeysParts) {
    this.#location = location;
    this.#parts = parts;
  }

  /**
   * The key for a token; an error of jose if there is none. Rejects with BrumeError
   * `provider_unavailable` if no key at all is known.
   */
  async find(header: JWTHeaderParameters, token: FlattenedJWSInput): Promise<Key> {
    const ageMs = this.#parts.clock.monotonicMs() - this.#knownSinceMs;
    if (ageMs > KEYS_MAX_AGE_MS) await this.#ask();
    try {
      return await this.#keys()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The provider may have a new key; a name out of thin air finds none the second time either.
      await this.#ask();
      return await this.#keys()(header, token);
    }
  }

  #keys(): KeySet {
    if (this.#known === undefined) throw new BrumeError('provider_unavailable');
    return this.#known;
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#asking === undefined && nowMs - this.#askedAtMs < ASK_AT_MOST_EVERY_MS) return;
    this.#asking ??= this.#fetch(nowMs).finally(() => {
      this.#asking = undefined;
    });
    await this.#asking;
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
