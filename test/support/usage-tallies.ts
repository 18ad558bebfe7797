import type { UsageTally } from '../../src/stores/usage/usage-tally.ts';

/** A day's first hour. */
export const MIDNIGHT_MS = Date.parse('2027-03-01T00:00:00Z');
export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

export function tallyOf(more: Partial<UsageTally> = {}): UsageTally {
  return {
    projectId: 'prj_1',
    namespace: 'api',
    keyId: 'key_1',
    hourMs: MIDNIGHT_MS,
    allowed: 1,
    denied: 0,
    degraded: 0,
    cost: 1,
    ...more,
  };
}
