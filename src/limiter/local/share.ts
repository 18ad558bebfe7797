import type { LimitSet } from '../counters.ts';
import { ceilDiv, floorDiv } from '../integer.ts';
import { isBucket, type Limit } from '../limit.ts';

/** What one of so many nodes may admit of a limit by itself: at least 1, but nothing of nothing. */
export function shareOf(limit: number, nodes: number): number {
  return limit === 0 ? 0 : Math.max(1, ceilDiv(limit, nodes));
}

/** One node's part of a set of limits, in the set's order. */
export interface Share {
  readonly nodes: number;
  /** By which the node judges: all together never admit less than the limits. */
  readonly judged: LimitSet;
  /**
   * By which it counts what it owes the store: buckets drain no faster than the store's own, all nodes
   * together; but where the limit is smaller than the number of nodes, they have to drain at all.
   */
  readonly owed: LimitSet;
}

const shares = new WeakMap<LimitSet, Share>();

/** Made once for a rule and a number of nodes. */
export function shareOfSet(set: LimitSet, nodes: number): Share {
  const known = shares.get(set);
  if (known?.nodes === nodes) return known;
  const share =
    nodes === 1
      ? { nodes, judged: set, owed: set }
      : {
          nodes,
          judged: { limits: set.limits.map((limit) => judgedPart(limit, nodes)) },
          owed: { limits: set.limits.map((limit) => owedPart(limit, nodes)) },
        };
  shares.set(set, share);
  return share;
}

function judgedPart(limit: Limit, nodes: number): Limit {
  const part = { ...limit, limit: shareOf(limit.limit, nodes) };
  return 'burst' in part ? { ...part, burst: shareOf(part.burst, nodes) } : part;
}

function owedPart(limit: Limit, nodes: number): Limit {
  const part = judgedPart(limit, nodes);
  if (!isBucket(limit.algorithm) || limit.limit === 0) return part;
  return { ...part, limit: Math.max(1, floorDiv(limit.limit, nodes)) };
}
