/** How much a project uses: what its checks were answered, and what they cost. */

/** An hour or a day, in UTC. */
export const USAGE_STEPS = ['hour', 'day'] as const;
export type UsageStep = (typeof USAGE_STEPS)[number];

export const STEP_MS: Readonly<Record<UsageStep, number>> = { hour: 3_600_000, day: 86_400_000 };

/** By what a project's usage can be told apart. */
export const USAGE_PARTS = ['namespace', 'key'] as const;
export type UsagePart = (typeof USAGE_PARTS)[number];

interface UsageCounts {
  /** Verdicts; peeks are left out, and so are answers that repeat an earlier one. */
  readonly allowed: number;
  readonly denied: number;
  /** Those of both that the failure policy gave. */
  readonly degraded: number;
  /** What the allowed ones cost together, as asked; at most 2^53-1. */
  readonly cost: number;
}

/** Where a page ended. */
export interface UsagePosition {
  readonly startMs: number;
  /** Empty where usage is not told apart, and of checks without a key. */
  readonly part: string;
}

export interface UsageQuery {
  readonly projectId: string;
  readonly step: UsageStep;
  /** Undefined: the whole project in one row a step. */
  readonly by: UsagePart | undefined;
  /** The start of a step, itself included. */
  readonly fromMs: number;
  /** Steps that begin before. */
  readonly toMs: number;
  readonly namespace?: string;
  readonly keyId?: string;
  readonly after?: UsagePosition;
  readonly pageSize: number;
}

export interface UsageRow extends UsageCounts, UsagePosition {
  /** What the key is called; null if usage isn't told apart by keys, or there is no such key. */
  readonly keyName: string | null;
}

export interface UsageStore {
  /** The oldest first, and in the order of the parts. Steps without a check have no row. */
  listUsage(query: UsageQuery): Promise<readonly UsageRow[]>;
}
