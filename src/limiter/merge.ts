import { NEVER } from './algorithms/algorithm.ts';
import type { LimitState } from './algorithms/models.ts';
import type { Counters, CountersError, LimitSet } from './counters.ts';
import { endOf, type Held, heldAfter, type Stood, standings } from './held.ts';
import type { Limit } from './limit.ts';

/** What a node admitted of one identifier while the store gave no answer, to be counted there. */
export interface Merge {
  /** As in CounterCheck. */
  readonly key: string;
  /** The limits by which the identifier is counted in the store. */
  readonly set: LimitSet;
  /** By limit name, as the models keep what is counted; of places, the leases that were given. */
  readonly counted: ReadonlyMap<string, LimitState>;
}

/** How the limits of an identifier stand, in the order of its set. */
export interface Standing {
  /** Store time, epoch milliseconds. */
  readonly nowMs: number;
  readonly limits: readonly {
    /** How many checks of cost 1 would pass now. */
    readonly remaining: number;
    /** Epoch milliseconds at which the limit is whole again; -1: never. */
    readonly resetMs: number;
  }[];
}

/** So that one call can't hold a store for long: so many identifiers, and so much in all of them. */
export const MERGES_MAX = 64;
export const MERGED_WEIGHT_MAX = 10_000;

/** Counters into which nodes merge what they admitted by themselves. */
export interface MergingCounters extends Counters {
  /**
   * Counts all of it, whatever the limits; at most MERGES_MAX, each of another key. Resolves with how each
   * stands then, or why it was not counted: with 'timeout' it may have been, and must not be merged again.
   */
  merge(merges: readonly Merge[]): Promise<readonly (Standing | CountersError)[]>;
  /** Whether the part of the store that has this key would count now; without a key, whether any would. Never rejects. */
  ping(key?: string): Promise<boolean>;
  /** Which part of the store has a key, where one can be away while others answer. Absent: it is in one piece. */
  partOf?(key: string): string;
}

export interface MergeDecision {
  readonly standing: Standing;
  readonly held: Held;
  /** Of what is held of the limits of the set; of others it is not known. */
  readonly expiresAtMs: number;
  readonly holdsOthers: boolean;
}

/**
 * The reference of lua/merge.lua. Limits that the set doesn't have stay as they are held: the set may be
 * that of a node to which a change of the rule has not come yet.
 */
export function mergeCounted(
  { set, counted }: Pick<Merge, 'set' | 'counted'>,
  held: Held,
  nowMs: number,
): MergeDecision {
  const { stood, reservations } = standings(set, held, nowMs);
  const added = stood.map((entry) => add(entry, counted.get(entry.limit.name), nowMs));
  const names = new Set(set.limits.map(({ name }) => name));
  const others = [...held.records].filter(([name]) => !names.has(name));
  const ours = new Map([...held.records].filter(([name]) => names.has(name)));
  const next = heldAfter(added, reservations, { ...held, records: ours });
  return {
    standing: standingAt(added, nowMs),
    held: { ...next, records: new Map([...next.records, ...others]) },
    expiresAtMs: endOf(added, next, nowMs),
    holdsOthers: others.length > 0,
  };
}

function standingAt(stood: readonly Stood[], nowMs: number): Standing {
  const limits = stood.map(({ limit, model, state }) => ({
    remaining: limit.limit === 0 ? 0 : model.remaining(limit, state),
    resetMs: limit.limit === 0 ? NEVER : model.wholeAtMs(limit, state, nowMs),
  }));
  return { nowMs, limits };
}

function add(entry: Stood, counted: LimitState | undefined, nowMs: number): Stood {
  const { limit, model, state } = entry;
  if (counted?.algorithm !== limit.algorithm || counted.identity !== limit.identity) return entry;
  return { ...entry, state: model.add(limit, state, model.stand(limit, counted, nowMs).state) };
}

/** What a merge of these limits may cost the store, in entries of a sliding log; of others, little. */
export function mergeWeightOf({ limits }: LimitSet): number {
  const weightOf = ({ algorithm, limit }: Limit) => (algorithm === 'sliding_log' ? limit : 1);
  return limits.reduce((sum, limit) => sum + weightOf(limit), 0);
}
