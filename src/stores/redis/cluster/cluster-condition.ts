import type { CountersCondition } from '../../../limiter/counters-condition.ts';
import type { SlotMap } from './slot-map.ts';

/** Slots, as `0-5460`, and how those are counted in. */
export interface ShardCondition extends CountersCondition {
  readonly slots: string;
}

/** Under the lowest partition tag that the master has; of whom it is not known any of Brume's will do. */
export function probeKeyOf(map: SlotMap, master: string): string {
  const tag = map.shards.find((shard) => shard.master === master)?.tag ?? '{brume}';
  return `${tag}:probe`;
}

/** Of a cluster as a whole: what all shards have in common, or that only some count. */
export function wholeCondition(shards: readonly ShardCondition[]): CountersCondition {
  const failing = shards.filter(({ state }) => state !== 'available');
  const [first] = failing;
  if (first === undefined) return { state: shards.length > 0 ? 'available' : 'unavailable' };
  const isCommon = failing.every(({ state }) => state === first.state);
  const stateOfAll = isCommon ? first.state : 'unavailable';
  return {
    state: failing.length < shards.length ? 'partly_available' : stateOfAll,
    ...(first.fault !== undefined && { fault: first.fault }),
    slotsAway: failing.map(({ slots }) => slots),
  };
}
