/** What the management routes take and give, as JSON. Times are ISO 8601. */

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly organisationId: string;
  readonly tierId: string | null;
  readonly version: number;
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
  /** Some minutes behind. */
  readonly lastUsedAt: string | null;
  /** Id of the key in whose place it was made. */
  readonly replaces: string | null;
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

export interface KeyRotation {
  /** How long the old key goes on; a day if absent. */
  readonly overlapMs?: number;
  /** Of the new key; without end if absent. */
  readonly expiresAt?: string;
}

/** A new key, and the one in whose place it was made. */
export interface RotatedApiKey extends CreatedApiKey {
  readonly replaced: ApiKey;
}

export interface Limit {
  readonly name?: string;
  readonly algorithm: string;
  readonly limit: number;
  /** Of all but concurrency. */
  readonly windowMs?: number;
  /** Of concurrency: how long a lease is held. */
  readonly ttlMs?: number;
  /** Of a bucket: the most that passes at once. */
  readonly burst?: number;
  readonly mode?: string;
}

/** When a period begins; which member goes with which period stands in docs/rules.md. */
export interface Anchor {
  readonly minute?: number;
  /** `02:30` */
  readonly time?: string;
  readonly weekday?: string;
  readonly day?: number;
  readonly month?: number;
}

export interface Quota {
  /** The period, if there is none. */
  readonly name?: string;
  readonly limit: number;
  readonly period: string;
  /** IANA name; UTC if there is none. */
  readonly timeZone?: string;
  readonly anchor?: Anchor;
  readonly mode?: string;
}

export interface Rule {
  readonly kind?: string;
  readonly ipv6Prefix?: number;
  readonly identifyBy?: string;
  readonly onStoreFailure?: string;
  readonly mode?: string;
  readonly limits?: readonly Limit[];
  readonly quotas?: readonly Quota[];
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
  /** For a minute the same check with the same id gets the first answer, and consumes nothing. */
  readonly requestId?: string;
}

/** Whose counts are to be forgotten. */
export interface Counted {
  readonly namespace: string;
  readonly identifier: string;
}

export interface Lease {
  readonly id: string;
  readonly expiresAt: string;
}

/** It came `count` times at most, and `count` less `error` times at least. */
export interface Frequent {
  readonly identifier: string;
  readonly count: number;
  readonly error: number;
}

/** Who came most to a namespace, as one node saw it. */
export interface Top {
  /** Null: nothing is known of the namespace. */
  readonly since: string | null;
  readonly checks: number;
  readonly denials: number;
  readonly busiest: readonly Frequent[];
  readonly mostDenied: readonly Frequent[];
}

/** Whose token it is. */
export interface WhoAmI {
  /** As history and audit record it. */
  readonly name: string;
  readonly userId: string | null;
  readonly login: string | null;
  readonly sessionId: string | null;
  readonly organisations: readonly { readonly id: string; readonly name: string; readonly role: string }[];
}

export interface LimitVerdict {
  readonly name: string;
  readonly algorithm: string;
  readonly success: boolean;
  readonly limit: number;
  /** Of a quota: how long its present period is; null where it has no end. */
  readonly windowMs: number | null;
  /** Of a quota. */
  readonly period: string | null;
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
  /** How long to hold back, so that what passes is evenly spaced. */
  readonly delayMs: number;
  readonly reason: string | null;
  readonly degraded: boolean;
  readonly limits: readonly LimitVerdict[];
  /** On trial: counted, never denying. */
  readonly shadow: readonly LimitVerdict[];
  readonly requestId: string | null;
}

export interface BatchAnswer {
  /** Every check was admitted. */
  readonly success: boolean;
  /** One for each check, in their order. */
  readonly verdicts: readonly Verdict[];
}
