import type { Period } from './calendar.ts';
import type { Algorithm } from './limit.ts';

/** Why a verdict is not a plain "admitted". */
export type Reason =
  | 'limit'
  | 'quota'
  | 'blocked'
  | 'exempt'
  | 'impossible'
  | 'lease_required'
  | 'store_unavailable';

/** The answer to a check, in the shape in which the API gives it. */
export interface Verdict {
  readonly success: boolean;
  readonly namespace: string;
  readonly identifier: string;
  /** Of the tightest limit, like remaining and reset; null where unknown (degraded). */
  readonly limit: number | null;
  readonly remaining: number | null;
  /** Epoch milliseconds at which the limit is whole again; null where unknown or never. */
  readonly reset: number | null;
  /** Whole seconds, at least 1; null if admitted, unknown, or waiting can't help. */
  readonly retryAfter: number | null;
  /** leaky_bucket: when to proceed, so that what passes is evenly spaced; 0 for the other algorithms. */
  readonly delayMs: number;
  readonly reason: Reason | null;
  /** The store did not answer: the namespace's policy decided. */
  readonly degraded: boolean;
  /** What is enforced, in the rule's order. */
  readonly limits: readonly LimitVerdict[];
  /** What is on trial: counted and reported, never denying. */
  readonly shadow: readonly LimitVerdict[];
  readonly requestId: string | null;
}

export interface LimitVerdict {
  readonly name: string;
  readonly algorithm: Algorithm;
  readonly success: boolean;
  readonly limit: number;
  /** Of a quota: how long its present period is; null where it has no end, and for concurrency. */
  readonly windowMs: number | null;
  /** Of a quota: its calendar's period. */
  readonly period: Period | null;
  /** The larger of limit and burst: `q` in RateLimit-Policy. */
  readonly quota: number;
  readonly remaining: number;
  readonly reset: number | null;
  readonly retryAfter: number | null;
  /** Whole seconds until `remaining` grows: `t` in RateLimit; null if whole or never. */
  readonly growsAfter: number | null;
}
