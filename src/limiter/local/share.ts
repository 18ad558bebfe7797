import type { LimitSet } from '../counters.ts';
import { ceilDiv } from '../integer.ts';
import type { Limit } from '../limit.ts';

/** What one of so many nodes may admit of a limit by itself: at least 1, but nothing of nothing. */
export function shareOf(limit: number, nodes: number): number {
  return limit === 0 ? 0 : Math.max(1, ceilDiv(limit, nodes));
}

const shares = new WeakMap<LimitSet, { readonly nodes: number; readonly share: LimitSet }>();

/** The same limits with this node's share of each; made once for a rule and a number of nodes. */
export function sharedSet(set: LimitSet, nodes: number): LimitSet {
  if (nodes === 1) return set;
  const known = shares.get(set);
  if (known?.nodes === nodes) return known.share;
  const share = { limits: set.limits.map((limit) => sharedLimit(limit, nodes)) };
  shares.set(set, { nodes, share });
  return share;
}

function sharedLimit(limit: Limit, nodes: number): Limit {
  const share = { ...limit, limit: shareOf(limit.limit, nodes) };
  return 'burst' in share ? { ...share, burst: shareOf(share.burst, nodes) } : share;
}
