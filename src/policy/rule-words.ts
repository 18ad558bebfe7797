import { PERIODS, type Period } from '../limiter/calendar.ts';
import { FAILURE_POLICIES } from '../limiter/degradation.ts';
import { isBucket, MODES, WINDOW_ALGORITHMS } from '../limiter/limit.ts';
import { NAMESPACE_KINDS } from './names.ts';

/** The words of which a rule's JSON is made, for those who check, offer or document them. */

/** It has a time for its leases instead of a window. */
export const CONCURRENCY_WORD = 'concurrency';
/** What a limit may name; quotas have a list of their own. */
export const ALGORITHM_WORDS = [...WINDOW_ALGORITHMS, CONCURRENCY_WORD] as const;
/** The algorithms that take a burst. */
export const BUCKET_WORDS = WINDOW_ALGORITHMS.filter(isBucket);
export const PERIOD_WORDS = PERIODS;
export const STORE_FAILURE_WORDS = FAILURE_POLICIES;
export const KIND_WORDS = NAMESPACE_KINDS;
/** `enforce`, `shadow` (counted and reported, never denying) or `off`. */
export const MODE_WORDS = [...MODES, 'off'] as const;
export const WEEKDAY_WORDS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type AnchorWord = 'minute' | 'time' | 'weekday' | 'day' | 'month';

/** Which members of an anchor say something about which period. */
export const ANCHOR_WORDS: Readonly<Record<Period, readonly AnchorWord[]>> = {
  hour: ['minute'],
  day: ['time'],
  week: ['weekday', 'time'],
  month: ['day', 'time'],
  year: ['month', 'day', 'time'],
  never: [],
};
