import { UsageError } from './usage-error.ts';

/** The time so many milliseconds from now, or ago. Throws UsageError if that is beyond all calendars. */
export function timeFromNow(distanceMs: number): string {
  const date = new Date(Date.now() + distanceMs);
  if (Number.isNaN(date.getTime())) throw new UsageError('The duration is longer than any calendar.');
  return date.toISOString();
}
