export const KEY_KINDS = ['publishable', 'service'] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

export const SCOPES = ['limit', 'peek', 'lease', 'reset'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a key may where nothing is said. A publishable key is in its users' hands: they can't reset themselves. */
export function defaultScopes(kind: KeyKind): readonly Scope[] {
  return kind === 'service' ? SCOPES : SCOPES.filter((scope) => scope !== 'reset');
}

/** A key as stored: the secret itself is shown once and never kept. */
export interface ApiKey {
  /** Public id, `key_…`; safe in logs. */
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly Scope[];
  /** First characters of the key, for people to recognise it. */
  readonly prefix: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  readonly revokedAtMs: number | null;
}

/** The port through which the data plane learns whose key it holds. Cached; single flight. */
export interface KeyDirectory {
  /**
   * Undefined if no living key has this hash.
   * Rejects with StoreUnavailable if nobody could look it up (answer 503, not 401).
   */
  find(sha256: string): Promise<ApiKey | undefined>;
}

/** The key is neither revoked nor expired; it expires at its last moment, not after it. */
export function isUsable(key: Pick<ApiKey, 'expiresAtMs' | 'revokedAtMs'>, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || nowMs < key.expiresAtMs);
}
