/** What the management routes take and give, as JSON. Times are ISO 8601. */

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type KeyKind = 'publishable' | 'service';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes: readonly string[];
  /** The first characters of the key. */
  readonly prefix: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

/** A new key with its secret, which is given this once. */
export interface CreatedApiKey extends ApiKey {
  readonly key: string;
}

export interface NewApiKey {
  readonly name: string;
  readonly kind: KeyKind;
  readonly scopes?: readonly string[];
  readonly expiresAt?: string;
}

export interface Limit {
  readonly name?: string;
  readonly algorithm: string;
  readonly limit: number;
  readonly windowMs: number;
  /** gcra only. */
  readonly burst?: number;
}

export interface Rule {
  readonly kind?: string;
  readonly ipv6Prefix?: number;
  readonly identifyBy?: string;
  readonly onStoreFailure?: string;
  readonly limits: readonly Limit[];
}

export interface Namespace {
  readonly id: string;
  readonly name: string;
  readonly rule: Rule;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface Check {
  readonly namespace: string;
  readonly identifier: string;
  readonly cost?: number;
}

interface LimitVerdict {
  readonly name: string;
  readonly algorithm: string;
  readonly success: boolean;
  readonly limit: number;
  readonly windowMs: number;
  readonly remaining: number;
  /** Epoch milliseconds. */
  readonly reset: number | null;
  readonly retryAfter: number | null;
}

/** The answer to a check. */
export interface Verdict {
  readonly success: boolean;
  readonly namespace: string;
  readonly identifier: string;
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Epoch milliseconds. */
  readonly reset: number | null;
  /** Whole seconds. */
  readonly retryAfter: number | null;
  readonly reason: string | null;
  readonly degraded: boolean;
  readonly limits: readonly LimitVerdict[];
}
