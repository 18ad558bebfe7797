import { NEVER } from '../algorithms/algorithm.ts';
import { type LimitState, modelOf } from '../algorithms/models.ts';
import type { LimitSet } from '../counters.ts';
import { type Held, NOTHING_HELD } from '../held.ts';
import { ceilDiv } from '../integer.ts';
import { capacityOf, isBucket, LEASE_TTL_MS_MAX, type Limit } from '../limit.ts';
import type { Standing } from '../merge.ts';
import { stateKeyOf } from '../reservations.ts';
import type { Share } from './share.ts';

/** How an identifier stood when the store answered last, and by which limits. */
export interface Seen extends Standing {
  readonly set: LimitSet;
}

/** With what a node begins to judge an identifier by itself. */
export interface Seed {
  /** Charged so that of each share no more is left than the store had left. */
  readonly held: Held;
  /**
   * Of the buckets, by limit name: this node's part of the level in the store, which goes on draining
   * there. What the store has of a level is no part of what is merged into it.
   */
  readonly levels: ReadonlyMap<string, LimitState>;
}

/** One for all, as most identifiers have none: empty maps of each would be a sixth of what a node holds of it. */
const NO_LEVELS: Seed['levels'] = new Map();
const UNKNOWN: Seed = { held: NOTHING_HELD, levels: NO_LEVELS };

/** `share`: this node's, of the set. Windows that have ended since count no more. */
export function seedOf(seen: Seen | undefined, set: LimitSet, { nodes, judged, owed }: Share): Seed {
  if (seen === undefined) return UNKNOWN;
  const records = new Map<string, LimitState>();
  const levels = new Map<string, LimitState>();
  let { leases } = NOTHING_HELD;
  set.limits.forEach((limit, index) => {
    const part = judged.limits[index] as Limit;
    const { used, resetMs } = usedOf(limit, seen) ?? { used: 0, resetMs: 0 };
    if (used === 0 || part.limit === 0) return;
    const room = Math.min(capacityOf(part), Math.max(0, capacityOf(limit) - used));
    const taken = capacityOf(part) - room;
    if (limit.algorithm === 'concurrency') leases = heldPlaces(taken, resetMs);
    else records.set(limit.name, charged(part, taken, seen.nowMs));
    if (isBucket(limit.algorithm)) {
      levels.set(limit.name, charged(owed.limits[index] as Limit, ceilDiv(used, nodes), seen.nowMs));
    }
  });
  return { held: { ...NOTHING_HELD, records, leases }, levels: levels.size > 0 ? levels : NO_LEVELS };
}

/** What was used of a limit, as far as its number tells; undefined where it was counted otherwise, or not at all. */
function usedOf(limit: Limit, seen: Seen): { used: number; resetMs: number } | undefined {
  const index = seen.set.limits.findIndex(({ name }) => name === limit.name);
  const before = seen.set.limits[index];
  const stood = seen.limits[index];
  if (before === undefined || stood === undefined || stateKeyOf(before) !== stateKeyOf(limit))
    return undefined;
  return { used: Math.max(0, capacityOf(before) - stood.remaining), resetMs: stood.resetMs };
}

function charged(limit: Limit, amount: number, atMs: number): LimitState {
  const model = modelOf(limit.algorithm);
  const { state } = model.stand(limit, undefined, atMs);
  return amount === 0 ? state : model.charge(limit, state, amount, atMs);
}

/** Places of others, who can't be asked: they count as held until the last of them would have run out. */
function heldPlaces(count: number, untilMs: number): ReadonlyMap<string, number> {
  if (untilMs === NEVER) return new Map();
  return new Map(
    Array.from({ length: count }, (_, index) => [`elsewhere-${index}:${LEASE_TTL_MS_MAX}`, untilMs]),
  );
}
