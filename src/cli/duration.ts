export { formatDuration, parseDurationMs } from '../policy/duration.ts';

export const DURATION_EXPECTED = 'Expected a duration such as 500ms, 60s, 5m, 1h or 1d.';

/** `2026-11-29T21:53:04.123Z` → `2026-11-29 21:53:04Z`; null stays. */
export function formatTime(time: string | number | null): string | null {
  if (time === null) return null;
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  return date
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}
