import { NOTHING_HELD } from '../../limiter/held.ts';
import { WINDOW_MS_MAX } from '../../limiter/limit.ts';
import { type Merge, mergeCounted, type Standing } from '../../limiter/merge.ts';
import { type Entry, entryAfter, type Moment } from './entry.ts';

/** An entry with what another counter counted of the identifier. */
export function mergedEntry(
  known: Entry | undefined,
  merge: Merge,
  moment: Moment,
): { readonly standing: Standing; readonly entry: Entry } {
  const { standing, held, expiresAtMs, holdsOthers } = mergeCounted(
    merge,
    known?.held ?? NOTHING_HELD,
    moment.nowMs,
  );
  const entry = entryAfter(known, held, expiresAtMs, moment);
  // As in lua/merge.lua.
  const othersMs = Math.min(known?.expiresMonotonicMs ?? 0, moment.monotonicMs + WINDOW_MS_MAX);
  const expiresMonotonicMs = Math.max(entry.expiresMonotonicMs, holdsOthers ? othersMs : 0);
  return { standing, entry: { ...entry, expiresMonotonicMs } };
}
