import type { Policy } from './namespaces.ts';

/** What of a verdict is looked at. */
export interface SeenVerdict {
  readonly success: boolean;
  readonly degraded: boolean;
  readonly reason: string | null;
  readonly remaining: number | null;
}

export function verdictIn(body: unknown): SeenVerdict {
  if (typeof body !== 'object' || body === null || !('success' in body) || !('degraded' in body))
    throw new Error(`no verdict: ${JSON.stringify(body)}`);
  return body as SeenVerdict;
}

const LOCAL_REASONS = [null, 'limit', 'quota', 'store_unavailable', 'impossible'];

/** What a verdict says that its namespace's policy, or any, forbids. */
export function verdictFaults(verdict: SeenVerdict, policy: Policy): string[] {
  const { success, degraded, reason } = verdict;
  const faults = negativeNumbers(verdict);
  if (success !== (reason === null)) faults.push(`success ${success} for the reason ${reason}`);
  if (!degraded && reason === 'store_unavailable') faults.push('store_unavailable, and not degraded');
  if (!degraded) return faults;
  if (policy === 'open' && !success) faults.push(`open, degraded, and denied: ${reason}`);
  if (policy === 'closed' && reason !== 'store_unavailable') faults.push(`closed, degraded, and ${reason}`);
  if (policy === 'local' && !LOCAL_REASONS.includes(reason)) faults.push(`local, degraded, and ${reason}`);
  return faults;
}

function negativeNumbers(value: unknown, path = ''): string[] {
  if (typeof value === 'number') return value < 0 || !Number.isFinite(value) ? [`${path} is ${value}`] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => negativeNumbers(each, `${path}.${name}`));
}
