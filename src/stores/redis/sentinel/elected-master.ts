import { placeText, type RedisEndpoint } from '../redis-address.ts';
import type { SentinelView } from './sentinel-view.ts';

/** Which master is believed to be it. */
export interface Election {
  readonly master: RedisEndpoint;
  /** Of the failover that made it the master; UNVOUCHED while only some Sentinels have said so. */
  readonly epoch: number;
  /** The highest that any Sentinel has named. */
  readonly epochSeen: number;
}

export const UNVOUCHED = -1;

/**
 * The master after the latest failover that was heard of: never one of an earlier failover, as a Sentinel that
 * was cut off, or started from an old file, names it. Another one than before has to come from a later failover,
 * which took a majority of Sentinels and proves itself, or be named by most of those that are known.
 *
 * @param views of the Sentinels that answer.
 * @param knownSentinels those that don't answer included.
 * @returns `before`'s master if nothing better is said; undefined while nothing was ever said.
 */
export function electedMaster(
  views: readonly SentinelView[],
  knownSentinels: number,
  before: Election | undefined,
): Election | undefined {
  const epoch = Math.max(before?.epochSeen ?? 0, ...views.map((view) => view.epoch));
  const first = mostNamed(
    views.filter((view) => view.epoch === epoch),
    before,
  );
  if (first === undefined) return before;
  const { master, count } = first;
  const isMajority = 2 * count > knownSentinels;
  if (before === undefined) return { master, epoch: isMajority ? epoch : UNVOUCHED, epochSeen: epoch };
  if (isAt(master, before)) return { master, epoch: isMajority ? epoch : before.epoch, epochSeen: epoch };
  return isMajority || epoch > before.epoch
    ? { master, epoch, epochSeen: epoch }
    : { ...before, epochSeen: epoch };
}

/**
 * Of as many the new one: the Sentinel that leads a failover has its epoch already, and still the former master,
 * until all replicas follow the new one.
 */
function mostNamed(views: readonly SentinelView[], before: Election | undefined) {
  const votes = [...Map.groupBy(views, ({ master }) => placeText(master)).values()].map((alike) => ({
    master: (alike[0] as SentinelView).master,
    count: alike.length,
  }));
  const isFormer = (master: RedisEndpoint) =>
    before !== undefined && before.epoch !== UNVOUCHED && isAt(master, before);
  const [first] = votes.sort(
    (a, b) => b.count - a.count || Number(isFormer(a.master)) - Number(isFormer(b.master)),
  );
  return first;
}

const isAt = (master: RedisEndpoint, { master: other }: Election) => placeText(master) === placeText(other);
