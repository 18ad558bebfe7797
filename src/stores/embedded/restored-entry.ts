import { ENDLESS_MS } from '../../limiter/calendar.ts';
import type { QuotaCheckpoint } from '../checkpoints/quota-checkpoint.ts';
import { type Entry, type Moment, NOTHING } from './entry.ts';

/**
 * The entry of an identifier with what a checkpoint says was used; undefined where that is not called
 * for: the period doesn't hold now, as much is counted already, it is counted by another calendar, or what
 * was read from disk is later.
 */
export function restored(
  entry: Entry = NOTHING,
  { name, identity, startMs, endMs, used, observedMs }: QuotaCheckpoint,
  { nowMs, monotonicMs }: Moment,
): Entry | undefined {
  if (startMs > nowMs || nowMs >= endMs) return undefined;
  if (entry.savedMs !== undefined && observedMs <= entry.savedMs) return undefined;
  const known = entry.held.records.get(name);
  if (known !== undefined) {
    if (known.algorithm !== 'quota' || known.identity !== identity || known.startMs > startMs)
      return undefined;
    if (known.startMs === startMs && known.used >= used) return undefined;
  }
  const state = { algorithm: 'quota', identity, startMs, endMs, used } as const;
  const records = new Map(entry.held.records).set(name, state);
  const lastsMs = endMs === ENDLESS_MS ? Number.POSITIVE_INFINITY : endMs - nowMs;
  return {
    ...entry,
    held: { ...entry.held, records },
    expiresMonotonicMs: Math.max(entry.expiresMonotonicMs, monotonicMs + lastsMs),
  };
}
