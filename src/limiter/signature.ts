import { createHash } from 'node:crypto';
import type { LimitSet } from './counters.ts';

const signatures = new WeakMap<LimitSet, string>();

/** 16 hexadecimal digits, equal for sets that count alike: what a kept answer is recognised by. */
export function signatureOf(set: LimitSet): string {
  const known = signatures.get(set);
  if (known !== undefined) return known;
  const parts = set.limits.map((limit) => [
    limit.name,
    limit.algorithm,
    limit.mode,
    limit.limit,
    limit.identity,
    'burst' in limit ? limit.burst : 0,
    'ttlMs' in limit ? limit.ttlMs : 0,
  ]);
  const signature = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
  signatures.set(set, signature);
  return signature;
}
